package intent

import (
	"regexp"
	"strings"
)

// Leaving is read clause by clause. A clause must be nothing but the wish to
// leave, or the message does not mean it: "I'm not done yet" and "exit code" are
// no exits because words are left over (FR-006, AC-006-01).

// leaving tells whether the message asks to end the discussion, or asks whether
// to (FR-006). A clear word beats a doubtful one.
func (r Reading) leaving() (Kind, string, bool) {
	if r.code != "" {
		word := strings.ToLower(strings.TrimSpace(r.code))
		if exitWord.MatchString(word) || exitPhrase.MatchString(word) {
			return Exit, ruleExitCode, true
		}
	}
	intent, rule := Kind(""), ""
	end := r.lastGoingOn()
	for i := end; i < len(r.sentences); i++ {
		s := r.sentences[i]
		if !r.atEdge(i) || !s.mayLeave() {
			continue
		}
		switch got, by := s.leaving(); {
		case got == "", by == ruleExitWord && !r.carriedByWord(i):
		case got == Exit:
			return got, by, true
		case intent == "":
			intent, rule = got, by
		}
	}
	return intent, rule, intent != ""
}

const (
	// longestLeaving is the number of tokens beyond which a sentence says more
	// than that somebody wants to leave.
	longestLeaving = 40

	leavingWords = " done exit quit back wrap wrap-up wrapping finished through end finish close stop conclude leave call all everything it today now menu "
)

// mayLeave tells quickly whether the sentence has a word that leaving needs.
func (s sentence) mayLeave() bool {
	if len(s.tokens) > longestLeaving {
		return false
	}
	for _, t := range s.tokens {
		if t.kind == aWord && among(t.text, leavingWords) {
			return true
		}
	}
	return false
}

// carriedByWord tells whether a leaving word in the i-th sentence can be taken
// for what the message wants: because the rest says nothing about the topic, or
// because nothing but courtesies follows it and what goes before does not report
// somebody's work ("I fixed the link. Done.").
func (r Reading) carriedByWord(i int) bool {
	if r.onlyCourtesy(i) {
		return true
	}
	if i == 0 || len(r.sentences)-i > edge {
		return false
	}
	for _, s := range r.sentences[i+1:] {
		if len(s.tokens) > longestLeaving || !courteous(s.form) {
			return false
		}
	}
	for _, s := range r.sentences[max(0, i-2):i] {
		if s.asks || len(s.tokens) > longestLeaving || workReport.MatchString(s.form) {
			return false
		}
	}
	return true
}

// onlyCourtesy tells whether every sentence but the i-th says nothing about the
// topic.
func (r Reading) onlyCourtesy(i int) bool {
	if len(r.sentences) > 2*edge {
		return false
	}
	for k, s := range r.sentences {
		if k != i && (s.asks || len(s.tokens) > longestLeaving || !courteous(s.form)) {
			return false
		}
	}
	return true
}

// lastGoingOn returns the place of the last sentence that carries the discussion
// on, or 0: a wish to leave before it does not stand.
func (r Reading) lastGoingOn() int {
	for i := len(r.sentences) - 1; i > 0; i-- {
		if s := r.sentences[i]; s.asks || goesOn.MatchString(s.form) {
			return i
		}
	}
	return 0
}

// leaving tells what the sentence asks.
func (s sentence) leaving() (Kind, string) {
	doubt, why := Kind(""), ""
	clauses := clauses(s.form)
	for i, clause := range clauses {
		intent, rule := readClause(clause, s.asks)
		if intent == "" {
			continue
		}
		around := append(clauses[:i:i], clauses[i+1:]...)
		if rule == ruleExitWord && (!allCourteous(around) || strings.Contains(s.form, "P")) {
			continue
		}
		if rule != ruleConfirm && anyMatch(subordinate, clauses[:i]) || anyMatch(goesOn, clauses[i+1:]) {
			continue
		}
		if intent == Exit && s.asks && !leaveRequest.MatchString(bare(clause)) {
			return Confirm, ruleConfirm
		}
		if rule != ruleHedge {
			return intent, rule
		}
		if doubt == "" {
			doubt, why = intent, rule
		}
	}
	return doubt, why
}

// readClause tells what a single clause asks; asks says whether its sentence
// ends in a question mark.
func readClause(clause string, asks bool) (Kind, string) {
	core := bare(clause)
	switch {
	case strings.HasPrefix(clause, "well done"): // praise
		return "", ""
	case subordinate.MatchString(clause):
		return "", ""
	case !leaveRequest.MatchString(core) && !aboutMeans.MatchString(clause) &&
		(leaveQuestion.MatchString(clause) || asks && leaveAsked.MatchString(clause)):
		return Confirm, ruleConfirm
	case exitWord.MatchString(core):
		return Exit, ruleExitWord
	case exitPhrase.MatchString(core):
		return Exit, ruleExitPhrase
	case leaveSuggestion.MatchString(core):
		return Confirm, ruleHedge
	}
	doubt := leaveHedge.FindString(core)
	if doubt == "" {
		return "", ""
	}
	core = core[len(doubt):]
	if exitWord.MatchString(core) || exitPhrase.MatchString(core) || leaveSuggestion.MatchString(core) {
		return Confirm, ruleHedge
	}
	return "", ""
}

// bare returns a clause without the courtesies before it.
func bare(clause string) string {
	return clause[len(leadIn.FindString(clause)):]
}

// clauses cuts a sentence's form at its commas, colons, dashes and brackets.
func clauses(form string) []string {
	var out []string
	var words []string
	flush := func() {
		if len(words) > 0 {
			out = append(out, strings.Join(words, " "))
			words = nil
		}
	}
	for word := range strings.FieldsSeq(form) {
		switch word {
		case ",", ":", "-", "(", ")", "[", "]", "/":
			flush()
		default:
			words = append(words, word)
		}
	}
	flush()
	return out
}

func courteous(form string) bool { return allCourteous(clauses(form)) }

func allCourteous(clauses []string) bool {
	for _, clause := range clauses {
		if !courtesy.MatchString(clause) {
			return false
		}
	}
	return true
}

func anyMatch(re *regexp.Regexp, clauses []string) bool {
	for _, clause := range clauses {
		if re.MatchString(clause) {
			return true
		}
	}
	return false
}
