package enginetest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/roundtable-chat/app/roundtable/engine"
)

// Memory is a store in plain Go, written to be obviously right: one lock, whole
// values, no scripts. It is the reference for what engine.Store and engine.Items
// mean: the contract of the stores and random operations hold it and the real one
// against each other. The zero value works.
type Memory struct {
	// Clock is its clock, read in whole milliseconds as Redis' is; nil is time.Now.
	Clock func() time.Time
	// Lease is how long a claim lasts, 30 s by default; MailboxLimit how much mail
	// may wait for a discussion, 200 by default.
	Lease        time.Duration
	MailboxLimit int
	// Pace is the time between posts to one channel, a second by default, of which
	// Burst, by default 3, may come at once.
	Pace  time.Duration
	Burst int

	mu      sync.Mutex
	ops     int
	threads map[engine.Ref]*kept
	aliases map[spot]engine.Ref
	arrive  map[room]time.Time // the pace's theoretical arrival
	letters []engine.DeadLetter
	rewinds int
	items   map[engine.ItemRef]engine.Item
	acts    []engine.Act
	gone    map[string]string // by item, the key under which it was hidden last
	// readings are the times from which threads of a workspace may be read back, asked
	// what First was asked.
	readings map[string]time.Time
	asked    map[string]bool
}

// room is a channel, and spot a message in it.
type (
	room struct{ team, channel string }
	spot struct{ team, channel, ts string }
)

func roomOf(ref engine.Ref) room { return room{ref.Team, ref.Channel} }

// kept is one discussion as stored.
type kept struct {
	token    engine.Token
	held     bool
	owner    string    // who claimed it last
	lease    time.Time // its end, while it is held
	due      time.Time // zero: never
	active   time.Time
	state    []byte
	log      [][]byte
	rev      engine.LogRev // of log
	mail     []engine.Mail
	from     map[string]string // input → the person whose doing it is
	seen     map[string]bool
	outbox   []engine.OutboxEntry
	attempt  time.Time
	attempts int
	claims   int // since the last commit
	tried    string
	tries    int
	closed   bool
	gone     string          // the key under which it is hidden
	root     string          // timestamp of its thread's root
	posted   map[string]bool // timestamps of its posts
	rewinds  int             // of the store, when this was last committed
	knows    int             // of the store, when this was last claimed
}

func (th *kept) isHeld(now time.Time) bool { return th.held && th.lease.After(now) }

func (th *kept) isDue(now time.Time) bool { return !th.due.IsZero() && !th.due.After(now) }

func (m *Memory) now() time.Time {
	if m.Clock != nil {
		return m.Clock().Truncate(time.Millisecond)
	}
	return time.Now().Truncate(time.Millisecond)
}

// until is a holder's deadline on its own clock.
func (m *Memory) until() time.Time { return time.Now().Add(m.lease() * 2 / 3) }

func (m *Memory) lease() time.Duration { return cmp.Or(m.Lease, 30*time.Second) }

func (m *Memory) token() engine.Token {
	m.ops++
	return engine.Token(fmt.Sprintf("op%d", m.ops))
}

// Deliver implements engine.Store.
func (m *Memory) Deliver(_ context.Context, d engine.Delivery) (engine.Delivered, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now, th := m.now(), m.threads[d.Ref]
	ids := append([]string{d.Mail.ID}, d.Also...)
	switch {
	case th == nil && !d.Opens:
		return engine.Delivered{Reception: engine.Unknown}, nil
	case th == nil: // it is opened below
	case slices.ContainsFunc(ids, func(id string) bool { return th.seen[id] }):
		return engine.Delivered{Reception: engine.Duplicate, Busy: th.isHeld(now)}, nil
	case th.closed || th.gone != "":
		return engine.Delivered{Reception: engine.Closed}, nil
	case m.crowded(th, d.From):
		return engine.Delivered{Reception: engine.Full, Busy: th.isHeld(now)}, nil
	}
	rooted := d.Opens && d.Thread != "" && (th == nil || th.root == "" || th.root == d.Thread)
	if rooted && m.occupied(d.Ref, d.Thread) {
		return engine.Delivered{Reception: engine.Taken, Busy: th != nil && th.isHeld(now)}, nil
	}
	if th == nil {
		th = m.open(d.Ref)
	}
	if rooted {
		m.alias(d.Ref, d.Thread)
		th.root = d.Thread
	}
	th.mail, th.active = append(th.mail, d.Mail), now
	if limit := cmp.Or(m.MailboxLimit, 200); d.From != "" && 4*(len(th.mail)-1) >= limit {
		th.noteFrom(d)
	}
	for _, id := range ids {
		th.seen[id] = true
	}
	if th.isHeld(now) {
		return engine.Delivered{Reception: engine.Stored, Busy: true}, nil
	}
	th.due = now
	if d.Claim == nil {
		return engine.Delivered{Reception: engine.Stored}, nil
	}
	return engine.Delivered{Reception: engine.Stored, Claim: m.take(d.Ref, th, *d.Claim, now)}, nil
}

