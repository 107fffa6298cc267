package document

import (
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"
)

// ErrMetaField is returned for an edit with an empty word or one that JSON
// cannot hold.
var ErrMetaField = errors.New("not a word for meta.json")

func checkWord(what, word string) error {
	if word == "" || !utf8.ValidString(word) {
		return fmt.Errorf("%w: %s %q", ErrMetaField, what, word)
	}
	return nil
}

// AppendElaboration adds r at the end of the records (FR-009, AC-009-04) and
// tells whether it did: a record equal in every field to one that is there is
// the same one written again after a crash. The summary is clipped.
func (m *Meta) AppendElaboration(r Record) (added bool, err error) {
	r.SynthesisSummary = ClipSummary(r.SynthesisSummary)
	if err := r.check(); err != nil {
		return false, err
	}
	if slices.ContainsFunc(m.Elaborations(), r.same) {
		return false, nil
	}
	return true, m.AppendAnotherElaboration(r)
}

// AppendAnotherElaboration adds r at the end of the records though an equal one may be
// there: for whoever knows that it was not written, so that the other is another
// discussion's that ended in the same second.
func (m *Meta) AppendAnotherElaboration(r Record) error {
	r.SynthesisSummary = ClipSummary(r.SynthesisSummary)
	if err := r.check(); err != nil {
		return err
	}
	l := layoutOf(m.source, m.object)
	m.appendTo(elaborationsKey, true, func(indent string, lines bool) string {
		return l.render(r.fields(l), indent, lines)
	})
	m.settle()
	return nil
}

// AppendStep adds a step id to the completed ones unless it is there.
func (m *Meta) AppendStep(id string) (added bool, err error) {
	if err := checkWord("step", id); err != nil {
		return false, err
	}
	return m.appendText(keySteps, id, m.StepsCompleted()), nil
}

// AppendPhase adds a phase key to the completed ones unless it is there.
func (m *Meta) AppendPhase(key string) (added bool, err error) {
	if err := checkWord("phase", key); err != nil {
		return false, err
	}
	if !slices.Contains(m.PhasesCompleted(), key) {
		m.recordLegacyPhases()
	}
	return m.appendText(keyPhases, key, m.PhasesCompleted()), nil
}

func (m *Meta) appendText(key, value string, have []string) bool {
	if slices.Contains(have, value) {
		return false
	}
	m.appendTo(key, false, func(string, bool) string { return quote(value) })
	m.settle()
	return true
}

// SetDepthOverride records the depth chosen for a phase and tells whether that
// is news.
func (m *Meta) SetDepthOverride(phase, depth string) (changed bool, err error) {
	if err := errors.Join(checkWord("phase", phase), checkWord("depth", depth)); err != nil {
		return false, err
	}
	if m.DepthOverrides()[phase] == depth {
		return false, nil
	}
	depths, count := m.object.last(keyDepths)
	if count == 0 || m.source[depths.value.start] != '{' {
		m.put(keyDepths, "{}")
		depths, _ = m.object.last(keyDepths)
	}
	inner := readObject(m.source, depths.value.start)
	if old, count := inner.last(phase); count > 0 {
		m.replace(old.value, quote(depth))
	} else {
		l := layoutOf(m.source, m.object)
		m.set(l.newMember(m.source, inner, l.unit, phase, quote(depth)).into(m.source))
	}
	m.settle()
	return true, nil
}

// appendTo adds an element to an array field. A field that is missing or of
// the wrong type becomes an array first: that is the defensive default of
// FR-009, written down.
func (m *Meta) appendTo(key string, structured bool, write func(indent string, lines bool) string) {
	list, ok := m.arrayOf(key)
	if !ok {
		m.put(key, "[]")
		list, _ = m.arrayOf(key)
	}
	l := layoutOf(m.source, m.object)
	m.set(l.newElement(m.source, list, l.unit, structured, write).into(m.source))
}

// settle derives the status after an edit (FR-009).
func (m *Meta) settle() {
	m.recordLegacyPhases()
	status := m.derivedStatus()
	if recorded, ok := m.text(keyStatus); !ok || recorded != string(status) {
		m.put(keyStatus, quote(string(status)))
	}
}

// recordLegacyPhases writes the phases that phase_a_completed stood for, which
// would lose its say once a status is written.
func (m *Meta) recordLegacyPhases() {
	if m.legacyDone() {
		m.put(keyPhases, layoutOf(m.source, m.object).list(Phases()))
	}
}

// put sets a field, at its place if it has one.
func (m *Meta) put(key, value string) {
	if old, count := m.object.last(key); count > 0 {
		m.replace(old.value, value)
		return
	}
	l := layoutOf(m.source, m.object)
	m.set(l.newMember(m.source, m.object, "", key, value).into(m.source))
}

func (m *Meta) replace(old span, value string) {
	m.set(slices.Concat(m.source[:old.start], []byte(value), m.source[old.end:]))
}
