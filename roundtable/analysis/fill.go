package analysis

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/roundtable-chat/app/roundtable/document"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// File is a file of an item as a Write leaves it.
type File struct {
	Name    string
	Content []byte
}

// Fill performs a Write on an item's files: every part is added to its artifact,
// and no byte of any is lost (NFR-004, I8). lookup returns a file of the item. A
// list or rows whose artifact is not what its name says take a note beside it, as
// an elaboration's synthesis does. The changes are for the announcement. proceed is
// asked before each reading of a document; its error ends the filling.
func Fill(lookup func(name string) ([]byte, bool), w Write, proceed func() error) (files []File, changes []thread.ArtifactChange, err error) {
	written := func(name string) ([]byte, bool) {
		for _, f := range files {
			if f.Name == name {
				return f.Content, true
			}
		}
		return lookup(name)
	}
	for _, p := range w.Parts {
		add, err := p.added(written, w, proceed)
		if err != nil {
			return nil, nil, fmt.Errorf("fill %s: %w", p.File, err)
		}
		for _, a := range add {
			files = slices.DeleteFunc(files, func(f File) bool { return f.Name == a.file.Name })
			files = append(files, a.file)
			changes = append(changes, a.change)
		}
	}
	return files, changes, nil
}

// addition is one file after one part.
type addition struct {
	file   File
	change thread.ArtifactChange
}

// added adds one part.
func (p Part) added(lookup func(string) ([]byte, bool), w Write, proceed func() error) ([]addition, error) {
	if err := document.CheckArtifactName(p.File); err != nil {
		return nil, err
	}
	old, exists := lookup(p.File)
	var result []byte
	var what string
	body, section := p.Content, p.Name
	switch p.Part {
	case PartList:
		result, what = appendList(old, exists, p.Name, p.Content)
		body = fenced(p.Content)
	case PartRows:
		result, what = appendRows(old, Target{Name: p.Name}.Columns(), p.Content)
		body, section = fenced(p.Content), titled(strings.ReplaceAll(documentName(p.File), " ", "-"))
	case PartSection:
	}
	if result != nil {
		return []addition{{File{p.File, result}, thread.ArtifactChange{File: p.File, Section: section, Added: what, Created: !exists}}}, nil
	}
	merged, err := document.Enrich(lookup, p.File, document.Insertion{
		Title: p.Name, Named: true, StepID: w.Step, Time: w.Time.UTC().Format(time.RFC3339), Body: body, Proceed: proceed,
	})
	if err != nil {
		return nil, err
	}
	var add []addition
	for _, f := range merged {
		add = append(add, addition{File{f.Name, f.Content}, thread.ArtifactChange{
			File: f.Name, Section: f.Change.Heading, Added: "what step " + w.Step + " came to", Created: f.Change.Placement == document.NewDocument,
		}})
	}
	return add, nil
}

// fenced shows a text as it is.
func fenced(s string) string { return "```\n" + s + "\n```" }

// Apply notes a Record in an item's meta.json.
func (r Record) Apply(meta *document.Meta) error {
	if r.Step != "" {
		if _, err := meta.AppendStep(r.Step); err != nil {
			return fmt.Errorf("record step %s: %w", r.Step, err)
		}
	}
	for _, phase := range r.Phases {
		if _, err := meta.AppendPhase(phase); err != nil {
			return fmt.Errorf("record phase %s: %w", phase, err)
		}
	}
	if r.Depth != "" {
		if _, err := meta.SetDepthOverride(r.Phase, string(r.Depth)); err != nil {
			return fmt.Errorf("record the depth of phase %s: %w", r.Phase, err)
		}
	}
	return nil
}

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
