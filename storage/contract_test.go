package storage_test

import (
	"testing"
	"time"

	"github.com/roundtable-chat/app/storage"
	"github.com/roundtable-chat/app/storage/storagetest"
	"github.com/roundtable-chat/app/storage/storagetest/contract"
)

func TestContract(t *testing.T) {
	t.Parallel()
	storagetest.EachServer(t, func(t *testing.T, s *storagetest.Server) {
		contract.Run(t, func(t *testing.T) contract.Subject {
			server := s
			if !s.Real { // its clock is moved, so nobody else may share it
				server = storagetest.Mini(t)
			}
			o := storage.Options{Prefix: "t" + t.Name(), Lease: 2 * time.Second, MailboxLimit: 5}
			return contract.Subject{
				Store: storagetest.Open(t, server, o), Lease: o.Lease, MailboxLimit: o.MailboxLimit, Pass: server.Pass,
			}
		})
	})
}

// TestContractOnACluster shows that every script keeps to one slot.
func TestContractOnACluster(t *testing.T) {
	t.Parallel()
	server := storagetest.Cluster(t)
	t.Run("cluster", func(t *testing.T) {
		contract.Run(t, func(t *testing.T) contract.Subject {
			o := storage.Options{Prefix: "t" + t.Name(), Lease: 2 * time.Second, MailboxLimit: 5}
			return contract.Subject{
				Store: storagetest.Open(t, server, o), Lease: o.Lease, MailboxLimit: o.MailboxLimit, Pass: server.Pass,
			}
		})
	})
}
