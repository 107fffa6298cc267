package enginetest

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/persona"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// ErrCrashed is what a crashed replica's calls return. None of them has an effect.
var ErrCrashed = errors.New("the replica has crashed")

// Crash says at which of its calls to the outside a replica crashes, counted from
// 1; zero: never. After: the call is performed, but its reply not read. With Pause
// the replica does not crash but stands still for that long, as a process that was
// stopped does: it then goes on as if nothing had happened.
type Crash struct {
	At    int
	After bool
	Pause time.Duration
}

// Replica is the outside as one process sees it: every call to the store and to
// Slack passes here, is counted, and may be its last.
type Replica struct {
	crash Crash
	// dead is closed by the crash.
	dead chan struct{}

	mu      sync.Mutex
	calls   []string
	gone    bool
	resumed chan struct{} // not nil while it stands still
}

// NewReplica returns a replica that is to crash as told.
func NewReplica(c Crash) *Replica {
	return &Replica{crash: c, dead: make(chan struct{})}
}

// Dead is closed when the replica has crashed.
func (r *Replica) Dead() <-chan struct{} { return r.dead }

// Calls returns the names of the calls made, in order.
func (r *Replica) Calls() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]string(nil), r.calls...)
}

// enter counts a call; it fails if the replica crashes before it or crashed long
// ago. last is true if the replica crashes once the call is performed.
func (r *Replica) enter(name string) (last bool, err error) {
	r.stand()
	r.mu.Lock()
	if r.gone {
		r.mu.Unlock()
		return false, ErrCrashed
	}
	r.calls = append(r.calls, name)
	due := len(r.calls) == r.crash.At
	r.mu.Unlock()
	if !due || r.crash.After {
		return due, nil
	}
	return false, r.fall()
}

// leave ends a call.
func (r *Replica) leave(last bool) error {
	if last {
		return r.fall()
	}
	r.stand()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.gone {
		return ErrCrashed
	}
	return nil
}

// fall crashes the replica, or stands still.
func (r *Replica) fall() error {
	r.mu.Lock()
	if r.crash.Pause == 0 {
		defer r.mu.Unlock()
		r.gone = true
		close(r.dead)
		return ErrCrashed
	}
	resumed := make(chan struct{})
	r.resumed = resumed
	r.mu.Unlock()
	timer := time.NewTimer(r.crash.Pause)
	defer timer.Stop()
	<-timer.C
	r.mu.Lock()
	defer r.mu.Unlock()
	r.resumed = nil
	close(resumed)
	return nil
}

// Kill crashes the replica now.
func (r *Replica) Kill() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.gone {
		r.gone = true
		close(r.dead)
	}
}

// stand blocks while the replica stands still.
func (r *Replica) stand() {
	r.mu.Lock()
	resumed := r.resumed
	r.mu.Unlock()
	if resumed != nil {
		<-resumed
	}
}

// call passes a call through a replica.
func call[T any](r *Replica, name string, do func() (T, error)) (T, error) {
	var zero T
	last, err := r.enter(name)
	if err != nil {
		return zero, err
	}
	v, err := do()
	if crashed := r.leave(last); crashed != nil {
		return zero, crashed
	}
	return v, err
}

// Store is a store as a replica sees it.
func (r *Replica) Store(s engine.Store) engine.Store { return &replicaStore{Store: s, r: r} }

// Items are items as a replica sees them.
func (r *Replica) Items(i engine.Items) engine.Items { return &replicaItems{Items: i, r: r} }

// Workplace is Slack as a replica sees it. Courtesies beside the turn (Think,
// React) fail once it has crashed but are no points to crash at: they change
// nothing that is promised.
func (r *Replica) Workplace(w engine.Workplace) engine.Workplace {
	return &replicaWorkplace{Workplace: w, r: r}
}

type replicaStore struct {
	engine.Store
	r *Replica
}

func (s *replicaStore) Deliver(ctx context.Context, d engine.Delivery) (engine.Delivered, error) {
	return call(s.r, "store.deliver", func() (engine.Delivered, error) { return s.Store.Deliver(ctx, d) })
}

func (s *replicaStore) Claim(ctx context.Context, ref engine.Ref, by engine.Claimant) (*engine.Claim, error) {
	return call(s.r, "store.claim", func() (*engine.Claim, error) { return s.Store.Claim(ctx, ref, by) })
}

func (s *replicaStore) Commit(ctx context.Context, h *engine.Claim, c engine.Commit) (engine.Committed, error) {
	return call(s.r, commitName(c), func() (engine.Committed, error) { return s.Store.Commit(ctx, h, c) })
}

// commitName tells commits apart by what matters most in them.
func commitName(c engine.Commit) string {
	name := "store.commit"
	for _, part := range []struct {
		has  bool
		name string
	}{{c.State != nil, "state"}, {c.Done > 0, "done"}, {c.Attempt, "attempt"}, {c.Unattempt, "unattempt"}, {c.Mode == engine.ModeRelease || c.Mode == engine.ModeYield, "release"},
		{c.Mode == engine.ModeYield, "yield"}, {c.Mode == engine.ModeClose, "close"}} {
		if part.has {
			name += "+" + part.name
		}
	}
	return name
}

func (s *replicaStore) Renew(ctx context.Context, h *engine.Claim) (engine.Committed, error) {
	return call(s.r, "store.renew", func() (engine.Committed, error) { return s.Store.Renew(ctx, h) })
}

func (s *replicaStore) Try(ctx context.Context, h *engine.Claim, what string) (engine.Committed, error) {
	return call(s.r, "store.try", func() (engine.Committed, error) { return s.Store.Try(ctx, h, what) })
}