// noteFrom notes whose mail came in, and forgets what of theirs is not there any more.
func (th *kept) noteFrom(d engine.Delivery) {
	maps.DeleteFunc(th.from, func(id, from string) bool {
		return from == d.From && !slices.ContainsFunc(th.mail, func(mail engine.Mail) bool { return mail.ID == id })
	})
	th.from[d.Mail.ID] = d.From
}

// crowded reports whether a mailbox, or a person's share of it, is at its limit.
func (m *Memory) crowded(th *kept, from string) bool {
	limit, own := cmp.Or(m.MailboxLimit, 200), 0
	for _, mail := range th.mail {
		if from != "" && th.from[mail.ID] == from {
			own++
		}
	}
	n := len(th.mail) // whose mail it is was noted from where it was a quarter full
	return n >= limit || 2*n >= limit && 4*own >= limit
}

func (m *Memory) open(ref engine.Ref) *kept {
	th := &kept{seen: make(map[string]bool), from: make(map[string]string), posted: make(map[string]bool), rewinds: m.rewinds}
	if m.threads == nil {
		m.threads = make(map[engine.Ref]*kept)
	}
	m.threads[ref] = th
	return th
}

// occupied reports whether a thread is that of another discussion, which is not closed.
func (m *Memory) occupied(by engine.Ref, ts string) bool {
	ref, ok := m.aliases[spot{by.Team, by.Channel, ts}]
	other := m.threads[ref]
	return ok && ref != by && other != nil && !other.closed
}

// alias makes a discussion be found by its root's timestamp, if that is known.
func (m *Memory) alias(ref engine.Ref, ts string) {
	if ts == "" {
		return
	}
	if m.aliases == nil {
		m.aliases = make(map[spot]engine.Ref)
	}
	m.aliases[spot{ref.Team, ref.Channel, ts}] = ref
}

// Claim implements engine.Store.
func (m *Memory) Claim(_ context.Context, ref engine.Ref, by engine.Claimant) (*engine.Claim, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now, th := m.now(), m.threads[ref]
	if th == nil || th.closed || th.isHeld(now) || !th.isDue(now) {
		return nil, nil
	}
	return m.take(ref, th, by, now), nil
}

// take gives out the claim.
func (m *Memory) take(ref engine.Ref, th *kept, by engine.Claimant, now time.Time) *engine.Claim {
	th.token, th.held, th.owner = m.token(), true, by.Owner
	m.extend(th, now)
	th.claims++
	th.knows = m.rewinds
	from := min(max(by.LogFrom, 0), len(th.log))
	if by.LogRev != th.rev {
		from = 0
	}
	return &engine.Claim{
		Ref: ref, Token: th.token, Until: m.until(), Now: now,
		State: slices.Clone(th.state), Mail: slices.Clone(th.mail), Outbox: slices.Clone(th.outbox),
		Attempted: th.attempt, Attempts: th.attempts, Log: slices.Clone(th.log[from:]), LogFrom: from, LogLen: len(th.log), LogRev: th.rev,
		Crashes: th.claims - 1, Tried: th.tried, Tries: th.tries, Rewound: th.rewinds != m.rewinds, Run: strconv.Itoa(m.rewinds),
	}
}

// extend renews the lease.
func (m *Memory) extend(th *kept, now time.Time) {
	th.lease = now.Add(m.lease())
	th.due = th.lease
}

// holding is the discussion that a holder still holds, or nil.
func (m *Memory) holding(h *engine.Claim) *kept {
	th := m.threads[h.Ref]
	if th == nil || !th.held || th.token != h.Token {
		return nil
	}
	return th
}

// Renew implements engine.Store. The token stays as it was.
func (m *Memory) Renew(_ context.Context, h *engine.Claim) (engine.Committed, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	th := m.holding(h)
	if th == nil {
		return engine.Committed{}, fmt.Errorf("renew: %w", engine.ErrFenced)
	}
	now := m.now()
	m.extend(th, now)
	return engine.Committed{Token: th.token, Until: m.until(), Now: now, Mail: slices.Clone(th.mail)}, nil
}

// Try implements engine.Store.
func (m *Memory) Try(ctx context.Context, h *engine.Claim, what string) (engine.Committed, error) {
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
	th.token = m.token()
	r.Token = th.token
	return r, nil
}

// Commit implements engine.Store.
func (m *Memory) Commit(_ context.Context, h *engine.Claim, c engine.Commit) (engine.Committed, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	th := m.holding(h)
	if th == nil {
		return engine.Committed{}, fmt.Errorf("commit: %w", engine.ErrFenced)
	}
	left := len(th.outbox) + len(c.Enqueue) - c.Done
	if err := possible(c, left, len(th.log)); err != nil {
		return engine.Committed{}, err
	}
	now := m.now()
	m.apply(h.Ref, th, c, now)
	done := engine.Committed{Until: m.until(), Now: now, Mail: slices.Clone(th.mail), Occupied: m.occupied(h.Ref, c.Alias)}
	if c.Attempt {
		if done.Wait = m.permit(roomOf(h.Ref), now); done.Wait == 0 {
			th.attempt = now
			th.attempts++
		}
	}
	th.token, th.claims, th.tried, th.tries = m.token(), 0, "", 0
	done.Token = th.token
	if len(c.Rewrite) > 0 {
		th.rev = engine.LogRev(th.token)
	}
	m.extend(th, now)
	th.letGo(c, left, now)
	done.Released = !th.held
	return done, nil
}

