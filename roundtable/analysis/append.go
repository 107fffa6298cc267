package analysis

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
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
		if json.Indent(&b, e, "    ", "  ") != nil {
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

// appendRows adds rows at the end of a CSV file with these columns, or begins one.
// The result is nil when the file is none, or has other columns.
func appendRows(old []byte, exists bool, columns []string, content string) (result []byte, what string) {
	r := csv.NewReader(strings.NewReader(content))
	r.FieldsPerRecord = len(columns)
	rows, err := r.ReadAll()
	if err != nil || len(rows) == 0 {
		return nil, ""
	}
	eol := "\n"
	var b bytes.Buffer
	if !exists || len(bytes.Trim(old, "\r\n")) == 0 {
		writeRows(&b, [][]string{columns}, false)
	} else {
		if !hasColumns(old, columns) {
			return nil, ""
		}
		if bytes.Contains(old, []byte("\r\n")) {
			eol = "\r\n"
		}
		if !bytes.HasSuffix(old, []byte("\n")) {
			b.WriteString(eol)
		}
	}
	for _, row := range rows {
		for i := range row {
			row[i] = inert(row[i])
		}
	}
	writeRows(&b, rows, eol == "\r\n")
	if result = slices.Concat(old, b.Bytes()); !hasColumns(result, columns) {
		return nil, ""
	}
	return result, counted(len(rows), "row", "rows")
}

func writeRows(b *bytes.Buffer, rows [][]string, crlf bool) {
	w := csv.NewWriter(b)
	w.UseCRLF = crlf
	// A buffer takes every row.
	_ = w.WriteAll(rows)
}

// hasColumns reports whether a file is CSV throughout, and headed by these columns.
func hasColumns(source []byte, columns []string) bool {
	r := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(source, []byte("\uFEFF"))))
	r.FieldsPerRecord = len(columns)
	for first := true; ; first = false {
		row, err := r.Read()
		if errors.Is(err, io.EOF) {
			return !first
		}
		if err != nil || first && !slices.EqualFunc(row, columns, func(a, b string) bool { return strings.EqualFold(strings.TrimSpace(a), b) }) {
			return false
		}
	}
}

// inert keeps a cell from being taken for a formula by a spreadsheet.
func inert(cell string) string {
	first, size := utf8.DecodeRuneInString(cell)
	next, _ := utf8.DecodeRuneInString(cell[size:])
	if strings.ContainsRune("=@\t\r", first) || strings.ContainsRune("+-", first) && !unicode.IsDigit(next) && len(cell) > 1 {
		return "'" + cell
	}
	return cell
}

func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
