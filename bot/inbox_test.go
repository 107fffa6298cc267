package bot_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/analysis"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/forgetting"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// inbox is a mailbox in memory with the promises of engine.Store.Deliver.
type inbox struct {
	mu     sync.Mutex
	away   bool
	blind  bool // finds no discussion by its thread, as in the moment before it is opened
	seen   map[string]bool
	inputs []roundtable.Input
	refs   []engine.Ref
	from   []string // whose doing each is
	// analyses are those that were asked for.
	analyses []analysis.Input
	// forgettings are what came for what is to be forgotten.
	forgettings []forgetting.Input
	threads     map[string]engine.Ref
	posted      map[string]engine.Ref
	permits     int // to ask Slack whose thread a message stands in
	sought      int // how often a message was looked for
	state       map[engine.Ref][]byte
	log         map[engine.Ref][][]byte
	closed      map[engine.Ref]bool
	hidden      map[engine.Ref]bool // which are closed, too
	full        map[engine.Ref]bool
	tries       int
	missed      int // how often events may have been lost
	changed     chan struct{}
}

func newInbox() *inbox {
	return &inbox{
		seen: map[string]bool{}, threads: map[string]engine.Ref{}, posted: map[string]engine.Ref{}, permits: 3, state: map[engine.Ref][]byte{},
		log: map[engine.Ref][][]byte{}, closed: map[engine.Ref]bool{}, hidden: map[engine.Ref]bool{}, full: map[engine.Ref]bool{}, changed: make(chan struct{}, 1),
	}
}

var errAway = errors.New("the store is away")

func (b *inbox) Receive(_ context.Context, d engine.Delivery) (engine.Reception, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	defer b.notify()
	b.tries++
	if b.away {
		return "", errAway
	}
	if b.closed[d.Ref] || b.hidden[d.Ref] {
		return engine.Closed, nil
	}
	if b.full[d.Ref] {
		return engine.Full, nil
	}
	if _, known := b.state[d.Ref]; !known && !d.Opens {
		return engine.Unknown, nil
	}
	if of, ok := b.threads[d.Ref.Channel+"/"+d.Thread]; ok && d.Opens && d.Thread != "" && of != d.Ref {
		return engine.Taken, nil
	}
	scope := d.Ref.Channel + "/" + d.Ref.ID + "/"
	for _, id := range append([]string{d.Mail.ID}, d.Also...) {
		if b.seen[scope+id] {
			return engine.Duplicate, nil
		}
	}
	for _, id := range append([]string{d.Mail.ID}, d.Also...) {
		b.seen[scope+id] = true
	}
	if f, err := forgetting.DecodeInput(d.Mail.Body); err == nil && (thread.KindOf(d.Mail.Body) == forgetting.OpenedKind || thread.KindOf(b.state[d.Ref]) == forgetting.StateKind) {
		if d.Opens {
			b.state[d.Ref] = nil
		}
		b.forgettings = append(b.forgettings, f)
		return engine.Stored, nil
	}
	in, err := roundtable.DecodeInput(d.Mail.Body)
	if a, wrong := analysis.DecodeInput(d.Mail.Body); err != nil && wrong == nil {
		b.state[d.Ref] = nil
		b.analyses = append(b.analyses, a)
		return engine.Stored, nil
	}
	if err != nil {
		return "", err
	}
	if d.Opens {
		b.state[d.Ref] = nil
		if d.Thread != "" {
			b.threads[d.Ref.Channel+"/"+d.Thread] = d.Ref
		}
	}
	b.inputs, b.refs, b.from = append(b.inputs, in), append(b.refs, d.Ref), append(b.from, d.From)
	return engine.Stored, nil
}

// Missed counts how often it was told.
func (b *inbox) Missed() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.missed++
}

func (b *inbox) notify() {
	select {
	case b.changed <- struct{}{}:
	default:
	}
}

func (b *inbox) FindThread(_ context.Context, _, channel, thread string) (engine.Ref, bool, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.away {
		b.tries++
		return engine.Ref{}, false, errAway
	}
	ref, ok := b.threads[channel+"/"+thread]
	return ref, ok && !b.blind, nil
}

