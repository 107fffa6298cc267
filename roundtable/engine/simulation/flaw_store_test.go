package simulation_test

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/engine/simulation"
)

// breakStore is a flaw between the engine and its store.
func breakStore(broken func(engine.Store) engine.Store) func() simulation.Flaw {
	return func() simulation.Flaw {
		return simulation.Flaw{Adjust: func(o *engine.Options) { o.Store = broken(o.Store) }}
	}
}

// breakSlack is a flaw between the engine and Slack.
func breakSlack(broken func(engine.Workplace) engine.Workplace) func() simulation.Flaw {
	return func() simulation.Flaw {
		return simulation.Flaw{Adjust: func(o *engine.Options) { o.Workplace = broken(o.Workplace) }}
	}
}

// breakItems is a flaw between the engine and the items.
func breakItems(broken func(engine.Items) engine.Items) func() simulation.Flaw {
	return func() simulation.Flaw {
		return simulation.Flaw{Adjust: func(o *engine.Options) { o.Items = broken(o.Items) }}
	}
}

// heldStore changes what a replica is told of every discussion it comes to hold.
type heldStore struct {
	engine.Store
	change func(*engine.Claim)
}

func (s heldStore) Deliver(ctx context.Context, d engine.Delivery) (engine.Delivered, error) {
	got, err := s.Store.Deliver(ctx, d)
	if got.Claim != nil {
		s.change(got.Claim)
	}
	return got, err
}

func (s heldStore) Claim(ctx context.Context, ref engine.Ref, by engine.Claimant) (*engine.Claim, error) {
	h, err := s.Store.Claim(ctx, ref, by)
	if h != nil {
		s.change(h)
	}
	return h, err
}

func holding(change func(*engine.Claim)) func() simulation.Flaw {
	return breakStore(func(s engine.Store) engine.Store { return heldStore{s, change} })
}

// commitStore changes every commit.
type commitStore struct {
	engine.Store
	change func(*engine.Commit)
}

func (s commitStore) Commit(ctx context.Context, h *engine.Claim, c engine.Commit) (engine.Committed, error) {
	s.change(&c)
	return s.Store.Commit(ctx, h, c)
}

func committing(change func(*engine.Commit)) func() simulation.Flaw {
	return breakStore(func(s engine.Store) engine.Store { return commitStore{s, change} })
}

// forgetfulStore takes mail in without looking at it: the newest of each claim.
type forgetfulStore struct {
	engine.Store
	mu   sync.Mutex
	lost map[engine.Ref]string
}

func (s *forgetfulStore) Claim(ctx context.Context, ref engine.Ref, by engine.Claimant) (*engine.Claim, error) {
	h, err := s.Store.Claim(ctx, ref, by)
	if h != nil && h.State != nil && len(h.Mail) > 0 {
		s.mu.Lock()
		defer s.mu.Unlock()
		last := len(h.Mail) - 1
		s.lost[ref], h.Mail = h.Mail[last].ID, h.Mail[:last]
	}
	return h, err
}

func (s *forgetfulStore) Commit(ctx context.Context, h *engine.Claim, c engine.Commit) (engine.Committed, error) {
	s.mu.Lock()
	if id, ok := s.lost[h.Ref]; ok {
		c.Consumed = append(slices.Clone(c.Consumed), id)
		delete(s.lost, h.Ref)
	}
	s.mu.Unlock()
	return s.Store.Commit(ctx, h, c)
}

// repetitiveStore takes a duplicate for another input.
type repetitiveStore struct{ engine.Store }

func repetitive(s engine.Store) engine.Store { return repetitiveStore{s} }

func (s repetitiveStore) Deliver(ctx context.Context, d engine.Delivery) (engine.Delivered, error) {
	got, err := s.Store.Deliver(ctx, d)
	if err == nil && got.Reception == engine.Duplicate && !d.Opens {
		d.Mail.ID += "/again"
		return s.Store.Deliver(ctx, d)
	}
	return got, err
}

// idleStore believes that a lease lasts. Its clock is the store's.
type idleStore struct {
	heldStore
	ahead *atomic.Int64 // of the store's clock, in nanoseconds
}

func (s idleStore) Renew(_ context.Context, h *engine.Claim) (engine.Committed, error) {
	now := time.Now()
	return engine.Committed{Token: h.Token, Until: now.Add(20 * time.Second), Now: now.Add(time.Duration(s.ahead.Load()))}, nil
}

func idle(s engine.Store) engine.Store {
	ahead := &atomic.Int64{}
	return idleStore{heldStore{s, func(h *engine.Claim) { ahead.Store(int64(time.Until(h.Now))) }}, ahead}
}

// inTwo commits one part before the other.
type inTwo struct {
	engine.Store
	first func(*engine.Commit) engine.Commit
}

func (s inTwo) Commit(ctx context.Context, h *engine.Claim, c engine.Commit) (engine.Committed, error) {
	r, err := s.Store.Commit(ctx, h, s.first(&c))
	if err != nil {
		return r, err
	}
	held := *h
	held.Token = r.Token
	return s.Store.Commit(ctx, &held, c)
}

// timelessStore gives whoever holds a discussion an hour more than it has.
type timelessStore struct{ heldStore }

func (s timelessStore) Commit(ctx context.Context, h *engine.Claim, c engine.Commit) (engine.Committed, error) {
	r, err := s.Store.Commit(ctx, h, c)
	r.Until = r.Until.Add(time.Hour)
	return r, err
}

func (s timelessStore) Renew(ctx context.Context, h *engine.Claim) (engine.Committed, error) {
	r, err := s.Store.Renew(ctx, h)
	r.Until = r.Until.Add(time.Hour)
	return r, err
}

// unfenced is a store that nobody guards, and replicas that do not guard themselves.
func unfenced() simulation.Flaw {
	return simulation.Flaw{Unfenced: true, Adjust: func(o *engine.Options) {
		o.Store = timelessStore{heldStore{o.Store, func(h *engine.Claim) { h.Until = h.Until.Add(time.Hour) }}}
	}}
}

// hastyStore runs ahead of the clock.
type hastyStore struct {
	heldStore
	ahead time.Duration
}

func (s hastyStore) Commit(ctx context.Context, h *engine.Claim, c engine.Commit) (engine.Committed, error) {
	r, err := s.Store.Commit(ctx, h, c)
	r.Now = r.Now.Add(s.ahead)
	return r, err
}

func (s hastyStore) Renew(ctx context.Context, h *engine.Claim) (engine.Committed, error) {
	r, err := s.Store.Renew(ctx, h)
	r.Now = r.Now.Add(s.ahead)
	return r, err
}

func early(d time.Duration) func() simulation.Flaw {
	return breakStore(func(s engine.Store) engine.Store {
		return hastyStore{heldStore{s, func(h *engine.Claim) { h.Now = h.Now.Add(d) }}, d}
	})
}

// ownClockStore takes the clock of the replica for the store's.
type ownClockStore struct{ heldStore }

func (s ownClockStore) Commit(ctx context.Context, h *engine.Claim, c engine.Commit) (engine.Committed, error) {
	r, err := s.Store.Commit(ctx, h, c)
	r.Now = time.Now()
	return r, err
}

func (s ownClockStore) Renew(ctx context.Context, h *engine.Claim) (engine.Committed, error) {
	r, err := s.Store.Renew(ctx, h)
	r.Now = time.Now()
	return r, err
}

func ownClock(s engine.Store) engine.Store {
	return ownClockStore{heldStore{s, func(h *engine.Claim) { h.Now = time.Now() }}}
}
