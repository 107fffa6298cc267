package manifests

import (
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/roundtable-chat/app/roundtable/analysis"
	"github.com/roundtable-chat/app/roundtable/persona"
)

// frontMatter is the mapping at the head of a step file. It is read key by key,
// so that every problem has its line, and a key that is not ours is no more than
// a warning: people keep their own notes there.
type frontMatter struct {
	file    string
	root    *yaml.Node
	remarks *stepReader
}

// The keys of a step file's front matter (FR-012).
const (
	keyStepID    = "step_id"
	keyTitle     = "title"
	keyPersona   = "persona"
	keyDepth     = "depth"
	keyOutputs   = "outputs"
	keyDependsOn = "depends_on"
	keySkipIf    = "skip_if"
)

var frontKeys = []string{keyStepID, keyTitle, keyPersona, keyDepth, keyOutputs, keyDependsOn, keySkipIf}

// longestTitle bounds a title, in bytes: it stands in headers and on buttons.
const longestTitle = 120

// step reads all keys.
func (m *frontMatter) step(phase string) analysis.StepFile {
	for i := 0; i+1 < len(m.root.Content); i += 2 {
		if key := m.root.Content[i]; !slices.Contains(frontKeys, key.Value) {
			m.remarks.warn(m.file, key.Line, "the key %q is not one of a step file and is not read", key.Value)
		}
	}
	f := analysis.StepFile{
		ID: m.text(keyStepID, true), Title: strings.Join(strings.Fields(m.text(keyTitle, true)), " "),
		Persona: persona.Key(m.text(keyPersona, true)),
		Outputs: m.list(keyOutputs, true), DependsOn: m.list(keyDependsOn, false),
	}
	m.checkID(f, phase)
	if len(f.Title) > longestTitle {
		m.fault(keyTitle, "the title is longer than %d characters", longestTitle)
	}
	if _, known := m.remarks.roster.Persona(f.Persona); f.Persona != "" && !known && m.remarks.whole {
		m.fault(keyPersona, "%q is no persona of the cast", f.Persona)
	}
	if word := m.text(keyDepth, true); word != "" {
		depth, ok := analysis.ParseDepth(word)
		if !ok {
			m.fault(keyDepth, "the depth %q must be brief, standard or deep", word)
		}
		f.Depth = depth
	}
	m.checkOutputs(f.Outputs)
	if source := m.text(keySkipIf, false); source != "" {
		condition, err := analysis.ParseCondition(source)
		if err != nil {
			m.fault(keySkipIf, "skip_if %v", err)
		}
		f.SkipIf = condition
	}
	return f
}

func (m *frontMatter) checkID(f analysis.StepFile, phase string) {
	if f.ID != "" && !analysis.IsStepID(f.ID) {
		m.fault(keyStepID, "the step id %q must be two digits, a hyphen and two digits, like \"01-03\"", f.ID)
	} else if prefix := analysis.Prefix(phase); f.ID != "" && !strings.HasPrefix(f.ID, prefix) {
		m.fault(keyStepID, "the step id %q must begin with %q, as all of %s", f.ID, prefix, phase)
	}
	seen := map[string]bool{}
	for _, id := range f.DependsOn {
		switch {
		case !analysis.IsStepID(id):
			m.fault(keyDependsOn, "depends on %q, which is no step id", id)
		case id == f.ID:
			m.fault(keyDependsOn, "depends on itself")
		case seen[id]:
			m.remarks.warn(m.file, lineOf(m.root, keyDependsOn), "depends on %q twice", id)
		}
		seen[id] = true
	}
}

func (m *frontMatter) checkOutputs(outputs []string) {
	seen := map[string]bool{}
	for _, o := range outputs {
		if err := analysis.CheckOutput(o); err != nil {
			m.fault(keyOutputs, "the output %q cannot be used: %v", o, err)
		} else if seen[o] {
			m.remarks.warn(m.file, lineOf(m.root, keyOutputs), "the output %q stands there twice", o)
		}
		seen[o] = true
	}
}

func (m *frontMatter) fault(key, format string, args ...any) {
	m.remarks.fault(m.file, lineOf(m.root, key), format, args...)
}

// node returns the value of a key, nil if there is none.
func (m *frontMatter) node(key string) *yaml.Node {
	for i := 0; i+1 < len(m.root.Content); i += 2 {
		if m.root.Content[i].Value == key {
			return m.root.Content[i+1]
		}
	}
	return nil
}

// text reads a text.
func (m *frontMatter) text(key string, required bool) string {
	n := m.node(key)
	switch {
	case n == nil && required:
		m.fault(key, "%q is missing", key)
	case n == nil:
	case n.Kind != yaml.ScalarNode:
		m.fault(key, "%q must be one text", key)
	case n.ShortTag() == "!!null" || strings.TrimSpace(n.Value) == "":
		if required {
			m.fault(key, "%q is empty", key)
		}
	default:
		return strings.TrimSpace(n.Value)
	}
	return ""
}

// list reads a list of texts.
func (m *frontMatter) list(key string, required bool) []string {
	n := m.node(key)
	switch {
	case n == nil && required:
		m.fault(key, "%q is missing", key)
		return nil
	case n == nil || !required && n.ShortTag() == "!!null":
		return nil
	case n.Kind != yaml.SequenceNode:
		m.fault(key, "%q must be a list", key)
		return nil
	case len(n.Content) == 0 && required:
		m.fault(key, "%q needs at least one entry", key)
	}
	var out []string
	for _, e := range n.Content {
		if e.Kind != yaml.ScalarNode || e.ShortTag() == "!!null" || strings.TrimSpace(e.Value) == "" {
			m.remarks.fault(m.file, e.Line, "an entry of %q must be one text", key)
			continue
		}
		out = append(out, strings.TrimSpace(e.Value))
	}
	return out
}
