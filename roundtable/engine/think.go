package engine

import (
	"context"
	"log/slog"
	"slices"
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
func (t *turn) think(effect roundtable.Effect) {
	seats := t.awaited(effect)
	if t.thinker == nil {
		if len(seats) == 0 || t.d.Place.Thread == "" {
			return
		}
		k := &thinker{wish: make(chan []roundtable.Seat, 1)}
		place := t.d.Place
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

// awaited are the seats whose words the panel still owes.
func (t *turn) awaited(effect roundtable.Effect) []roundtable.Seat {
	var keys []roundtable.PersonaKey
	if _, ok := effect.(roundtable.Discuss); ok && t.d.Round != nil {
		for _, c := range t.d.Round.Calls {
			if !slices.Contains(t.d.Round.Said, c.Persona) {
				keys = append(keys, c.Persona)
			}
		}
	} else {
		keys = append(keys, t.d.Lead)
	}
	var seats []roundtable.Seat
	for _, k := range keys {
		for _, s := range t.d.Cast {
			if s.Key == k {
				seats = append(seats, s)
			}
		}
	}
	return seats
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
