package thread

import (
	"slices"
	"strings"
)

// Synthesis is the checked result of a discussion.
type Synthesis struct {
	Insights  []Point `json:"insights,omitempty"`
	Decisions []Point `json:"decisions,omitempty"`
	Questions []Point `json:"questions,omitempty"`
	Actions   []Point `json:"actions,omitempty"`
	Summary   string  `json:"summary"`
	// Simple is set when the draft could not be used and this is the plain
	// summary of marks and participants (ERR-ELAB-007).
	Simple bool `json:"simple,omitempty"`
	// Engine names the engine when it was not the primary model.
	Engine string `json:"engine,omitempty"`
	// Links are the addresses in it. Each was given by a person, so each may be
	// clicked on.
	Links []string `json:"links,omitempty"`
}

// Point is one attributed line.
type Point struct {
	Text string `json:"text"`
	Why  string `json:"why,omitempty"`
	// By attributes it: first names of personas, display names of people, or
	// "All" (AC-008-05).
	By []string `json:"by"`
	// Turns support it; TS are their messages, for links.
	Turns []int    `json:"turns,omitempty"`
	TS    []string `json:"ts,omitempty"`
	// Marked is true when a person marked it.
	Marked bool `json:"marked,omitempty"`
}

// ArtifactChange is what became of one artifact (AC-008-04).
type ArtifactChange struct {
	File    string `json:"file"`
	Section string `json:"section"`
	Added   string `json:"added"`
	Created bool   `json:"created,omitempty"`
}

// Points counts the lines of all kinds.
func (s Synthesis) Points() int {
	return len(s.Insights) + len(s.Decisions) + len(s.Questions) + len(s.Actions)
}

// Cites reports whether a turn supports any point.
func (s Synthesis) Cites(turn int) bool {
	for _, points := range [][]Point{s.Insights, s.Decisions, s.Questions, s.Actions} {
		if slices.ContainsFunc(points, func(p Point) bool { return slices.Contains(p.Turns, turn) }) {
			return true
		}
	}
	return false
}

// Of is where the lines stand that a mark makes.
func (s *Synthesis) Of(k MarkKind) *[]Point {
	switch k {
	case MarkDecision:
		return &s.Decisions
	case MarkQuestion:
		return &s.Questions
	case MarkAction:
		return &s.Actions
	case MarkInsight:
	}
	return &s.Insights
}

// FirstText is what weighs most: the first decision, or else the first of what there is.
func (s Synthesis) FirstText() string {
	for _, l := range [][]Point{s.Decisions, s.Insights, s.Questions, s.Actions} {
		if len(l) > 0 {
			return l[0].Text
		}
	}
	return ""
}

// Line renders a point: "[Maya/Alex] text: why".
func (p Point) Line() string {
	line := "[" + strings.Join(p.By, "/") + "] " + p.Text
	if p.Why != "" {
		line = strings.TrimRight(line, ".:; ") + ": " + p.Why
	}
	return line
}
