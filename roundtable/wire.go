package roundtable

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"time"
)

// FormVersion is the version of the stored form that this build writes. It is 1 until
// the first release, whatever is added: no released version can misread it.
const FormVersion = 1

// ErrNewer means that something was stored by a newer version of roundtable.
// Whoever meets it lets go of the discussion and leaves it to a newer replica.
var ErrNewer = errors.New("stored by a newer version")

// The stored form is JSON in an envelope {"v": version, "kind": …, "body": …}.
//
// Promise: what a released version wrote, every later version reads, with the
// same meaning; golden files hold us to it. Fields are only added, and their zero
// value means what their absence meant. A change of meaning, a new kind, and a field
// that may not be lost raise FormVersion: an older replica in a rolling deploy drops
// fields that it does not know. A build refuses what carries a higher version than
// its own (ErrNewer) rather than misread it.
type envelope[T any] struct {
	Version int        `json:"v"`
	Kind    string     `json:"kind,omitempty"`
	ID      string     `json:"id,omitempty"`
	At      *time.Time `json:"at,omitempty"`
	Body    T          `json:"body"`
}

// stored is a form whose body is not read yet.
type stored = envelope[json.RawMessage]

// Encode returns the stored form of a discussion. The keywords of its seats stay
// behind: they are most of the bytes, and the roster has them (Seated).
func Encode(d Discussion) ([]byte, error) {
	d.Cast = WithoutKeywords(d.Cast)
	return seal("", "", nil, d)
}

// WithoutKeywords are seats without their keywords, to be stored.
func WithoutKeywords(cast []Seat) []Seat {
	cast = slices.Clone(cast)
	for i := range cast {
		cast[i].Domain = nil
	}
	return cast
}

// Seated gives the seats of a decoded discussion the keywords that the roster has
// for them now.
func Seated(d Discussion, r Roster) Discussion {
	d.Cast = WithKeywords(d.Cast, r)
	return d
}

// WithKeywords are seats with the keywords that the roster has for them now.
func WithKeywords(cast []Seat, r Roster) []Seat {
	cast = slices.Clone(cast)
	for i := range cast {
		if p, ok := r.Persona(cast[i].Key); ok {
			cast[i].Domain = p.Domain
		}
	}
	return cast
}

// Decode reads the stored form of a discussion.
func Decode(b []byte) (Discussion, error) {
	d, err := unseal[Discussion](b)
	if err != nil {
		return Discussion{}, fmt.Errorf("decode discussion: %w", err)
	}
	return d, nil
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

// EncodeEntry returns the stored form of a log entry.
func EncodeEntry(e Entry) ([]byte, error) { return seal("", "", nil, e) }

// DecodeEntry reads the stored form of a log entry.
func DecodeEntry(b []byte) (Entry, error) {
	e, err := unseal[Entry](b)
	if err != nil {
		return Entry{}, fmt.Errorf("decode entry: %w", err)
	}
	return e, nil
}

// eventKinds and effectKinds name the members of the sums in the stored form.
// A name is for ever; a test checks that every member has one.
var eventKinds = map[string]reflect.Type{
	"opened":      reflect.TypeFor[Opened](),
	"said":        reflect.TypeFor[Said](),
	"edited":      reflect.TypeFor[Edited](),
	"deleted":     reflect.TypeFor[Deleted](),
	"reacted":     reflect.TypeFor[Reacted](),
	"pressed":     reflect.TypeFor[Pressed](),
	"woken":       reflect.TypeFor[Woken](),
	"framed":      reflect.TypeFor[Framed](),
	"contributed": reflect.TypeFor[Contributed](),
	"round_ended": reflect.TypeFor[RoundEnded](),
	"drafted":     reflect.TypeFor[Drafted](),
	"failed":      reflect.TypeFor[Failed](),
	"posted":      reflect.TypeFor[Posted](),
	"enriched":    reflect.TypeFor[Enriched](),
	"analysed":    reflect.TypeFor[Analysed](),
	"parked":      reflect.TypeFor[Parked](),
}

var effectKinds = map[string]reflect.Type{
	"post":       reflect.TypeFor[Post](),
	"frame":      reflect.TypeFor[Frame](),
	"discuss":    reflect.TypeFor[Discuss](),
	"synthesise": reflect.TypeFor[Synthesise](),
	"enrich":     reflect.TypeFor[Enrich](),
	"tell":       reflect.TypeFor[Tell](),
	"react":      reflect.TypeFor[React](),
	"open":       reflect.TypeFor[Open](),
	"report":     reflect.TypeFor[Report](),
	"analyse":    reflect.TypeFor[Analyse](),
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
	b, err := json.Marshal(envelope[any]{Version: FormVersion, Kind: kind, ID: id, At: at, Body: v})
	if err != nil {
		return nil, fmt.Errorf("encode: %w", err)
	}
	return b, nil
}

// unseal reads a form whose body can be of one type only, in one pass. A body that
// does not fit may be a newer version's, which is looked at first.
func unseal[T any](b []byte) (T, error) {
	var f envelope[T]
	err := json.Unmarshal(b, &f)
	if _, wrong := errors.AsType[*json.UnmarshalTypeError](err); err != nil && !wrong {
		return f.Body, err
	}
	if known := checkVersion(f.Version); known != nil {
		return f.Body, known
	}
	return f.Body, err
}

func open(b []byte) (stored, error) {
	var f stored
	if err := json.Unmarshal(b, &f); err != nil {
		return f, err
	}
	return f, checkVersion(f.Version)
}

func checkVersion(v int) error {
	switch {
	case v > FormVersion:
		return fmt.Errorf("form %d: %w", v, ErrNewer)
	case v < 1:
		return fmt.Errorf("form %d is not one of ours", v)
	}
	return nil
}
