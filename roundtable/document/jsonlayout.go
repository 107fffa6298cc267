package document

import (
	"bytes"
	"slices"
	"strings"
)

// layout is how a JSON text is set out, so that what is added looks the same.
type layout struct {
	eol   string
	unit  string // one level of indentation; "" when everything is on one line
	colon string // with the space after it
	comma string // between values on one line
}

// layoutOf reads the layout from the first member; an empty object has none
// and gets two spaces.
func layoutOf(source []byte, o object) layout {
	l := layout{eol: lineEnding(source), unit: "  ", colon: ": ", comma: ", "}
	if len(o.members) == 0 {
		return l
	}
	first := o.members[0]
	l.unit = indentBefore(source, o.start+1, first.keyStart)
	if source[first.value.start-1] == ':' {
		l.colon, l.comma = ":", ","
	}
	return l
}

// indentBefore is the indentation of what stands at to if it begins a line of
// its own after from, else "".
func indentBefore(source []byte, from, to int) string {
	between := source[from:to]
	if i := bytes.LastIndexByte(between, '\n'); i >= 0 {
		return string(between[i+1:])
	}
	return ""
}

// onLines holds if a line break stands between from and to.
func onLines(source []byte, from, to int) bool {
	return bytes.IndexByte(source[from:to], '\n') >= 0
}

// field is a member to write; value is JSON.
type field struct{ key, value string }

// render writes an object, over lines indented below indent, or on one line.
func (l layout) render(fields []field, indent string, lines bool) string {
	parts := make([]string, len(fields))
	for i, f := range fields {
		parts[i] = quote(f.key) + l.colon + f.value
	}
	if !lines {
		return "{" + strings.Join(parts, l.comma) + "}"
	}
	inner := l.eol + indent + l.unit
	return "{" + inner + strings.Join(parts, ","+inner) + l.eol + indent + "}"
}

// list writes an array of strings on one line.
func (l layout) list(values []string) string {
	quoted := make([]string, len(values))
	for i, v := range values {
		quoted[i] = quote(v)
	}
	return "[" + strings.Join(quoted, l.comma) + "]"
}

// insertion is a text and its place.
type insertion struct {
	at   int
	text string
}

func (i insertion) into(source []byte) []byte {
	return slices.Concat(source[:i.at], []byte(i.text), source[i.at:])
}

// newMember adds a member at the end of o, which itself stands at the
// indentation given; value is JSON.
func (l layout) newMember(source []byte, o object, indent, key, value string) insertion {
	text := quote(key) + l.colon + value
	if len(o.members) == 0 {
		if l.unit == "" {
			return insertion{o.start + 1, text}
		}
		text = l.eol + indent + l.unit + text
		if !onLines(source, o.start, o.end) {
			text += l.eol + indent
		}
		return insertion{o.start + 1, text}
	}
	first, last := o.members[0], o.members[len(o.members)-1]
	separator := strings.TrimPrefix(l.comma, ",")
	if onLines(source, o.start, first.keyStart) {
		separator = l.eol + indentBefore(source, o.start, first.keyStart)
	}
	return insertion{last.value.end, "," + separator + text}
}

// newElement adds an element at the end of a, which stands at the indentation
// given; write renders it, over lines from an indentation or on one line.
// An empty array takes text on its own line and an object on lines of its own.
func (l layout) newElement(source []byte, a array, indent string, structured bool, write func(indent string, lines bool) string) insertion {
	if len(a.elements) > 0 {
		first, last := a.elements[0], a.elements[len(a.elements)-1]
		if onLines(source, a.start, first.start) {
			inner := indentBefore(source, a.start, first.start)
			lines := onLines(source, last.start, last.end) || source[last.start] != '{'
			return insertion{last.end, "," + l.eol + inner + write(inner, lines)}
		}
		lines := onLines(source, last.start, last.end)
		return insertion{last.end, l.comma + write(indent, lines)}
	}
	open := onLines(source, a.start, a.end)
	if l.unit == "" || !open && !structured {
		return insertion{a.start + 1, write("", false)}
	}
	text := l.eol + indent + l.unit + write(indent+l.unit, true)
	if !open {
		text += l.eol + indent
	}
	return insertion{a.start + 1, text}
}
