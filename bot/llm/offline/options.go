package offline

import (
	"regexp"
	"strings"

	"github.com/jdkato/prose/v3/tag"
)

var (
	beforeOptions = regexp.MustCompile(`(?i)^.*?\b(?:should|shall|could|can|do|would) (?:we|i|they|it|you)(?: rather| better| just)? |^.*?\bwhether (?:we should |to )|` +
		`^.*?\b(?:choose|decide|deciding|choice|torn|prefer) (?:between )?|^.*?: |^(?:is it|is|are) (?:better to |it better to )?|^(?:do you prefer|what about|which is better)[,:]? `)
	orWord   = regexp.MustCompile(`(?i),? or (?:should we |do we |shall we |can we |could we |rather |to |just |maybe |better )*`)
	trailing = regexp.MustCompile(`(?i)[?.!,;]+$|,? (?:instead|first|then|now|today|for now|please)\??$`)
	leading  = regexp.MustCompile(`(?i)^(?:either |just |rather |to |we |should we |do we |maybe |better )+`)
	optionOK = regexp.MustCompile(`^[\p{L}\p{N}][\p{L}\p{N}\s'/.,+-]*$`)
)

// maxOption is the longest option that is repeated, in words.
const maxOption = 9

// optionsOf finds the two sides of "should we A, or B?" as phrases that can stand
// in a sentence: gerunds for verbs, else noun phrases.
func optionsOf(sentence string, tokens []tag.Token) (a, b string, ok bool) {
	cut := orWord.FindAllStringIndex(sentence, -1)
	if len(cut) != 1 || !strings.HasSuffix(strings.TrimSpace(sentence), "?") {
		return "", "", false
	}
	left, right := sentence[:cut[0][0]], sentence[cut[0][1]:]
	left = beforeOptions.ReplaceAllString(left, "")
	verbs := tagsByWord(tokens)
	a, okA := optionPhrase(left, verbs)
	b, okB := optionPhrase(right, verbs)
	if !okA || !okB || strings.EqualFold(a, b) || strings.EqualFold(b, "not") {
		return "", "", false
	}
	return a, b, true
}

// tagsByWord maps a word to its first tag in the sentence.
func tagsByWord(tokens []tag.Token) map[string]string {
	m := map[string]string{}
	for _, t := range tokens {
		if low := strings.ToLower(t.Text); m[low] == "" {
			m[low] = t.Tag
		}
	}
	return m
}

// optionPhrase makes a phrase of one side of a choice.
func optionPhrase(s string, tags map[string]string) (string, bool) {
	s = strings.TrimSpace(s)
	for {
		shorter := strings.TrimSpace(trailing.ReplaceAllString(s, ""))
		if shorter == s {
			break
		}
		s = shorter
	}
	s = strings.TrimSpace(leading.ReplaceAllString(s, ""))
	words := strings.Fields(s)
	if len(words) == 0 || len(words) > maxOption || !optionOK.MatchString(s) {
		return "", false
	}
	first := strings.ToLower(words[0])
	switch {
	case function[first] && first != "the" && first != "a" && first != "an" && first != "our" && first != "both" && first != "do" && first != "let" && first != "have":
		return "", false
	case tags[first] == "VB" || tags[first] == "VBP" || plainVerbs[first]:
		words[0] = gerund(first)
		// "keep MySQL and shard it": what is joined takes the same form.
		for i := 2; i < len(words); i++ {
			if w := strings.ToLower(words[i]); words[i-1] == "and" && (plainVerbs[w] || tags[w] == "VB" || tags[w] == "VBP") {
				words[i] = gerund(w)
			}
		}
	default:
		words[0] = lowerFirst(words[0])
	}
	return strings.Join(words, " "), true
}

// plainVerbs are verbs that open an option and that the tagger often takes for
// nouns.
var plainVerbs = set(`move keep build buy use split store cache queue send block lock merge retry drop ship wait add remove show hide ask
write rewrite start stop run host charge bill limit log track test index shard replicate sync upload download export import archive delete
encrypt hash rename fix patch port migrate refactor switch make put stay stick leave let give go allow reject refuse drop warn notify email call
outsource hire buy rent publish release launch delay postpone batch stream poll push pull fork wrap replace reuse share copy support deprecate`)

// gerund is the -ing form of a verb.
func gerund(v string) string {
	n := len(v)
	switch {
	case strings.HasSuffix(v, "ie"):
		return v[:n-2] + "ying"
	case strings.HasSuffix(v, "ee"), strings.HasSuffix(v, "oe"), strings.HasSuffix(v, "ye"):
		return v + "ing"
	case strings.HasSuffix(v, "e") && n > 2:
		return v[:n-1] + "ing"
	case doubles[v]:
		return v + v[n-1:] + "ing"
	}
	return v + "ing"
}

// doubles are the verbs of one stressed short syllable that double their last
// letter.
var doubles = set(`put get let cut set run stop drop ship plan map tag log pin swap wrap split hit sit begin commit submit permit admit
skip scrap scan trim plug dig flip slip step strip grab rub bid refer transfer quit shut spin patrol prefer defer opt rip tap chat`)
