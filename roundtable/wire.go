package roundtable

import (
	"fmt"
	"reflect"

	"github.com/roundtable-chat/app/roundtable/persona"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// Encode returns the stored form of a discussion. The keywords of its seats stay
// behind: they are most of the bytes, and the roster has them (Seated).
func Encode(d Discussion) ([]byte, error) {
	d.Cast = thread.WithoutKeywords(d.Cast)
	return thread.SealState("", d)
}

// Seated gives the seats of a decoded discussion the keywords that the roster has
// for them now.
func Seated(d Discussion, r persona.Roster) Discussion {
	d.Cast = thread.WithKeywords(d.Cast, r)
	return d
}

// Decode reads the stored form of a discussion. What a newer version wrote gives ErrNewer.
func Decode(b []byte) (Discussion, error) {
	d, err := thread.OpenStateOf[Discussion]("", b)
	if err != nil {
		return d, fmt.Errorf("decode discussion: %w", err)
	}
	return d, nil
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

// eventKinds and effectKinds name the members of the sums in the stored form.
// A name is for ever; a test checks that every member has one.
var eventKinds = thread.Kinds[Event]{
	"opened":      reflect.TypeFor[Opened](),
	"said":        reflect.TypeFor[Said](),
	"edited":      reflect.TypeFor[Edited](),
	"deleted":     reflect.TypeFor[Deleted](),
	"reacted":     reflect.TypeFor[Reacted](),
	"pressed":     reflect.TypeFor[Pressed](),
	"woken":       reflect.TypeFor[TimerFired](),
	"framed":      reflect.TypeFor[Framed](),
	"contributed": reflect.TypeFor[Contributed](),
	"round_ended": reflect.TypeFor[RoundEnded](),
	"drafted":     reflect.TypeFor[Drafted](),
	"failed":      reflect.TypeFor[Failed](),
	"posted":      reflect.TypeFor[Posted](),
	"enriched":    reflect.TypeFor[DocumentsWritten](),
	"analysed":    reflect.TypeFor[Analysed](),
	"knocked":     reflect.TypeFor[DNDChecked](),
	"parked":      reflect.TypeFor[Parked](),
	"identified":  reflect.TypeFor[Identified](),
}

var effectKinds = thread.Kinds[Effect]{
	"post":       reflect.TypeFor[Post](),
	"frame":      reflect.TypeFor[Frame](),
	"discuss":    reflect.TypeFor[Discuss](),
	"synthesise": reflect.TypeFor[Synthesise](),
	"enrich":     reflect.TypeFor[WriteDocuments](),
	"tell":       reflect.TypeFor[Tell](),
	"react":      reflect.TypeFor[React](),
	"open":       reflect.TypeFor[Open](),
	"report":     reflect.TypeFor[Report](),
	"analyse":    reflect.TypeFor[Analyse](),
	"knock":      reflect.TypeFor[CheckDND](),
	"identify":   reflect.TypeFor[Identify](),
}

// EventName names an event in the ids of inputs, in metrics and in log lines. A name is
// for ever, as a kind is, and older than the kinds: an answer must get the id after a crash
// that it had before, whatever its type is called by then.
func EventName(e Event) string {
	switch e.(type) {
	case Opened:
		return "opened"
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
	case Framed:
		return "framed"
	case Contributed:
		return "contributed"
	case RoundEnded:
		return "roundended"
	case Drafted:
		return "drafted"
	case Failed:
		return "failed"
	case Posted:
		return "posted"
	case DocumentsWritten:
		return "enriched"
	case Analysed:
		return "analysed"
	case DNDChecked:
		return "knocked"
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
	case Post:
		return "post"
	case Frame:
		return "frame"
	case Discuss:
		return "discuss"
	case Synthesise:
		return "synthesise"
	case WriteDocuments:
		return "enrich"
	case Tell:
		return "tell"
	case React:
		return "react"
	case Open:
		return "open"
	case Report:
		return "report"
	case Analyse:
		return "analyse"
	case CheckDND:
		return "knock"
	case Identify:
		return "identify"
	}
	return ""
}
