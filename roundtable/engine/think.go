package engine

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/roundtable-chat/app/roundtable"
)

// thinkEvery is how often the sign that somebody is thinking is renewed; Slack
// lets it lapse after two minutes.
const thinkEvery = 80 * time.Second

// thinker shows who is thinking, beside the turn, so that nothing waits for it.
// The newest wish wins.
type thinker struct {
	wish chan []roundtable.Seat
	// clear is read once wish is closed: whether to take the sign away.
	clear bool
	// sign is what stands in Slack as far as is known here.
	sign atomic.Int32
}

// What stands in Slack.
const (
	signNone    int32 = iota // nothing, or what a post has taken away
	signPending              // a request to show a sign is under way
	signShown
)

// standsShown reports whether a sign stands in Slack for certain. One that is still
// on its way may arrive after a post and has to be taken away.
func (t *turn) standsShown() bool { return t.thinker != nil && t.thinker.sign.Load() == signShown }

// answered notes that a post took the sign away, as Slack does by itself.
func (t *turn) answered() { t.thinker.sign.CompareAndSwap(signShown, signNone) }

// think shows those of whom an answer is awaited.
func (t *turn) think(asked effect) {
	seats := t.m.awaited(asked)
	if t.thinker == nil {
		if len(seats) == 0 || t.at.place.Thread == "" {
			return
		}
		k := &thinker{wish: make(chan []roundtable.Seat, 1)}
		place := t.at.place
		if !t.e.background(func(ctx context.Context) { t.e.showThinking(ctx, k, place) }) {
			return
		}
		t.thinker = k
	}
	t.thinker.want(seats)
}

func (t *turn) thinkNothing() {
	if t.thinker != nil {
		t.thinker.want(nil)
	}
}

// stopThinking ends the sign. One who lost the discussion leaves it as it is: it
// may be the next holder's by now, and lapses by itself.
func (t *turn) stopThinking(clear bool) {
	if t.thinker != nil {
		t.thinker.clear = clear
		close(t.thinker.wish)
	}
}

func (k *thinker) want(seats []roundtable.Seat) {
	select {
	case <-k.wish: // an older wish, not shown yet
	default:
	}
	k.wish <- seats
}

// showThinking follows the wishes until there are no more.
func (e *Engine) showThinking(ctx context.Context, k *thinker, place roundtable.Place) {
	var shown []roundtable.Seat
	show := func(seats []roundtable.Seat) {
		shown = seats
		if len(seats) == 0 && k.sign.Load() == signNone {
			return
		}
		k.sign.Store(signPending)
		defer func() {
			if len(seats) == 0 {
				k.sign.Store(signNone)
			} else {
				k.sign.Store(signShown)
			}
		}()
		ctx, cancel := context.WithTimeoutCause(ctx, courtesyTime, errPostTime)
		defer cancel()
		if err := e.opt.Workplace.Think(ctx, place, seats); err != nil {
			e.log.LogAttrs(ctx, slog.LevelDebug, "think_failed", slog.Any("error", err))
		}
	}
	refresh := time.NewTicker(thinkEvery)
	defer refresh.Stop()
	for {
		select {
		case seats, more := <-k.wish:
			if !more {
				if k.clear {
					show(nil)
				}
				return
			}
			show(seats)
		case <-refresh.C:
			show(shown)
		}
	}
}

// showHeard puts an emoji on a message that came while the personas were at work:
// it is kept and will be taken up (SPEC §8). Best effort, a few at a time.
func (e *Engine) showHeard(d Delivery) {
	in, err := roundtable.DecodeInput(d.Mail.Body)
	if err != nil {
		return
	}
	said, ok := in.Event.(roundtable.Said)
	if !ok || !take(e.greeters) {
		return
	}
	place := roundtable.Place{Team: d.Ref.Team, Channel: d.Ref.Channel, Thread: d.Thread}
	started := e.background(func(ctx context.Context) {
		defer func() { <-e.greeters }()
		ctx, cancel := context.WithTimeoutCause(ctx, courtesyTime, errPostTime)
		defer cancel()
		if err := e.opt.Workplace.React(ctx, place, said.TS, heardEmoji); err != nil {
			e.log.LogAttrs(ctx, slog.LevelDebug, "heard_not_shown", slog.Any("error", err))
		}
	})
	if !started {
		<-e.greeters
	}
}

// heardEmoji shows that a message was kept.
const heardEmoji = "eyes"
