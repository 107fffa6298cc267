package document

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Record is an entry of meta.json's elaborations (FR-009, AC-009-01).
type Record struct {
	// StepID is the step the elaboration was started from, "00-00" for a free topic.
	StepID string
	// TurnCount counts all turns; at least 1, the framing.
	TurnCount int
	// PersonasActive are the keys of the personas that took part.
	PersonasActive []string
	// Timestamp is when the record was written, ISO 8601.
	Timestamp string
	// SynthesisSummary is one sentence, at most SummaryLimit characters.
	SynthesisSummary string
}

// SummaryLimit is the longest synthesis summary, in characters.
const SummaryLimit = 100

// ErrRecord is returned for a record that lacks what FR-009 requires or that
// JSON cannot hold.
var ErrRecord = errors.New("not an elaboration record")

func (r Record) check() error {
	switch {
	case r.StepID == "":
		return fmt.Errorf("%w: no step id", ErrRecord)
	case r.TurnCount < 1:
		return fmt.Errorf("%w: turn count %d", ErrRecord, r.TurnCount)
	case r.Timestamp == "":
		return fmt.Errorf("%w: no timestamp", ErrRecord)
	case !utf8.ValidString(r.StepID + r.Timestamp + strings.Join(r.PersonasActive, "")):
		return fmt.Errorf("%w: not valid UTF-8", ErrRecord)
	}
	return nil
}

// same holds if both say the same.
func (r Record) same(s Record) bool {
	if len(r.PersonasActive) != len(s.PersonasActive) {
		return false
	}
	for i, key := range r.PersonasActive {
		if key != s.PersonasActive[i] {
			return false
		}
	}
	return r.StepID == s.StepID && r.TurnCount == s.TurnCount &&
		r.Timestamp == s.Timestamp && r.SynthesisSummary == s.SynthesisSummary
}

func (r Record) fields(l layout) []field {
	return []field{
		{"step_id", quote(r.StepID)},
		{"turn_count", strconv.Itoa(r.TurnCount)},
		{"personas_active", l.list(r.PersonasActive)},
		{"timestamp", quote(r.Timestamp)},
		{"synthesis_summary", quote(r.SynthesisSummary)},
	}
}

// ClipSummary makes one line of s, of at most SummaryLimit characters. What is
// too long ends after a whole word with an ellipsis; a single long word is cut,
// but never between a letter and its marks.
func ClipSummary(s string) string {
	line := collapse(s)
	runes := []rune(line)
	if len(runes) <= SummaryLimit {
		return line
	}
	cut := SummaryLimit - 1
	for at := cut; at > SummaryLimit/2; at-- {
		if unicode.IsSpace(runes[at]) {
			cut = at
			break
		}
	}
	for cut > 1 && joins(runes, cut) {
		cut--
	}
	kept := strings.TrimRightFunc(string(runes[:cut]), func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune(",;:.–—-", r)
	})
	return kept + "…"
}

const zeroWidthJoiner = '\u200D'

// joins holds if runes[at] belongs to the character before it.
func joins(runes []rune, at int) bool {
	r := runes[at]
	return unicode.IsMark(r) || r == zeroWidthJoiner || runes[at-1] == zeroWidthJoiner ||
		r >= '\U0001F3FB' && r <= '\U0001F3FF'
}
