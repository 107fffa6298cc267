package panel

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"
)

// Bounds of an answer. The greater part of what a model can be made to write
// beyond them is noise, or an attack.
const (
	answerLimit = 256 << 10 // bytes of one answer
	nestLimit   = 32        // objects inside objects
)

// errEndless ends an answer that is longer than anything that was asked for.
var errEndless = errors.New("the answer does not end")

// scanner finds the JSON objects in an answer while it arrives, each as soon as
// it closes. Array, one object a line, a fenced block, pretty-printed, prose
// around it: an object is an object. What was cut off never closes and is never
// found. The result does not depend on how the answer was divided.
type scanner struct {
	// found is told of every object that closes, the inner before the outer, and
	// whether it makes sense of it.
	found func(raw []byte) (understood bool, err error)

	buf   []byte
	begun []int // where the objects that are open begin
	deep  int   // open objects beyond nestLimit
	// fresh is set between an opening brace and what follows it.
	fresh, quoted, escaped bool
	understood             bool
}

// feed takes in the next piece.
func (s *scanner) feed(piece string) error {
	if len(s.buf)+len(piece) > answerLimit {
		return errEndless
	}
	for i := range len(piece) {
		s.buf = append(s.buf, piece[i])
		if err := s.step(piece[i], len(s.buf)); err != nil {
			return err
		}
	}
	return nil
}

// step takes in one byte, which ends at end.
func (s *scanner) step(c byte, end int) error {
	if s.fresh && c != ' ' && c != '\t' && c != '\r' && c != '\n' {
		s.fresh = false
		if c != '"' && c != '}' { // a brace in prose
			s.begun = s.begun[:len(s.begun)-1]
		}
	}
	switch {
	case s.escaped:
		s.escaped = false
	case s.quoted && c == '\n': // no string of JSON: whatever seemed open was prose
		s.begun, s.deep, s.quoted = s.begun[:0], 0, false
	case s.quoted:
		s.escaped, s.quoted = c == '\\', c != '"'
	case c == '"':
		s.quoted = len(s.begun) > 0 // a quotation mark in prose opens nothing
	case c == '{' && len(s.begun) == nestLimit:
		s.deep++
	case c == '{':
		s.begun = append(s.begun, end-1)
		s.fresh = true
	case c == '}' && s.deep > 0:
		s.deep--
	case c == '}' && len(s.begun) > 0:
		from := s.begun[len(s.begun)-1]
		s.begun = s.begun[:len(s.begun)-1]
		return s.closed(s.buf[from:end])
	}
	return nil
}

func (s *scanner) closed(raw []byte) error {
	understood, err := s.found(raw)
	s.understood = s.understood || understood
	return err
}

// reported is an object of a round's answer: a contribution, a verdict on
// relevance, a conflict, or the whole.
type reported struct {
	Speaker *string `json:"speaker"`
	Stance  string  `json:"stance"`
	ReplyTo number  `json:"reply_to"`
	Text    *string `json:"text"`

	Verdict string `json:"verdict"`
	Turn    number `json:"turn"`
	Subject string `json:"subject"`
	Belongs string `json:"belongs"`

	Question string   `json:"question"`
	Options  []option `json:"options"`

	Contributions json.RawMessage `json:"contributions"`
}

type option struct {
	By     string `json:"by"`
	Label  string `json:"label"`
	Reason string `json:"reason"`
}

// readObject reads an object of JSON as far as its members have the types they
// should; false if it is none.
func readObject(raw []byte, into any) bool {
	err := json.Unmarshal(raw, into)
	_, mistyped := errors.AsType[*json.UnmarshalTypeError](err)
	return len(raw) > 0 && (err == nil || mistyped)
}

// number is a whole number that may have been written as text; anything else is 0.
type number int

// UnmarshalJSON implements json.Unmarshaler.
func (n *number) UnmarshalJSON(raw []byte) error {
	v, err := strconv.ParseFloat(strings.Trim(string(raw), `"# `), 64)
	if *n = 0; err == nil && v == float64(int32(v)) {
		*n = number(v)
	}
	return nil
}
