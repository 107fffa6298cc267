package enginetest_test

import (
	"testing"
	"time"

	"github.com/roundtable-chat/app/roundtable/engine/enginetest"
	"github.com/roundtable-chat/app/storage/storagetest/contract"
)

// TestMemoryKeepsTheContract: what the engine is swept and simulated on promises
// what a real store does.
func TestMemoryKeepsTheContract(t *testing.T) {
	t.Parallel()
	contract.Run(t, func(*testing.T) contract.Subject {
		now := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
		m := &enginetest.Memory{Clock: func() time.Time { return now }, Lease: 30 * time.Second, MailboxLimit: 5}
		return contract.Subject{
			Store: m, Lease: m.Lease, MailboxLimit: m.MailboxLimit,
			Pass: func(d time.Duration) { now = now.Add(d) },
		}
	})
}
