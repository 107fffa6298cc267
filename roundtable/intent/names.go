package intent

import (
	"slices"
	"strings"

	"github.com/roundtable-chat/app/roundtable/persona"
)

// names finds the personas' names in the words of a sentence: first names,
// aliases, and full names for what they begin with; never role names (FR-003).
type names struct {
	// byWord maps the first word of a name to the names that begin with it,
	// longest first.
	byWord map[string][]calling
}

// calling is a name as a run of words, and the seat that it means.
type calling struct {
	words []string
	seat  int
}

func newNames(cast []persona.Seat) names {
	index := names{byWord: map[string][]calling{}}
	for i, seat := range cast {
		for _, name := range append([]string{seat.Name, seat.First()}, seat.Aliases...) {
			words := strings.Fields(fold(name))
			if len(words) == 0 {
				continue
			}
			words[0] = strings.TrimPrefix(words[0], "@")
			index.byWord[words[0]] = append(index.byWord[words[0]], calling{words: words, seat: i})
		}
	}
	for _, callings := range index.byWord {
		slices.SortStableFunc(callings, func(a, b calling) int { return len(b.words) - len(a.words) })
	}
	return index
}

// seat replaces the names in a sentence by name tokens, joins names in a row to
// one token, and writes the sentence's form.
func (n names) seat(s *sentence) {
	tokens := make([]token, 0, len(s.tokens))
	for i := 0; i < len(s.tokens); {
		t, used := n.at(s.tokens[i:])
		tokens = append(tokens, t)
		i += used
	}
	s.tokens = join(tokens)
	s.form = form(s.tokens)
}

// at returns the token at the beginning of a run, named if it is a name, and
// how many tokens it takes up.
func (n names) at(run []token) (token, int) {
	t := run[0]
	if t.kind != aWord && t.kind != aHandle {
		return t, 1
	}
	word, owner := strings.CutSuffix(t.text, "'s")
	for _, c := range n.byWord[word] {
		if len(c.words) > len(run) || (owner && len(c.words) > 1) {
			continue
		}
		kind, ok := aName, true
		for k := 1; k < len(c.words) && ok; k++ {
			got := run[k].text
			if k == len(c.words)-1 && got == c.words[k]+"'s" {
				kind = anOwner
				got = c.words[k]
			}
			ok = run[k].kind == aWord && got == c.words[k]
		}
		if !ok {
			continue
		}
		if owner {
			kind = anOwner
		}
		named := token{kind: kind, text: t.text, seats: []int{c.seat}, capital: t.capital}
		if t.kind == aHandle && kind == aName {
			named.rule = ruleHandle
		}
		return named, len(c.words)
	}
	return t, 1
}

// join makes one token of names in a row: "Maya, Alex and Jordan", "@maya @alex".
// Two names with nothing but a comma between them and a word after them are two
// tokens: in "Jordan, Alex mentioned it" only the first is called.
func join(tokens []token) []token {
	out := make([]token, 0, len(tokens))
	for i := 0; i < len(tokens); {
		t := tokens[i]
		if t.kind != aName {
			out = append(out, t)
			i++
			continue
		}
		t.seats = slices.Clone(t.seats)
		end := i + 1
		for {
			next, with := nextName(tokens, end)
			if next < 0 {
				break
			}
			further, _ := nextName(tokens, next+1)
			if !with && further < 0 && tokens[next].rule == "" && goesOnWithWord(tokens, next+1) {
				break
			}
			t.seats = append(t.seats, tokens[next].seats...)
			if t.rule != tokens[next].rule {
				t.rule = ""
			}
			end = next + 1
		}
		out = append(out, t)
		i = end
	}
	return out
}

// goesOnWithWord tells whether a word stands at i that cannot continue a row:
// "Alex, Jordan and I" does.
func goesOnWithWord(tokens []token, i int) bool {
	return i < len(tokens) && tokens[i].kind != aSign && tokens[i].text != "and" && tokens[i].text != "or"
}

// nextName returns the place of a name that continues a row, and whether a word
// such as "and" joins it; -1 if none does.
func nextName(tokens []token, i int) (at int, with bool) {
	for k := i; k < len(tokens) && k < i+3; k++ {
		switch t := tokens[k]; {
		case t.kind == aName:
			return k, with
		case t.kind == aWord && (t.text == "and" || t.text == "or" || t.text == "then"):
			with = true
		case t.kind == aSign && (t.text == "," || t.text == "/"):
			with = with || t.text == "/"
		default:
			return -1, false
		}
	}
	return -1, false
}

// form writes tokens as the expressions of the rules read them.
func form(tokens []token) string {
	var b strings.Builder
	for i, t := range tokens {
		if i > 0 {
			b.WriteByte(' ')
		}
		switch t.kind {
		case aWord, aSign:
			b.WriteString(t.text)
		case aName:
			b.WriteByte('N')
		case anOwner:
			b.WriteByte('O')
		case aPerson:
			b.WriteByte('P')
		case aHandle:
			b.WriteByte('A')
		case theBot:
			b.WriteByte('B')
		case aCrowd:
			b.WriteByte('H')
		case aPicture, aThing:
			b.WriteByte('C')
		}
	}
	return b.String()
}
