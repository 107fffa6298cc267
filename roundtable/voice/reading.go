package voice

import (
	"regexp"
	"strings"
	"unicode"
)

// reading is a text taken apart.
type reading struct {
	// whole is the text with one kind of apostrophe and quotation mark; own is it
	// without what is only shown: code, quoted lines and quoted words.
	whole, own string
	// words are the words of own.
	words []word
}

// word is a word of a text, in lower case and as it was written.
type word struct {
	lower, as string
	// sentence counts the sentences before the word.
	sentence int
	// next is the byte after the word, or 0 at the end.
	next byte
}

var (
	typography = strings.NewReplacer("’", "'", "‘", "'", "“", `"`, "”", `"`, "„", `"`, "«", `"`, "»", `"`, "\u00a0", " ", "‑", "-", "&gt;", ">", "&lt;", "<", "&amp;", "&")
	shown      = regexp.MustCompile("(?s)```.*?```|`[^`\n]*`|\"[^\"\n]*\"")
	quotedLine = regexp.MustCompile(`(?m)^[ \t]*>.*$`)
	quotedWord = regexp.MustCompile(`(^|[\s(])'[^'\n]{1,80}'($|[\s).,;:?!])`)
)

// opaque takes the place of what is only shown.
const opaque = "\ufffc"

func read(text string) reading {
	whole := typography.Replace(text)
	own := quotedLine.ReplaceAllString(whole, "")
	own = shown.ReplaceAllString(own, opaque)
	own = quotedWord.ReplaceAllString(own, "${1}"+opaque+"${2}")
	return reading{whole: whole, own: own, words: split(own)}
}

// split finds the words of a text. Hyphens part words, so that "trade-off" and
// "trade off" are the same; apostrophes do not.
func split(text string) []word {
	var words []word
	from, sentence := -1, 0
	end := func(i int) {
		if from < 0 {
			return
		}
		as := strings.Trim(text[from:i], "'")
		if as != "" {
			w := word{lower: strings.ToLower(as), as: as, sentence: sentence}
			if i < len(text) {
				w.next = text[i]
			}
			words = append(words, w)
		}
		from = -1
	}
	for i, r := range text {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || r == '\'' {
			if from < 0 {
				from = i
			}
			continue
		}
		end(i)
		if strings.ContainsRune(".?!;\n", r) {
			sentence++
		}
	}
	end(len(text))
	return words
}

// lowers are the words of a text in lower case.
func lowers(words []word) []string {
	all := make([]string, len(words))
	for i, w := range words {
		all[i] = w.lower
	}
	return all
}

// sentences counts the sentences of a text; an item of a list is one, however it
// ends.
func sentences(r reading) int {
	text := shown.ReplaceAllString(quotedLine.ReplaceAllString(r.whole, ""), "code")
	n := 0
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if bullet.MatchString(line) {
			n++
			continue
		}
		if line == "" || strings.HasSuffix(line, ":") { // announces what follows
			continue
		}
		ends := len(sentenceEnd.FindAllString(abbreviation.ReplaceAllString(line, "such"), -1))
		if !strings.ContainsAny(line[len(line)-1:], `.?!)*_"'`) {
			ends++
		}
		n += max(ends, 1)
	}
	return n
}

var (
	bullet       = regexp.MustCompile(`^(?:[-*•–]|\d{1,2}[.)])\s`)
	sentenceEnd  = regexp.MustCompile(`(?:[.?!]+|…)["')*_]*(?:\s|$)`)
	abbreviation = regexp.MustCompile(`\b(?:e\.g\.|i\.e\.|etc\.|vs\.|approx\.|Dr\.|Mr\.|Ms\.)`)
)
