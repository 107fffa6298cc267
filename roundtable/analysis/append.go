package analysis

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/roundtable-chat/app/roundtable/document"
)

// appendList adds the objects of a JSON array to a list of a JSON document by
// splicing them in, so that the old bytes are a subsequence of the new (I8). The
// result is nil when the document cannot take them.
func appendList(old []byte, exists bool, name, content string) (result []byte, what string) {
	var add []json.RawMessage
	if json.Unmarshal([]byte(content), &add) != nil || len(add) == 0 {
		return nil, ""
	}
	if !exists || len(bytes.TrimSpace(old)) == 0 {
		old = slices.Concat(old, []byte("{\n}\n"))
	}
	if !json.Valid(old) || !utf8.Valid(old) {
		return nil, ""
	}
	list, member, last, ok := findList(old, name)
	if !ok {
		return nil, ""
	}
	var texts []string
	for _, e := range add {
		var b bytes.Buffer
		if nested(e) > indentDepth {
			b.Write(e) // every line of it would begin with its depth
		} else if json.Indent(&b, e, "    ", "  ") != nil {
			return nil, ""
		}
		texts = append(texts, "\n    "+b.String())
	}
	spliced := strings.Join(texts, ",")
	switch {
	case list.element > 0: // after the last element
		result = splice(old, list.element, ","+spliced)
	case list.open > 0:
		result = splice(old, list.open, spliced+"\n  ")
	default: // a member of its own, after the last one
		key, err := json.Marshal(name)
		if err != nil {
			return nil, ""
		}
		comma := ""
		if member {
			comma = ","
		}
		result = splice(old, last, fmt.Sprintf("%s\n  %s: [%s\n  ]", comma, key, spliced))
	}
	if !json.Valid(result) {
		return nil, ""
	}
	return result, counted(len(add), "entry", "entries")
}

// indentDepth is how deeply an entry may be nested to be indented: below that, its bytes
// would grow with their square.
const indentDepth = 32

// nested is how deep the brackets of a JSON text stand in each other, those in its
// strings counted as well.
func nested(source []byte) int {
	depth, deepest := 0, 0
	for _, c := range source {
		switch c {
		case '{', '[':
			depth++
			deepest = max(deepest, depth)
		case '}', ']':
			depth--
		}
	}
	return deepest
}

// place is where a list begins, and where its last element ends; 0 where there is
// none.
type place struct{ open, element int }

// findList looks for the last member with a name in a JSON object. member tells
// whether there is any member, last where the last one ends. ok is false when the
// text is no object, or the member is no list.
func findList(source []byte, name string) (list place, member bool, last int, ok bool) {
	dec := json.NewDecoder(bytes.NewReader(source))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return place{}, false, 0, false
	}
	last, ok = int(dec.InputOffset()), true
	for dec.More() {
		key, err := dec.Token()
		var value json.RawMessage
		if err != nil || dec.Decode(&value) != nil {
			return place{}, false, 0, false
		}
		member, last = true, int(dec.InputOffset())
		if key != name {
			continue
		}
		if ok = value[0] == '['; !ok {
			continue
		}
		start := last - len(value)
		list = place{open: start + 1}
		inner := json.NewDecoder(bytes.NewReader(value))
		if _, err := inner.Token(); err != nil {
			return place{}, false, 0, false
		}
		for inner.More() {
			var e json.RawMessage
			if inner.Decode(&e) != nil {
				return place{}, false, 0, false
			}
			list.element = start + int(inner.InputOffset())
		}
	}
	return list, member, last, ok
}

func splice(source []byte, at int, text string) []byte {
	return slices.Concat(source[:at], []byte(text), source[at:])
}

// appendRows adds rows to a CSV file that has these columns, or begins one. The
// result is nil when the file is none, or lacks a column.
func appendRows(old []byte, columns []string, content string) (result []byte, what string) {
	r := csv.NewReader(strings.NewReader(content))
	r.FieldsPerRecord = len(columns)
	rows, err := r.ReadAll()
	if err != nil {
		return nil, ""
	}
	result, ok := document.AppendRows(old, columns, rows)
	if !ok {
		return nil, ""
	}
	return result, counted(len(rows), "row", "rows")
}

func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
