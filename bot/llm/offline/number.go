package offline

import (
	"regexp"
	"strings"
)

var (
	verbAfter   = regexp.MustCompile(`^ ([a-z]+s)\b`)
	verbBefore  = regexp.MustCompile(`(?i)\b(?:is|does|has|was) $`)
	pronoun     = regexp.MustCompile(`^[^.?!]*\b(?:it|its|itself)\b`)
	headEnds    = regexp.MustCompile(` (?:that|who|which|whose|of|on|in|with|from|behind|between|for|to|at|without|after|before|while|by|about|into|than|not|as|when|beside|like) .*$`)
	singularEnd = regexp.MustCompile(`(?:ss|us|is|'s)$`)
	openClause  = regexp.MustCompile(`(?i)^(?:what|who|how|when|whether|where|which|being|having|[a-z]+ing) `)
)

// notVerbs end in "s" and may follow a slot without agreeing with it.
var notVerbs = set(`as this its thus plus perhaps unless always sometimes towards besides afterwards across is us less`)

// singulars reports, for each slot of a frame, whether the words around it
// agree with a singular only: a verb ("{key} needs"), or a pronoun that takes it up
// in the same sentence ("stop {key} before it hurts").
func singulars(parts []string) map[int]bool {
	only := map[int]bool{}
	for i := 1; i < len(parts); i += 2 {
		m := verbAfter.FindStringSubmatch(parts[i+1])
		agrees := m != nil && (!notVerbs[m[1]] || m[1] == "is") || verbBefore.MatchString(parts[i-1])
		switch parts[i] {
		case slotKey, slotTopic, slotPoint:
			agrees = agrees || pronoun.MatchString(strings.Join(parts[i+1:], "x"))
		}
		if agrees {
			only[i] = true
		}
	}
	return only
}

// isPlural guesses whether a noun phrase takes a plural verb.
func isPlural(phrase string) bool {
	phrase = strings.ToLower(strings.Trim(phrase, `"`))
	if openClause.MatchString(phrase + " ") {
		return false
	}
	head := headEnds.ReplaceAllString(phrase, "")
	if strings.Contains(head, " and ") || strings.HasPrefix(head, "two ") || strings.HasPrefix(head, "those ") || head == "people" || strings.HasSuffix(head, " people") {
		return true
	}
	return strings.HasSuffix(head, "s") && !singularEnd.MatchString(head)
}
