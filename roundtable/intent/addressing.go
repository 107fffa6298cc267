package intent

import (
	"slices"
	"strings"
)

// A persona's name either calls the persona ("Alex, what breaks first?") or
// speaks of it ("Alex said so"). Only a call addresses (FR-003, AC-003-02). What
// stands before and after the name decides.

// addressed returns the seats that the message calls or asks for, in the order
// named, and the rule by which the first was found.
func (r Reading) addressed() ([]int, string) {
	var seats []int
	var rule string
	for n, s := range r.sentences {
		var wanted []int
		if r.atEdge(n) {
			wanted = s.wanted()
		}
		nth := 0
		for i, t := range s.tokens {
			if t.kind != aName && t.kind != anOwner {
				continue
			}
			how := ""
			if t.kind == aName {
				how = s.call(i)
			}
			if how == "" && slices.Contains(wanted, nth) {
				how = ruleNameAsked
			}
			nth++
			if how == "" {
				continue
			}
			if rule == "" {
				rule = how
			}
			for _, seat := range t.seats {
				if !slices.Contains(seats, seat) {
					seats = append(seats, seat)
				}
			}
		}
	}
	return seats, rule
}

// longestAsking is the number of tokens beyond which a sentence is not searched
// for a roundabout address; it bounds the time.
const longestAsking = 60

// wanted returns which of the names in the sentence, counted from 0 and
// possessives included, somebody asks to hear.
func (s sentence) wanted() []int {
	if len(s.tokens) > longestAsking || !s.namesAmidWords() {
		return nil
	}
	var out []int
	for _, match := range askedFor.FindAllStringSubmatchIndex(s.form, -1) {
		for g := 2; g+1 < len(match); g += 2 {
			if match[g] < 0 {
				continue
			}
			if notAskedFor.MatchString(s.form[:match[g]]) {
				continue
			}
			before := s.form[:match[g]]
			out = append(out, strings.Count(before, "N")+strings.Count(before, "O"))
		}
	}
	return out
}

// namesAmidWords tells whether a name stands right before or after a word, as in
// every way of asking for a persona. Most names are followed by a comma and
// preceded by nothing, and the search is dear.
func (s sentence) namesAmidWords() bool {
	for i := range len(s.form) {
		if s.form[i] != 'N' && s.form[i] != 'O' {
			continue
		}
		if i >= 2 && lower(s.form[i-2]) || i+2 < len(s.form) && lower(s.form[i+2]) {
			return true
		}
	}
	return false
}

func lower(c byte) bool { return 'a' <= c && c <= 'z' }

// call returns the rule by which the i-th token, a name, calls the persona, or
// nothing if it speaks of it.
func (s sentence) call(i int) string {
	t := s.tokens[i]
	if t.rule == ruleUserGroup {
		return ruleUserGroup
	}
	spokenOf := s.spokenOf(i)
	switch {
	case t.rule == ruleHandle && !spokenOf && !s.governed(i):
		return ruleHandle
	case s.opens(i):
		if s.calledAtStart(i) {
			return ruleNameStart
		}
	case spokenOf:
	case s.followed(i, ""):
		if s.calledAtEnd(i) {
			return ruleNameEnd
		}
	case s.followed(i, ",:-/"):
		if s.calledAtEnd(i) {
			return ruleNameMiddle
		}
	case s.starts(i) && (s.preceded(i) || !s.governed(i) && (s.startsWithYou(i) || i < longestAsking && warmRemark.MatchString(form(s.tokens[:i])))):
		return ruleNameMiddle
	}
	return ""
}

// startsWithYou tells whether what follows the i-th token says "you" at once.
func (s sentence) startsWithYou(i int) bool {
	return strings.HasPrefix(s.word(i+1), "you") || s.word(i+2) == "you"
}

// opens tells whether nothing but openers stands before the name, in the
// sentence or in what follows a comma.
func (s sentence) opens(i int) bool {
	for k := i - 1; k >= 0; k-- {
		if i-k > 8 {
			return false
		}
		switch t := s.tokens[k]; t.kind {
		case aPerson, theBot, aCrowd, aHandle, aPicture, aThing:
		case aSign:
			if t.text == ":" || t.text == "(" {
				return true
			}
			if t.text != "," && t.text != "-" {
				return false
			}
		case aWord:
			if !among(t.text, wordsOpening) {
				return false
			}
		case aName, anOwner:
			return false
		}
	}
	return true
}

