package engine

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/roundtable-chat/app/roundtable/engine/fairqueue"
)

// maxLinger bounds Options.Linger: a claim that is kept in memory keeps other replicas
// from the discussion.
const maxLinger = 5 * time.Second

// Engine drives discussions. Several engines, in as many processes, may share a
// store.
type Engine struct {
	opt     Options
	log     *slog.Logger
	metrics *metrics
	logs    *logCache
	roots   *throttle // of introductions
	audits  *throttle // of those that failed
	refused *failures // changes that the store refused for their size
	unread  *failures // threads that could not be read
	skew    *versionSkew
	rereads *rereadQueue

	slots       chan struct{}                 // a token per discussion that is worked on
	queue       fairqueue.Queue[channel, Ref] // discussions that wait for one
	waiting     *semaphore.Weighted           // bytes of discussions that wait in memory
	panelSem    chan struct{}                 // a token per question to the panel
	reactionSem chan struct{}                 // a token per reaction under way
	missed      chan struct{}                 // a token while threads are to be read again

	mu   sync.Mutex
	run  *run                // nil unless Run is running and not draining
	held map[Ref]*localClaim // discussions held by this engine
	wg   sync.WaitGroup      // everything that run started
}

// run is what goroutines started on behalf of Run live by.
type run struct {
	// ctx ends when the time for draining is over.
	ctx context.Context
	// draining is closed when Run is told to stop.
	draining chan struct{}
}

// New returns an engine. It does nothing until Run.
func New(o Options) (*Engine, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	skew := &versionSkew{}
	m, err := newMetrics(o.Metrics, skew)
	if err != nil {
		return nil, err
	}
	return &Engine{
		opt: o, log: o.Logger, metrics: m,
		logs:  newLogCache(o.LogBytes),
		roots: &throttle{}, audits: &throttle{}, refused: &failures{}, unread: &failures{}, skew: skew, rereads: &rereadQueue{},
		slots: make(chan struct{}, o.Workers), waiting: semaphore.NewWeighted(memoryBudget(o)), panelSem: make(chan struct{}, o.Asks),
		reactionSem: make(chan struct{}, 8),
		missed:      make(chan struct{}, 1),
		held:        make(map[Ref]*localClaim),
	}, nil
}

// Receive takes in something that happened in Slack. It returns once the store
// has it, which is when Slack may be told so (I1). If this engine has a slot
// free that no discussion waits for, it claims the discussion in the same request and
// drives it in the background; else the discussion gets in the queue.
func (e *Engine) Receive(ctx context.Context, d Delivery) (Reception, error) {
	var known knownLog
	left := e.skew.skips(d.Ref)
	slot := e.running() && !left && e.queue.Len() == 0 && take(e.slots)
	if slot {
		known = e.logOf(d.Ref)
		d.Claim = &Claimant{Owner: e.opt.Owner, LogFrom: known.length(), LogRev: known.rev()}
	}
	sent := time.Now()
	got, err := e.opt.Store.Deliver(ctx, d)
	if got.Claim == nil {
		e.giveBackLog(d.Ref, known)
	}
	if err != nil {
		if slot {
			e.releaseSlot()
		}
		return "", fmt.Errorf("receive for discussion %s: %w", d.Ref.ID, err)
	}
	e.metrics.received.WithLabelValues(string(got.Reception)).Inc()
	switch {
	case got.Claim != nil:
		if !e.start(d.Ref, func(r *run, local *localClaim) { e.drive(r, local, got.Claim, known, sent) }) {
			// Run was told to stop meanwhile.
			e.releaseSlot()
			e.giveBack(ctx, got.Claim)
		}
	case slot:
		e.releaseSlot()
	case got.Reception == Stored && !got.Busy && !left && e.enqueue(d.Ref):
		e.serve() // a slot may have come free meanwhile
	}
	switch {
	case got.Reception == Full:
		e.rereads.note(d.Ref)
	case got.Claim == nil && got.Reception == Stored:
		e.rouse(d, got.Busy || left)
	}
	return got.Reception, nil
}

