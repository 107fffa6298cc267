package storage_test

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/redis/go-redis/v9"

	"github.com/roundtable-chat/app/storage"
	"github.com/roundtable-chat/app/storage/storagetest"
	"github.com/roundtable-chat/app/storage/storagetest/contract"
)

// doubling is a go-redis hook that runs every script a second time and wants the
// same answer: what a repetition after a lost reply must bring.
type doubling struct {
	t     *testing.T
	count *atomic.Int64
}

func (d doubling) DialHook(next redis.DialHook) redis.DialHook { return next }

func (d doubling) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}

func (d doubling) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		err := next(ctx, cmd)
		first, script := cmd.(*redis.Cmd)
		if !script || (cmd.Name() != "evalsha" && cmd.Name() != "eval") || (err != nil && err != redis.Nil) { //nolint:errorlint // exactly the sentinel
			return err
		}
		again := redis.NewCmd(ctx, cmd.Args()...)
		if err2 := next(ctx, again); err2 != err { //nolint:errorlint // exactly the same
			d.t.Errorf("second run failed with %v, the first with %v", err2, err)
		}
		if diff := cmp.Diff(first.Val(), again.Val()); diff != "" {
			d.t.Errorf("second run of %v answers otherwise (-first +second):\n%s", cmd.Args()[1], diff)
		}
		d.count.Add(1)
		return err
	}
}

// TestRepetitionsAnswerTheSame runs the whole contract with every script sent
// twice under its operation id, on a clock that stands still (I2, I7).
func TestRepetitionsAnswerTheSame(t *testing.T) {
	t.Parallel()
	var count atomic.Int64
	t.Run("contract", func(t *testing.T) {
		contract.Run(t, func(t *testing.T) contract.Subject {
			server := storagetest.Mini(t)
			client := server.Client(t)
			t.Cleanup(func() { _ = client.Close() })
			client.AddHook(doubling{t, &count})
			o := storage.Options{Client: client, MailboxLimit: 5}
			store, err := storage.Open(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			return contract.Subject{Store: store, Lease: defaultLease, MailboxLimit: o.MailboxLimit, Pass: server.Pass}
		})
	})
	if count.Load() < 100 {
		t.Fatalf("only %d scripts were repeated", count.Load())
	}
}
