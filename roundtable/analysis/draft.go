package analysis

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/roundtable-chat/app/roundtable/document"
	"github.com/roundtable-chat/app/roundtable/persona"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// Part is what goes into one place of one artifact.
type Part struct {
	File string   `json:"file"`
	Part PartKind `json:"part"`
	// Name is the section's heading, the list's name, or the columns.
	Name string `json:"name"`
	// Content is Markdown for a section, a JSON array of objects for a list, and CSV
	// without its header for rows.
	Content string `json:"content"`
}

// Draft is the panel's proposal of what a step leaves behind.
type Draft struct {
	// Point is what feedback came down to, for the acknowledgement.
	Point string `json:"point,omitempty"`
	// Summary is where the step landed, one or two sentences.
	Summary string `json:"summary,omitempty"`
	Parts   []Part `json:"parts"`
	// Judged says that Unmet, the indexes of criteria without an answer, is the
	// panel's judgement; otherwise words decide.
	Judged bool  `json:"judged,omitempty"`
	Unmet  []int `json:"unmet,omitempty"`

	Engine string       `json:"engine,omitempty"`
	Spent  thread.Spend `json:"spent,omitzero"`
}

// largestPart bounds a part, and largestDraft all parts together, in bytes: they
// stand in the state until they are written.
const (
	largestPart  = 64 << 10
	largestDraft = 2 * largestPart
)

// checkParts keeps the parts that belong to the targets and are well formed, tamed
// to the links that people gave. The fault names the first thing that is wrong, for
// a second attempt; what is kept is usable in any case.
func checkParts(parts []Part, targets []Target, given thread.Links) (kept []Part, fault string) {
	size := 0
	note := func(format string, args ...any) {
		if fault == "" {
			fault = fmt.Sprintf(format, args...)
		}
	}
	for _, p := range parts {
		t, ok := targetFor(p, targets)
		switch {
		case !ok:
			note("%q is not a place that this step fills", p.File)
			continue
		case strings.TrimSpace(p.Content) == "":
			note("the part for %s is empty", p.File)
			continue
		case len(p.Content) > largestPart || !utf8.ValidString(p.Content):
			note("the part for %s is too long or not text", p.File)
			continue
		}
		p.Part, p.Name = t.Part, t.Name
		if why := p.malformed(t); why != "" {
			note("the part for %s %s", p.File, why)
			continue
		}
		if p = p.tamed(given); size+len(p.Content) > largestDraft {
			note("the parts are too long together: say less in the part for %s", p.File)
			continue
		}
		size += len(p.Content)
		kept = append(kept, p)
	}
	if len(parts) == 0 {
		note("there is no part")
	}
	return kept, fault
}

// targetFor is the target that a part fills: the one it names, else the first of
// its file. A document in a folder belongs to the folder's target.
func targetFor(p Part, targets []Target) (Target, bool) {
	var first *Target
	for i, t := range targets {
		same := t.File == p.File
		if isFolder(t.File) {
			same = path.Dir(p.File)+"/" == t.File && document.CheckArtifactName(p.File) == nil && strings.HasSuffix(p.File, ".md")
		}
		if same && strings.EqualFold(strings.TrimSpace(p.Name), t.Name) {
			return t, true
		}
		if same && first == nil {
			first = &targets[i]
		}
	}
	if first == nil {
		return Target{}, false
	}
	return *first, true
}

// malformed says what keeps a part from being added to its artifact.
func (p Part) malformed(t Target) string {
	switch t.Part {
	case PartList:
		var list []map[string]any
		if err := json.Unmarshal([]byte(p.Content), &list); err != nil || len(list) == 0 {
			return "must be a JSON array of objects"
		}
	case PartRows:
		r := csv.NewReader(strings.NewReader(p.Content))
		r.FieldsPerRecord = len(t.Columns())
		if rows, err := r.ReadAll(); err != nil || len(rows) == 0 {
			return fmt.Sprintf("must be CSV with the %d columns %s", len(t.Columns()), strings.Join(t.Columns(), ", "))
		}
	case PartSection:
	}
	return ""
}