// rouse makes the holder of a discussion see new mail soon if it waits here. While the
// personas think, or another replica is at work, its author is shown that it was heard
// (FR-113).
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
func (e *Engine) start(ref Ref, f func(*run, *localClaim)) bool {
	local := &localClaim{ring: make(chan struct{}, 1), gone: make(chan struct{})}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.run == nil {
		return false
	}
	e.held[ref] = local
	r := e.run
	e.wg.Go(func() {
		defer func() {
			e.mu.Lock()
			if e.held[ref] == local {
				delete(e.held, ref)
			}
			e.mu.Unlock()
			close(local.gone)
		}()
		f(r, local)
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

// Reasons for which work is cut short; causes of cancelled contexts.
var (
	errDraining = errors.New("the engine is stopping")
	errDrained  = errors.New("the time for stopping is over")
	errLate     = errors.New("the right to act for the discussion has run out")
	errPostTime = errors.New("Slack took too long")
	errAskTime  = errors.New("the panel took too long")
	errMovedOn  = errors.New("the discussion moved on")
)

// Run finds discussions that need a replica and drives them, until ctx ends. Then
// it claims nothing more, lets effects under way end within Options.Drain, gives
// back what it holds and returns nil. It may be called once.
func (e *Engine) Run(ctx context.Context) error {
	work, stop := context.WithCancelCause(context.WithoutCancel(ctx))
	defer stop(nil)
	r := &run{ctx: work, draining: make(chan struct{})}
	e.mu.Lock()
	if e.run != nil {
		e.mu.Unlock()
		return errors.New("run engine: it runs already")
	}
	e.run = r
	e.wg.Go(func() { e.recoverWhenMissed(ctx) })
	e.mu.Unlock()

	e.poll(ctx)

	e.mu.Lock()
	e.run = nil
	e.mu.Unlock()
	close(r.draining)
	hurry := time.AfterFunc(e.opt.Drain, func() { stop(errDrained) })
	defer hurry.Stop()
	e.wg.Wait()
	return nil
}

// poll asks for due discussions until ctx ends: at once again while there are
// more than it could take, and less often while the store fails. A store that
// failed may come back without its newest writes.
func (e *Engine) poll(ctx context.Context) {
	failing := false
	for {
		pause := e.opt.Poll
		e.logs.tidy()
		more, err := e.pollOnce(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			e.log.LogAttrs(ctx, slog.LevelWarn, "poll_failed", slog.Any("error", err))
			pause = max(pause, time.Second)
			failing = true
		case failing:
			failing = false
			e.Missed()
		case more && e.queue.Len() == 0 && !e.busy():
			continue
		case more:
			pause = busyPause
		}
		timer := time.NewTimer(jitter(pause))
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-timer.C:
		}
	}
}

// busyPause is how soon to look again when there was more to do than there are slots.
// Looking costs the store nothing while the queue is long.
const busyPause = 10 * time.Millisecond

// jitter keeps replicas from asking in step: d ± 20 %.
func jitter(d time.Duration) time.Duration {
	return d*4/5 + rand.N(d*2/5+1)
}

// pollOnce puts what is due in the queue, what waits longest first. more is true when more
// may be waiting and looking again makes sense. What the store could list is served
// also when it could not list all.
func (e *Engine) pollOnce(ctx context.Context) (more bool, err error) {
	if e.queue.Len() > cap(e.slots)/2 {
		return true, nil
	}
	// What is left to a newer version may stand in front of everything else.
	limit := cap(e.slots) + e.skew.count()
	due, err := e.opt.Store.Due(ctx, limit)
	joined := 0
	for _, ref := range due {
		if !e.holds(ref) && !e.skew.skips(ref) && e.enqueue(ref) {
			joined++
		}
	}
	e.serve()
	return len(due) == limit && (joined > 0 || e.busy()), err
}

// channel is a channel of a team.
type channel struct{ team, id string }

// enqueue puts a discussion in the queue for a slot, unless it waits already or the queue
// is full. It reports whether it did. The queue is a hint and may be lost: the store knows
// what is due, too.
func (e *Engine) enqueue(ref Ref) bool {
	return e.queue.Join(channel{ref.Team, ref.Channel}, ref)
}

// busy reports whether no slot is free.
func (e *Engine) busy() bool { return len(e.slots) == cap(e.slots) }

// releaseSlot gives a slot back: to a worker that waits for one, else to the discussion
// that is next in the queue.
func (e *Engine) releaseSlot() {
	<-e.slots
	e.serve()
}

// serve gives the free slots to the discussions in the queue.
func (e *Engine) serve() {
	for e.queue.Len() > 0 && take(e.slots) {
		if !e.serveNext() {
			<-e.slots
		}
	}
}

// serveNext has the discussion worked on that is next in the queue, in the slot that the
// caller took. It reports whether the slot is in use.
func (e *Engine) serveNext() bool {
	for {
		ref, ok := e.queue.Next()
		if !ok {
			return false
		}
		if e.holds(ref) || e.skew.skips(ref) {
			continue
		}
		return e.start(ref, func(r *run, local *localClaim) { e.claim(r, local, ref) })
	}
}

// claim takes a due discussion and drives it. It owns a slot.
func (e *Engine) claim(r *run, local *localClaim, ref Ref) {
	known := knownLog{log: e.logs.take(ref)}
	sent := time.Now()
	claim, err := e.opt.Store.Claim(r.ctx, ref, Claimant{Owner: e.opt.Owner, LogFrom: known.length(), LogRev: known.rev()})
	if claim == nil {
		e.giveBackLog(ref, known)
	}
	switch {
	case err != nil:
		e.log.LogAttrs(r.ctx, slog.LevelWarn, "claim_failed", slog.String("discussion", ref.ID), slog.Any("error", err))
		e.releaseSlot()
	case claim == nil: // another replica was faster
		e.releaseSlot()
	default:
		e.drive(r, local, claim, known, sent)
	}
}

// giveBack lets go of a claim that nothing was done with.
func (e *Engine) giveBack(ctx context.Context, claim *Claim) {
	if _, err := e.opt.Store.Commit(ctx, claim, Commit{Mode: ModeYield}); err != nil {
		e.log.LogAttrs(ctx, slog.LevelInfo, "give_back_failed", slog.String("discussion", claim.Ref.ID), slog.Any("error", err))
	}
}
