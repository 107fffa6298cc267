package storagetest_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/storage/storagetest"
)

// TestModelKeepsTheContract shows that the model promises what the suite demands,
// so that comparing a store with it means something.
func TestModelKeepsTheContract(t *testing.T) {
	t.Parallel()
	storagetest.RunContract(t, func(*testing.T) storagetest.Subject {
		now := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
		m := storagetest.NewModel(func() time.Time { return now })
		m.MailboxLimit = 5
		return storagetest.Subject{
			Store: m, Lease: m.Lease, MailboxLimit: m.MailboxLimit,
			Pass: func(d time.Duration) { now = now.Add(d) },
		}
	})
}

func TestFaultyCrashes(t *testing.T) {
	t.Parallel()
	ctx, ref := context.Background(), engine.Ref{Team: "T", Channel: "C", ID: "d"}
	deliver := func(s engine.Store, id string) error {
		_, _, _, err := s.Deliver(ctx, engine.Delivery{Ref: ref, Mail: engine.Mail{ID: id}, Opens: true})
		return err
	}
	for name, test := range map[string]struct {
		crash func(storagetest.Store, int) *storagetest.Faulty
		mail  int
	}{
		"before": {storagetest.CrashBefore, 1},
		"after":  {storagetest.CrashAfter, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			model := storagetest.NewModel(time.Now)
			f := test.crash(model, 2)
			if err := deliver(f, "a"); err != nil {
				t.Fatal(err)
			}
			for _, id := range []string{"b", "c"} {
				if err := deliver(f, id); !errors.Is(err, storagetest.ErrCrashed) {
					t.Fatalf("Deliver(%s) = %v, want a crash", id, err)
				}
			}
			h, err := model.Claim(ctx, ref, engine.Claimant{Owner: "next"})
			if err != nil || h == nil || len(h.Mail) != test.mail {
				t.Fatalf("Claim = %+v, %v, want %d mails", h, err, test.mail)
			}
			if got := f.Calls(); len(got) != 3 || got[2] != (storagetest.Call{N: 3, Method: "Deliver"}) {
				t.Fatalf("Calls = %v", got)
			}
		})
	}
}
