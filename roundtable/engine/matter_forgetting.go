package engine

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/forgetting"
	"github.com/roundtable-chat/app/roundtable/persona"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// Farewell names what is to be forgotten: an item with the discussions that it came
// from, or one discussion or analysis.
type Farewell struct {
	// Key is the forgetting's id. What was put out of sight under it is brought back and
	// removed under it, and under no other.
	Key           string
	Team, Channel string
	// Item is the item's slug, Discussion the id of a discussion or an analysis; one of
	// them is empty.
	Item, Discussion string
}

// Hidden counts what was put out of sight.
type Hidden struct{ Documents, Discussions int }

// Farewells put out of sight what is to be forgotten, bring it back as it was, and remove
// it for good (FR-110). Each may be called again after any error and after it was done,
// and then completes what is left to do.
type Farewells interface {
	// Hide puts it out of sight: nothing is listed, read or taken in any more, and
	// nothing is lost. ErrNotFound if there is nothing of that name, ErrBusy if somebody
	// works on it: then a part may be out of sight, which Restore brings back.
	Hide(ctx context.Context, f Farewell) (Hidden, error)
	// Restore brings back what Hide put out of sight.
	Restore(ctx context.Context, f Farewell) error
	// Remove removes what Hide put out of sight. back is true where that was written into
	// meanwhile: then it is brought back, and nothing is removed.
	Remove(ctx context.Context, f Farewell) (back bool, err error)
}

// forgettingMatter is the forgetting of something as the engine drives it. It asks no
// panel, writes no document and has no transcript.
type forgettingMatter struct{ f forgetting.Forgetting }

func (m *forgettingMatter) status() status {
	f := &m.f
	return status{
		state: string(f.State), closed: !f.Ended.IsZero(), over: f.Over, place: f.Place, opened: f.Asked,
		ended: f.Ended, wakeAt: f.WakeAt, item: f.Target.Item, mark: f.Mark,
	}
}

func (m *forgettingMatter) step(in input) decision {
	r := forgetting.Step(m.f, forgetting.Input{ID: in.id, At: in.at, Event: forgettingEvent(in.event)})
	m.f = r.Forgetting
	d := decision{acts: r.Acts}
	for _, e := range r.Effects {
		d.effects = append(d.effects, forgettingEffect(e))
	}
	return d
}

// forgettingEvent is an event as a forgetting knows it.
func forgettingEvent(e event) forgetting.Event {
	if own, ok := e.(forgetting.Event); ok {
		return own
	}
	shared, _ := e.(roundtable.Event)
	switch e := shared.(type) {
	case roundtable.TimerFired:
		return forgetting.TimerFired(e)
	case roundtable.Posted:
		return forgetting.Posted(e)
	case roundtable.Failed:
		return forgetting.Failed(e)
	case roundtable.Parked:
		return forgetting.Parked(e)
	case roundtable.Identified:
		return forgetting.Identified(e)
	case roundtable.Opened, roundtable.Said, roundtable.Edited, roundtable.Deleted, roundtable.Reacted, roundtable.Pressed, roundtable.Framed,
		roundtable.Contributed, roundtable.RoundEnded, roundtable.Drafted, roundtable.DNDChecked, roundtable.Analysed, roundtable.DocumentsWritten:
	}
	panic(fmt.Sprintf("%T is no event of a forgetting", e))
}

// forgettingEffect is an effect as the engine performs it: the discussion's, if a
// discussion has it, too.
func forgettingEffect(e forgetting.Effect) effect {
	switch e := e.(type) {
	case forgetting.Post:
		return roundtable.Post(e)
	case forgetting.Tell:
		return roundtable.Tell(e)
	case forgetting.Identify:
		return roundtable.Identify(e)
	case forgetting.Hide, forgetting.Restore, forgetting.Remove:
		return e
	}
	return e
}

func (m *forgettingMatter) asking() effect { return nil }

func (m *forgettingMatter) question(_ *workingCopy, asked effect) (putter, error) {
	return nil, fmt.Errorf("ask %s: a forgetting asks nothing", asked.EffectKey())
}

func (m *forgettingMatter) awaited(effect) []persona.Seat { return nil }

func (m *forgettingMatter) isDraft(event) bool { return false }

func (m *forgettingMatter) withTranscript(draft event, _ thread.Transcript) event { return draft }

func (m *forgettingMatter) writing(effect) (writing, bool) { return writing{}, false }

func (m *forgettingMatter) root() thread.Message { return forgetting.Root(m.f) }

func (m *forgettingMatter) upkeep() *thread.Upkeep { return &m.f.Upkeep }

func (m *forgettingMatter) decode(state []byte) (err error) {
	m.f = forgetting.Forgetting{}
	if state != nil {
		m.f, err = forgetting.Decode(state)
	}
	return err
}

func (m *forgettingMatter) encode() ([]byte, error) { return forgetting.Encode(m.f) }

func (m *forgettingMatter) decodeInput(b []byte) (input, error) {
	in, err := forgetting.DecodeInput(b)
	return input{id: in.ID, at: in.At, event: in.Event}, err
}

