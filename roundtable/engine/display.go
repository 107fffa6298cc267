package engine

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/persona"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// What a discussion shows beside its posts: the sign that a persona is thinking, the
// reaction on a message that waits, the introduction brought up to date. All of it is a
// courtesy: it may be lost, and nothing waits for it long.

const (
	// thinkEvery is how often the sign that a persona is thinking is renewed; Slack
	// lets it lapse after two minutes.
	thinkEvery = 80 * time.Second
	// signPatience is how long a post waits for a sign that is on its way: one that
	// arrived after the answer would say that a persona thinks that has spoken. Only an
	// answer that is faster than Slack waits.
	signPatience = 300 * time.Millisecond
)

// sign is the sign that personas are thinking, as a worker wants it shown.
type sign struct {
	e       *Engine
	copy    *workingCopy
	thinker *thinker // nil until the sign was wanted
}

// thinker shows which personas are thinking, in a goroutine beside the worker's. The
// newest wish wins.
type thinker struct {
	wish chan wish
	// sign is the seen of the newest wish for a persona, and taken is set when a post took
	// that sign away. Both belong to the worker.
	sign  chan struct{}
	taken bool
	// clear is read once wish is closed: whether to take the sign away.
	clear bool
	// shown is set while a sign stands in Slack for certain.
	shown atomic.Bool
}

// wish is which personas to show; with none the thinker takes the sign away. The thinker
// closes seen once it has seen to the wish, or the worker when it wants something newer.
type wish struct {
	seats []persona.Seat
	seen  chan struct{}
}

// show shows the personas of which an answer is awaited.
func (s *sign) show(asked effect) {
	seats := s.copy.m.awaited(asked)
	if s.thinker == nil {
		if len(seats) == 0 || s.copy.at.place.Thread == "" {
			return
		}
		k := &thinker{wish: make(chan wish, 1)}
		place := s.copy.at.place
		if !s.e.background(func(ctx context.Context) { s.e.showThinking(ctx, k, place) }) {
			return
		}
		s.thinker = k
	}
	s.thinker.want(seats)
}

// clear takes the sign away.
func (s *sign) clear() {
	if s.thinker != nil {
		s.thinker.want(nil)
	}
}

// end ends the thinker. A worker that lost the discussion leaves the sign as it is: the
// sign may be the next holder's by now, and lapses by itself.
func (s *sign) end(clear bool) {
	if s.thinker != nil {
		s.thinker.clear = clear
		close(s.thinker.wish)
	}
}

// settle waits until no sign is on its way, or for as long as is bearable.
func (s *sign) settle(ctx context.Context) error {
	if s.thinker == nil {
		return nil
	}
	select {
	case <-s.thinker.sign:
		return nil
	default:
		return s.copy.pause(ctx, signPatience, s.thinker.sign)
	}
}

// stands reports whether a sign stands in Slack for certain. One that is still on
// its way may arrive after a post and has to be taken away.
func (s *sign) stands() bool { return s.thinker != nil && s.thinker.shown.Load() }

// takenByPost notes that a post took the sign away, as Slack does by itself.
func (s *sign) takenByPost() {
	s.thinker.shown.Store(false)
	s.thinker.taken = true
}

// taken reports whether a post took the newest sign away.
func (s *sign) taken() bool { return s.thinker != nil && s.thinker.taken }

// want replaces the wish that the thinker has not seen to.
func (k *thinker) want(seats []persona.Seat) {
	select {
	case older := <-k.wish: // not shown yet
		close(older.seen)
	default:
	}
	w := wish{seats, make(chan struct{})}
	if len(seats) > 0 { // a post does not wait for a sign to be taken away
		k.sign, k.taken = w.seen, false
	}
	k.wish <- w
}

