package analysis

import (
	"encoding/json"
	"fmt"
	"reflect"
	"time"

	"github.com/roundtable-chat/app/roundtable"
)

// FormVersion is the version of the stored form that this build writes.
const FormVersion = 1

// stateKind marks the stored form of an analysis, which a discussion's has not.
const stateKind = "analysis"

// The stored form is the envelope of [roundtable.Encode] with the kind "analysis",
// under the same promise. Inputs and effects that a discussion has, too, have the
// same form there and here, so that whoever delivers an input or performs an
// effect need not know which of the two it is for.
type stored struct {
	Version int             `json:"v"`
	Kind    string          `json:"kind,omitempty"`
	ID      string          `json:"id,omitempty"`
	At      *time.Time      `json:"at,omitempty"`
	Body    json.RawMessage `json:"body"`
}

// IsStored reports whether a stored state is that of an analysis.
func IsStored(state []byte) bool {
	var f stored
	return json.Unmarshal(state, &f) == nil && f.Kind == stateKind
}

// Encode returns the stored form of an analysis. The keywords of its seats stay
// behind, as a discussion's do (Seated).
func Encode(a Analysis) ([]byte, error) {
	a.Cast = roundtable.WithoutKeywords(a.Cast)
	return seal(stateKind, "", nil, a)
}

// Seated gives the seats of a decoded analysis the keywords that the roster has for
// them now.
func Seated(a Analysis, r roundtable.Roster) Analysis {
	a.Cast = roundtable.WithKeywords(a.Cast, r)
	return a
}

// Decode reads the stored form of an analysis. What a newer version wrote gives
// roundtable.ErrNewer.
func Decode(b []byte) (Analysis, error) {
	var a Analysis
	f, err := open(b)
	if err != nil {
		return a, fmt.Errorf("decode analysis: %w", err)
	}
	if f.Kind != stateKind {
		return a, fmt.Errorf("decode analysis: the state is one of kind %q", f.Kind)
	}
	if err := json.Unmarshal(f.Body, &a); err != nil {
		return a, fmt.Errorf("decode analysis: %w", err)
	}
	return a, nil
}

// EncodeInput returns the stored form of an input.
func EncodeInput(in Input) ([]byte, error) {
	kind, err := kindOf(in.Event, eventKinds)
	if err != nil {
		return nil, fmt.Errorf("encode input %s: %w", in.ID, err)
	}
	return seal(kind, in.ID, &in.At, in.Event)
}

// DecodeInput reads the stored form of an input.
func DecodeInput(b []byte) (Input, error) {
	f, err := open(b)
	if err != nil {
		return Input{}, fmt.Errorf("decode input: %w", err)
	}
	e, err := value[Event](f, eventKinds)
	if err != nil {
		return Input{}, fmt.Errorf("decode input %s: %w", f.ID, err)
	}
	in := Input{ID: f.ID, Event: e}
	if f.At != nil {
		in.At = *f.At
	}
	return in, nil
}

// EncodeEffect returns the stored form of an effect.
func EncodeEffect(e Effect) ([]byte, error) {
	kind, err := kindOf(e, effectKinds)
	if err != nil {
		return nil, fmt.Errorf("encode effect %s: %w", e.EffectKey(), err)
	}
	return seal(kind, "", nil, e)
}

// DecodeEffect reads the stored form of an effect.
func DecodeEffect(b []byte) (Effect, error) {
	f, err := open(b)
	if err != nil {
		return nil, fmt.Errorf("decode effect: %w", err)
	}
	e, err := value[Effect](f, effectKinds)
	if err != nil {
		return nil, fmt.Errorf("decode effect: %w", err)
	}
	return e, nil
}

// eventKinds and effectKinds name the members of the sums in the stored form. A
// name is for ever; those that a discussion has, too, are its names.
var eventKinds = map[string]reflect.Type{
	"analysis_opened":    reflect.TypeFor[Opened](),
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
	"woken":              reflect.TypeFor[Woken](),
	"posted":             reflect.TypeFor[Posted](),
	"failed":             reflect.TypeFor[Failed](),
	"parked":             reflect.TypeFor[Parked](),
}

var effectKinds = map[string]reflect.Type{
	"inspect": reflect.TypeFor[Inspect](),
	"inquire": reflect.TypeFor[Inquire](),
	"compose": reflect.TypeFor[Compose](),
	"write":   reflect.TypeFor[Write](),
	"welcome": reflect.TypeFor[Welcome](),
	"record":  reflect.TypeFor[Record](),
	"post":    reflect.TypeFor[Post](),
	"tell":    reflect.TypeFor[Tell](),
	"open":    reflect.TypeFor[Open](),
}

func kindOf(v any, kinds map[string]reflect.Type) (string, error) {
	t := reflect.TypeOf(v)
	for kind, known := range kinds {
		if t == known {
			return kind, nil
		}
	}
	return "", fmt.Errorf("%v has no name in the stored form", t)
}

func value[T any](f stored, kinds map[string]reflect.Type) (T, error) {
	var zero T
	t, ok := kinds[f.Kind]
	if !ok {
		return zero, fmt.Errorf("unknown kind %q", f.Kind)
	}
	p := reflect.New(t)
	if err := json.Unmarshal(f.Body, p.Interface()); err != nil {
		return zero, fmt.Errorf("%s: %w", f.Kind, err)
	}
	return p.Elem().Interface().(T), nil
}

func seal(kind, id string, at *time.Time, v any) ([]byte, error) {
	body, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("encode: %w", err)
	}
	b, err := json.Marshal(stored{Version: FormVersion, Kind: kind, ID: id, At: at, Body: body})
	if err != nil {
		return nil, fmt.Errorf("encode: %w", err)
	}
	return b, nil
}

func open(b []byte) (stored, error) {
	var f stored
	if err := json.Unmarshal(b, &f); err != nil {
		return f, err
	}
	if f.Version > FormVersion {
		return f, fmt.Errorf("form %d: %w", f.Version, roundtable.ErrNewer)
	}
	if f.Version < 1 {
		return f, fmt.Errorf("form %d is not one of ours", f.Version)
	}
	return f, nil
}
