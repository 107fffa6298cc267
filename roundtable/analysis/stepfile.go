package analysis

import (
	"regexp"
	"strings"

	"github.com/roundtable-chat/app/roundtable/document"
	"github.com/roundtable-chat/app/roundtable/persona"
)

// StepFile is one step of a phase as its file describes it (FR-012).
type StepFile struct {
	// File is the file's path, "01-requirements/02-user-needs.md"; its base name
	// orders the steps of a phase (AC-004-04).
	File string
	// ID is unique among all steps, "01-02"; Title is shown in headers.
	ID, Title string
	// Persona leads the step; Depth is its own when nothing else decides.
	Persona persona.Key
	Depth   Depth
	// Outputs are names of artifacts, or folders ending in a slash for a family of
	// documents.
	Outputs []string
	// DependsOn are ids of steps that must be completed before.
	DependsOn []string
	// SkipIf passes the step over while it holds; its zero value never does.
	SkipIf Condition
	Body   Body
}

// Files are the outputs that name one file: those that an elaboration of the step
// can enrich.
func (f StepFile) Files() []string {
	var files []string
	for _, o := range f.Outputs {
		if !isFolder(o) {
			files = append(files, o)
		}
	}
	return files
}

// Targets are the places that the step fills: those its Artifacts section names,
// and for every other output one titled like the step (AC-010-05).
func (f StepFile) Targets() []Target {
	targets := append([]Target(nil), f.Body.Targets...)
	for _, o := range f.Outputs {
		named := false
		for _, t := range targets {
			named = named || t.File == o
		}
		if !named {
			targets = append(targets, Target{File: o, Part: partOf(o), Name: f.Title})
		}
	}
	return targets
}

func isFolder(output string) bool { return strings.HasSuffix(output, "/") }

var stepID = regexp.MustCompile(`^\d{2}-\d{2}$`)

// IsStepID reports whether a text has the form of a step's id, "NN-NN" (FR-012).
func IsStepID(s string) bool { return stepID.MatchString(s) }

// Prefix is the part of a phase's key that its steps' ids begin with, "01-" of
// "01-requirements"; empty for a phase whose key has none.
func Prefix(phase string) string {
	if len(phase) > 3 && phase[2] == '-' && IsStepID(phase[:3]+"00") {
		return phase[:3]
	}
	return ""
}

// CheckOutput refuses an output that could leave the item's folder (I12).
func CheckOutput(output string) error {
	if isFolder(output) {
		return document.CheckArtifactName(output + "0001.md")
	}
	return document.CheckArtifactName(output)
}
