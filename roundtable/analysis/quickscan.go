package analysis

import (
	"regexp"
	"strconv"
	"strings"
)

// Scope is how large a change is.
type Scope string

// The scopes.
const (
	ScopeSmall  Scope = "small"
	ScopeMedium Scope = "medium"
	ScopeLarge  Scope = "large"
)

// Complexity is how hard a change is.
type Complexity string

// The complexities.
const (
	ComplexityLow    Complexity = "low"
	ComplexityMedium Complexity = "medium"
	ComplexityHigh   Complexity = "high"
)

// QuickScan is what the quick scan found out. What it did not is empty.
type QuickScan struct {
	Scope      Scope      `json:"scope,omitempty"`
	Complexity Complexity `json:"complexity,omitempty"`
	// Files is how many files are expected to change, if FilesKnown.
	Files      int  `json:"files,omitempty"`
	FilesKnown bool `json:"files_known,omitempty"`
}

// ReadQuickScan takes scope, complexity and number of files out of quick-scan.md.
// It reads a value beside its label ("**Scope**: medium", "| Scope | medium |")
// or on the first line below a heading that is the label. Documents are only
// added to, so the last value stands; of a range or of several words the larger
// one counts, because too little depth costs more than too much.
func ReadQuickScan(markdown string) QuickScan {
	var q QuickScan
	open, under := "", ""
	for line := range strings.Lines(comment.ReplaceAllString(strings.ReplaceAll(markdown, "\r\n", "\n"), "")) {
		line = strings.TrimSpace(line)
		if m := fence.FindStringSubmatch(line); m != nil {
			if open == "" {
				open = m[1]
			} else if strings.HasPrefix(m[1], open) {
				open = ""
			}
			continue
		}
		if open != "" || line == "" || strings.HasPrefix(line, ">") {
			continue
		}
		if title, ok := strings.CutPrefix(line, "#"); ok {
			under = label(strings.TrimLeft(title, "#"))
			if name, value, ok := strings.Cut(title, ":"); ok {
				q.take(label(strings.TrimLeft(name, "#")), value)
			}
			continue
		}
		if !q.takeLine(line) && under != "" {
			q.take(under, line)
		}
		under = ""
	}
	return q
}

var scanLine = regexp.MustCompile(`^(?:[-*+][ \t]+|\d+[.)][ \t]+|\|[ \t]*)?[*_]{0,2}([A-Za-z][A-Za-z ()-]{2,40}?)[*_]{0,2}[ \t]*(?::|=|\||--|–|—)[*_]{0,2}[ \t]*(.+)$`)

// takeLine takes a line of the form "label: value" and reports whether it was of
// a label that counts.
func (q *QuickScan) takeLine(line string) bool {
	m := scanLine.FindStringSubmatch(line)
	return m != nil && q.take(label(m[1]), m[2])
}

// label is which of the three values a text names, or empty.
func label(text string) string {
	switch strings.Join(words(text), " ") {
	case "scope", "estimated scope", "scope estimate", "scope estimation", "size", "overall scope", "final scope":
		return "scope"
	case "complexity", "estimated complexity", "complexity estimate", "overall complexity", "final complexity":
		return "complexity"
	case "file count", "files", "file count estimate", "file count estimation", "estimated file count", "estimated files", "affected files",
		"files affected", "number of files", "files expected to change", "expected files", "total files":
		return "files"
	default:
		return ""
	}
}

// take notes a value if the text has one.
func (q *QuickScan) take(name, text string) bool {
	ranks := map[string][]string{
		"scope":      {string(ScopeSmall), string(ScopeMedium), string(ScopeLarge)},
		"complexity": {string(ComplexityLow), string(ComplexityMedium), string(ComplexityHigh)},
	}
	switch name {
	case "scope", "complexity":
		rank := largest(ranks[name], text)
		if rank < 0 {
			return false
		}
		if name == "scope" {
			q.Scope = Scope(ranks[name][rank])
		} else {
			q.Complexity = Complexity(ranks[name][rank])
		}
	case "files":
		n, ok := count(text)
		if !ok {
			return false
		}
		q.Files, q.FilesKnown = n, true
	}
	return name != ""
}

// largest is the index of the largest of the ranks that the value names before a
// reason begins: "medium (not large)" is medium, "small to medium" is medium. It
// is -1 where none is named.
func largest(ranks []string, text string) int {
	value := reason.ReplaceAllString(text, "")
	found := -1
	for _, w := range words(value) {
		for i, rank := range ranks {
			if w == rank || rank == string(ScopeMedium) && w == "moderate" {
				found = max(found, i)
			}
		}
	}
	return found
}

// reason begins what explains a value.
var reason = regexp.MustCompile(`(?i)(?:[(.;|]|,? (?:because|since|as|but|not|rather|instead)\b|[ \t](?:--|–|—)[ \t]).*$`)

var (
	numbers   = regexp.MustCompile(`\d[\d,]*`)
	rangeSign = regexp.MustCompile(`^\s*(?:-|–|—|to|\.\.)\s*$`)
)

// count reads a number of files; of a range the upper end.
func count(text string) (int, bool) {
	at := numbers.FindAllStringIndex(text, 2)
	if len(at) == 0 {
		return 0, false
	}
	use := at[0]
	if len(at) > 1 && rangeSign.MatchString(text[at[0][1]:at[1][0]]) {
		use = at[1]
	}
	n, err := strconv.Atoi(strings.ReplaceAll(text[use[0]:use[1]], ",", ""))
	return n, err == nil
}
