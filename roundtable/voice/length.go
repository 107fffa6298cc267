package voice

import "fmt"

// Length is how long contributions are in a discussion (FR-104).
type Length string

// The lengths. Empty is Normal.
const (
	Normal Length = ""      // two to four sentences or bullets
	Terse  Length = "terse" // one or two sentences
	Full   Length = "full"  // as long as a short paragraph or a list needs
)

// bounds are counts of words and the greatest count of sentences. One long
// sentence says as much as two, so that only words bound a text from below.
type bounds struct{ words, most, sentences int }

func (l Length) bounds() bounds {
	switch l {
	case Terse:
		return bounds{4, 45, 2}
	case Full:
		return bounds{8, 220, 12}
	case Normal:
	}
	return bounds{8, 90, 4}
}

// length counts words and sentences. Code is shown, not said, and counts as one
// word.
func (c *checking) length() {
	b := c.utterance.Length.bounds()
	words := len(split(shown.ReplaceAllStringFunc(c.text.whole, func(s string) string {
		if s[0] == '`' {
			return " code "
		}
		return s
	})))
	switch n := sentences(c.text); {
	case words < b.words:
		c.fault(RuleLength, fmt.Sprintf("Too short: say a whole thought, in at least %d words.", b.words))
	case words > b.most || n > b.sentences:
		c.fault(RuleLength, fmt.Sprintf("Too long: at most %d sentences and %d words.", b.sentences, b.most))
	}
}
