package engine

import (
	"context"
	"time"

	"github.com/roundtable-chat/app/roundtable"
)

// matter is what the engine drives: a discussion, or the analysis of an item. It is
// the state with the rules that belong to it, and knows nothing of how it is kept.
// Nothing of it is used by two goroutines at once.
type matter interface {
	// standing says how it stands; the zero standing before it was opened.
	standing() standing
	// step gives an input to the rules and makes what they decide the new state.
	// Questions are not among the effects: they stand in the state.
	step(in input) ([]effect, []roundtable.Entry)
	// asking is the question that is open, or nil.
	asking() effect
	// question prepares how that question is put, now, so that whoever puts it
	// touches nothing of the matter.
	question(t *turn, asked effect) (putter, error)
	// awaited are those who are thinking about it.
	awaited(asked effect) []roundtable.Seat
	// isDraft reports whether an answer is one that the rules check against the
	// transcript as it stands; withTranscript attaches that.
	isDraft(answer event) bool
	withTranscript(draft event, t roundtable.Transcript) event
	// writing is what an effect wants of the item; false if it wants nothing.
	writing(e effect) (writing, bool)
	// root is the introduction as it should be shown, upkeep what the engine itself
	// remembers in the state.
	root() roundtable.Message
	upkeep() upkeep

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
}

// event is a [roundtable.Event] or an [analysis.Event]. Of those that both kinds of
// matter have it is the discussion's.
type event any

// effect is a [roundtable.Effect] or an [analysis.Effect]. Of those that both kinds
// of matter have it is the discussion's.
type effect interface{ EffectKey() string }

// standing is what the engine needs to know of how a matter stands.
type standing struct {
	state         string // empty before it was opened
	closed, over  bool
	place         roundtable.Place
	opened, ended time.Time
	wakeAt        time.Time
	gather        time.Duration
	turns         int
	item          string
}

// writing is one change of an item that an effect asks for.
type writing struct {
	// once is the key under which the change is remembered: what was merged under it
	// is not merged again.
	once string
	// merge makes the change; it fails where the item would lose something.
	merge func(Item) (ItemWrite, []roundtable.ArtifactChange, error)
	// receipt says that it stands; its input's id ends in the event's name.
	receipt func([]roundtable.ArtifactChange) event
}

// upkeep are the fields of a state that are the engine's own.
type upkeep struct {
	rootDoubted *bool
	doubtedAt   *time.Time
	audited     *time.Time
	rootShown   *string
	withheld    **roundtable.Withheld
}

// putter is how a question is put: it returns the event that ends it, and emits what
// is said on the way there.
type putter func(ctx context.Context, emit func(input) error) (event, error)

// matter returns the matter of a stored state, or, where none is stored yet, the
// one that the mail opens.
func (e *Engine) matter(state []byte, mail []Mail) matter {
	if isAnalysis(state) {
		return &analysisMatter{e: e}
	}
	for _, m := range mail {
		if state == nil && opensAnalysis(m.Body) {
			return &analysisMatter{e: e}
		}
	}
	return &discussionMatter{e: e}
}

// decode returns the matter of a stored state, as it stands.
func (e *Engine) decode(state []byte) (matter, error) {
	m := e.matter(state, nil)
	return m, m.decode(state)
}

// opens reports whether an input opens a matter.
func opens(in input) bool {
	switch in.event.(type) {
	case roundtable.Opened, analysisOpened:
		return true
	default:
		return false
	}
}
