package storage_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"strconv"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/storage"
	"github.com/roundtable-chat/app/storage/storagetest"
)

var ref = engine.Ref{Team: "T1", Channel: "C1", ID: "d1"}

func delivery(id string) engine.Delivery {
	return engine.Delivery{Ref: ref, Mail: engine.Mail{ID: id, Body: []byte("b")}, Opens: true}
}

// open delivers an input to a new discussion and claims it.
func open(t *testing.T, s engine.Store, id string) *engine.Claim {
	t.Helper()
	d := delivery(id)
	d.Claim = &engine.Claimant{Owner: "one"}
	got, err := s.Deliver(t.Context(), d)
	if err != nil || got.Reception != engine.Stored || got.Claim == nil {
		t.Fatalf("Deliver = %+v, %v, want a claim", got, err)
	}
	return got.Claim
}

func commit(t *testing.T, s engine.Store, h *engine.Claim, c engine.Commit) engine.Committed {
	t.Helper()
	done, err := s.Commit(t.Context(), h, c)
	if err != nil {
		t.Fatal(err)
	}
	h.Token, h.Until = done.Token, done.Until
	return done
}

func claim(t *testing.T, s engine.Store) *engine.Claim {
	t.Helper()
	h, err := s.Claim(t.Context(), ref, engine.Claimant{Owner: "two"})
	if err != nil || h == nil {
		t.Fatalf("Claim = %v, %v, want a claim", h, err)
	}
	return h
}

// TestRestartIsNoticed kills a server that keeps a log and starts it again: what
// was acknowledged is there, and the next holder is told that it may not be.
func TestRestartIsNoticed(t *testing.T) {
	t.Parallel()
	server := storagetest.Redis(t, "--appendonly", "yes", "--appendfsync", "always")
	store := storagetest.Open(t, server, storage.Options{})
	h := open(t, store, "a")
	if h.Rewound {
		t.Fatal("a new discussion is rewound")
	}
	commit(t, store, h, engine.Commit{State: []byte("s"), Mode: engine.ModeYield})
	if h = claim(t, store); h.Rewound {
		t.Fatal("rewound without a restart")
	}
	commit(t, store, h, engine.Commit{Mode: engine.ModeYield})

	server.Kill()
	server.Start(t)
	for range 2 { // A holder that only gives back has not looked.
		if h = claim(t, store); !h.Rewound || string(h.State) != "s" || len(h.Mail) != 1 {
			t.Fatalf("claim after a restart = %+v, want everything, and rewound", h)
		}
		commit(t, store, h, engine.Commit{Mode: engine.ModeYield})
	}
	h = claim(t, store)
	commit(t, store, h, engine.Commit{State: []byte("s1"), Doubt: true})
	commit(t, store, h, engine.Commit{Mode: engine.ModeYield})
	if h = claim(t, store); !h.Rewound || string(h.State) != "s1" {
		t.Fatalf("claim after a commit in doubt = %+v, want what was committed, and rewound", h)
	}
	commit(t, store, h, engine.Commit{State: []byte("s2")})
	commit(t, store, h, engine.Commit{Mode: engine.ModeYield})
	if h = claim(t, store); h.Rewound {
		t.Fatal("rewound although it was committed since")
	}

	server.Kill()
	server.Start(t)
	commit(t, store, h, engine.Commit{State: []byte("s3")}) // by a holder who was not told
	commit(t, store, h, engine.Commit{Mode: engine.ModeYield})
	if h = claim(t, store); !h.Rewound {
		t.Fatal("not rewound although nobody looked since the restart")
	}
}

// TestOperationsOutlastARestart begins an operation while the server is down.
func TestOperationsOutlastARestart(t *testing.T) {
	t.Parallel()
	server := storagetest.Redis(t, "--appendonly", "yes", "--appendfsync", "always")
	store := storagetest.Open(t, server, storage.Options{Patience: time.Minute})
	h := open(t, store, "a")
	server.Kill()
	type outcome struct {
		done engine.Committed
		err  error
	}
	result := make(chan outcome, 1)
	ctx := t.Context()
	go func() {
		done, err := store.Commit(ctx, h, engine.Commit{State: []byte("s"), Consumed: []string{"a"}, Mode: engine.ModeRelease})
		result <- outcome{done, err}
	}()
	server.Start(t)
	got := <-result
	if got.err != nil || !got.done.Released {
		t.Fatalf("Commit over a restart = %+v, %v", got.done, got.err)
	}
}

