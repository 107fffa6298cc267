package enginetest

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/roundtable-chat/app/roundtable/engine"
)

// Memory is a store in plain Go: the reference for what engine.Store means, as
// naive as can be. The zero value works, with a lease of thirty seconds and the
// pace of Slack.
type Memory struct {
	// Lease is how long a claim lasts. Pace is the time between posts to one
	// channel, of which Burst may come at once.
	Lease time.Duration
	Pace  time.Duration
	Burst int

	mu      sync.Mutex
	ops     int
	threads map[engine.Ref]*thread
	arrive  map[string]time.Time // per channel: the pace's theoretical arrival
	letters []engine.DeadLetter
	rewinds int
	items   map[engine.ItemRef]engine.Item
}

// thread is one discussion as stored.
type thread struct {
	token    engine.Token
	leased   time.Time // end of the lease; zero: free
	due      time.Time // zero: never
	active   time.Time
	state    []byte
	log      [][]byte
	mail     []engine.Mail
	seen     map[string]bool
	outbox   []engine.Intent
	attempt  time.Time
	attempts int
	alias    string
	crashes  int
	tried    string
	tries    int
	closed   bool
	rewinds  int // of the store, when this was last committed
	knows    int // of the store, when this was last claimed
}

func (m *Memory) lease() time.Duration { return cmp.Or(m.Lease, 30*time.Second) }

// Deliver implements engine.Store.
func (m *Memory) Deliver(_ context.Context, d engine.Delivery) (engine.Reception, *engine.Holding, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := time.Now()
	th := m.threads[d.Ref]
	switch {
	case th == nil && !d.Opens:
		return engine.Unknown, nil, false, nil
	case th == nil:
		th = &thread{seen: make(map[string]bool), alias: d.Thread, rewinds: m.rewinds}
		if m.threads == nil {
			m.threads = make(map[engine.Ref]*thread)
		}
		m.threads[d.Ref] = th
	case th.closed:
		return engine.Closed, nil, false, nil
	}
	ids := append([]string{d.Mail.ID}, d.Also...)
	if slices.ContainsFunc(ids, func(id string) bool { return th.seen[id] }) {
		return engine.Duplicate, nil, th.isLeased(now), nil
	}
	for _, id := range ids {
		th.seen[id] = true
	}
	th.mail = append(th.mail, d.Mail)
	th.active = now
	if th.isLeased(now) {
		return engine.Stored, nil, true, nil
	}
	th.due = now
	if d.Claim == nil {
		return engine.Stored, nil, false, nil
	}
	return engine.Stored, m.take(d.Ref, th, *d.Claim), false, nil
}

func (th *thread) isLeased(now time.Time) bool { return th.leased.After(now) }

// take gives out the claim.
func (m *Memory) take(ref engine.Ref, th *thread, by engine.Claimant) *engine.Holding {
	now := time.Now()
	if !th.leased.IsZero() {
		th.crashes++
	}
	m.extend(th)
	h := &engine.Holding{
		Ref: ref, Token: th.token, Until: now.Add(m.lease() * 2 / 3), Now: now,
		State: th.state, Mail: slices.Clone(th.mail), Outbox: slices.Clone(th.outbox),
		Attempted: th.attempt, Attempts: th.attempts, LogLen: len(th.log), Crashes: th.crashes, Tried: th.tried, Tries: th.tries,
		Rewound: th.rewinds != m.rewinds,
	}
	th.knows = m.rewinds
	if by.LogFrom < len(th.log) {
		h.Log = slices.Clone(th.log[by.LogFrom:])
	}
	return h
}

// extend renews the lease under a new token.
func (m *Memory) extend(th *thread) {
	m.ops++
	th.token = engine.Token(fmt.Sprintf("op%d", m.ops))
	th.leased = time.Now().Add(m.lease())
	th.due = th.leased
}

// Claim implements engine.Store.
func (m *Memory) Claim(_ context.Context, ref engine.Ref, by engine.Claimant) (*engine.Holding, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	th := m.threads[ref]
	if th == nil || th.closed || th.isLeased(time.Now()) || !th.isDue(time.Now()) {
		return nil, nil
	}
	return m.take(ref, th, by), nil
}

func (th *thread) isDue(now time.Time) bool { return !th.due.IsZero() && !th.due.After(now) }

