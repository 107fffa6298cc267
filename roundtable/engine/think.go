package engine

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/roundtable-chat/app/roundtable"
)

const (
	// thinkEvery is how often the sign that somebody is thinking is renewed; Slack
	// lets it lapse after two minutes.
	thinkEvery = 80 * time.Second
	// signPatience is how long a post waits for a sign that is on its way: one that
	// arrived after the answer would say that somebody thinks who has spoken. Only an
	// answer that is faster than Slack waits.
	signPatience = 300 * time.Millisecond
)

// thinker shows who is thinking, beside the turn. The newest wish wins.
type thinker struct {
	wish chan wish
	// sign is the seen of the newest wish for somebody, and taken is set when a post took
	// that sign away. Both belong to the turn.
	sign  chan struct{}
	taken bool
	// clear is read once wish is closed: whether to take the sign away.
	clear bool
	// shown is set while a sign stands in Slack for certain.
	shown atomic.Bool
}

// wish is whom to show; nobody takes the sign away. seen is closed once it was seen to,
// or is no more wanted.
type wish struct {
	seats []roundtable.Seat
	seen  chan struct{}
}

// think shows those of whom an answer is awaited.
func (t *turn) think(asked effect) {
	seats := t.m.awaited(asked)
	if t.thinker == nil {
		if len(seats) == 0 || t.at.place.Thread == "" {
			return
		}
		k := &thinker{wish: make(chan wish, 1)}
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

// signSettles waits until no sign is on its way, or for as long as is bearable.
func (t *turn) signSettles(ctx context.Context) error {
	if t.thinker == nil {
		return nil
	}
	select {
	case <-t.thinker.sign:
		return nil
	default:
		return t.pause(ctx, signPatience, t.thinker.sign)
	}
}

// signStands reports whether a sign stands in Slack for certain. One that is still on
// its way may arrive after a post and has to be taken away.
func (t *turn) signStands() bool { return t.thinker != nil && t.thinker.shown.Load() }

// signGone notes that a post took the sign away, as Slack does by itself.
func (t *turn) signGone() {
	t.thinker.shown.Store(false)
	t.thinker.taken = true
}

// signTaken reports whether a post took the newest sign away.
func (t *turn) signTaken() bool { return t.thinker != nil && t.thinker.taken }

func (k *thinker) want(seats []roundtable.Seat) {
	select {
	case older := <-k.wish: // not shown yet
		close(older.seen)
	default:
	}
	w := wish{seats, make(chan struct{})}
	if len(seats) > 0 { // nobody waits for one that is taken away
		k.sign, k.taken = w.seen, false
	}
	k.wish <- w
}

// showThinking follows the wishes until there are no more.
func (e *Engine) showThinking(ctx context.Context, k *thinker, place roundtable.Place) {
	var shown []roundtable.Seat
	show := func(seats []roundtable.Seat) {
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