// FindMessage knows threads and what was received in them.
func (b *inbox) FindMessage(_ context.Context, team, channel, ts string) (s engine.Sighting, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.away {
		b.tries++
		return s, errAway
	}
	b.sought++
	for at, ref := range b.threads {
		room, root, _ := strings.Cut(at, "/")
		switch {
		case room != channel || ref.Team != team || root > ts:
		case root == ts || b.posted[room+"/"+ts] == ref || b.received(ref, "m:"+ts):
			return engine.Sighting{Ref: ref, Known: true}, nil
		default:
			s.Perhaps = append(s.Perhaps, ref)
		}
	}
	return s, nil
}

func (b *inbox) received(ref engine.Ref, id string) bool {
	for i, in := range b.inputs {
		if in.ID == id && b.refs[i] == ref {
			return true
		}
	}
	return false
}

// note makes a post known by its timestamp.
func (b *inbox) note(ref engine.Ref, ts string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.posted[ref.Channel+"/"+ts] = ref
}

// MayAsk gives as many permits as there are.
func (b *inbox) MayAsk(context.Context, string, time.Duration) (time.Duration, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.permits == 0 {
		return time.Second, nil
	}
	b.permits--
	return 0, nil
}

func (b *inbox) List(_ context.Context, team, channel string, _ int) ([]engine.Listed, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.away {
		return nil, errAway
	}
	var all []engine.Listed
	for ref, state := range b.state {
		if ref.Team == team && ref.Channel == channel && state != nil {
			all = append(all, engine.Listed{Ref: ref, State: state})
		}
	}
	return all, nil
}

func (b *inbox) ListOpen(ctx context.Context, limit int) ([]engine.Listed, error) {
	return b.List(ctx, team, product, limit)
}

// States is what a store has under references, in their order.
func (b *inbox) States(_ context.Context, refs []engine.Ref) ([]engine.StoredState, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.away {
		return nil, errAway
	}
	found := make([]engine.StoredState, len(refs))
	for i, ref := range refs {
		state, ok := b.state[ref]
		switch {
		case !ok:
			found[i].Err = engine.ErrNotFound
		case b.hidden[ref]:
			found[i].Err = engine.ErrForgotten
		default:
			found[i].State = state
		}
	}
	return found, nil
}

func (b *inbox) Read(_ context.Context, ref engine.Ref) ([]byte, [][]byte, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	state, ok := b.state[ref]
	switch {
	case !ok:
		return nil, nil, engine.ErrNotFound
	case b.hidden[ref]:
		return nil, nil, engine.ErrForgotten
	}
	return state, b.log[ref], nil
}

// asked returns the analyses that were asked for.
func (b *inbox) asked() []analysis.Input {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.analyses)
}

// keep makes a state stand.
func (b *inbox) keep(ref engine.Ref, state []byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.state[ref] = state
}

func (b *inbox) setAway(away bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.away = away
}

func (b *inbox) attempts() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.tries
}

func (b *inbox) all() []roundtable.Input {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.inputs)
}

// to are the discussions that inputs went to.
func (b *inbox) to() []engine.Ref {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.refs)
}

// open makes a discussion known without a delivery.
func (b *inbox) open(ref engine.Ref, thread string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.state[ref] = nil
	b.threads[ref.Channel+"/"+thread] = ref
}

// await returns the first input that fits.
func await[E roundtable.Event](t *testing.T, b *inbox) (roundtable.Input, E) {
	t.Helper()
	limit := time.After(patience)
	for {
		for _, in := range b.all() {
			if e, ok := in.Event.(E); ok {
				return in, e
			}
		}
		select {
		case <-b.changed:
		case <-limit:
			var e E
			t.Fatalf("no %T arrived; got %v", e, b.all())
		}
	}
}

// shelf holds one item.
type shelf struct{ item engine.Item }

func (s shelf) ReadItem(context.Context, engine.ItemRef) (engine.Item, error) { return s.item, nil }

func (s shelf) ListItems(_ context.Context, _, channel string) ([]string, error) {
	if channel != product {
		return nil, nil
	}
	return []string{"sso-rollout"}, nil
}
