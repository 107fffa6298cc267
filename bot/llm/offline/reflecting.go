package offline

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/roundtable-chat/app/roundtable/thread"
)

// mostWords bounds what is repeated of an answer.
const mostWords = 20

// openers are how an answer is taken up; they take turns.
var openers = []string{"If I hear you right:", "That helps.", "Understood:", "Good to know:", "Worth keeping:"}

var (
	unknown = regexp.MustCompile(`(?i)^(?:(?:well|hmm+|sorry|honestly),? )*(?:(?:i|we) (?:really |honestly )?(?:do not|don't|dont) know|no idea|no clue|not (?:sure|known|decided)(?: yet)?|` +
		`nobody knows|unknown|unclear|hard to say|tbd|to be decided|good question)\b`)
	finished = regexp.MustCompile(`(?i)^(?:(?:no|nope|well|ok|okay),? )*(?:(?:that(?:'s| is)|this is)(?: really| about)? (?:all|it|everything)|nothing(?: else| more| to add)?|none|no more|see above|as i said|i said that already)\b[^.;:]{0,40}[.!]?$`)
)

// reflection takes up what was said since the last question: one person's words,
// or each person's with the name.
func reflection(said []thread.Turn) string {
	if len(said) == 0 {
		return ""
	}
	opener := openers[said[0].Number%len(openers)]
	var names []string
	for _, turn := range said {
		if !slices.Contains(names, turn.Person.ID) {
			names = append(names, turn.Person.ID)
		}
	}
	if len(names) == 1 {
		text := plain(said[len(said)-1].Text)
		switch {
		case unknown.MatchString(text):
			return "Nobody knows that yet, and I will say so in the document."
		case finished.MatchString(text), smalltalk.MatchString(text), text == "":
			return "All right."
		}
		told := telling(said)
		return takenUp(opener, told[0].text, told[0].decided)
	}
	var views []string
	for _, id := range names {
		mine := slices.DeleteFunc(slices.Clone(said), func(t thread.Turn) bool { return t.Person.ID != id })
		if told, ok := mostTelling(mine); ok {
			views = append(views, told.by.Name+" says “"+told.text+"”")
		}
	}
	if len(views) == 0 {
		return "All right."
	}
	if len(views) == 1 {
		return opener + " " + views[0] + "."
	}
	return opener + " " + strings.Join(views[:len(views)-1], ", ") + ", and " + views[len(views)-1] + "."
}

// takenUp is how one person's words are taken up. What is short is not repeated: the
// answer stands right above.
func takenUp(opener, text string, decided bool) string {
	const short = 6
	f := figure(text)
	switch {
	case decided:
		return "That is decided, then: " + ended(text)
	case f != "" && len(strings.Fields(text)) < mostWords/2:
		return "I work with that figure: " + f + "."
	case len(strings.Fields(text)) <= short:
		return "Understood."
	}
	if selves.MatchString(text) { // the lead is not the one who says so
		return strings.TrimSuffix(strings.TrimSuffix(opener, "."), ":") + ": “" + ended(capitalise(text)) + "”"
	}
	return opener + " " + ended(capitalise(text))
}

var selves = regexp.MustCompile(`(?i)\b(?:i|i['’]\w+|we|we['’]\w+|my|our|ours|me|us|you|your)\b`)

// told is what somebody said, in a sentence.
type told struct {
	text string
	by   thread.Person
	// decided is set when it was marked as a decision.
	decided bool
	worth   int
}

// telling are the gists of what people said, the most telling first: what decides,
// what has a figure, what worries, and then by what it says at all.
func telling(said []thread.Turn) []told {
	var all []told
	for _, turn := range said {
		for _, s := range sentencesOf(plain(turn.Text)) {
			t := told{text: clause(spelled.ReplaceAllString(s, "")), decided: spelled.MatchString(s), by: turn.Person, worth: min(len(contentStems(s)), 8)}
			if decides.MatchString(s) {
				t.worth += 6
			}
			if figure(s) != "" {
				t.worth += 3
			}
			if worries.MatchString(s) {
				t.worth += 2
			}
			if unknown.MatchString(s) || finished.MatchString(s) || strings.HasSuffix(s, "?") {
				t.worth = 0
			}
			all = append(all, t)
		}
	}
	slices.SortStableFunc(all, func(a, b told) int { return cmp.Compare(b.worth, a.worth) })
	return all
}

// mostTelling is the first of them; ok is false when nobody said anything.
func mostTelling(said []thread.Turn) (t told, ok bool) {
	all := telling(said)
	if len(all) == 0 {
		return told{}, false
	}
	return all[0], true
}

// gist is the first sentence of a text, shortened.
func gist(text string) string {
	sentences := sentencesOf(plain(text))
	if len(sentences) == 0 {
		return ""
	}
	return clause(spelled.ReplaceAllString(sentences[0], ""))
}

var sentenceEnd = regexp.MustCompile(`[.!?…]+["”')]*(?:\s+|$)`)

// sentencesOf cuts a text at the ends of its sentences, which stay without a full
// stop.
func sentencesOf(text string) []string {
	var sentences []string
	from := 0
	for _, end := range sentenceEnd.FindAllStringIndex(text, -1) {
		// "e.g. " and "approx. 40" end no sentence: the next one begins with a capital.
		if next := text[end[1]:]; next != "" && strings.ToUpper(next[:1]) != next[:1] || abbreviated.MatchString(text[from:end[1]]) {
			continue
		}
		sentences = append(sentences, strings.TrimRight(strings.TrimSpace(text[from:end[1]]), ". "))
		from = end[1]
	}
	if rest := strings.TrimRight(strings.TrimSpace(text[from:]), ". "); rest != "" {
		sentences = append(sentences, rest)
	}
	return slices.DeleteFunc(sentences, func(s string) bool { return s == "" })
}

var abbreviated = regexp.MustCompile(`(?i)(?:^|\s)(?:e\.g|i\.e|approx|ca|incl|excl|vs|etc|no|mr|mrs|dr)\.\s*$`)

// clause is a sentence of at most mostWords words: cut where a clause of it ends if
// one does, else after a word.
func clause(sentence string) string {
	words := strings.Fields(sentence)
	if len(words) <= mostWords {
		return sentence
	}
	for n := mostWords; n > 4; n-- {
		if strings.ContainsAny(words[n-1][len(words[n-1])-1:], ",;:") || slices.Contains([]string{"because", "but", "so", "which", "and", "since"}, words[n]) {
			return strings.TrimRight(strings.Join(words[:n], " "), ",;:") + " …"
		}
	}
	return strings.Join(words[:mostWords], " ") + " …"
}

// ended ends a sentence.
func ended(s string) string {
	if s == "" || strings.HasSuffix(s, "…") || strings.ContainsAny(s[len(s)-1:], ".!?") {
		return s
	}
	return s + "."
}

// pointFor makes what feedback came down to fit the lead's acknowledgement: after a
// preposition stands a quotation, anywhere else the clause itself.
func pointFor(template, text string) string {
	before, _, found := strings.Cut(template, "{point}")
	words := strings.Fields(before)
	if found && len(words) > 0 && slices.Contains([]string{"about", "for", "on", "of", "with"}, strings.ToLower(words[len(words)-1])) {
		return "“" + text + "”"
	}
	return text
}