// showThinking follows the wishes until there are no more.
func (e *Engine) showThinking(ctx context.Context, k *thinker, place thread.Place) {
	var shown []persona.Seat
	show := func(seats []persona.Seat) {
		shown = seats
		if len(seats) == 0 && !k.shown.Load() {
			return
		}
		k.shown.Store(false) // not for certain until this has arrived
		ctx, cancel := context.WithTimeoutCause(ctx, courtesyTime, errPostTime)
		defer cancel()
		if err := e.opt.Workplace.Think(ctx, place, seats); err != nil {
			e.log.LogAttrs(ctx, slog.LevelDebug, "think_failed", slog.Any("error", err))
		}
		k.shown.Store(len(seats) > 0)
	}
	refresh := time.NewTicker(thinkEvery)
	defer refresh.Stop()
	for {
		select {
		case w, more := <-k.wish:
			if !more {
				if k.clear {
					show(nil)
				}
				return
			}
			show(w.seats)
			close(w.seen)
		case <-refresh.C:
			show(shown)
		}
	}
}

// showHeard puts an emoji on a message that came while the personas were at work:
// it is kept and will be taken up. Best effort, a few at a time.
func (e *Engine) showHeard(d Delivery) {
	in, err := roundtable.DecodeInput(d.Mail.Body)
	if err != nil {
		return
	}
	said, ok := in.Event.(roundtable.Said)
	if !ok || !take(e.reactionSem) {
		return
	}
	place := thread.Place{Team: d.Ref.Team, Channel: d.Ref.Channel, Thread: d.Thread}
	started := e.background(func(ctx context.Context) {
		defer func() { <-e.reactionSem }()
		ctx, cancel := context.WithTimeoutCause(ctx, courtesyTime, errPostTime)
		defer cancel()
		if err := e.opt.Workplace.React(ctx, place, said.TS, heardEmoji); err != nil {
			e.log.LogAttrs(ctx, slog.LevelDebug, "heard_not_shown", slog.Any("error", err))
		}
	})
	if !started {
		<-e.reactionSem
	}
}

// heardEmoji shows that a message was kept.
const heardEmoji = "eyes"

// How often one introduction is brought up to date, how long after that a worker comes
// back for what the ones before it have left, and how long a failure is left alone. While
// people talk, a worker that lets go shows the introduction along the way, and none comes
// only for it.
const (
	rootEvery = 3 * time.Second
	rootRest  = 3 * time.Second
	rootRetry = 30 * time.Second
	rootTries = 3
)

// showRoot brings the introduction up to date with the state: a view that
// converges, not an effect, so a crash or a failure needs no repair. It returns
// when to come back for it (by the store's clock), zero if there is no need.
func (p *poster) showRoot(ctx context.Context) time.Time {
	if p.copy.at.state == "" || p.copy.at.place.Root == "" {
		return time.Time{}
	}
	m, u := p.copy.m.root(), p.copy.m.upkeep()
	sum, err := digest(m)
	if err != nil || sum == u.RootShown {
		return time.Time{}
	}
	last := p.e.roots.get(p.copy.claim.Ref)
	closing := p.copy.at.closed && last.fails == 0
	if wait := time.Until(last.next); wait > 0 && !closing {
		if last.fails == 0 {
			wait += rootRest
		}
		return p.copy.now().Add(wait)
	}
	start := time.Now()
	wire, cancel := p.copy.bounded(ctx, start.Add(courtesyTime), errPostTime)
	err = p.e.opt.Workplace.ShowRoot(wire, p.copy.at.place, m)
	cancel()
	if err != nil && sendError(err).Outcome != Refused {
		return p.rootFailed(ctx, last, err)
	}
	if err != nil {
		p.copy.log.LogAttrs(ctx, slog.LevelWarn, "root_refused", slog.Any("error", err))
	}
	p.e.roots.set(p.copy.claim.Ref, pace{next: start.Add(rootEvery)})
	u.RootShown = sum
	return time.Time{}
}

// rootFailed puts the next try off. After some tries it is left until something
// else happens.
func (p *poster) rootFailed(ctx context.Context, last pace, err error) time.Time {
	p.copy.log.LogAttrs(ctx, slog.LevelWarn, "root_not_shown", slog.Any("error", err))
	next := pace{next: time.Now().Add(max(rootRetry, sendError(err).After)), fails: last.fails + 1}
	p.e.roots.set(p.copy.claim.Ref, next)
	if next.fails >= rootTries {
		return time.Time{}
	}
	return p.copy.now().Add(time.Until(next.next))
}

// digest tells messages apart.
func digest(m thread.Message) (string, error) {
	b, err := json.Marshal(m)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:8]), nil
}
