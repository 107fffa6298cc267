package document

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
)

// Status is how far the analysis of an item has come.
type Status string

// The statuses, derived from the phases completed.
const (
	StatusRaw      Status = "raw"
	StatusPartial  Status = "partial"
	StatusAnalyzed Status = "analyzed"
)

// Phases gives the keys of the five phases of an analysis, in order, where a
// deployment has no others.
func Phases() []string {
	return []string{"00-quick-scan", "01-requirements", "02-impact-analysis", "03-architecture", "04-design"}
}

// LeastTurns is the smallest turn limit: framing, one exchange, synthesis
// (AC-009-01, FR-007).
const LeastTurns = 3

const (
	keySource     = "source"
	keySourceID   = "source_id"
	keySlug       = "slug"
	keyCreatedAt  = "created_at"
	keyStatus     = "analysis_status"
	keyPhases     = "phases_completed"
	keySteps      = "steps_completed"
	keyDepths     = "depth_overrides"
	keyConfig     = "elaboration_config"
	keyMaxTurns   = "max_turns"
	keyPhaseADone = "phase_a_completed"
)

// Meta is an item's meta.json (FR-009). Reading never fails on a field: what
// is missing or of the wrong type has its defensive default. Edits are splices
// into the text, so unknown fields, their order and the layout stay as they
// are. Where a name occurs twice, the last one counts, as in every reader.
//
// A Meta is not safe for use by several goroutines.
type Meta struct {
	source []byte
	object object
	// phases are those of the deployment; nil for Phases.
	phases []string
}

// Measure has the status derived from a deployment's own phases (FR-102). Without
// any it is derived from Phases.
func (m *Meta) Measure(phases []string) { m.phases = phases }

// ParseMeta reads a meta.json. A text that is no JSON object gives a
// *CorruptError; it must be reported and never overwritten.
func ParseMeta(source []byte) (*Meta, error) {
	if err := checkJSON(source); err != nil {
		return nil, err
	}
	m := &Meta{}
	m.set(slices.Clone(source))
	return m, nil
}

// Item is what a fresh meta.json says.
type Item struct {
	// Source is where the item came from, "manual" if empty; SourceID its
	// name there, left out if empty.
	Source, SourceID string
	Slug             string
	// CreatedAt is ISO 8601.
	CreatedAt string
}

// NewMeta gives the meta.json of a fresh item.
func NewMeta(item Item) *Meta {
	l := layout{eol: "\n", unit: "  ", colon: ": ", comma: ", "}
	if item.Source == "" {
		item.Source = defaultSource
	}
	fields := []field{{keySource, quote(item.Source)}}
	if item.SourceID != "" {
		fields = append(fields, field{keySourceID, quote(item.SourceID)})
	}
	fields = append(fields,
		field{keySlug, quote(item.Slug)},
		field{keyCreatedAt, quote(item.CreatedAt)},
		field{keyStatus, quote(string(StatusRaw))},
		field{keyPhases, "[]"},
		field{keySteps, "[]"},
		field{keyDepths, "{}"},
		field{elaborationsKey, "[]"},
	)
	m := &Meta{}
	m.set([]byte(l.render(fields, "", true) + "\n"))
	return m
}

func (m *Meta) set(source []byte) {
	m.source = source
	m.object = readObject(source, skipSpace(source, jsonStart(source)))
}

// Bytes gives the text; without edits it is the one that was parsed.
func (m *Meta) Bytes() []byte { return slices.Clone(m.source) }

// Raw gives the JSON of any field.
func (m *Meta) Raw(key string) (json.RawMessage, bool) {
	found, count := m.object.last(key)
	if count == 0 {
		return nil, false
	}
	return slices.Clone(m.source[found.value.start:found.value.end]), true
}

// text gives a field that is a string.
func (m *Meta) text(key string) (string, bool) {
	raw, ok := m.Raw(key)
	var s *string
	if !ok || json.Unmarshal(raw, &s) != nil || s == nil {
		return "", false
	}
	return *s, true
}

const defaultSource = "manual"

// Source tells where the item came from; "manual" by default.
func (m *Meta) Source() string {
	if s, ok := m.text(keySource); ok && s != "" {
		return s
	}
	return defaultSource
}

// SourceID is the item's name at its source, "" if there is none.
func (m *Meta) SourceID() string { s, _ := m.text(keySourceID); return s }

// Slug is the item's slug, "" if the field is missing.
func (m *Meta) Slug() string { s, _ := m.text(keySlug); return s }

// CreatedAt is when the item was created (ISO 8601). The default is the
// caller's, because nothing here knows the time.
func (m *Meta) CreatedAt(otherwise string) string {
	if s, ok := m.text(keyCreatedAt); ok && s != "" {
		return s
	}
	return otherwise
}

