package engine

import (
	"context"
	"time"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/analysis"
	"github.com/roundtable-chat/app/roundtable/forgetting"
	"github.com/roundtable-chat/app/roundtable/persona"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// matter is what the engine drives: a discussion, the analysis of an item, or the
// forgetting of something. It is
// the state with the rules that belong to it, and knows nothing of how it is kept.
// Nothing of it is used by two goroutines at once.
type matter interface {
	// status says how it stands; the zero status before it was opened.
	status() status
	// step gives an input to the rules and makes what they decide the new state.
	// Questions are not among the effects: they stand in the state.
	step(in input) decision
	// asking is the question that is open, or nil.
	asking() effect
	// question prepares how that question is put, now, so that whoever puts it
	// touches nothing of the matter.
	question(w *workingCopy, asked effect) (putter, error)
	// awaited are those who are thinking about it.
	awaited(asked effect) []persona.Seat
	// isDraft reports whether an answer is one that the rules check against the
	// transcript as it stands; withTranscript attaches that.
	isDraft(answer event) bool
	withTranscript(draft event, t thread.Transcript) event
	// writing is what an effect wants of the item; false if it wants nothing.
	writing(e effect) (writing, bool)
	// root is the introduction as it should be shown, upkeep what the engine itself
	// remembers in the state.
	root() thread.Message
	upkeep() *thread.Upkeep

	// The stored forms. decode makes what is stored the state; with nil there is
	// none.
	decode(state []byte) error
	encode() ([]byte, error)
	decodeInput(b []byte) (input, error)
	decodeEffect(b []byte) (effect, error)
	encodeEffect(e effect) ([]byte, error)
}

// input is one thing that happened, as [roundtable.Input] and [analysis.Input] are.
type input struct {
	id    string
	at    time.Time
	event event
	// excess and overtaken are what feed found out about the log.
	excess    thread.Excess
	overtaken bool
}

// decision is what the rules want done about an input, besides the new state.
type decision struct {
	effects []effect
	entries []thread.Entry
	acts    []thread.Audit
}

// event is a [roundtable.Event], an [analysis.Event] or a [forgetting.Event]. Of those
// that a discussion has, too, it is the discussion's.
type event any

// effect is a [roundtable.Effect] or an [analysis.Effect]. Of those that both kinds
// of matter have it is the discussion's.
type effect interface{ EffectKey() string }

// status is what the engine needs to know of how a matter stands.
type status struct {
	state         string // empty before it was opened
	closed, over  bool
	place         thread.Place
	opened, ended time.Time
	wakeAt        time.Time
	gather        time.Duration
	turns         int
	item          string
	opener        string // the id of who opened it
	// mark is the item's mark where its name is not known any more.
	mark string
}

// writing is one change of an item that an effect asks for.
type writing struct {
	// once is the key under which the change is remembered: what was merged under it
	// is not merged again.
	once string
	// merge makes the change; it fails where the item would lose something. It asks
	// proceed again and again, and ends with its error.
	merge func(item Item, proceed func() error) (ItemWrite, []thread.ArtifactChange, error)
	// receipt says that it stands; its input's id ends in the event's name.
	receipt func([]thread.ArtifactChange) event
}

// putter is how a question is put: it returns the event that ends it, and emits what
// is said on the way there.
type putter func(ctx context.Context, emit func(input) error) (event, error)

// matter returns the matter of a stored state, or, where none is stored yet, the
// one that the mail opens.
func (e *Engine) matter(state []byte, mail []Mail) matter {
	if state != nil {
		return e.matterOf(KindOf(state))
	}
	for _, m := range mail {
		if kind := kindOpened(m.Body); kind != KindDiscussion {
			return e.matterOf(kind)
		}
	}
	return e.matterOf(KindDiscussion)
}

func (e *Engine) matterOf(kind Kind) matter {
	switch kind {
	case KindAnalysis:
		return &analysisMatter{e: e}
	case KindForgetting:
		return &forgettingMatter{}
	case KindDiscussion:
	}
	return &discussionMatter{e: e}
}

// sharedEvent is what a person did, as a discussion knows it.
func sharedEvent(e event) (roundtable.Event, bool) {
	switch e := e.(type) {
	case roundtable.Event:
		return e, true
	case analysis.Event:
		return sharedOfAnalysis(e)
	default: // a forgetting has no log
		return nil, false
	}
}

// sharedOfAnalysis is what a person did in an analysis, as a discussion knows it.
func sharedOfAnalysis(e analysis.Event) (roundtable.Event, bool) {
	switch e := e.(type) {
	case analysis.Said:
		return roundtable.Said(e), true
	case analysis.Edited:
		return roundtable.Edited(e), true
	case analysis.Deleted:
		return roundtable.Deleted(e), true
	case analysis.Reacted:
		return roundtable.Reacted(e), true
	case analysis.Pressed:
		return roundtable.Pressed(e), true
	case analysis.Opened, analysis.Surveyed, analysis.Asked, analysis.Drafted, analysis.Written, analysis.Recorded, analysis.ElaborationOpened,
		analysis.ElaborationEnded, analysis.TimerFired, analysis.Posted, analysis.Failed, analysis.Parked, analysis.Identified:
	}
	return nil, false
}

// opens reports whether an input opens a matter.
func opens(in input) bool {
	switch in.event.(type) {
	case roundtable.Opened, analysisOpened, forgetting.Opened:
		return true
	default:
		return false
	}
}