// calledAtStart decides for a name that opens a sentence.
func (s sentence) calledAtStart(i int) bool {
	if i+1 == len(s.tokens) {
		return true
	}
	next := s.tokens[i+1]
	switch next.kind {
	case aSign:
		return next.text == "," || next.text == ":" || next.text == "-"
	case aWord:
	case aName, anOwner, aPerson, aHandle, theBot, aCrowd, aPicture, aThing:
		return true
	}
	if s.starts(i) {
		return true
	}
	if s.spokenOf(i) {
		return false
	}
	if len(s.tokens[i].seats) > 1 { // "Maya and Alex disagree", "Maya and Alex settle this please"
		return strings.Contains(s.form, "please") || secondPerson.MatchString(s.form)
	}
	if among(next.text, verbsModal) || among(next.text, verbsSingular) || next.capital {
		return false
	}
	return true
}

// starts tells whether what follows the i-th token is said to somebody who was
// just called: a question, a request, "you".
func (s sentence) starts(i int) bool {
	next, after := s.word(i+1), s.word(i+2)
	single := len(s.tokens[i].seats) <= 1
	switch {
	case next == "":
		return false
	case among(next, wordsToYou):
		return true
	case single && among(next, verbsPlural):
		return true
	case !among(next, verbsModal) && !among(next, verbsSingular) && !among(next, verbsPlural):
		return false
	case among(after, subjectsYou):
		return true
	case among(after, subjectsThis):
		return s.asks || (among(next, verbsModal) || next == "is" || next == "isn't")
	case !s.asks || after == "":
		return false
	case among(next, verbsModal):
		return !among(after, verbsBase)
	default:
		return among(next, verbsSingular) && !among(after, predicates) && !strings.HasSuffix(after, "ing")
	}
}

// spokenOf tells whether what follows the name makes it the subject of a
// statement, or part of a longer name.
func (s sentence) spokenOf(i int) bool {
	if i+1 >= len(s.tokens) || s.starts(i) {
		return false
	}
	next := s.tokens[i+1]
	if next.kind == aSign {
		return next.text == "("
	}
	if next.kind == aWord && among(next.text, adverbs) {
		return s.spokenOf(i + 1)
	}
	return next.kind == aWord && (among(next.text, wordsOfReport) || thirdPerson(next.text) || pastTense(next.text))
}

// governed tells whether the word before the name makes it an object.
func (s sentence) governed(i int) bool {
	before := s.word(i - 1)
	return among(before, wordsGoverning) || !s.asks && among(before, verbsTaking)
}

// calledAtEnd decides for a name with nothing of its clause after it.
func (s sentence) calledAtEnd(i int) bool {
	before := s.word(i - 1)
	if before == "" { // a sign or an entity
		return s.tokens[i-1].kind != aSign || s.tokens[i-1].text == "," || s.tokens[i-1].text == "-"
	}
	if s.governed(i) && before != "that" && before != "this" &&
		!(before == "on" && among(s.word(i-2), " go come hold carry ")) { // "go on, Alex" without its comma
		return false
	}
	if s.asks || among(before, wordsBeforeCall) {
		return true
	}
	if i > longestAsking {
		return false
	}
	said := form(s.tokens[:i])
	return secondPerson.MatchString(said) || warmRemark.MatchString(said) || questionOpening.MatchString(said)
}

// preceded tells whether a comma, or a word that joins clauses, stands before
// the name.
func (s sentence) preceded(i int) bool {
	before := s.tokens[i-1]
	if before.kind == aSign {
		return before.text == "," || before.text == ":" || before.text == "-"
	}
	switch before.text {
	case "and", "but", "so", "then", "or":
		return true
	}
	return before.kind != aWord
}

// followed tells whether the sentence ends after the i-th token or, with signs,
// whether one of these follows it.
func (s sentence) followed(i int, signs string) bool {
	if signs == "" {
		return i+1 == len(s.tokens)
	}
	return i+1 < len(s.tokens) && s.tokens[i+1].kind == aSign && strings.Contains(signs, s.tokens[i+1].text)
}

// word returns the text of the k-th token if it is a word.
func (s sentence) word(k int) string {
	if k < 0 || k >= len(s.tokens) || s.tokens[k].kind != aWord {
		return ""
	}
	return s.tokens[k].text
}

// thirdPerson guesses whether a word is a verb in the third person: "wants".
func thirdPerson(word string) bool {
	return len(word) > 3 && strings.HasSuffix(word, "s") && !strings.HasSuffix(word, "ss") &&
		!strings.HasSuffix(word, "us") && word != "this" && word != "perhaps"
}

// pastTense guesses whether a word is a verb in the past: "mentioned".
func pastTense(word string) bool {
	if !strings.HasSuffix(word, "ed") || len(word) < 4 {
		return false
	}
	switch word {
	case "need", "feed", "speed", "proceed", "embed", "agreed":
		return word == "agreed"
	}
	return true
}
