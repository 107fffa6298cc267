package analysis

import (
	"fmt"
	"reflect"

	"github.com/roundtable-chat/app/roundtable/persona"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// StateKind marks the stored form of an analysis, which a discussion's has not, and
// OpenedKind that of the input which opens one. The form is that of discussions
// ([thread.FormVersion]), under the same promise. Inputs and effects that a discussion has,
// too, have the same form there and here, so that whoever delivers an input or performs an
// effect need not know which of the two it is for.
const (
	StateKind  = "analysis"
	OpenedKind = "analysis_opened"
)

// Encode returns the stored form of an analysis. The keywords of its seats stay
// behind, as a discussion's do (Seated).
func Encode(a Analysis) ([]byte, error) {
	a.Cast = thread.WithoutKeywords(a.Cast)
	return thread.SealState(StateKind, a)
}

// Seated gives the seats of a decoded analysis the keywords that the roster has for
// them now.
func Seated(a Analysis, r persona.Roster) Analysis {
	a.Cast = thread.WithKeywords(a.Cast, r)
	return a
}

// Decode reads the stored form of an analysis. What a newer version wrote gives
// thread.ErrNewer.
func Decode(b []byte) (Analysis, error) {
	a, err := thread.OpenStateOf[Analysis](StateKind, b)
	if err != nil {
		return a, fmt.Errorf("decode analysis: %w", err)
	}
	return a, nil
}

// EncodeInput returns the stored form of an input.
func EncodeInput(in Input) ([]byte, error) { return eventKinds.SealInput(in.ID, in.At, in.Event) }

// DecodeInput reads the stored form of an input.
func DecodeInput(b []byte) (Input, error) {
	id, at, e, err := eventKinds.OpenInput(b)
	return Input{ID: id, At: at, Event: e}, err
}

// EncodeEffect returns the stored form of an effect.
func EncodeEffect(e Effect) ([]byte, error) { return effectKinds.SealEffect(e.EffectKey(), e) }

// DecodeEffect reads the stored form of an effect.
func DecodeEffect(b []byte) (Effect, error) { return effectKinds.OpenEffect(b) }

// eventKinds and effectKinds name the members of the sums in the stored form. A
// name is for ever; those that a discussion has, too, are its names.
var eventKinds = thread.Kinds[Event]{
	OpenedKind:           reflect.TypeFor[Opened](),
	"surveyed":           reflect.TypeFor[Surveyed](),
	"asked":              reflect.TypeFor[Asked](),
	"step_drafted":       reflect.TypeFor[Drafted](),
	"written":            reflect.TypeFor[Written](),
	"recorded":           reflect.TypeFor[Recorded](),
	"elaboration_opened": reflect.TypeFor[ElaborationOpened](),
	"elaboration_ended":  reflect.TypeFor[ElaborationEnded](),
	"said":               reflect.TypeFor[Said](),
	"edited":             reflect.TypeFor[Edited](),
	"deleted":            reflect.TypeFor[Deleted](),
	"reacted":            reflect.TypeFor[Reacted](),
	"pressed":            reflect.TypeFor[Pressed](),
	"woken":              reflect.TypeFor[TimerFired](),
	"posted":             reflect.TypeFor[Posted](),
	"failed":             reflect.TypeFor[Failed](),
	"parked":             reflect.TypeFor[Parked](),
	"identified":         reflect.TypeFor[Identified](),
}

var effectKinds = thread.Kinds[Effect]{
	"inspect":  reflect.TypeFor[Inspect](),
	"inquire":  reflect.TypeFor[Inquire](),
	"compose":  reflect.TypeFor[Compose](),
	"write":    reflect.TypeFor[Write](),
	"welcome":  reflect.TypeFor[Welcome](),
	"record":   reflect.TypeFor[Record](),
	"post":     reflect.TypeFor[Post](),
	"tell":     reflect.TypeFor[Tell](),
	"open":     reflect.TypeFor[Open](),
	"identify": reflect.TypeFor[Identify](),
}

// EventName names an event in the ids of inputs, in metrics and in log lines, for ever; see
// [roundtable.EventName].
func EventName(e Event) string {
	switch e.(type) {
	case Opened:
		return "opened"
	case Surveyed:
		return "surveyed"
	case Asked:
		return "asked"
	case Drafted:
		return "drafted"
	case Written:
		return "written"
	case Recorded:
		return "recorded"
	case ElaborationOpened:
		return "elaborationopened"
	case ElaborationEnded:
		return "elaborationended"
	case Said:
		return "said"
	case Edited:
		return "edited"
	case Deleted:
		return "deleted"
	case Reacted:
		return "reacted"
	case Pressed:
		return "pressed"
	case TimerFired:
		return "woken"
	case Posted:
		return "posted"
	case Failed:
		return "failed"
	case Parked:
		return "parked"
	case Identified:
		return "identified"
	}
	return ""
}

// EffectName names an effect in metrics and in log lines, for ever.
func EffectName(e Effect) string {
	switch e.(type) {
	case Inspect:
		return "inspect"
	case Inquire:
		return "inquire"
	case Compose:
		return "compose"
	case Write:
		return "write"
	case Welcome:
		return "welcome"
	case Record:
		return "record"
	case Post:
		return "post"
	case Tell:
		return "tell"
	case Open:
		return "open"
	case Identify:
		return "identify"
	}
	return ""
}
