package thread

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/roundtable-chat/app/roundtable/persona"
)

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

// Kinds name the members of a sum in the stored form.
type Kinds[T any] map[string]reflect.Type

// SealInput returns the stored form of an input.
func (k Kinds[T]) SealInput(id string, at time.Time, event T) ([]byte, error) {
	kind, err := k.Of(event)
	if err != nil {
		return nil, fmt.Errorf("encode input %s: %w", id, err)
	}
	return seal(kind, id, &at, event)
}

// OpenInput reads the stored form of an input.
func (k Kinds[T]) OpenInput(b []byte) (id string, at time.Time, event T, err error) {
	f, event, err := k.open(b)
	if err != nil {
		return f.ID, at, event, fmt.Errorf("decode input %s: %w", f.ID, err)
	}
	if f.At != nil {
		at = *f.At
	}
	return f.ID, at, event, nil
}

// SealEffect returns the stored form of an effect.
func (k Kinds[T]) SealEffect(key string, effect T) ([]byte, error) {
	kind, err := k.Of(effect)
	if err != nil {
		return nil, fmt.Errorf("encode effect %s: %w", key, err)
	}
	return seal(kind, "", nil, effect)
}

// OpenEffect reads the stored form of an effect.
func (k Kinds[T]) OpenEffect(b []byte) (T, error) {
	_, effect, err := k.open(b)
	if err != nil {
		return effect, fmt.Errorf("decode effect: %w", err)
	}
	return effect, nil
}

// Of is the kind under which a member of the sum is stored.
func (k Kinds[T]) Of(member T) (string, error) {
	t := reflect.TypeOf(member)
	for kind, known := range k {
		if t == known {
			return kind, nil
		}
	}
	return "", fmt.Errorf("%v has no name in the stored form", t)
}

// open reads a form whose kind says of what type its body is.
func (k Kinds[T]) open(b []byte) (f envelope[json.RawMessage], member T, err error) {
	if err := json.Unmarshal(b, &f); err != nil {
		return f, member, err
	}
	if err := checkVersion(f.Version); err != nil {
		return f, member, err
	}
	t, ok := k[f.Kind]
	if !ok {
		return f, member, fmt.Errorf("unknown kind %q", f.Kind)
	}
	p := reflect.New(t)
	if err := json.Unmarshal(f.Body, p.Interface()); err != nil {
		return f, member, fmt.Errorf("%s: %w", f.Kind, err)
	}
	return f, p.Elem().Interface().(T), nil
}

// SealState returns the stored form of what is of one type only; kind tells it from
// others of its sort, or is empty.
func SealState(kind string, state any) ([]byte, error) { return seal(kind, "", nil, state) }

// OpenState reads a form whose body can be of one type only, in one pass. A body that
// does not fit may be a newer version's, which is looked at first; its kind is known
// all the same.
func OpenState[T any](b []byte) (state T, kind string, err error) {
	var f envelope[T]
	err = json.Unmarshal(b, &f)
	if _, wrong := errors.AsType[*json.UnmarshalTypeError](err); err != nil && !wrong {
		return f.Body, f.Kind, err
	}
	if known := checkVersion(f.Version); known != nil {
		return f.Body, f.Kind, known
	}
	return f.Body, f.Kind, err
}

// OpenStateOf reads the stored form of a state of one kind, and refuses one of another: their
// fields have the same names, so that one could pass for the other.
func OpenStateOf[T any](kind string, b []byte) (state T, err error) {
	read, got, err := OpenState[T](b)
	if err != nil && !errors.Is(err, ErrNewer) {
		// A body that does not fit may well be another kind's.
		if _, named, broken := OpenState[json.RawMessage](b); broken == nil && named != kind {
			got, err = named, nil
		}
	}
	switch {
	case err != nil:
		return state, err
	case got != kind:
		return state, fmt.Errorf("the state is one of kind %q", got)
	}
	return read, nil
}

// KindOf is the kind that a stored form names: empty for a discussion's state, and for what
// cannot be read. It reads no further than the envelope.
func KindOf(b []byte) string {
	d := json.NewDecoder(bytes.NewReader(b))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return ""
	}
	for {
		key, err := d.Token()
		if err != nil || key == "body" || key == json.Delim('}') {
			return ""
		}
		value, err := d.Token()
		if err != nil {
			return ""
		}
		if kind, ok := value.(string); ok && key == "kind" {
			return kind
		}
	}
}

func seal(kind, id string, at *time.Time, v any) ([]byte, error) {
	b, err := json.Marshal(envelope[any]{Version: FormVersion, Kind: kind, ID: id, At: at, Body: v})
	if err != nil {
		return nil, fmt.Errorf("encode: %w", err)
	}
	return b, nil
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

// FormVersion is the version of the stored form that this build writes, of
// discussions and of analyses, which share inputs and effects. It is 1 until the
// first release, whatever is added: no released version can misread it.
const FormVersion = 1

// WithoutKeywords are seats without their keywords, to be stored.
func WithoutKeywords(cast []persona.Seat) []persona.Seat {
	cast = slices.Clone(cast)
	for i := range cast {
		cast[i].Domain = nil
	}
	return cast
}

// WithKeywords are seats with the keywords that the roster has for them now.
func WithKeywords(cast []persona.Seat, r persona.Roster) []persona.Seat {
	cast = slices.Clone(cast)
	for i := range cast {
		if p, ok := r.Persona(cast[i].Key); ok {
			cast[i].Domain = p.Domain
		}
	}
	return cast
}

// EncodeEntry returns the stored form of an entry of a matter's log. Its key is stored
// without the matter's id, which stands over the log, and a receipt without its time.
func EncodeEntry(id string, e Entry) ([]byte, error) {
	e.Key = strings.TrimPrefix(e.Key, id+"/")
	if e.Kind == EntryPosted {
		e.At = time.Time{}
	}
	return SealState("", e)
}

// DecodeEntry reads the stored form of an entry of a matter's log.
func DecodeEntry(id string, b []byte) (Entry, error) {
	e, _, err := OpenState[Entry](b)
	if err != nil {
		return Entry{}, fmt.Errorf("decode entry: %w", err)
	}
	if e.Key != "" && !strings.HasPrefix(e.Key, id+"/") {
		e.Key = id + "/" + e.Key
	}
	return e, nil
}

// DecodeLog reads the stored forms of entries of a matter's log.
func DecodeLog(id string, lines [][]byte) ([]Entry, error) {
	entries := make([]Entry, 0, len(lines))
	for _, line := range lines {
		e, err := DecodeEntry(id, line)
		if err != nil {
			return nil, err
		}
		entries = append(entries, e)
	}
	return entries, nil
}
