package analysis

import (
	"path"
	"slices"
	"strings"

	"github.com/roundtable-chat/app/roundtable/document"
	"github.com/roundtable-chat/app/roundtable/persona"
)

// QuickScanFile is the artifact from which scope, complexity and number of files
// are read.
const QuickScanFile = "quick-scan.md"

// PhaseView is a phase as an analysis speaks of it.
type PhaseView struct {
	Key string `json:"key"`
	// Number is "02", Name "Impact Analysis", Description what the phase does.
	Number      string `json:"number"`
	Name        string `json:"name"`
	Description string `json:"description"`
	// Lead owns the phase; Documents are the names of what it writes.
	Lead      persona.Key `json:"lead"`
	Documents []string    `json:"documents,omitempty"`
}

// StepView is a step as an analysis goes through it.
type StepView struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	// Lead asks; Depth is how deep, and Modes what to ask at each depth.
	Lead  persona.Key    `json:"lead"`
	Depth Chosen         `json:"depth"`
	Modes map[Depth]Mode `json:"modes"`
	// Criteria must be met; Targets are filled; Files are the artifacts that an
	// elaboration of the step enriches.
	Criteria []Criterion `json:"criteria,omitempty"`
	Targets  []Target    `json:"targets"`
	Files    []string    `json:"files,omitempty"`
	// Acknowledgement is how the lead takes up feedback, with {point}.
	Acknowledgement string `json:"acknowledgement,omitempty"`
}

// Past is an earlier elaboration of the phase (AC-009-03).
type Past struct {
	Step    string `json:"step"`
	Summary string `json:"summary"`
}

// Survey is how an item's analysis stands: what is next, and what came before.
type Survey struct {
	// Phase is the phase to go on with and Step its next step; both are nil when
	// nothing is left.
	Phase *PhaseView `json:"phase,omitempty"`
	Step  *StepView  `json:"step,omitempty"`
	// Rest are the steps that follow Step in the phase, and what they would fill.
	Rest []StepView `json:"rest,omitempty"`
	// Complete are phases with nothing left to do that are not recorded yet.
	Complete []string `json:"complete,omitempty"`
	// Before is the last phase before Phase in which something was done.
	Before *PhaseView `json:"before,omitempty"`
	// Done are the titles of the completed steps of Phase, in order; Past up to
	// three of its elaborations, oldest first.
	Done []string `json:"done,omitempty"`
	Past []Past   `json:"past,omitempty"`
	// MaxTurns is the item's own limit for elaborations, or 0 (AC-007-03).
	MaxTurns int `json:"max_turns,omitempty"`
	// Warnings are for the log (AC-003-06, FR-012).
	Warnings []string `json:"warnings,omitempty"`
}

// mostPast is how many elaborations a greeting recalls (AC-009-03).
const mostPast = 3

// Look says how an item's analysis stands (FR-011). quickScan is the text
// of QuickScanFile, or empty. A phase is over when it is recorded as completed or
// when none of its steps can run.
func Look(c Catalogue, roster persona.Roster, meta *document.Meta, quickScan string) Survey {
	at := Progress{Done: meta.StepsCompleted(), Scan: ReadQuickScan(quickScan)}
	recorded := meta.PhasesCompleted()
	var s Survey
	if limit, ok := meta.MaxTurns(); ok {
		s.MaxTurns = limit
	}
	for i, p := range c.Phases {
		if slices.Contains(recorded, p.Key) {
			s.Before = p.view(roster, &s)
			continue
		}
		at.First, at.Override = i == 0, meta.DepthOverrides()[p.Key]
		run, passed := p.Discover(at)
		s.warn(p, passed)
		if len(run) == 0 {
			s.Complete = append(s.Complete, p.Key)
			if slices.ContainsFunc(p.Steps, func(f StepFile) bool { return slices.Contains(at.Done, f.ID) }) {
				s.Before = p.view(roster, &s)
			}
			continue
		}
		s.Phase = p.view(roster, &s)
		for n, f := range run {
			v := f.view(roster, at.depth(f))
			if n == 0 {
				s.Step = &v
				continue
			}
			v.Modes, v.Criteria = nil, nil // they are looked at anew in their turn
			s.Rest = append(s.Rest, v)
		}
		s.recall(p, at.Done, meta)
		return s
	}
	return s
}

func (s *Survey) warn(p Phase, passed []Passed) {
	if len(p.Steps) == 0 {
		s.Warnings = append(s.Warnings, EmptyPhaseWarning(p.Key))
	}
	for _, x := range passed {
		if x.WaitsFor != "" {
			s.Warnings = append(s.Warnings, unmetWarning(x))
		}
	}
}

// recall notes what was done in the phase.
func (s *Survey) recall(p Phase, done []string, meta *document.Meta) {
	for _, f := range p.Steps {
		if slices.Contains(done, f.ID) {
			s.Done = append(s.Done, f.Title)
		}
	}
	for _, r := range meta.Elaborations() {
		belongs := slices.ContainsFunc(p.Steps, func(f StepFile) bool { return f.ID == r.StepID })
		if prefix := Prefix(p.Key); belongs || prefix != "" && strings.HasPrefix(r.StepID, prefix) {
			s.Past = append(s.Past, Past{r.StepID, r.SynthesisSummary})
		}
	}
	if n := len(s.Past); n > mostPast {
		s.Past = s.Past[n-mostPast:]
	}
}

// view is the phase as it is spoken of. A phase that the roster does not know is
// led by the default persona, with a warning (AC-003-06).
func (p Phase) view(roster persona.Roster, s *Survey) *PhaseView {
	lead, known := roster.Lead(p.Key)
	if !known {
		persona, _ := roster.Persona(lead)
		s.Warnings = append(s.Warnings, unknownPhaseWarning(p.Key, persona.Seat))
	}
	v := &PhaseView{Key: p.Key, Number: strings.TrimSuffix(Prefix(p.Key), "-"), Description: p.Description, Lead: lead}
	v.Name = titled(strings.TrimPrefix(p.Key, Prefix(p.Key)))
	for _, f := range p.Steps {
		for _, o := range f.Outputs {
			if name := documentName(o); !isFolder(o) && !slices.Contains(v.Documents, name) {
				v.Documents = append(v.Documents, name)
			}
		}
	}
	return v
}

func (f StepFile) view(roster persona.Roster, depth Chosen) StepView {
	persona, _ := roster.Persona(f.Persona)
	v := StepView{
		ID: f.ID, Title: f.Title, Lead: f.Persona, Depth: depth, Modes: map[Depth]Mode{},
		Criteria: f.Body.Criteria, Targets: f.Targets(), Files: f.Files(), Acknowledgement: persona.Acknowledgement,
	}
	for _, d := range Depths() {
		v.Modes[d] = f.Body.Mode(d)
	}
	return v
}

// documentName is what people call an artifact: "requirements-spec.md" is the
// requirements spec.
func documentName(output string) string {
	base := path.Base(output)
	return strings.Join(strings.FieldsFunc(strings.TrimSuffix(base, path.Ext(base)), func(r rune) bool { return r == '-' || r == '_' }), " ")
}

// titled makes a name of a key: "impact-analysis" is "Impact Analysis".
func titled(key string) string {
	parts := strings.Split(key, "-")
	for i, w := range parts {
		if w != "" {
			parts[i] = strings.ToUpper(w[:1]) + w[1:]
		}
	}
	return strings.Join(parts, " ")
}
