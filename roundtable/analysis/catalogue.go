package analysis

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/roundtable-chat/app/roundtable/persona"
)

// Phase is a phase of the analysis with its steps in order.
type Phase struct {
	persona.Phase
	Steps []StepFile
}

// Catalogue is everything that can be analysed: the phases in order. Ids are
// unique in it.
type Catalogue struct{ Phases []Phase }

// NewCatalogue sorts step files into phases: in the order of the phases, and in
// each by file name, byte by byte (AC-004-04). Of two steps with
// one id the first counts; the others are returned as repeated, as are those in
// no known phase as stray.
func NewCatalogue(phases []persona.Phase, files []StepFile) (c Catalogue, repeated, stray []StepFile) {
	files = slices.Clone(files)
	slices.SortStableFunc(files, func(a, b StepFile) int { return strings.Compare(path.Base(a.File), path.Base(b.File)) })
	seen := map[string]bool{}
	for _, p := range phases {
		phase := Phase{Phase: p}
		for _, f := range files {
			switch {
			case path.Dir(f.File) != p.Key:
			case seen[f.ID]:
				repeated = append(repeated, f)
			default:
				seen[f.ID] = true
				phase.Steps = append(phase.Steps, f)
			}
		}
		c.Phases = append(c.Phases, phase)
	}
	for _, f := range files {
		if !slices.ContainsFunc(phases, func(p persona.Phase) bool { return p.Key == path.Dir(f.File) }) {
			stray = append(stray, f)
		}
	}
	return c, repeated, stray
}

// Keys are the keys of the phases.
func (c Catalogue) Keys() []string {
	keys := make([]string, len(c.Phases))
	for i, p := range c.Phases {
		keys[i] = p.Key
	}
	return keys
}

// Step returns the step with the id, and the index of its phase.
func (c Catalogue) Step(id string) (f StepFile, phase int, ok bool) {
	for i, p := range c.Phases {
		for _, f := range p.Steps {
			if f.ID == id {
				return f, i, true
			}
		}
	}
	return StepFile{}, 0, false
}

// waitsFor is the first step it depends on that is not completed, or empty.
func (f StepFile) waitsFor(done []string) string {
	for _, id := range f.DependsOn {
		if !slices.Contains(done, id) {
			return id
		}
	}
	return ""
}

// Progress is how far an item's analysis has come, as far as its steps depend on
// it.
type Progress struct {
	// Done are the ids of completed steps.
	Done []string
	// Scan is what the quick scan found; Override the depth asked for in the phase,
	// by the words of meta.json.
	Scan     QuickScan
	Override string
	// First is set in the first phase.
	First bool
}

// depth is the depth at which a step would be gone through.
func (p Progress) depth(f StepFile) Chosen {
	if c, ok := PhaseDepth(p.Override, p.First, p.Scan); ok {
		return c
	}
	if f.Depth == "" {
		return Chosen{Standard, FromStep}
	}
	return Chosen{f.Depth, FromStep}
}

// Passed is a step that is passed over, and why (AC-004-05). It is not completed
// by that.
type Passed struct {
	Step StepFile
	// WaitsFor is the id of a step that must be completed before; empty when the
	// step's own condition passes it over.
	WaitsFor string
}

// Discover returns the steps of the phase that can be gone through one after the
// other from here, in order, each counting as completed for those after it
// (FR-012); and those that are passed over.
func (p Phase) Discover(at Progress) (run []StepFile, passed []Passed) {
	done := slices.Clone(at.Done)
	for progress := true; progress; {
		progress = false
		for _, f := range p.Steps {
			if slices.Contains(done, f.ID) || f.waitsFor(done) != "" || f.SkipIf.Holds(at.Scan, at.depth(f).Depth) {
				continue
			}
			run, done, progress = append(run, f), append(done, f.ID), true
			break
		}
	}
	for _, f := range p.Steps {
		if !slices.Contains(done, f.ID) {
			passed = append(passed, Passed{f, f.waitsFor(done)})
		}
	}
	return run, passed
}

// Endless are the ids of steps that can never run, each with the reason: one it
// depends on is in no file, comes in a later phase, or depends on the step itself.
func (c Catalogue) Endless() map[string]string {
	reasons := map[string]string{}
	for at, p := range c.Phases {
		for _, f := range p.Steps {
			for _, id := range f.DependsOn {
				_, phase, ok := c.Step(id)
				switch {
				case !ok:
					reasons[f.ID] = "waits for step " + id + ", which no usable file has"
				case phase > at:
					reasons[f.ID] = "waits for step " + id + " of a later phase"
				case c.reaches(id, f.ID):
					reasons[f.ID] = "waits for itself by way of step " + id
				}
			}
		}
	}
	return reasons
}

// reaches reports whether a step depends on another, directly or not.
func (c Catalogue) reaches(from, to string) bool {
	seen, open := map[string]bool{}, []string{from}
	for len(open) > 0 {
		id := open[0]
		open = open[1:]
		if id == to {
			return true
		}
		if seen[id] {
			continue
		}
		seen[id] = true
		f, _, _ := c.Step(id)
		open = append(open, f.DependsOn...)
	}
	return false
}

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
