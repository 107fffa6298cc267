package panel

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/roundtable-chat/app/roundtable/thread"
)

// statements are what a model wrote under one label: rows of as many cells as there are
// columns, and what each rests on.
type statements struct {
	label   string
	columns []string
	rows    [][]string
	sources []string
}

// markdown writes groups as lists and tables.
func markdown(groups []statements) string {
	var b strings.Builder
	for _, g := range groups {
		var lines []string
		if len(g.columns) == 0 {
			for i, row := range g.rows {
				lines = append(lines, "- ["+g.sources[i]+"] "+thread.OneLine(row[0]))
			}
		} else {
			columns, filled := g.sourced()
			lines = append(lines, tableRow(columns), "|"+strings.Repeat(" --- |", len(columns)))
			for i := range filled {
				lines = append(lines, tableRow(filled[i]))
			}
		}
		if b.Len() > 0 {
			b.WriteString("\n")
		}
		if label := strings.Trim(thread.OneLine(g.label), "*#: "); label != "" {
			b.WriteString("**" + label + "**:\n\n")
		}
		for _, l := range lines {
			if b.Len()+len(l) > partLimit {
				return b.String()
			}
			b.WriteString(l + "\n")
		}
	}
	return b.String()
}

// sourced is the table with its sources: in the column meant for them, or in one more.
func (g statements) sourced() (columns []string, rows [][]string) {
	at := slices.IndexFunc(g.columns, func(c string) bool { return strings.EqualFold(c, sourceColumn) })
	columns = slices.Clone(g.columns)
	if at < 0 {
		columns, at = append(columns, sourceColumn), len(columns)
	}
	for i, row := range g.rows {
		row = append(slices.Clone(row), "")[:len(columns)]
		row[at] = g.sources[i]
		rows = append(rows, row)
	}
	return columns, rows
}

// tableRow is a line of a Markdown table.
func tableRow(cells []string) string {
	var b strings.Builder
	b.WriteString("|")
	for _, c := range cells {
		b.WriteString(" " + strings.ReplaceAll(strings.ReplaceAll(thread.OneLine(strings.ReplaceAll(c, "\n", "; ")), `\|`, "|"), "|", `\|`) + " |")
	}
	return b.String()
}

var (
	fieldName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]{0,39}$`)
	listField = regexp.MustCompile("`([A-Za-z][A-Za-z0-9_-]*)`[ \t]*\\(an? list\\b")
)

// objects writes groups as the objects of a JSON array, their fields in the order of
// the columns. A field is a list if the place's form says so.
func objects(groups []statements, form string) string {
	lists := map[string]bool{}
	for _, m := range listField.FindAllStringSubmatch(form, -1) {
		lists[m[1]] = true
	}
	var out []string
	size := 0
	for _, g := range groups {
		columns, filled := g.sourced()
		for _, row := range filled {
			var members []string
			seen := map[string]bool{}
			for i, c := range columns {
				if c == sourceColumn {
					c = strings.ToLower(c)
				}
				if !fieldName.MatchString(c) || seen[c] {
					continue
				}
				seen[c] = true
				var value any = row[i]
				if lists[c] {
					value = lineTexts(row[i])
				}
				members = append(members, plainJSON(c)+": "+plainJSON(value))
			}
			object := "{" + strings.Join(members, ", ") + "}"
			if size += len(object); len(seen) > 1 && size <= partLimit {
				out = append(out, object)
			}
		}
	}
	if len(out) == 0 {
		return ""
	}
	return "[" + strings.Join(out, ",\n") + "]"
}

// plainJSON is a value in a document that people read: with <, > and & as they are.
func plainJSON(v any) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(v) // texts and lists of texts can always be encoded
	return strings.TrimSpace(b.String())
}

// lineTexts are the lines of a cell that holds several texts, without their bullets.
func lineTexts(cell string) []string {
	texts := []string{}
	for l := range strings.Lines(cell) {
		if l = strings.TrimSpace(strings.TrimLeft(l, "-*• \t")); l != "" {
			texts = append(texts, l)
		}
	}
	return texts
}

// rows writes groups as rows of these columns. Where there is no column for sources,
// what nobody said is called so in the second cell, or in the only one: the first is
// an id.
func rows(groups []statements, columns []string) string {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	source := slices.IndexFunc(columns, func(c string) bool { return strings.EqualFold(c, sourceColumn) })
	for _, g := range groups {
		from := g.columnsFor(columns)
		for i, cells := range g.rows {
			row := make([]string, len(columns))
			for at, k := range from {
				if k >= 0 && at != source {
					row[at] = thread.OneLine(strings.ReplaceAll(cells[k], "\n", " "))
				}
			}
			if strings.Join(row, "") == "" {
				continue
			}
			if source >= 0 {
				row[source] = g.sources[i]
			} else if nobody := g.sources[i]; nobody == assumed || nobody == unknown {
				at := min(1, len(row)-1)
				row[at] = strings.TrimSpace(row[at] + " (" + strings.ToLower(nobody) + ")")
			}
			if w.Flush(); b.Len() > partLimit {
				return b.String()
			}
			_ = w.Write(row) // a buffer takes every row
		}
	}
	w.Flush()
	return b.String()
}

// columnsFor says which of the group's columns is each of these: the one of the same
// name or, where none has the same name, the one in the same position; -1 for none.
func (g statements) columnsFor(columns []string) []int {
	from := make([]int, len(columns))
	named := false
	for i, name := range columns {
		from[i] = slices.IndexFunc(g.columns, func(c string) bool { return strings.EqualFold(strings.TrimSpace(c), name) })
		named = named || from[i] >= 0
	}
	for i := range from {
		if !named && i < len(g.columns) {
			from[i] = i
		}
	}
	return from
}