// Due is no point to crash at, for idle replicas call nothing else.
func (s *replicaStore) Due(ctx context.Context, limit int) ([]engine.Ref, error) {
	select {
	case <-s.r.dead:
		return nil, ErrCrashed
	default:
		return s.Store.Due(ctx, limit)
	}
}

func (s *replicaStore) ListOpen(ctx context.Context, limit int) ([]engine.Listed, error) {
	return call(s.r, "store.list_open", func() ([]engine.Listed, error) { return s.Store.ListOpen(ctx, limit) })
}

func (s *replicaStore) MayRead(ctx context.Context, team string, every time.Duration) (time.Duration, error) {
	return call(s.r, "store.may_read", func() (time.Duration, error) { return s.Store.MayRead(ctx, team, every) })
}

func (s *replicaStore) First(ctx context.Context, what string) (bool, error) {
	return call(s.r, "store.first", func() (bool, error) { return s.Store.First(ctx, what) })
}

type replicaItems struct {
	engine.Items
	r *Replica
}

func (i *replicaItems) ReadItem(ctx context.Context, ref engine.ItemRef) (engine.Item, error) {
	return call(i.r, "items.read", func() (engine.Item, error) { return i.Items.ReadItem(ctx, ref) })
}

func (i *replicaItems) WriteItem(ctx context.Context, ref engine.ItemRef, w engine.ItemWrite) error {
	_, err := call(i.r, "items.write", func() (struct{}, error) { return struct{}{}, i.Items.WriteItem(ctx, ref, w) })
	return err
}

// Farewells are farewells as a replica sees them.
func (r *Replica) Farewells(f engine.Farewells) engine.Farewells {
	return &replicaFarewells{Farewells: f, r: r}
}

type replicaFarewells struct {
	engine.Farewells
	r *Replica
}

func (f *replicaFarewells) Hide(ctx context.Context, what engine.Farewell) (engine.Hidden, error) {
	return call(f.r, "farewells.hide", func() (engine.Hidden, error) { return f.Farewells.Hide(ctx, what) })
}

func (f *replicaFarewells) Restore(ctx context.Context, what engine.Farewell) error {
	_, err := call(f.r, "farewells.restore", func() (struct{}, error) { return struct{}{}, f.Farewells.Restore(ctx, what) })
	return err
}

func (f *replicaFarewells) Remove(ctx context.Context, what engine.Farewell) (bool, error) {
	return call(f.r, "farewells.remove", func() (bool, error) { return f.Farewells.Remove(ctx, what) })
}

type replicaWorkplace struct {
	engine.Workplace
	r *Replica
}

func (w *replicaWorkplace) Post(ctx context.Context, p engine.Posting) (string, error) {
	ts, err := call(w.r, "slack.post", func() (string, error) { return w.Workplace.Post(ctx, p) })
	return ts, crashedSend(err)
}

// crashedSend keeps a crash from looking like an answer of Slack's.
func crashedSend(err error) error {
	if errors.Is(err, ErrCrashed) {
		return &engine.SendError{Outcome: engine.InDoubt, Err: err}
	}
	return err
}

func (w *replicaWorkplace) Find(ctx context.Context, place thread.Place, since time.Time) ([]engine.Found, error) {
	return call(w.r, "slack.find", func() ([]engine.Found, error) { return w.Workplace.Find(ctx, place, since) })
}

func (w *replicaWorkplace) Read(ctx context.Context, place thread.Place, since time.Time) ([]engine.Heard, error) {
	return call(w.r, "slack.read", func() ([]engine.Heard, error) { return w.Workplace.Read(ctx, place, since) })
}

func (w *replicaWorkplace) Retract(ctx context.Context, place thread.Place, ts string) error {
	_, err := call(w.r, "slack.retract", func() (struct{}, error) { return struct{}{}, w.Workplace.Retract(ctx, place, ts) })
	return crashedSend(err)
}

func (w *replicaWorkplace) ShowRoot(ctx context.Context, place thread.Place, m thread.Message) error {
	_, err := call(w.r, "slack.show_root", func() (struct{}, error) { return struct{}{}, w.Workplace.ShowRoot(ctx, place, m) })
	return crashedSend(err)
}

func (w *replicaWorkplace) QuietUntil(ctx context.Context, user string) (time.Time, error) {
	until, err := call(w.r, "slack.quiet_until", func() (time.Time, error) { return w.Workplace.QuietUntil(ctx, user) })
	return until, crashedSend(err)
}

func (w *replicaWorkplace) Identify(ctx context.Context, user string, strictly bool) (thread.Person, error) {
	p, err := call(w.r, "slack.identify", func() (thread.Person, error) { return w.Workplace.Identify(ctx, user, strictly) })
	return p, crashedSend(err)
}

func (w *replicaWorkplace) Tell(ctx context.Context, place thread.Place, user, text string) error {
	_, err := call(w.r, "slack.tell", func() (struct{}, error) {
		return struct{}{}, w.Workplace.Tell(ctx, place, user, text)
	})
	return crashedSend(err)
}

func (w *replicaWorkplace) React(ctx context.Context, place thread.Place, ts, emoji string) error {
	return w.alive(func() error { return w.Workplace.React(ctx, place, ts, emoji) })
}

func (w *replicaWorkplace) Think(ctx context.Context, place thread.Place, personas []persona.Seat) error {
	return w.alive(func() error { return w.Workplace.Think(ctx, place, personas) })
}

func (w *replicaWorkplace) alive(do func() error) error {
	select {
	case <-w.r.dead:
		return ErrCrashed
	default:
		return do()
	}
}
