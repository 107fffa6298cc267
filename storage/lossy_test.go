package storage_test

import (
	"context"
	"io"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

// lossyReplies is a go-redis hook that, once armed, loses the reply of every
// fourth script after it ran, and refuses to send every eighth. Scripts that
// failed, as for want of being known to the server, are left alone.
type lossyReplies struct {
	mu    sync.Mutex
	rand  *rand.Rand
	armed bool
	lost  int
}

func (l *lossyReplies) DialHook(next redis.DialHook) redis.DialHook { return next }

func (l *lossyReplies) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}

func (l *lossyReplies) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		script := cmd.Name() == "evalsha" || cmd.Name() == "eval"
		l.mu.Lock()
		unsent, lost := l.armed && script && l.rand.IntN(8) == 0, l.armed && script && l.rand.IntN(4) == 0
		l.mu.Unlock()
		if unsent {
			cmd.SetErr(io.EOF)
			return io.EOF
		}
		err := next(ctx, cmd)
		if lost && err == nil {
			l.mu.Lock()
			l.lost++
			l.mu.Unlock()
			cmd.SetErr(io.EOF)
			return io.EOF
		}
		return err
	}
}

// clock returns a server's time in whole milliseconds.
func clock(t *testing.T, c *redis.Client) time.Time {
	t.Helper()
	now, err := c.Time(t.Context()).Result()
	if err != nil {
		t.Fatal(err)
	}
	return now.UTC().Truncate(time.Millisecond)
}