// possible refuses what no commit may ask.
func possible(c engine.Commit, left, logged int) error {
	switch {
	case left < 0 || c.Done < 0:
		return errors.New("more effects done than the outbox holds")
	case c.Attempt && left == 0:
		return errors.New("an attempt with an empty outbox")
	case c.Mode == engine.ModeRelease && left > 0 && c.Wake.IsZero():
		return errors.New("a release with effects outstanding and no time to wake")
	case slices.ContainsFunc(c.Enqueue, func(i engine.OutboxEntry) bool { return i.Key == "" }):
		return errors.New("an effect without a key")
	case slices.ContainsFunc(c.Rewrite, func(r engine.Rewrite) bool { return r.Index < 0 || r.Index >= logged }):
		return errors.New("a rewritten entry that the log does not have")
	}
	return nil
}

// apply does what every commit does, whatever becomes of the lease and the permit.
func (m *Memory) apply(ref engine.Ref, th *kept, c engine.Commit, now time.Time) {
	if !c.Doubt && (c.State != nil || c.Mode != engine.ModeYield) {
		// Whoever held it before the store forgot has not looked what is missing.
		th.rewinds = th.knows
	}
	for _, mail := range th.mail {
		if slices.Contains(c.Park, mail.ID) {
			m.ops++
			m.letters = append(m.letters, engine.DeadLetter{ID: fmt.Sprintf("dead%d", m.ops), Ref: ref, Mail: mail, Reason: c.ParkReason, At: now})
		}
	}
	gone := slices.Concat(c.Consumed, c.Park)
	th.mail = slices.DeleteFunc(th.mail, func(mail engine.Mail) bool { return slices.Contains(gone, mail.ID) })
	for _, id := range gone {
		th.seen[id] = true
	}
	if c.State != nil {
		th.state = slices.Clone(c.State)
	}
	for _, a := range c.Acts {
		m.note(a, now)
	}
	if len(c.Append) > 0 {
		th.active = now
	}
	if len(c.Rewrite) > 0 {
		th.active = now
		th.log = slices.Clone(th.log) // readers may have it
	}
	for _, r := range c.Rewrite {
		th.log[r.Index] = r.Line
	}
	th.log = append(th.log, c.Append...)
	th.outbox = append(th.outbox, c.Enqueue...)[c.Done:]
	if c.Done > 0 {
		th.attempts = 0
	}
	if c.Done > 0 || c.Unattempt {
		th.attempt = time.Time{}
	}
	if !m.occupied(ref, c.Alias) {
		m.alias(ref, c.Alias)
	}
	th.root = cmp.Or(c.Alias, th.root)
	for _, ts := range c.Posted {
		th.posted[ts] = true
	}
	if !c.PaceUntil.IsZero() {
		m.hush(roomOf(ref), c.PaceUntil)
	}
}

// letGo gives the discussion back or closes it, as the commit asks.
func (th *kept) letGo(c engine.Commit, left int, now time.Time) {
	switch free := len(th.mail) == 0; {
	case c.Mode == engine.ModeClose && free && left == 0:
		th.closed, th.held, th.due = true, false, time.Time{}
	case c.Mode == engine.ModeYield:
		th.held, th.due = false, now
		if c.Wake.After(now) {
			th.due = c.Wake
		}
	case c.Mode == engine.ModeRelease && free && (left == 0 || !c.Wake.IsZero()):
		th.held, th.due = false, c.Wake
	}
}

func (m *Memory) pace() time.Duration { return cmp.Or(m.Pace, time.Second) }

// slack is how far ahead of its pace a channel may be.
func (m *Memory) slack() time.Duration { return m.pace() * time.Duration(cmp.Or(m.Burst, 3)-1) }

// permit takes a post from the channel's pace, or says how long to wait.
func (m *Memory) permit(at room, now time.Time) time.Duration {
	arrival := m.arrive[at]
	if wait := arrival.Add(-m.slack()).Sub(now); wait > 0 {
		return wait
	}
	if arrival.Before(now) {
		arrival = now
	}
	m.arriveAt(at, arrival.Add(m.pace()))
	return 0
}

// hush permits no post to a channel before a time, and then one.
func (m *Memory) hush(at room, until time.Time) {
	if arrival := until.Add(m.slack()); arrival.After(m.arrive[at]) {
		m.arriveAt(at, arrival)
	}
}

func (m *Memory) arriveAt(at room, t time.Time) {
	if m.arrive == nil {
		m.arrive = make(map[room]time.Time)
	}
	m.arrive[at] = t
}
