package panel

import (
	"slices"
	"strings"

	"github.com/roundtable-chat/app/roundtable/analysis"
	"github.com/roundtable-chat/app/roundtable/thread"
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
	links   thread.Links
	// bare counts statements that were called said and cite nobody.
	bare int
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
		s.columns = append(s.columns, thread.OneLine(w.text(c)))
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
	name = thread.OneLine(strings.Map(func(r rune) rune {
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

// fileName is a model's name for a document as the name of a file, without its
// ending; empty if nothing is left.
func fileName(name string) string {
	name = strings.TrimSuffix(strings.ToLower(thread.OneLine(visible(name))), ".md")
	if i := strings.LastIndexAny(name, `/\`); i >= 0 {
		name = name[i+1:]
	}
	words := strings.FieldsFunc(name, func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	return strings.Trim(beginning(strings.Join(words, "-"), 60), "-…")
}
