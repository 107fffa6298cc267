package manifests

import (
	"gopkg.in/yaml.v3"

	"github.com/roundtable-chat/app/roundtable/persona"
)

// phases is the form of phases.yaml.
type phases struct {
	Default persona.Key     `yaml:"default"`
	Cast    []persona.Key   `yaml:"cast"`
	Phases  []persona.Phase `yaml:"phases"`

	root *yaml.Node
}

func readPhases(src source, p *problems) (*phases, bool) {
	b, err := src.read(phasesFile)
	if err != nil {
		p.add(err)
		return nil, false
	}
	var read phases
	read.root = decode(phasesFile, b, &read, p)
	return &read, read.root != nil
}

// choose returns the personas that take part, in roster order. complete is false
// when some persona file could not be read, so that a missing one is no news.
func (f *phases) choose(read []personaFile, complete bool, p *problems) []personaFile {
	cast := read
	if len(f.Cast) > 0 {
		cast = nil
		for _, key := range f.Cast {
			found := false
			for _, persona := range read {
				if persona.persona.Key == key {
					cast, found = append(cast, persona), true
				}
			}
			if !found && complete {
				p.addf(phasesFile, lineOf(f.root, "cast"), "the cast names %q, and no persona has that key", key)
			}
		}
	}
	if complete && len(cast) < minCast {
		p.addf(phasesFile, f.root.Line, "the cast has %d personas; a discussion needs %d", len(cast), minCast)
	}
	return cast
}

// check refuses phases that nobody could lead.
func (f *phases) check(roster persona.Roster, p *problems) {
	known := func(key persona.Key) bool {
		_, ok := roster.Persona(key)
		return ok
	}
	if !known(f.Default) {
		p.addf(phasesFile, lineOf(f.root, "default"), "the default %q is no persona of the cast", f.Default)
	}
	if len(f.Phases) == 0 {
		p.addf(phasesFile, lineOf(f.root, "phases"), "%q needs at least one entry", "phases")
	}
	seen := map[string]bool{}
	for i, phase := range f.Phases {
		line := f.phaseLine(i)
		switch {
		case phase.Key == "":
			p.addf(phasesFile, line, "a phase has no key")
		case seen[phase.Key]:
			p.addf(phasesFile, line, "the phase %q stands here twice", phase.Key)
		}
		seen[phase.Key] = true
		if phase.Description == "" {
			p.addf(phasesFile, line, "the phase %q has no description", phase.Key)
		}
		if !known(phase.Lead) {
			p.addf(phasesFile, line, "the phase %q is led by %q, who is no persona of the cast", phase.Key, phase.Lead)
		}
	}
}

// phaseLine returns the line of the phase with the index.
func (f *phases) phaseLine(index int) int {
	for i := 0; i+1 < len(f.root.Content); i += 2 {
		if f.root.Content[i].Value == "phases" && index < len(f.root.Content[i+1].Content) {
			return f.root.Content[i+1].Content[index].Line
		}
	}
	return f.root.Line
}
