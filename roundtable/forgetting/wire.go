package forgetting

import (
	"fmt"
	"reflect"

	"github.com/roundtable-chat/app/roundtable/thread"
)

// StateKind marks the stored form of a forgetting, and OpenedKind that of the input which
// begins one. The form is that of discussions ([thread.FormVersion]), under the same
// promise; inputs and effects that a discussion has, too, have the same form there and
// here.
const (
	StateKind  = "forgetting"
	OpenedKind = "forgetting_opened"
)

// Encode returns the stored form of a forgetting.
func Encode(f Forgetting) ([]byte, error) { return thread.SealState(StateKind, f) }

// Decode reads the stored form of a forgetting. What a newer version wrote gives
// thread.ErrNewer.
func Decode(b []byte) (Forgetting, error) {
	f, err := thread.OpenStateOf[Forgetting](StateKind, b)
	if err != nil {
		return f, fmt.Errorf("decode forgetting: %w", err)
	}
	return f, nil
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

// eventKinds and effectKinds name the members of the sums in the stored form. A name is
// for ever; those that a discussion has, too, are its names.
var eventKinds = thread.Kinds[Event]{
	OpenedKind: reflect.TypeFor[Opened](),
	"hidden":   reflect.TypeFor[Hidden](),
	"barred":   reflect.TypeFor[Barred](),
	"restored": reflect.TypeFor[Restored](),
	"removed":  reflect.TypeFor[Removed](),
	"kept":     reflect.TypeFor[Kept](),
	"said":     reflect.TypeFor[Said](),
	"edited":   reflect.TypeFor[Edited](),
	"deleted":  reflect.TypeFor[Deleted](),
	"reacted":  reflect.TypeFor[Reacted](),
	"pressed":  reflect.TypeFor[Pressed](),
	"woken":    reflect.TypeFor[TimerFired](),
	"posted":   reflect.TypeFor[Posted](),
	"failed":   reflect.TypeFor[Failed](),
	"parked":   reflect.TypeFor[Parked](),

	"identified": reflect.TypeFor[Identified](),
}

var effectKinds = thread.Kinds[Effect]{
	"hide":    reflect.TypeFor[Hide](),
	"restore": reflect.TypeFor[Restore](),
	"remove":  reflect.TypeFor[Remove](),
	"post":    reflect.TypeFor[Post](),
	"tell":    reflect.TypeFor[Tell](),

	"identify": reflect.TypeFor[Identify](),
}

// EventName names an event in the ids of inputs, in metrics and in log lines, for ever; see
// [roundtable.EventName].
func EventName(e Event) string {
	switch e.(type) {
	case Opened:
		return "opened"
	case Hidden:
		return "hidden"
	case Barred:
		return "barred"
	case Restored:
		return "restored"
	case Removed:
		return "removed"
	case Kept:
		return "kept"
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
	case Hide:
		return "hide"
	case Restore:
		return "restore"
	case Remove:
		return "remove"
	case Post:
		return "post"
	case Tell:
		return "tell"
	case Identify:
		return "identify"
	}
	return ""
}