func (m *forgettingMatter) decodeEffect(b []byte) (effect, error) {
	e, err := forgetting.DecodeEffect(b)
	if err != nil {
		return nil, err
	}
	return forgettingEffect(e), nil
}

func (m *forgettingMatter) encodeEffect(e effect) ([]byte, error) {
	if x, ok := e.(forgetting.Effect); ok {
		return forgetting.EncodeEffect(x)
	}
	if x, ok := e.(roundtable.Effect); ok {
		return roundtable.EncodeEffect(x) // the same form there
	}
	return nil, fmt.Errorf("encode effect %s: %T is unknown", e.EffectKey(), e)
}

// farewellTime bounds one request to put out of sight, bring back or remove. What it
// leaves half done is completed when it is made again.
const farewellTime = 10 * time.Second

// sayFarewell hides, restores or removes what is forgotten, and tells the rules. Like a
// change of an item it follows from what is committed. What fails for now is tried again
// after pauses that grow; that somebody works on it keeps only hiding from being done.
func (p *performer) sayFarewell(ctx context.Context, e effect, target forgetting.Target, do func(context.Context, Farewells, Farewell) (forgetting.Event, error)) error {
	if _, err := p.copy.flush(ctx, Commit{}); err != nil {
		return err
	}
	start := time.Now()
	answer, err := p.farewell(ctx, target, do)
	if err != nil {
		p.copy.effectDone(ctx, e, "not_done", start, err)
		return p.copy.yield(ctx, Commit{}, growing(p.copy.now().Sub(p.copy.at.opened), failedPause, farewellPause))
	}
	p.copy.effectDone(ctx, e, outcomeDone, start, nil)
	p.copy.pop()
	return p.copy.feed(ctx, input{id: e.EffectKey() + "/" + eventName(answer), at: p.copy.now(), event: answer})
}

// farewellPause is the longest pause before what could not be done is tried again.
const farewellPause = 5 * time.Minute

func (p *performer) farewell(ctx context.Context, target forgetting.Target, do func(context.Context, Farewells, Farewell) (forgetting.Event, error)) (forgetting.Event, error) {
	if p.e.opt.Farewells == nil {
		return nil, errors.New("this replica cannot forget")
	}
	wire, cancel := p.copy.bounded(ctx, time.Now().Add(farewellTime), errPostTime)
	defer cancel()
	what := Farewell{Key: p.copy.claim.Ref.ID, Team: p.copy.claim.Ref.Team, Channel: p.copy.claim.Ref.Channel, Item: target.Item, Discussion: target.Discussion}
	if target.Discussion != "" {
		what.Item = "" // which it wrote into, and which stays
	}
	return do(wire, p.e.opt.Farewells, what)
}

// hide puts something out of sight, unless people talk in it: the wish may have waited for days
// until Slack said whose it is.
func (p *performer) hide(ctx context.Context, e forgetting.Hide) error {
	return p.sayFarewell(ctx, e, e.Target, func(ctx context.Context, f Farewells, what Farewell) (forgetting.Event, error) {
		switch v, open, err := NewReader(p.e.opt.Store).StillOpen(ctx, what); {
		case err != nil:
			return nil, err
		case open:
			p.copy.log.LogAttrs(ctx, slog.LevelWarn, "still_open", slog.String("item", p.copy.at.mark), slog.String("open", v.Ref.ID))
			return forgetting.Barred{Effect: e.Key, Why: forgetting.WhyOpen, Open: v.Title}, nil
		}
		count, err := f.Hide(ctx, what)
		switch {
		case errors.Is(err, ErrBusy):
			return forgetting.Barred{Effect: e.Key, Why: forgetting.WhyBusy}, nil
		case errors.Is(err, ErrNotFound):
			return forgetting.Barred{Effect: e.Key, Why: forgetting.WhyMissing}, nil
		case errors.Is(err, ErrBarred):
			p.copy.log.LogAttrs(ctx, slog.LevelError, "item_refused", slog.String("item", p.copy.at.mark), slog.Any("error", err))
			return forgetting.Barred{Effect: e.Key, Why: forgetting.WhyFailed}, nil
		}
		return forgetting.Hidden{Effect: e.Key, Documents: count.Documents, Discussions: count.Discussions}, err
	})
}

// restore brings something back.
func (p *performer) restore(ctx context.Context, e forgetting.Restore) error {
	return p.sayFarewell(ctx, e, e.Target, func(ctx context.Context, f Farewells, what Farewell) (forgetting.Event, error) {
		return forgetting.Restored{Effect: e.Key}, f.Restore(ctx, what)
	})
}

// remove removes something for good.
func (p *performer) remove(ctx context.Context, e forgetting.Remove) error {
	return p.sayFarewell(ctx, e, e.Target, func(ctx context.Context, f Farewells, what Farewell) (forgetting.Event, error) {
		back, err := f.Remove(ctx, what)
		return forgetting.Removed{Effect: e.Key, Back: back}, err
	})
}