func TestPatienceEnds(t *testing.T) {
	t.Parallel()
	server := storagetest.Redis(t)
	store := storagetest.Open(t, server, storage.Options{Patience: 50 * time.Millisecond})
	server.Kill()
	if _, err := store.Deliver(t.Context(), delivery("a")); err == nil {
		t.Fatal("delivered to a server that is gone")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := store.Claim(ctx, ref, engine.Claimant{Owner: "one"}); !errors.Is(err, context.Canceled) {
		t.Fatalf("Claim = %v, want the cancellation", err)
	}
}

func TestScriptsAreTaughtAgain(t *testing.T) {
	t.Parallel()
	storagetest.EachServer(t, func(t *testing.T, s *storagetest.Server) {
		store := storagetest.Open(t, s, storage.Options{})
		h := open(t, store, "a")
		client := s.Client(t)
		defer func() { _ = client.Close() }()
		if err := client.ScriptFlush(t.Context()).Err(); err != nil {
			t.Fatal(err)
		}
		commit(t, store, h, engine.Commit{State: []byte("s"), Append: [][]byte{[]byte("e")}})
		if _, log, err := store.Read(t.Context(), ref); err != nil || len(log) != 1 {
			t.Fatalf("Read = %q, %v, want one entry", log, err)
		}
	})
}

// TestReplicasConfirm halts the replica: nothing is durable then, and what was
// repeated under the same operation id is once it goes on.
func TestReplicasConfirm(t *testing.T) {
	t.Parallel()
	master := storagetest.RedisTCP(t)
	replica := storagetest.RedisTCP(t, "--replicaof", "127.0.0.1", strconv.Itoa(master.Port), "--repl-diskless-sync-delay", "0")
	repeated := make(repetitions, 1)
	patient := storagetest.Open(t, master, storage.Options{Replicas: 1, Patience: 20 * time.Second, Logger: slog.New(repeated)})
	hasty := storagetest.Open(t, master, storage.Options{Replicas: 1, WaitFor: 20 * time.Millisecond, Patience: time.Millisecond})
	h := open(t, patient, "a")
	replica.Stop(t)
	select {
	case <-repeated: // while the replica was being filled
	default:
	}
	for range 2 { // The second is a duplicate, and no safer than the first.
		if _, err := hasty.Deliver(t.Context(), delivery("b")); !errors.Is(err, storage.ErrNotDurable) {
			t.Fatalf("Deliver without a replica = %v, want ErrNotDurable (I1)", err)
		}
	}
	if _, err := hasty.Commit(t.Context(), h, engine.Commit{Done: 1}); err == nil || errors.Is(err, storage.ErrNotDurable) {
		t.Fatalf("impossible commit = %v, want its own error", err)
	}
	type outcome struct {
		done engine.Committed
		err  error
	}
	result, ctx := make(chan outcome, 1), t.Context()
	go func() {
		done, err := patient.Commit(ctx, h, engine.Commit{State: []byte("s"), Append: [][]byte{[]byte("e")}, Consumed: []string{"a"}})
		result <- outcome{done, err}
	}()
	select {
	case got := <-result:
		t.Fatalf("committed without a replica: %+v", got)
	case <-repeated:
	}
	replica.Continue(t)
	got := <-result
	if got.err != nil || len(got.done.Mail) != 1 {
		t.Fatalf("Commit = %+v, %v, want it applied and b waiting", got.done, got.err)
	}
	if _, log, err := patient.Read(t.Context(), ref); err != nil || len(log) != 1 {
		t.Fatalf("Read = %q, %v, want one entry after the repetition", log, err)
	}
}

// repetitions is a log handler that tells when an operation is repeated.
type repetitions chan struct{}

func (r repetitions) Enabled(context.Context, slog.Level) bool { return true }
func (r repetitions) WithAttrs([]slog.Attr) slog.Handler       { return r }
func (r repetitions) WithGroup(string) slog.Handler            { return r }

func (r repetitions) Handle(context.Context, slog.Record) error {
	select {
	case r <- struct{}{}:
	default:
	}
	return nil
}

// TestDeadlineCountsFromTheFirstSending loses the replies of a claim for a while:
// the lease began with the first, so the deadline does too (I7).
func TestDeadlineCountsFromTheFirstSending(t *testing.T) {
	t.Parallel()
	client := storagetest.Redis(t).Client(t)
	defer func() { _ = client.Close() }()
	losing := &losingFirst{left: 6}
	client.AddHook(losing)
	store, err := storage.Open(t.Context(), storage.Options{Client: client})
	if err != nil {
		t.Fatal(err)
	}
	h := open(t, store, "a")
	if latest := losing.first.Add(defaultLease * 2 / 3); h.Until.After(latest) || losing.left != 0 {
		t.Fatalf("deadline %v, want at most %v", h.Until, latest)
	}
}

// losingFirst is a go-redis hook that loses the replies of the first scripts that
// ran, and remembers when the first left.
type losingFirst struct {
	left  int
	first time.Time
}

func (l *losingFirst) DialHook(next redis.DialHook) redis.DialHook { return next }

func (l *losingFirst) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}

func (l *losingFirst) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		script := cmd.Name() == "evalsha" || cmd.Name() == "eval"
		if script && l.first.IsZero() {
			l.first = time.Now()
		}
		err := next(ctx, cmd)
		if script && err == nil && l.left > 0 {
			l.left--
			cmd.SetErr(io.EOF)
			return io.EOF
		}
		return err
	}
}
