package document

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/kljensen/snowball/english"
	"golang.org/x/text/unicode/norm"
)

// bestSection gives the index in o.blocks of the heading that matches title
// best (FR-008): the same words; else one within the other; else most
// shared words, those of keywords included; else false. Keywords may be
// phrases. Of equals the first wins. A title that names its section shares no words with
// another.
func (o *outline) bestSection(title string, keywords []string, named bool) (int, bool) {
	documentTitle := o.documentTitle()
	wanted := newTopic(title, keywords)
	if documentTitle >= 0 {
		wanted.setting = stems(o.blocks[documentTitle].text)
	}
	best, bestScore := -1, score{}
	for i, b := range o.blocks {
		if b.level == 0 || b.ours {
			continue
		}
		s := wanted.rate(b.text)
		if i == documentTitle && s.rank != rankSame {
			// It governs everything, so to share words with it says nothing.
			continue
		}
		if s.beats(bestScore) && (s.rank != rankShared || !named) {
			best, bestScore = i, s
		}
	}
	return best, best >= 0
}

// documentTitle is the index of the heading that names the whole document, -1
// for none: the only one of level 1, before all others.
func (o *outline) documentTitle() int {
	first := slices.IndexFunc(o.blocks, func(b block) bool { return b.level > 0 })
	if first < 0 || o.blocks[first].level != 1 {
		return -1
	}
	for _, b := range o.blocks[first+1:] {
		if b.level == 1 {
			return -1
		}
	}
	return first
}

type rank int

const (
	rankNone rank = iota
	rankShared
	rankWithin
	rankSame
)

// score orders headings: by rank, then by points.
type score struct {
	rank   rank
	points float64
}

func (s score) beats(t score) bool {
	if s.rank != t.rank {
		return s.rank > t.rank
	}
	return s.points > t.points
}

// topic is what is looked for, as word stems.
type topic struct {
	title   []string
	phrases [][]string
	words   map[string]bool // of the phrases
	// setting are the words of the document's title: in an impact analysis,
	// "impact" tells no section from another.
	setting []string
}

func newTopic(title string, keywords []string) topic {
	t := topic{title: stems(title), words: map[string]bool{}}
	for _, k := range keywords {
		phrase := stems(k)
		if len(phrase) == 0 {
			continue
		}
		t.phrases = append(t.phrases, phrase)
		for _, w := range phrase {
			t.words[w] = true
		}
	}
	return t
}

func (t topic) rate(heading string) score {
	words := stems(heading)
	if len(words) == 0 || len(t.title) == 0 && len(t.phrases) == 0 {
		return score{}
	}
	if slices.Equal(words, t.title) {
		return score{rankSame, 0}
	}
	if points := t.within(words, t.title); points > 0 {
		return score{rankWithin, points}
	}
	return t.rateShared(words)
}

// within rates one text inside the other by the share of the longer one that
// the shorter covers; 0 if neither is inside, or if only a small or an
// indistinct part is: "Risk" alone does not claim "Quality & Risk Assessment",
// it only shares a word with it.
func (t topic) within(a, b []string) float64 {
	short, long := a, b
	if len(short) > len(long) {
		short, long = long, short
	}
	if !containsRun(long, short) {
		return 0
	}
	share := t.weight(short) / t.weight(long)
	if share <= 0.5 && len(short) < 2 || share < 0.4 {
		return 0
	}
	return share
}

const (
	titlePoints   = 3.0
	keywordPoints = 2.0
	phrasePoints  = 6.0
	// strayPoints is what a heading loses for each word nobody asked for, so
	// that of two with the same shared words the narrower wins.
	strayPoints = 0.1
)

// rateShared counts shared words. A single shared word in a long heading is an
// accident, so a share of the heading is required too; a heading with no word
// but the title's is none, however indistinct its words.
func (t topic) rateShared(words []string) score {
	points, shared, fromTitle, inTitle := 0.0, 0.0, 0.0, 0
	distinct := slices.Compact(slices.Sorted(slices.Values(words)))
	for _, w := range distinct {
		switch {
		case slices.Contains(t.title, w):
			points += titlePoints * t.wordWeight(w)
			fromTitle += t.wordWeight(w)
			inTitle++
			shared += t.wordWeight(w)
		case t.words[w]:
			points += keywordPoints * t.wordWeight(w)
			shared += t.wordWeight(w)
		default:
			points -= strayPoints
		}
	}
	phrase := false
	for _, p := range t.phrases {
		if slices.Equal(p, words) || len(p) > 1 && containsRun(words, p) {
			phrase = true
		}
	}
	if phrase {
		points += phrasePoints
	}
	share := shared / t.weight(distinct)
	if phrase || inTitle == len(distinct) || fromTitle >= 1 && share >= 0.3 || shared >= 1 && share >= 0.6 {
		return score{rankShared, points}
	}
	return score{}
}

func containsRun(long, run []string) bool {
	for i := 0; i+len(run) <= len(long); i++ {
		if slices.Equal(long[i:i+len(run)], run) {
			return true
		}
	}
	return false
}

func (t topic) weight(words []string) float64 {
	sum := 0.0
	for _, w := range words {
		sum += t.wordWeight(w)
	}
	return sum
}

// indistinct holds for stems that name a kind of work or text rather than a
// subject; most step titles have one.
func indistinct(stem string) bool {
	switch stem {
	case "assess", "discoveri", "definit", "analysi", "overview", "summari", "review", "identif", "estim",
		"write", "detail", "section", "note", "approv", "user", "document", "general", "descript",
		"current", "propos", "list", "introduct", "addit", "other", "system", "design", "specif",
		"manag", "core":
		return true
	default:
		return false
	}
}

func (t topic) wordWeight(stem string) float64 {
	if indistinct(stem) || slices.Contains(t.setting, stem) {
		return 0.3
	}
	return 1
}

func isStopWord(word string) bool {
	switch word {
	case "a", "an", "the", "and", "or", "of", "for", "in", "on", "to", "with", "by", "at", "from", "our",
		"s", "vs", "is", "are", "we":
		return true
	default:
		return false
	}
}

// numbering is what outlines put before a heading: "3.", "2.1", "A)", "IV.",
// "Section 4:", "Step 01-03 -".
var numbering = regexp.MustCompile(`^(?i:(?:(?:section|part|step|phase|chapter|appendix)\s+)?\d+(?:[.\-]\d+)*[.):]?\s+(?:[-–—:]+\s+)?|(?:section|part|step|phase|chapter|appendix)\s+[\da-z]+(?:[.\-]\d+)*\s*[-–—:.]+\s*|[a-z][.)]\s+|[ivx]+[.)]\s+)`)

// stems gives the words of s that carry meaning, folded and stemmed.
func stems(s string) []string {
	s = strings.TrimSpace(norm.NFKC.String(s))
	if rest := numbering.ReplaceAllString(s, ""); rest != "" {
		s = rest
	}
	fields := strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
	})
	words := make([]string, 0, len(fields))
	for _, w := range fields {
		if !isStopWord(w) {
			words = append(words, english.Stem(w, false))
		}
	}
	return words
}
