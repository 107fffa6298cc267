package analysis

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// Criterion is one condition that a step's answers must meet (FR-116).
type Criterion struct {
	Text string `json:"text"`
	// Terms are words one of which an answer must hold to meet the criterion; "#"
	// stands for any number. They stand in the file as a comment that no reader
	// sees: "<!-- terms: user, customer, # -->". Without any the criterion's own
	// longer words are taken.
	Terms []string `json:"terms,omitempty"`
}

var termsComment = regexp.MustCompile(`(?s)<!--\s*terms:(.*?)-->`)

func readCriteria(text string) []Criterion {
	list, _ := items(text)
	var criteria []Criterion
	for _, i := range list {
		raw := i.text + " " + strings.Join(i.below, " ")
		c := Criterion{Text: uncommented(raw)}
		if m := termsComment.FindStringSubmatch(raw); m != nil {
			for term := range strings.SplitSeq(m[1], ",") {
				if t := strings.Join(words(term), " "); t != "" {
					c.Terms = append(c.Terms, t)
				} else if strings.TrimSpace(term) == "#" {
					c.Terms = append(c.Terms, "#")
				}
			}
		}
		if c.Text != "" {
			criteria = append(criteria, c)
		}
	}
	return criteria
}

// Validate returns the indexes of the criteria that no answer speaks to, as far
// as words can show it; whether an answer is a good one is not for words to tell.
func Validate(criteria []Criterion, answers []string) []int {
	said := []string{}
	for _, a := range answers {
		said = append(said, words(a)...)
	}
	var open []int
	for i, c := range criteria {
		if !c.met(said) {
			open = append(open, i)
		}
	}
	return open
}

func (c Criterion) met(said []string) bool {
	terms := c.Terms
	if len(terms) == 0 {
		for _, w := range words(c.Text) {
			if len(w) > longWord && !slices.Contains(terms, w) {
				terms = append(terms, w)
			}
		}
	}
	if len(terms) == 0 {
		return len(said) > 0
	}
	for _, t := range terms {
		if t == "#" && slices.ContainsFunc(said, startsWithDigit) || t != "#" && saysTerm(said, strings.Fields(t)) {
			return true
		}
	}
	return false
}

// longWord is how many bytes a word has at most that says nothing about a topic.
const longWord = 4

// saysTerm looks for a term's words in a row. A last one of some length may go
// on, so that "user" finds "users" and "fail" finds "failing", but "no" not "now".
func saysTerm(said, term []string) bool {
	last := len(term) - 1
	for i := 0; i+last < len(said); i++ {
		word := said[i+last]
		same := word == term[last] || len(term[last]) >= longWord && strings.HasPrefix(word, term[last])
		if same && slices.Equal(said[i:i+last], term[:last]) {
			return true
		}
	}
	return false
}

func startsWithDigit(w string) bool { return w[0] >= '0' && w[0] <= '9' }

// words are a text's words in lower case, without signs.
func words(s string) []string {
	return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}