// plainParts writes down what was said since a turn, once for every artifact: what
// remains when no panel can draft. Lists and rows cannot be made of talk, so their
// artifacts take it as they take any section (document.Enrich); a folder's
// documents have no name without a thought.
func plainParts(targets []Target, talk []saying, title string) []Part {
	if len(talk) == 0 {
		return nil
	}
	var parts []Part
	for _, target := range targets {
		if !isFolder(target.File) && !slices.ContainsFunc(parts, func(p Part) bool { return p.File == target.File }) {
			parts = append(parts, target.section(title, ""))
		}
	}
	text := "As it was said:\n\n" + written(talk, largestPart/max(1, len(parts)))
	for i := range parts {
		parts[i].Content = text
	}
	return parts
}

// saying is what somebody said, for a document.
type saying struct{ who, text string }

// sayings are the turns from one on. People's words stand as they are; a persona's
// lead only where people pointed.
func sayings(t thread.Transcript, from int, cast []persona.Seat, given thread.Links) []saying {
	var talk []saying
	names := t.Names()
	for _, turn := range t.Turns {
		if turn.Number < from || turn.Struck {
			continue
		}
		s := saying{turn.Person.NameAmong(cast), thread.OneLine(thread.Legible(turn.Text, names, thread.MarkdownLink))}
		if turn.Persona != "" {
			s.text = given.Tame(s.text)
		}
		for _, c := range cast {
			if c.Key == turn.Persona {
				s.who = c.First()
			}
		}
		talk = append(talk, s)
	}
	return talk
}

// written is a talk as a list, in not much more than so many bytes: where it would
// be longer, each saying has an equal share, and the document says so.
func written(talk []saying, limit int) string {
	size, share := 0, limit/len(talk)
	for _, s := range talk {
		size += len(s.text)
	}
	var b strings.Builder
	for _, s := range talk {
		if size > limit && len(s.text) > share {
			s.text = strings.ToValidUTF8(s.text[:share], "") + " …"
		}
		fmt.Fprintf(&b, "- **%s**: %s\n", s.who, s.text)
	}
	if size > limit {
		b.WriteString("\nThis is more than fits here: what ends in … stands in the thread as a whole.\n")
	}
	return b.String()
}

// answersOf are what people said since a turn.
func answersOf(t thread.Transcript, from int) []string {
	var said []string
	for _, turn := range t.Turns {
		if turn.Number >= from && turn.Persona == "" && !turn.Struck {
			said = append(said, turn.Text)
		}
	}
	return said
}

// tamed is a well-formed part that leads only where people pointed themselves
// (NFR-103). An object's texts and a row's cells are held to that as they read,
// because an address may be escaped there; what leads nowhere keeps its bytes.
func (p Part) tamed(l thread.Links) Part {
	switch p.Part {
	case PartSection:
		p.Content = l.Tame(p.Content)
	case PartList:
		p.Content = jsonText.ReplaceAllStringFunc(p.Content, func(literal string) string { return tamedLiteral(literal, l) })
	case PartRows:
		p.Content = tamedRows(p.Content, l)
	}
	return p
}

// jsonText is a string of a JSON document, which is valid.
var jsonText = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)

func tamedLiteral(literal string, l thread.Links) string {
	var text string
	if json.Unmarshal([]byte(literal), &text) != nil {
		return `""`
	}
	tame := l.Tame(text)
	if tame == text {
		return literal
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(tame) != nil {
		return `""`
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func tamedRows(content string, l thread.Links) string {
	rows, err := csv.NewReader(strings.NewReader(content)).ReadAll()
	if err != nil {
		return ""
	}
	changed := false
	for _, row := range rows {
		for i, cell := range row {
			row[i] = l.Tame(cell)
			changed = changed || row[i] != cell
		}
	}
	var b strings.Builder
	if !changed || csv.NewWriter(&b).WriteAll(rows) != nil {
		return content
	}
	return b.String()
}
