package llm

import (
	"bytes"
	"encoding/csv"
	"encoding/json"

	"regexp"
	"slices"
	"strings"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/analysis"
)

// Bounds of what is written for documents at once.
const (
	partsLimit   = 24
	groupsLimit  = 24
	entriesLimit = 80
	columnsLimit = 16
	cellLimit    = 1200     // characters
	partLimit    = 48 << 10 // bytes; the rules refuse what is longer than 64 KiB
)

// reportedPart is what a model writes for one place.
type reportedPart struct {
	Place    number          `json:"place"`
	Document string          `json:"document"`
	Groups   []reportedGroup `json:"groups"`
}

type reportedGroup struct {
	Label   string          `json:"label"`
	Columns []string        `json:"columns"`
	Entries []reportedEntry `json:"entries"`
}

type reportedEntry struct {
	Turns []number `json:"turns"`
	Basis string   `json:"basis"`
	Cells []string `json:"cells"`
}

// What a statement rests on where it is not on people's turns.
const (
	assumed = "Assumption"
	unknown = "Open"
)

// sourceColumn is the name under which tables, objects and rows say what they rest on.
const sourceColumn = "Source"

// partWriter writes a model's statements down in the form of their artifact, each
// with its source. No statement goes in without one.
type partWriter struct {
	inquiry *inquiry
	links   roundtable.Links
	// bare counts statements that were called said and cite nobody.
	bare int
}

// statements are what a model wrote under one label: rows of as many cells as there are
// columns, and what each rests on.
type statements struct {
	label   string
	columns []string
	rows    [][]string
	sources []string
}

// part writes a part; false if it belongs nowhere or nothing of it is left.
func (w *partWriter) part(r reportedPart) (analysis.Part, bool) {
	targets := w.inquiry.briefing.Targets
	if r.Place < 1 || int(r.Place) > len(targets) {
		return analysis.Part{}, false
	}
	t := targets[r.Place-1]
	p := analysis.Part{File: t.File, Part: t.Part, Name: t.Name}
	if strings.HasSuffix(t.File, "/") {
		name := fileName(r.Document)
		if name == "" {
			return analysis.Part{}, false
		}
		p.File += name + ".md"
	}
	var groups []statements
	for _, g := range r.Groups[:min(len(r.Groups), groupsLimit)] {
		if t.Part == analysis.PartRows && len(g.Columns) == 0 {
			g.Columns = t.Columns()
		}
		if s := w.read(g); len(s.rows) > 0 {
			groups = append(groups, s)
		}
	}
	switch t.Part {
	case analysis.PartSection:
		p.Content = markdown(groups)
	case analysis.PartList:
		p.Content = objects(groups, t.Form)
	case analysis.PartRows:
		p.Content = rows(groups, t.Columns())
	}
	return p, p.Content != ""
}

// read makes a table of a group's entries, or a list of one column without a name.
func (w *partWriter) read(g reportedGroup) statements {
	s := statements{label: w.text(g.Label)}
	for _, c := range g.Columns[:min(len(g.Columns), columnsLimit)] {
		s.columns = append(s.columns, oneLine(w.text(c)))
	}
	width := max(len(s.columns), 1)
	for _, e := range g.Entries[:min(len(g.Entries), entriesLimit)] {
		row := make([]string, width)
		for i, c := range e.Cells {
			// What is too much for the columns belongs to the last one.
			at := min(i, width-1)
			row[at] = joined("\n", row[at], w.text(c))
		}
		if strings.Join(row, "") == "" {
			continue
		}
		s.rows, s.sources = append(s.rows, row), append(s.sources, w.source(e))
	}
	return s
}

// text is what may stand in a document: visible, bounded, and leading nowhere that
// people did not point to.
func (w *partWriter) text(s string) string {
	return bounded(w.links.Tame(visible(s)), cellLimit)
}

// source is what a statement rests on. That people said it takes a turn in which they
// did.
func (w *partWriter) source(e reportedEntry) string {
	turns := w.inquiry.sources(e.Turns)
	switch strings.ToLower(strings.TrimSpace(e.Basis)) {
	case "open":
		return unknown
	case "assumed":
		return assumed
	}
	if len(turns) == 0 {
		w.bare++
		return assumed
	}
	var people []string
	for _, t := range turns {
		if name := attributed(w.inquiry.transcript.names[t.Person.ID]); !slices.Contains(people, name) {
			people = append(people, name)
		}
	}
	return strings.Join(people, "/")
}

// attributed is a person's name without what means something in an attribution or in
// Markdown, and never one of the words for what nobody said.
func attributed(name string) string {
	name = oneLine(strings.Map(func(r rune) rune {
		if strings.ContainsRune("[]()<>*_`|/\\#~", r) {
			return -1
		}
		return r
	}, name))
	if name == "" || slices.Contains([]string{assumed, unknown}, name) {
		return "Somebody"
	}
	return name
}

// markdown writes groups as lists and tables.
func markdown(groups []statements) string {
	var b strings.Builder
	for _, g := range groups {
		var lines []string
		if len(g.columns) == 0 {
			for i, row := range g.rows {
				lines = append(lines, "- ["+g.sources[i]+"] "+oneLine(row[0]))
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
		if label := strings.Trim(oneLine(g.label), "*#: "); label != "" {
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
		b.WriteString(" " + strings.ReplaceAll(strings.ReplaceAll(oneLine(strings.ReplaceAll(c, "\n", "; ")), `\|`, "|"), "|", `\|`) + " |")
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
					row[at] = oneLine(strings.ReplaceAll(cells[k], "\n", " "))
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

// fileName is a model's name for a document as the name of a file, without its
// ending; empty if nothing is left.
func fileName(name string) string {
	name = strings.TrimSuffix(strings.ToLower(oneLine(visible(name))), ".md")
	if i := strings.LastIndexAny(name, `/\`); i >= 0 {
		name = name[i+1:]
	}
	words := strings.FieldsFunc(name, func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	return strings.Trim(beginning(strings.Join(words, "-"), 60), "-…")
}
