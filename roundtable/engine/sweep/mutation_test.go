package sweep_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/engine/enginetest"
	"github.com/roundtable-chat/app/roundtable/engine/invariant"
)

// TestCheckerHasTeeth breaks the engine in ways in which such engines are broken
// and expects the sweep to notice each, by the invariant that it breaks: something is
// lost (I1), doubled (I3) or stuck (I10). A checker that passes a broken engine proves
// nothing of a sound one. Whoever acts on what another took over (I7) is noticed here
// by what it doubles; the simulation sees it act. Some are noticed at a single crash point, as
// the gap between two halves of the commit that opens a discussion: so that it is among those
// that are tried, the calls come in the same order in every play.
func TestCheckerHasTeeth(t *testing.T) {
	tests := []struct {
		name   string
		want   string
		adjust func() func(*engine.Options)
		pause  bool
		fault  func(n int) enginetest.Fault
	}{
		{name: "does not look before sending again", want: "I3", adjust: storeBroken(func(s engine.Store) engine.Store { return forgetfulStore{s} })},
		{name: "sends again when in doubt", want: "I3", adjust: slackBroken(func(w engine.Workplace) engine.Workplace { return hastyWorkplace{w} }), fault: cutEveryThird},
		{name: "does not mark before sending", want: "I3", adjust: storeBroken(func(s engine.Store) engine.Store { return unmarkedStore{s} })},
		{name: "consumes mail before the commit", want: "I1", adjust: storeBroken(func(s engine.Store) engine.Store { return eagerStore{s} })},
		{name: "commits state and outbox apart", want: "I10", adjust: storeBroken(func(s engine.Store) engine.Store { return tornStore{s} })},
		{name: "ignores fencing", want: "I3", adjust: func() func(*engine.Options) {
			latest := &tokens{} // shared by all replicas, which is the mistake
			return func(o *engine.Options) {
				o.Store = unfencedStore{o.Store, latest}
				o.Workplace = endlessWorkplace{o.Workplace}
			}
		}, pause: true},
		{name: "sends after its time", want: "I3", adjust: slackBroken(func(w engine.Workplace) engine.Workplace { return endlessWorkplace{w} }), pause: true},
		{name: "does not let Slack settle", want: "I3", adjust: func() func(*engine.Options) {
			return func(o *engine.Options) { o.PostTimeout, o.Settle = 300*time.Millisecond, 400*time.Millisecond }
		}, fault: lateEveryThird},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := enginetest.Scenarios()[1]
			s.Acts = s.Acts[:1] // the audit at the end would heal what went wrong
			s.Fault = test.fault
			make := func(adjust func(*engine.Options)) func() *enginetest.World {
				return func() *enginetest.World {
					w := memoryWorld()
					if test.pause {
						w = pausedWorld()
					}
					w.Adjust, w.Settle = adjust, synctest.Wait
					return w
				}
			}
			calls, found := play(t, s, enginetest.Crash{}, make(test.adjust()))
			wanted := func(v invariant.Violation) bool { return v.Invariant == test.want }
			points := 0
			for at := 1; at <= len(calls) && !slices.ContainsFunc(found, wanted); at++ {
				for _, after := range []bool{false, true} {
					c := enginetest.Crash{At: at, After: after}
					if test.pause {
						c.Pause = pauseLength
					}
					points++
					_, v := play(t, s, c, make(test.adjust()))
					found = append(found, v...)
				}
			}
			i := slices.IndexFunc(found, wanted)
			if i < 0 {
				t.Fatalf("%d crash points, and the checker noticed no %s, but %v", points, test.want, found)
			}
			t.Logf("noticed after %d crash points: %s", points, found[i])
		})
	}
}

func storeBroken(broken func(engine.Store) engine.Store) func() func(*engine.Options) {
	return func() func(*engine.Options) {
		return func(o *engine.Options) { o.Store = broken(o.Store) }
	}
}

func slackBroken(broken func(engine.Workplace) engine.Workplace) func() func(*engine.Options) {
	return func() func(*engine.Options) {
		return func(o *engine.Options) { o.Workplace = broken(o.Workplace) }
	}
}

var errCut = errors.New("connection cut")

// cutEveryThird performs every third post and then cuts the connection.
func cutEveryThird(n int) enginetest.Fault {
	if n%3 != 0 {
		return enginetest.Fault{}
	}
	return enginetest.Fault{Err: &engine.SendError{Outcome: engine.InDoubt, Err: errCut}, Performed: true}
}

// lateEveryThird performs every third post, but after the connection was cut and
// later than PostTimeout in the broken engine's opinion.
func lateEveryThird(n int) enginetest.Fault {
	f := cutEveryThird(n)
	if f.Err != nil {
		f.Late = 5 * time.Second
	}
	return f
}

