package document

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// AppendRows adds rows at the end of a CSV file, or begins one headed by columns when
// old is blank (NFR-004, I8). Every row has one cell for each of columns. People's
// own columns, their order, their separator and their line endings stay; a cell that
// is nobody's is left empty, and a cell that a spreadsheet would take for a formula
// is disarmed. ok is false, and the file is to be left alone, when it is no CSV or
// lacks one of columns.
func AppendRows(old []byte, columns []string, rows [][]string) (result []byte, ok bool) {
	if len(columns) == 0 || len(rows) == 0 || slices.ContainsFunc(rows, func(r []string) bool { return len(r) != len(columns) }) {
		return nil, false
	}
	t, blank := table{comma: ',', columns: columns}, len(bytes.TrimSpace(bytes.TrimPrefix(old, []byte(byteOrderMark)))) == 0
	if !blank {
		if t, ok = readTable(old, columns); !ok {
			return nil, false
		}
	}
	t.eol = lineEnding(old)
	var added bytes.Buffer
	if rest := bytes.TrimPrefix(old, []byte(byteOrderMark)); len(rest) > 0 && !bytes.HasSuffix(rest, []byte("\n")) {
		added.WriteString(t.eol)
	}
	more := len(rows)
	if blank {
		t.write(&added, columns)
		more++
	}
	for _, row := range rows {
		t.write(&added, t.arranged(row, columns))
	}
	result = slices.Concat(old, added.Bytes())
	return result, t.kept(old, result, more)
}

// table is how a CSV file is laid out.
type table struct {
	comma   rune
	eol     string
	columns []string // as the first row names them
}

// readTable finds the separator with which the first row names all columns.
func readTable(old []byte, columns []string) (table, bool) {
	for _, comma := range []rune{',', ';', '\t'} {
		rows, err := readRows(old, comma)
		if err != nil || len(rows) == 0 {
			continue
		}
		t := table{comma: comma, columns: rows[0]}
		if !slices.ContainsFunc(columns, func(c string) bool { return t.index(c) < 0 }) {
			return t, true
		}
	}
	return table{}, false
}

// readRows reads rows of any width. A file may have no row.
func readRows(source []byte, comma rune) ([][]string, error) {
	r := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(source, []byte(byteOrderMark))))
	r.Comma, r.FieldsPerRecord = comma, -1
	var rows [][]string
	for {
		row, err := r.Read()
		if errors.Is(err, io.EOF) {
			return rows, nil
		}
		if err != nil {
			return rows, err
		}
		rows = append(rows, row)
	}
}

// index is where the first row has a column, -1 if it has not.
func (t table) index(column string) int {
	return slices.IndexFunc(t.columns, func(c string) bool { return strings.EqualFold(strings.TrimSpace(c), strings.TrimSpace(column)) })
}

// arranged puts the cells of a row under the file's own columns.
func (t table) arranged(row, columns []string) []string {
	cells := make([]string, len(t.columns))
	for i, cell := range row {
		cells[t.index(columns[i])] = inert(cell, t.comma)
	}
	return cells
}

// write writes one row. A row of one empty cell would be an empty line, which no
// reader takes for a row.
func (t table) write(b *bytes.Buffer, row []string) {
	if len(row) == 1 && row[0] == "" {
		b.WriteString(`""` + t.eol)
		return
	}
	w := csv.NewWriter(b)
	w.Comma, w.UseCRLF = t.comma, t.eol == "\r\n"
	// A buffer takes every row, and Comma is one that the package allows.
	_ = w.Write(row)
	w.Flush()
}

// kept reports whether result reads as old does, with more rows at its end.
func (t table) kept(old, result []byte, more int) bool {
	before, err := readRows(old, t.comma)
	if err != nil {
		return false
	}
	after, err := readRows(result, t.comma)
	return err == nil && len(after) == len(before)+more && slices.EqualFunc(before, after[:len(before)], slices.Equal)
}

// inert keeps a cell from being taken for a formula by a spreadsheet, whichever separator
// that reads the file with: what follows a line's end, or a separator that is not comma,
// may begin a cell there. The apostrophe is the sign by which spreadsheets know text.
func inert(cell string, comma rune) string {
	var b strings.Builder
	if first, _ := utf8.DecodeRuneInString(cell); unicode.IsControl(first) {
		b.WriteByte('\'')
	}
	start := 0
	for i, r := range cell {
		if r == comma || !strings.ContainsRune(",;\t\r\n", r) {
			continue
		}
		b.WriteString(asText(cell[start:i]))
		b.WriteRune(r)
		start = i + 1
	}
	b.WriteString(asText(cell[start:]))
	return b.String()
}

// asText marks what begins like a formula. A plain number keeps its sign.
func asText(part string) string {
	if formula.MatchString(part) && !number.MatchString(strings.TrimSpace(part)) {
		return "'" + part
	}
	return part
}

var (
	// formula is what a spreadsheet may compute: it begins with one of the signs, of any
	// width, that do so, after spaces, quotation marks and whatever is not seen.
	formula = regexp.MustCompile(`^[\s\p{Z}\p{C}"'´‘’“”„«»＂＇` + "`" + `]*[=+@\x2D＝﹦＋﹢－﹣−＠﹫⁺⁻⁼]`)
	// number has its sign, and a lone sign is nothing that can be computed.
	number = regexp.MustCompile(`^[+−-](?:[0-9]{1,15}(?:[.,][0-9]{1,15})?%?)?$`)
)
