package bot_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/analysis"
	"github.com/roundtable-chat/app/roundtable/engine"
)

// inbox is a mailbox in memory with the promises of engine.Store.Deliver.
type inbox struct {
	mu     sync.Mutex
	away   bool
	seen   map[string]bool
	inputs []roundtable.Input
	refs   []engine.Ref
	// analyses are those that were asked for.
	analyses []analysis.Input
	threads  map[string]engine.Ref
	state    map[engine.Ref][]byte
	log      map[engine.Ref][][]byte
	closed   map[engine.Ref]bool
	tries    int
	changed  chan struct{}
}

func newInbox() *inbox {
	return &inbox{
		seen: map[string]bool{}, threads: map[string]engine.Ref{}, state: map[engine.Ref][]byte{},
		log: map[engine.Ref][][]byte{}, closed: map[engine.Ref]bool{}, changed: make(chan struct{}, 1),
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
	if b.closed[d.Ref] {
		return engine.Closed, nil
	}
	if _, known := b.state[d.Ref]; !known && !d.Opens {
		return engine.Unknown, nil
	}
	scope := d.Ref.Channel + "/"
	for _, id := range append([]string{d.Mail.ID}, d.Also...) {
		if b.seen[scope+id] {
			return engine.Duplicate, nil
		}
	}
	for _, id := range append([]string{d.Mail.ID}, d.Also...) {
		b.seen[scope+id] = true
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
	b.inputs, b.refs = append(b.inputs, in), append(b.refs, d.Ref)
	return engine.Stored, nil
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
	return ref, ok, nil
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

func (b *inbox) Read(_ context.Context, ref engine.Ref) ([]byte, [][]byte, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	state, ok := b.state[ref]
	if !ok {
		return nil, nil, engine.ErrNotFound
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
