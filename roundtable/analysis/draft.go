package analysis

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/roundtable-chat/app/roundtable/document"
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