// AnalysisStatus is the recorded status. A missing or unknown one is raw,
// unless a legacy phase_a_completed says more.
func (m *Meta) AnalysisStatus() Status {
	s, _ := m.text(keyStatus)
	switch status := Status(s); status {
	case StatusRaw, StatusPartial, StatusAnalyzed:
		return status
	}
	if m.legacyDone() {
		return StatusAnalyzed
	}
	return StatusRaw
}

// legacyDone holds for a file of the time before phases were recorded, whose
// phase_a_completed stood for the whole analysis.
func (m *Meta) legacyDone() bool {
	if _, count := m.object.last(keyStatus); count > 0 {
		return false
	}
	if _, ok := m.arrayOf(keyPhases); ok {
		return false
	}
	raw, _ := m.Raw(keyPhaseADone)
	return string(raw) == "true"
}

// derivedStatus is what the completed phases amount to.
func (m *Meta) derivedStatus() Status {
	done, phases := m.PhasesCompleted(), m.phases
	if len(phases) == 0 {
		phases = Phases()
	}
	count := 0
	for _, phase := range phases {
		if slices.Contains(done, phase) {
			count++
		}
	}
	switch count {
	case 0:
		return StatusRaw
	case len(phases):
		return StatusAnalyzed
	default:
		return StatusPartial
	}
}

// PhasesCompleted are phase keys in the order of completion.
func (m *Meta) PhasesCompleted() []string {
	if m.legacyDone() {
		return Phases()
	}
	return m.texts(keyPhases)
}

// StepsCompleted are step ids in the order of completion.
func (m *Meta) StepsCompleted() []string { return m.texts(keySteps) }

// arrayOf gives a field that is an array.
func (m *Meta) arrayOf(key string) (array, bool) {
	found, count := m.object.last(key)
	if count == 0 || m.source[found.value.start] != '[' {
		return array{}, false
	}
	return readArray(m.source, found.value.start), true
}

// texts gives the strings of an array field, never nil; what is no string is
// passed over.
func (m *Meta) texts(key string) []string {
	texts := []string{}
	list, _ := m.arrayOf(key)
	for _, e := range list.elements {
		var s *string
		if json.Unmarshal(m.source[e.start:e.end], &s) == nil && s != nil {
			texts = append(texts, *s)
		}
	}
	return texts
}

// DepthOverrides gives the chosen depth by phase key, never nil.
func (m *Meta) DepthOverrides() map[string]string {
	depths := map[string]string{}
	raw, _ := m.Raw(keyDepths)
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil {
		return depths
	}
	for phase, value := range fields {
		var depth *string
		if json.Unmarshal(value, &depth) == nil && depth != nil {
			depths[phase] = *depth
		}
	}
	return depths
}

// Elaborations gives the records, oldest first, never nil (AC-009-02). Fields
// that are missing or of the wrong type are zero; an element that is no object
// is passed over.
func (m *Meta) Elaborations() []Record {
	records := []Record{}
	list, _ := m.arrayOf(elaborationsKey)
	for _, e := range list.elements {
		var fields map[string]json.RawMessage
		if json.Unmarshal(m.source[e.start:e.end], &fields) != nil || fields == nil {
			continue
		}
		var r Record
		// A field of the wrong type leaves its zero value.
		_ = json.Unmarshal(fields["step_id"], &r.StepID)
		_ = json.Unmarshal(fields["personas_active"], &r.PersonasActive)
		_ = json.Unmarshal(fields["timestamp"], &r.Timestamp)
		_ = json.Unmarshal(fields["synthesis_summary"], &r.SynthesisSummary)
		r.TurnCount, _ = wholeNumber(fields["turn_count"])
		records = append(records, r)
	}
	return records
}

// MaxTurns is the item's own turn limit (AC-007-03), valid only for an integer
// of at least LeastTurns. JSON has one kind of number, so 3.0 and 1e1 are
// integers; "10", null, true and 3.5 are not.
func (m *Meta) MaxTurns() (int, bool) {
	raw, _ := m.Raw(keyConfig)
	var config map[string]json.RawMessage
	if json.Unmarshal(raw, &config) != nil {
		return 0, false
	}
	n, ok := wholeNumber(config[keyMaxTurns])
	if !ok || n < LeastTurns {
		return 0, false
	}
	return n, true
}

// wholeNumber reads a JSON number without a fraction that fits 32 bits.
func wholeNumber(raw json.RawMessage) (int, bool) {
	if len(raw) == 0 || !strings.ContainsRune("-0123456789", rune(raw[0])) {
		return 0, false
	}
	var n float64
	if json.Unmarshal(raw, &n) != nil || n != math.Trunc(n) || math.Abs(n) > math.MaxInt32 {
		return 0, false
	}
	return int(n), true
}
