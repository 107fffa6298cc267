package intent

import (
	"strings"

	"github.com/roundtable-chat/app/roundtable/persona"
)

// Domains returns the personas whose own ground a message touches, in the order
// of the cast: those with a keyword or phrase of Seat.Domain in it, as whole
// words, singular or plural. Code, quotes and link targets count for nothing.
// After a message to nobody in particular the lead answers, and these may add
// something (FR-003).
func Domains(text string, cast []persona.Seat) []persona.Key {
	return Read(text, Participants{Cast: cast}).Domains(cast)
}

func (r Reading) Domains(cast []persona.Seat) []persona.Key {
	var stems []string
	for _, s := range r.sentences {
		for _, t := range s.tokens {
			if t.kind == aWord {
				stems = append(stems, stemsOf(t.text)...)
			}
		}
		stems = append(stems, "") // no phrase reaches across sentences
	}
	said := make(map[string][]int, len(stems)) // where each stem stands
	for i, stem := range stems {
		said[stem] = append(said[stem], i)
	}
	var touched []persona.Key
	for _, seat := range cast {
		for _, keyword := range seat.Domain {
			keyword = fold(keyword)
			if _, begun := said[firstStem(keyword)]; begun && phraseIn(stemsOf(keyword), stems, said) {
				touched = append(touched, seat.Key)
				break
			}
		}
	}
	return touched
}

// phraseIn tells whether the stems of a phrase stand in a row.
func phraseIn(phrase, stems []string, said map[string][]int) bool {
	if len(phrase) == 0 {
		return false
	}
next:
	for _, at := range said[phrase[0]] {
		if at+len(phrase) > len(stems) {
			return false
		}
		for k, stem := range phrase {
			if stems[at+k] != stem {
				continue next
			}
		}
		return true
	}
	return false
}

// stemsOf cuts a word or phrase at spaces and hyphens, so that "trade-off" and
// "trade off" are the same, and takes the plural off each part.
func stemsOf(phrase string) []string {
	parts := strings.FieldsFunc(phrase, func(r rune) bool { return strings.ContainsRune(betweenWords, r) })
	for i, part := range parts {
		parts[i] = Singular(part)
	}
	return parts
}

const betweenWords = " -\t"

// firstStem is the first of stemsOf. Nearly no keyword's stands in a message, so that it
// is looked at before the others are made.
func firstStem(phrase string) string {
	phrase = strings.TrimLeft(phrase, betweenWords)
	if i := strings.IndexAny(phrase, betweenWords); i >= 0 {
		phrase = phrase[:i]
	}
	return Singular(phrase)
}

// Singular takes the regular English plural, or the possessive, off a word. It
// need not be right, only the same for both numbers of a word.
func Singular(word string) string {
	word = strings.TrimSuffix(word, "'s")
	switch {
	case len(word) < 4, strings.HasSuffix(word, "ss"), strings.HasSuffix(word, "us"), strings.HasSuffix(word, "is"):
		return word
	case strings.HasSuffix(word, "ies"):
		return strings.TrimSuffix(word, "ies") + "y"
	}
	word = strings.TrimSuffix(word, "s")
	for _, sibilant := range []string{"sse", "xe", "ze", "che", "she"} {
		if strings.HasSuffix(word, sibilant) {
			return strings.TrimSuffix(word, "e") // "cache" and "caches", "match" and "matches"
		}
	}
	return word
}
