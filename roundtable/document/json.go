package document

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// This file reads JSON as text: where members and elements stand, so that an
// edit can be a splice. Every function but checkJSON requires valid JSON.

// CorruptError says where a JSON text stops being what it should be. Whoever
// gets it must not write the file (FR-009, FR-008).
type CorruptError struct {
	// Line and Column count from 1; the column counts bytes.
	Line, Column int
	// Reason is for the log or an operator.
	Reason string
}

func (e *CorruptError) Error() string {
	return fmt.Sprintf("corrupt JSON at line %d, column %d: %s", e.Line, e.Column, e.Reason)
}

// span is a value's place in a text.
type span struct{ start, end int }

type member struct {
	key      string
	keyStart int
	value    span
}

// checkJSON returns a *CorruptError unless text, after an optional byte order
// mark, is one JSON object.
func checkJSON(source []byte) error {
	start := jsonStart(source)
	var value json.RawMessage
	if err := json.Unmarshal(source[start:], &value); err != nil {
		var syntax *json.SyntaxError
		at := len(source)
		// The offset is that of the byte after the wrong one, except where the
		// text ends too early.
		if errors.As(err, &syntax) && !strings.HasPrefix(syntax.Error(), "unexpected end") {
			at = start + max(int(syntax.Offset)-1, 0)
		}
		return corruptAt(source, at, err.Error())
	}
	if at := skipSpace(source, start); source[at] != '{' {
		return corruptAt(source, at, "not an object")
	}
	return nil
}

func corruptAt(source []byte, at int, reason string) *CorruptError {
	at = min(at, len(source))
	line := bytes.Count(source[:at], []byte("\n"))
	return &CorruptError{Line: line + 1, Column: at - bytes.LastIndexByte(source[:at], '\n'), Reason: reason}
}

// jsonStart is where the JSON begins: after a byte order mark.
func jsonStart(source []byte) int {
	if bytes.HasPrefix(source, []byte(byteOrderMark)) {
		return len(byteOrderMark)
	}
	return 0
}

func skipSpace(source []byte, at int) int {
	for at < len(source) && strings.IndexByte(" \t\r\n", source[at]) >= 0 {
		at++
	}
	return at
}

// skipValue gives the offset after the value at at. It counts brackets rather
// than recurring, so that nesting costs no stack.
func skipValue(source []byte, at int) int {
	depth := 0
	for at < len(source) {
		switch c := source[at]; c {
		case '"':
			at = skipString(source, at)
		case '{', '[':
			depth++
			at++
			continue
		case '}', ']':
			if depth == 0 {
				return at
			}
			depth--
			at++
		case ',', ' ', '\t', '\r', '\n':
			if depth == 0 {
				return at
			}
			at++
			continue
		default:
			at++
			continue
		}
		if depth == 0 {
			return at
		}
	}
	return at
}

func skipString(source []byte, at int) int {
	for at++; source[at] != '"'; at++ {
		if source[at] == '\\' {
			at++
		}
	}
	return at + 1
}

// object is a JSON object in a text.
type object struct {
	span
	members []member
}

// readObject reads the object whose brace is at at.
func readObject(source []byte, at int) object {
	o := object{span: span{start: at, end: skipValue(source, at)}}
	for at = skipSpace(source, at+1); source[at] != '}'; {
		m := member{keyStart: at}
		after := skipString(source, at)
		// A valid JSON string decodes.
		_ = json.Unmarshal(source[at:after], &m.key)
		colon := skipSpace(source, after)
		m.value.start = skipSpace(source, colon+1)
		m.value.end = skipValue(source, m.value.start)
		o.members = append(o.members, m)
		if at = skipSpace(source, m.value.end); source[at] == ',' {
			at = skipSpace(source, at+1)
		}
	}
	return o
}

// last finds the last member of the name, as readers of JSON resolve
// duplicates, and tells how many there are.
func (o object) last(key string) (m member, count int) {
	for _, candidate := range o.members {
		if candidate.key == key {
			m = candidate
			count++
		}
	}
	return m, count
}

// array is a JSON array in a text.
type array struct {
	span
	elements []span
}

// readArray reads the array whose bracket is at at.
func readArray(source []byte, at int) array {
	a := array{span: span{start: at, end: skipValue(source, at)}}
	for at = skipSpace(source, at+1); source[at] != ']'; {
		e := span{start: at, end: skipValue(source, at)}
		a.elements = append(a.elements, e)
		if at = skipSpace(source, e.end); source[at] == ',' {
			at = skipSpace(source, at+1)
		}
	}
	return a
}

// quote writes s as a JSON string, without the escapes meant for HTML.
func quote(s string) string {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	// A string always encodes.
	_ = encoder.Encode(s)
	return strings.TrimSuffix(out.String(), "\n")
}