// forgetfulStore does not tell a new holder that the head was attempted.
type forgetfulStore struct{ engine.Store }

func (s forgetfulStore) Claim(ctx context.Context, ref engine.Ref, by engine.Claimant) (*engine.Claim, error) {
	h, err := s.Store.Claim(ctx, ref, by)
	if h != nil {
		h.Attempted = time.Time{}
	}
	return h, err
}

// hastyWorkplace takes doubt for failure.
type hastyWorkplace struct{ engine.Workplace }

func (w hastyWorkplace) Post(ctx context.Context, p engine.Posting) (string, error) {
	ts, err := w.Workplace.Post(ctx, p)
	if s, ok := errors.AsType[*engine.SendError](err); ok && s.Outcome == engine.InDoubt {
		return ts, &engine.SendError{Outcome: engine.Unsent, Err: err}
	}
	return ts, err
}

// unmarkedStore leaves out the mark that a post is about to be sent.
type unmarkedStore struct{ engine.Store }

func (s unmarkedStore) Commit(ctx context.Context, h *engine.Claim, c engine.Commit) (engine.Committed, error) {
	c.Attempt = false
	return s.Store.Commit(ctx, h, c)
}

// eagerStore takes mail out of the mailbox before what follows from it is stored.
type eagerStore struct{ engine.Store }

func (s eagerStore) Commit(ctx context.Context, h *engine.Claim, c engine.Commit) (engine.Committed, error) {
	first := engine.Commit{Consumed: c.Consumed}
	c.Consumed = nil
	return inTwo(ctx, s.Store, h, first, c)
}

// tornStore stores the state before the effects that go with it.
type tornStore struct{ engine.Store }

func (s tornStore) Commit(ctx context.Context, h *engine.Claim, c engine.Commit) (engine.Committed, error) {
	first := engine.Commit{State: c.State, Consumed: c.Consumed, Append: c.Append}
	c.State, c.Consumed, c.Append = nil, nil, nil
	return inTwo(ctx, s.Store, h, first, c)
}

func inTwo(ctx context.Context, s engine.Store, h *engine.Claim, first, second engine.Commit) (engine.Committed, error) {
	r, err := s.Commit(ctx, h, first)
	if err != nil {
		return r, err
	}
	held := *h
	held.Token = r.Token
	return s.Commit(ctx, &held, second)
}

// tokens are the newest tokens that any replica was given.
type tokens struct {
	mu    sync.Mutex
	token engine.Token
}

func (t *tokens) set(token engine.Token) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.token = token
}

func (t *tokens) get() engine.Token {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.token
}

// unfencedStore lets every holder write, whoever holds the discussion by now, and
// for as long as it likes.
type unfencedStore struct {
	engine.Store
	latest *tokens
}

func (s unfencedStore) Deliver(ctx context.Context, d engine.Delivery) (engine.Delivered, error) {
	got, err := s.Store.Deliver(ctx, d)
	got.Claim = s.noted(got.Claim)
	return got, err
}

func (s unfencedStore) Claim(ctx context.Context, ref engine.Ref, by engine.Claimant) (*engine.Claim, error) {
	h, err := s.Store.Claim(ctx, ref, by)
	return s.noted(h), err
}

func (s unfencedStore) noted(h *engine.Claim) *engine.Claim {
	if h != nil {
		s.latest.set(h.Token)
		h.Until = h.Until.Add(time.Hour)
	}
	return h
}

func (s unfencedStore) Commit(ctx context.Context, h *engine.Claim, c engine.Commit) (engine.Committed, error) {
	held := *h
	held.Token = s.latest.get()
	r, err := s.Store.Commit(ctx, &held, c)
	return s.committed(r), err
}

func (s unfencedStore) Try(ctx context.Context, h *engine.Claim, what string) (engine.Committed, error) {
	held := *h
	held.Token = s.latest.get()
	r, err := s.Store.Try(ctx, &held, what)
	return s.committed(r), err
}

func (s unfencedStore) Renew(ctx context.Context, h *engine.Claim) (engine.Committed, error) {
	held := *h
	held.Token = s.latest.get()
	r, err := s.Store.Renew(ctx, &held)
	return s.committed(r), err
}

func (s unfencedStore) committed(r engine.Committed) engine.Committed {
	if r.Token != "" {
		s.latest.set(r.Token)
	}
	r.Until = r.Until.Add(time.Hour)
	return r
}

// endlessWorkplace sends whatever it is given, however late.
type endlessWorkplace struct{ engine.Workplace }

func (w endlessWorkplace) Post(ctx context.Context, p engine.Posting) (string, error) {
	return w.Workplace.Post(context.WithoutCancel(ctx), p)
}
