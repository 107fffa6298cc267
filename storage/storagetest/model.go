package storagetest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/roundtable-chat/app/roundtable/engine"
)

// Model is a store in memory, written to be obviously right: one lock, whole
// values, no scripts. The contract suite and random operations hold it and the real
// store against each other; tests that need a store but no server may use it.
type Model struct {
	// Clock is its clock, read in whole milliseconds. Lease, MailboxLimit, Interval
	// and Burst are as in storage.Options.
	Clock        func() time.Time
	Lease        time.Duration
	MailboxLimit int
	Interval     time.Duration
	Burst        int

	mu      sync.Mutex
	count   int
	kept    map[engine.Ref]*kept
	threads map[[3]string]engine.Ref
	arrival map[[2]string]time.Time
	letters []engine.DeadLetter
	items   map[engine.ItemRef]engine.Item
}

var _ Store = (*Model)(nil)

// kept is one discussion.
type kept struct {
	token     engine.Token
	holder    bool
	lease     time.Time
	due       time.Time // zero: never
	active    time.Time
	claims    int
	tried     string
	tries     int
	state     []byte
	log       [][]byte
	outbox    []engine.Intent
	attempted time.Time
	attempts  int
	mail      []engine.Mail
	seen      map[string]bool
	closed    bool
}

// NewModel returns an empty store with the limits of storage.Options' defaults.
func NewModel(clock func() time.Time) *Model {
	return &Model{
		Clock: clock, Lease: 30 * time.Second, MailboxLimit: 200, Interval: time.Second, Burst: 3,
		kept: make(map[engine.Ref]*kept), threads: make(map[[3]string]engine.Ref),
		arrival: make(map[[2]string]time.Time), items: make(map[engine.ItemRef]engine.Item),
	}
}

func (m *Model) now() time.Time { return m.Clock().Truncate(time.Millisecond) }

func (m *Model) token() engine.Token {
	m.count++
	return engine.Token(strconv.Itoa(m.count))
}

func (k *kept) held(now time.Time) bool { return k.holder && k.lease.After(now) }

// Deliver implements engine.Store.
func (m *Model) Deliver(_ context.Context, d engine.Delivery) (engine.Reception, *engine.Holding, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now, k := m.now(), m.kept[d.Ref]
	switch {
	case k == nil && !d.Opens:
		return engine.Unknown, nil, false, nil
	case k == nil:
		k = &kept{seen: make(map[string]bool)}
		m.kept[d.Ref] = k
	case k.seen[d.Mail.ID] || slices.ContainsFunc(d.Also, func(id string) bool { return k.seen[id] }):
		return engine.Duplicate, nil, k.held(now), nil
	case k.closed:
		return engine.Closed, nil, false, nil
	case len(k.mail) >= m.MailboxLimit:
		return engine.Full, nil, k.held(now), nil
	}
	if d.Opens && d.Thread != "" {
		m.threads[[3]string{d.Ref.Team, d.Ref.Channel, d.Thread}] = d.Ref
	}
	k.mail = append(k.mail, d.Mail)
	for _, id := range append([]string{d.Mail.ID}, d.Also...) {
		k.seen[id] = true
	}
	k.active = now
	if k.held(now) {
		return engine.Stored, nil, true, nil
	}
	k.due = now
	if d.Claim == nil {
		return engine.Stored, nil, false, nil
	}
	return engine.Stored, m.take(d.Ref, k, *d.Claim, now), false, nil
}

// Claim implements engine.Store.
func (m *Model) Claim(_ context.Context, ref engine.Ref, by engine.Claimant) (*engine.Holding, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now, k := m.now(), m.kept[ref]
	if k == nil || k.closed || k.held(now) || k.due.IsZero() || k.due.After(now) {
		return nil, nil
	}
	return m.take(ref, k, by, now), nil
}

func (m *Model) take(ref engine.Ref, k *kept, by engine.Claimant, now time.Time) *engine.Holding {
	k.token, k.holder, k.lease = m.token(), true, now.Add(m.Lease)
	k.due = k.lease
	k.claims++
	return &engine.Holding{
		Ref: ref, Token: k.token, Until: time.Now().Add(m.Lease * 2 / 3), Now: now,
		State: slices.Clone(k.state), Mail: slices.Clone(k.mail), Outbox: slices.Clone(k.outbox),
		Attempted: k.attempted, Attempts: k.attempts, Log: slices.Clone(k.log[min(by.LogFrom, len(k.log)):]),
		LogLen: len(k.log), Crashes: k.claims - 1, Tried: k.tried, Tries: k.tries,
	}
}

// Renew implements engine.Store.
func (m *Model) Renew(_ context.Context, h *engine.Holding) (engine.Committed, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now, k := m.now(), m.kept[h.Ref]
	if k == nil || !k.holder || k.token != h.Token {
		return engine.Committed{}, fmt.Errorf("renew: %w", engine.ErrFenced)
	}
	k.lease = now.Add(m.Lease)
	k.due = k.lease
	return engine.Committed{Token: k.token, Until: time.Now().Add(m.Lease * 2 / 3), Now: now, Mail: slices.Clone(k.mail)}, nil
}

