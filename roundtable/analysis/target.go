package analysis

import (
	"fmt"
	"path"
	"regexp"
	"strings"
)

// PartKind is what of an artifact a step fills.
type PartKind string

// The kinds of part. Which one an artifact has follows from its name.
const (
	PartSection PartKind = "section" // a section of a Markdown document
	PartList    PartKind = "list"    // a list of objects in a JSON document
	PartRows    PartKind = "columns" // rows of a CSV file with these columns
)

// Target is a place that a step fills (AC-010-05): an artifact, and which part.
type Target struct {
	// File is one of the step's outputs.
	File string `json:"file"`
	// Part and Name say which: the section's heading, the list's name, or the
	// columns separated by commas.
	Part PartKind `json:"part"`
	Name string   `json:"name"`
	// Form says how it is laid out: Markdown, one line each.
	Form string `json:"form,omitempty"`
}

// Columns are the columns of a target of rows.
func (t Target) Columns() []string {
	var out []string
	for c := range strings.SplitSeq(t.Name, ",") {
		out = append(out, strings.TrimSpace(c))
	}
	return out
}

// section is a text for the target's artifact, whatever else that holds: for its
// section, or for one with the step's title.
func (t Target) section(title, text string) Part {
	p := Part{File: t.File, Part: PartSection, Name: t.Name, Content: text}
	if t.Part != PartSection {
		p.Name = title
	}
	return p
}

// partOf is the kind of part that an artifact has.
func partOf(file string) PartKind {
	switch strings.ToLower(path.Ext(file)) {
	case ".json":
		return PartList
	case ".csv":
		return PartRows
	default:
		return PartSection
	}
}

// targetLine is "`file`, section "Name"" with anything after a colon.
var targetLine = regexp.MustCompile("^`([^`]+)`(?:,?[ \t]+(section|list|columns)[ \t]+(?:\"([^\"]+)\"|`([^`]+)`))?[ \t]*:?[ \t]*(.*)$")

// readTargets reads the Artifacts section. An item that names no file is part of
// the form of the one before it, or nothing.
func readTargets(text string) (targets []Target, faults []Remark) {
	list, _ := items(text)
	for _, i := range list {
		m := targetLine.FindStringSubmatch(uncommented(i.text))
		if m == nil {
			faults = append(faults, Remark{i.line, "an entry should begin with the artifact's name in backticks: - `file.md`, section \"Heading\""})
			continue
		}
		t := Target{File: m[1], Part: partOf(m[1]), Name: m[3] + m[4]}
		if m[2] == "" {
			faults = append(faults, Remark{i.line, fmt.Sprintf("which %s of %s is filled is not said", t.Part, t.File)})
			continue
		}
		if PartKind(m[2]) != t.Part {
			faults = append(faults, Remark{i.line, fmt.Sprintf("%s has no %s; name its %s", t.File, m[2], t.Part)})
			continue
		}
		var form []string
		if m[5] != "" {
			form = append(form, m[5])
		}
		for _, line := range i.below {
			form = append(form, strings.TrimPrefix(line, "  "))
		}
		t.Form = strings.TrimSpace(strings.Join(form, "\n"))
		targets = append(targets, t)
	}
	return targets, faults
}
