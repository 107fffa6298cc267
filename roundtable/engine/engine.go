package engine

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/roundtable-chat/app/roundtable"
)

// maxLinger bounds Options.Linger: a holding that lingers keeps other replicas
// from the discussion.
const maxLinger = 5 * time.Second

// Engine drives discussions. Several engines, in as many processes, may share a
// store.
type Engine struct {
	opt     Options
	log     *slog.Logger
	metrics *metrics
	logs    *logCache
	roots   *paces   // of introductions
	audits  *paces   // of those that failed
	refused *streaks // changes that the store refused for their size
	unread  *streaks // threads that could not be read
	newer   *newer
	rereads *rereads
	// step is roundtable.Step; tests put a panicking one in its place.
	step func(roundtable.Discussion, roundtable.Input) roundtable.Result

	slots    chan struct{}       // a token per discussion that is worked on
	line     *line               // discussions that wait for one
	waiting  *semaphore.Weighted // bytes of discussions that wait in memory
	askers   chan struct{}       // a token per question to the panel
	greeters chan struct{}       // a token per reaction under way
	missed   chan struct{}       // a token while threads are to be read again

	mu   sync.Mutex
	run  *run            // nil unless Run is running and not draining
	held map[Ref]*holder // discussions held by this engine
	wg   sync.WaitGroup  // everything that run started
}

// run is what goroutines started on behalf of Run live by.
type run struct {
	// ctx ends when the time for draining is over.
	ctx context.Context
	// draining is closed when Run is told to stop.
	draining chan struct{}
}

// holder is a turn as those see it who bring mail for its discussion.
type holder struct {
	// ring tells it that mail came while it waits in memory.
	ring chan struct{}
	// thinking is set while the panel is at work. Whatever else a holder does is over
	// so soon that nobody has to be told to wait.
	thinking atomic.Bool
	// logged is how many entries of the log it knows to be committed.
	logged atomic.Int64
	// gone is closed once it has let go and put the log back.
	gone chan struct{}
}

// New returns an engine. It does nothing until Run.
func New(o Options) (*Engine, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	newer := &newer{}
	m, err := newMetrics(o.Metrics, newer)
	if err != nil {
		return nil, err
	}
	return &Engine{
		opt: o, log: o.Logger, metrics: m, step: roundtable.Step,
		logs:  newLogCache(o.LogBytes),
		roots: &paces{}, audits: &paces{}, refused: &streaks{}, unread: &streaks{}, newer: newer, rereads: &rereads{},
		slots: make(chan struct{}, o.Workers), line: &line{}, waiting: semaphore.NewWeighted(waitingRoom(o)), askers: make(chan struct{}, o.Asks),
		greeters: make(chan struct{}, 8),
		missed:   make(chan struct{}, 1),
		held:     make(map[Ref]*holder),
	}, nil
}

// Receive takes in something that happened in Slack. It returns once the store
// has it, which is when Slack may be told so (I1). If this engine has a hand
// free that nobody waits for, the discussion is claimed in the same request and driven
// in the background; else it gets in line.
func (e *Engine) Receive(ctx context.Context, d Delivery) (Reception, error) {
	var known knownLog
	left := e.newer.avoids(d.Ref)
	slot := e.running() && !left && e.line.len() == 0 && take(e.slots)
	if slot {
		known = e.logOf(d.Ref)
		d.Claim = &Claimant{Owner: e.opt.Owner, LogFrom: known.length()}
	}
	sent := time.Now()
	reception, h, busy, err := e.opt.Store.Deliver(ctx, d)
	if h == nil {
		e.giveBackLog(d.Ref, known)
	}
	if err != nil {
		if slot {
			e.handFree()
		}
		return "", fmt.Errorf("receive for discussion %s: %w", d.Ref.ID, err)
	}
	e.metrics.received.WithLabelValues(string(reception)).Inc()
	switch {
	case h != nil:
		if !e.start(d.Ref, func(r *run, me *holder) { e.drive(r, me, h, known, sent) }) {
			// Run was told to stop meanwhile.
			e.handFree()
			e.giveBack(ctx, h)
		}
	case slot:
		e.handFree()
	case reception == Stored && !busy && !left && e.line.join(d.Ref):
		e.serve() // a hand may have come free meanwhile
	}
	switch {
	case reception == Full:
		e.rereads.note(d.Ref)
	case h == nil && reception == Stored:
		e.rouse(d, busy || left)
	}
	return reception, nil
}

// rouse makes the holder of a discussion see new mail soon if it waits here. While the
// personas think, or another replica is at work, its author is shown that it was heard
// (SPEC §8).
func (e *Engine) rouse(d Delivery, busy bool) {
	e.mu.Lock()
	at := e.held[d.Ref]
	e.mu.Unlock()
	if at != nil {
		select {
		case at.ring <- struct{}{}:
		default: // rung already
		}
	}
	if at == nil && busy || at != nil && at.thinking.Load() {
		e.showHeard(d)
	}
}

// running reports whether work can be started.
func (e *Engine) running() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.run != nil
}

// start runs f in a goroutine that Run waits for, with the discussion noted as
// held. It reports false when Run does not run.
func (e *Engine) start(ref Ref, f func(*run, *holder)) bool {
	me := &holder{ring: make(chan struct{}, 1), gone: make(chan struct{})}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.run == nil {
		return false
	}
	e.held[ref] = me
	r := e.run
	e.wg.Go(func() {
		defer func() {
			e.mu.Lock()
			if e.held[ref] == me {
				delete(e.held, ref)
			}
			e.mu.Unlock()
			close(me.gone)
		}()
		f(r, me)
	})
	return true
}

// background runs f in a goroutine that Run waits for, if Run runs.
func (e *Engine) background(f func(context.Context)) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.run == nil {
		return false
	}
	r := e.run
	e.wg.Go(func() { f(r.ctx) })
	return true
}

// holds reports whether this engine holds a discussion.
func (e *Engine) holds(ref Ref) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.held[ref] != nil
}

// take takes a token if one is free.
func take(tokens chan struct{}) bool {
	select {
	case tokens <- struct{}{}:
		return true
	default:
		return false
	}
}