// Try implements engine.Store.
func (m *Model) Try(ctx context.Context, h *engine.Holding, what string) (engine.Committed, error) {
	r, err := m.Renew(ctx, h)
	if err != nil {
		return r, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	k := m.kept[h.Ref]
	if k.tried != what {
		k.tried, k.tries = what, 0
	}
	k.tries++
	k.token = m.token()
	r.Token = k.token
	return r, nil
}

// Commit implements engine.Store.
func (m *Model) Commit(_ context.Context, h *engine.Holding, c engine.Commit) (engine.Committed, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now, k := m.now(), m.kept[h.Ref]
	if k == nil || !k.holder || k.token != h.Token {
		return engine.Committed{}, fmt.Errorf("commit: %w", engine.ErrFenced)
	}
	left := len(k.outbox) + len(c.Enqueue) - c.Done
	if err := possible(c, left); err != nil {
		return engine.Committed{}, err
	}
	m.apply(h.Ref, k, c, now)
	done := engine.Committed{Until: time.Now().Add(m.Lease * 2 / 3), Now: now, Mail: slices.Clone(k.mail)}
	if c.Attempt {
		done.Wait = m.permit([2]string{h.Ref.Team, h.Ref.Channel}, now)
		if done.Wait == 0 {
			k.attempted = now
			k.attempts++
		}
	}
	k.token, k.claims, k.lease = m.token(), 0, now.Add(m.Lease)
	k.tried, k.tries = "", 0
	done.Token = k.token
	k.due = k.lease
	switch free := len(k.mail) == 0; {
	case c.Close && free && left == 0:
		k.closed, k.holder, k.due = true, false, time.Time{}
	case c.Yield:
		k.holder, k.due = false, now
		if c.Wake.After(now) {
			k.due = c.Wake
		}
	case c.Release && free && (left == 0 || !c.Wake.IsZero()):
		k.holder, k.due = false, c.Wake
	}
	done.Released = !k.holder
	return done, nil
}

func possible(c engine.Commit, left int) error {
	switch {
	case left < 0 || c.Done < 0:
		return errors.New("more effects done than the outbox holds")
	case c.Attempt && left == 0:
		return errors.New("an attempt with an empty outbox")
	case c.Release && !c.Yield && !c.Close && left > 0 && c.Wake.IsZero():
		return errors.New("a release with effects outstanding and no time to wake")
	case slices.ContainsFunc(c.Enqueue, func(i engine.Intent) bool { return i.Key == "" }):
		return errors.New("an effect without a key")
	}
	return nil
}

// apply does what every commit does, whatever becomes of the lease and the permit.
func (m *Model) apply(ref engine.Ref, k *kept, c engine.Commit, now time.Time) {
	var stay []engine.Mail
	for _, mail := range k.mail {
		if slices.Contains(c.Park, mail.ID) {
			m.count++
			m.letters = append(m.letters, engine.DeadLetter{ID: "letter " + strconv.Itoa(m.count), Ref: ref, Mail: mail, Reason: c.ParkReason, At: now})
		} else if !slices.Contains(c.Consumed, mail.ID) {
			stay = append(stay, mail)
		}
	}
	k.mail = stay
	for _, id := range append(slices.Clone(c.Consumed), c.Park...) {
		k.seen[id] = true
	}
	if c.State != nil {
		k.state = slices.Clone(c.State)
	}
	if len(c.Append) > 0 {
		k.active = now
	}
	k.log = append(k.log, c.Append...)
	k.outbox = append(k.outbox, c.Enqueue...)[c.Done:]
	if c.Done > 0 {
		k.attempted, k.attempts = time.Time{}, 0
	}
	if c.Unattempt {
		k.attempted = time.Time{}
	}
	if c.Alias != "" {
		m.threads[[3]string{ref.Team, ref.Channel, c.Alias}] = ref
	}
	if !c.PaceUntil.IsZero() {
		channel := [2]string{ref.Team, ref.Channel}
		if free := c.PaceUntil.Add(time.Duration(m.Burst-1) * m.Interval); free.After(m.arrival[channel]) {
			m.arrival[channel] = free
		}
	}
}

// permit takes a post out of the channel's bucket or says how long it is empty.
func (m *Model) permit(channel [2]string, now time.Time) time.Duration {
	arrival := m.arrival[channel]
	if wait := arrival.Add(-time.Duration(m.Burst-1) * m.Interval).Sub(now); wait > 0 {
		return wait
	}
	if arrival.Before(now) {
		arrival = now
	}
	m.arrival[channel] = arrival.Add(m.Interval)
	return 0
}

// Due implements engine.Store.
func (m *Model) Due(_ context.Context, limit int) ([]engine.Ref, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []engine.Ref
	for ref, k := range m.kept {
		if !k.due.IsZero() && !k.due.After(m.now()) {
			out = append(out, ref)
		}
	}
	slices.SortFunc(out, func(a, b engine.Ref) int {
		return cmp.Or(m.kept[a].due.Compare(m.kept[b].due), cmp.Compare(a.ID, b.ID))
	})
	return out[:min(limit, len(out))], nil
}

// Ping implements engine.Store.
func (m *Model) Ping(context.Context) error { return nil }
