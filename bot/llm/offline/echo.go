package offline

import (
	"unicode"
	"unicode/utf8"
)

// grams are the three-word sequences of a text, each as a hash: what is compared for
// echoes is compared often. Two sequences of one hash would make an echo of what is
// none, once in some billion contributions.
type grams []uint64

// The constants of FNV-1a with 64 bits.
const (
	fnvOffset = 14695981039346656037
	fnvPrime  = 1099511628211
)

// gramsOf takes a text apart. Letters, digits, apostrophes and hyphens make words.
func gramsOf(text string) grams {
	var all grams
	var before, last uint64 // words
	word, words := uint64(fnvOffset), 0
	flush := func() {
		if word == fnvOffset {
			return
		}
		if words++; words > 2 {
			if all == nil {
				all = make(grams, 0, len(text)/4)
			}
			all = append(all, ((before*fnvPrime)^last)*fnvPrime^word)
		}
		before, last, word = last, word, fnvOffset
	}
	for i := 0; i < len(text); {
		r, size := rune(text[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(text[i:])
		}
		i += size
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '\'', r == '-':
		case r >= 'A' && r <= 'Z':
			r += 'a' - 'A'
		case r >= utf8.RuneSelf:
			if r = unicode.ToLower(r); !unicode.IsLetter(r) && !unicode.IsDigit(r) {
				flush()
				continue
			}
		default:
			flush()
			continue
		}
		word = (word ^ uint64(r)) * fnvPrime //nolint:gosec // a rune of text is not negative
	}
	flush()
	return all
}

// echo is the share of the sequences that another text holds. There are at most some
// dozens on either side.
func (g grams) echo(other grams) float64 {
	shared := 0
	for _, a := range g {
		for _, b := range other {
			if a == b {
				shared++
				break
			}
		}
	}
	if shared == 0 {
		return 0
	}
	return float64(shared) / float64(len(g))
}

// echo is the share of a text's three-word sequences that another text holds.
func echo(text, other string) float64 { return gramsOf(text).echo(gramsOf(other)) }