// Commit implements engine.Store.
func (m *Memory) Commit(_ context.Context, h *engine.Holding, c engine.Commit) (engine.Committed, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	th := m.threads[h.Ref]
	if th == nil || th.closed || th.token != h.Token {
		return engine.Committed{}, engine.ErrFenced
	}
	if c.Done > len(th.outbox)+len(c.Enqueue) {
		return engine.Committed{}, fmt.Errorf("%d effects are done, %d are there", c.Done, len(th.outbox)+len(c.Enqueue))
	}
	now := time.Now()
	m.extend(th)
	th.crashes, th.tried, th.tries = 0, "", 0
	if c.State != nil {
		th.state = c.State
	}
	if c.State != nil || !c.Yield {
		// Whoever held it before the store forgot has not looked what is missing.
		th.rewinds = th.knows
	}
	gone := slices.Concat(c.Consumed, c.Park)
	for _, mail := range th.mail {
		if slices.Contains(c.Park, mail.ID) {
			id := fmt.Sprintf("dead%d", len(m.letters)+1)
			m.letters = append(m.letters, engine.DeadLetter{ID: id, Ref: h.Ref, Mail: mail, Reason: c.ParkReason, At: now})
		}
	}
	th.mail = slices.DeleteFunc(th.mail, func(mail engine.Mail) bool { return slices.Contains(gone, mail.ID) })
	th.log = append(th.log, c.Append...)
	if c.Done > 0 {
		th.attempts = 0
	}
	if c.Done > 0 || c.Unattempt {
		th.attempt = time.Time{}
	}
	th.outbox = append(th.outbox, c.Enqueue...)[c.Done:]
	if c.Alias != "" {
		th.alias = c.Alias
	}
	r := engine.Committed{Token: th.token, Until: now.Add(m.lease() * 2 / 3), Now: now, Mail: slices.Clone(th.mail)}
	if c.PaceUntil.After(m.arrive[h.Ref.Channel]) {
		m.setArrival(h.Ref.Channel, c.PaceUntil)
	}
	if c.Attempt && len(th.outbox) > 0 {
		if r.Wait = m.permit(h.Ref.Channel); r.Wait == 0 {
			th.attempt = now
			th.attempts++
		}
	}
	r.Released = m.release(th, c)
	return r, nil
}

// release gives the discussion back or closes it, as the commit asks.
func (m *Memory) release(th *thread, c engine.Commit) bool {
	switch {
	case c.Close && len(th.mail) == 0 && len(th.outbox) == 0:
		th.closed, th.leased, th.due = true, time.Time{}, time.Time{}
	case c.Release && (c.Yield || len(th.mail) == 0):
		th.leased, th.due = time.Time{}, c.Wake
		if th.due.IsZero() && c.Yield {
			th.due = time.Now()
		}
	default:
		return false
	}
	return true
}

// permit takes a post from the channel's pace, or says how long to wait.
func (m *Memory) permit(channel string) time.Duration {
	pace, burst := cmp.Or(m.Pace, time.Second), cmp.Or(m.Burst, 3)
	now := time.Now()
	at := m.arrive[channel]
	if at.Before(now) {
		at = now
	}
	if wait := at.Add(-pace * time.Duration(burst-1)).Sub(now); wait > 0 {
		return wait
	}
	m.setArrival(channel, at.Add(pace))
	return 0
}

func (m *Memory) setArrival(channel string, at time.Time) {
	if m.arrive == nil {
		m.arrive = make(map[string]time.Time)
	}
	m.arrive[channel] = at
}

// Try implements engine.Store.
func (m *Memory) Try(ctx context.Context, h *engine.Holding, what string) (engine.Committed, error) {
	r, err := m.Renew(ctx, h)
	if err != nil {
		return r, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	th := m.threads[h.Ref]
	if th.tried != what {
		th.tried, th.tries = what, 0
	}
	th.tries++
	return r, nil
}

// Renew implements engine.Store.
func (m *Memory) Renew(_ context.Context, h *engine.Holding) (engine.Committed, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	th := m.threads[h.Ref]
	if th == nil || th.closed || th.token != h.Token {
		return engine.Committed{}, engine.ErrFenced
	}
	m.extend(th)
	now := time.Now()
	return engine.Committed{Token: th.token, Until: now.Add(m.lease() * 2 / 3), Now: now, Mail: slices.Clone(th.mail)}, nil
}
