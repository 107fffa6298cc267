package offline

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/jdkato/prose/v3/segment"
	"github.com/jdkato/prose/v3/tag"
	"github.com/jdkato/prose/v3/tokenize"
	"github.com/kljensen/snowball/english"
)

// reader takes messages apart. It is safe for concurrent use.
type reader struct {
	sentences *segment.Segmenter
	tokens    *tokenize.Tokenizer
	tags      *tag.Tagger
	// known are readings of lately read texts: topic and context are the same in
	// every round of a discussion.
	known *lru.Cache[string, reading]
	// titles says of lately read topics whether they are noun phrases.
	titles *lru.Cache[string, bool]
	// roots are the stems of lately read topics.
	roots *lru.Cache[string, []string]
}

// knownReadings bounds what is remembered: about a kilobyte each.
const knownReadings = 2048

func newReader() (*reader, error) {
	sentences, err := segment.New()
	if err != nil {
		return nil, fmt.Errorf("load sentence model: %w", err)
	}
	tags, err := tag.New()
	if err != nil {
		return nil, fmt.Errorf("load tagger: %w", err)
	}
	known, err := lru.New[string, reading](knownReadings)
	if err != nil {
		return nil, fmt.Errorf("remember readings: %w", err)
	}
	titles, err := lru.New[string, bool](knownReadings)
	if err != nil {
		return nil, fmt.Errorf("remember titles: %w", err)
	}
	roots, err := lru.New[string, []string](knownReadings)
	if err != nil {
		return nil, fmt.Errorf("remember stems: %w", err)
	}
	return &reader{sentences: sentences, tokens: tokenize.New(), tags: tags, known: known, titles: titles, roots: roots}, nil
}

// stems are the content stems of a text that comes again, such as a topic. They are
// shared: nobody changes them.
func (r *reader) stems(text string) []string {
	if known, ok := r.roots.Get(text); ok {
		return known
	}
	stems := contentStems(plain(text))
	r.roots.Add(text, stems)
	return stems
}

// act is what a message does.
type act string

// The acts, in the order in which they are tried.
const (
	actUnclear   act = "unclear"
	actDecision  act = "decision"
	actChoice    act = "choice"
	actConcern   act = "concern"
	actQuestion  act = "question"
	actSmall     act = "small" // thanks, hello, ok
	actStatement act = "statement"
)

// reading is a message as understood.
type reading struct {
	text      string // plain
	act       act
	sentences []string
	keys      []string  // noun phrases, the most telling first
	options   [2]string // of a choice, gerunds or noun phrases
	figure    string    // a figure with its unit
	stems     []string  // content words
	words     int
}

// read takes a message apart. names are words that are nobody's subject: people
// and personas. The reading is shared: nobody changes it.
func (r *reader) read(text string, names map[string]bool) reading {
	key := strings.Join(slices.Sorted(maps.Keys(names)), " ") + "\x00" + text
	if rd, ok := r.known.Get(key); ok {
		return rd
	}
	rd := r.understand(text, names)
	r.known.Add(key, rd)
	return rd
}

func (r *reader) understand(text string, names map[string]bool) reading {
	rd := reading{text: plain(text)}
	rd.sentences = r.sentences.SegmentText(rd.text)
	rd.words = len(strings.Fields(rd.text))
	if !looksEnglish(rd.text) {
		rd.act = actUnclear
		return rd
	}
	tagged := make([][]tag.Token, len(rd.sentences))
	for i, s := range rd.sentences {
		tagged[i] = r.tag(s)
	}
	rd.keys = keyPhrases(tagged, names)
	rd.figure = figure(rd.text)
	rd.stems = contentStems(rd.text)
	for i, s := range rd.sentences {
		if a, b, ok := optionsOf(s, tagged[i]); ok {
			rd.options = [2]string{a, b}
		}
	}
	rd.act = actOf(rd)
	return rd
}

// tag splits a sentence into tagged words.
func (r *reader) tag(sentence string) []tag.Token {
	tokens := r.tokens.Tokenize(sentence)
	r.tags.TagTokens(tokens)
	return tokens
}

var (
	decides = regexp.MustCompile(`(?i)^(?:ok(?:ay)?,? |so,? |then,? |right,? |alright,? |agreed,? |fine,? )*` +
		`(?:decision:|decided\b|agreed\b|(?:let's|let us) (?:go|do|keep|use|move|start|take|stick|drop|ship|pick|leave|not)\b|` +
		`(?:we|i) (?:have |'ve )?(?:decided|agreed|chose|choose|settled|decide|agree to|settle)\b|` +
		`we(?:'ll| will|'re going to| are going to|'re| are) (?:go(?:ing)? with|keep(?:ing)?|us(?:e|ing)|do(?:ing)? it|drop(?:ping)?|stick(?:ing)?|tak(?:e|ing)|ship(?:ping)?|start(?:ing)?|leav(?:e|ing))\b|` +
		`i(?:'ll| will| would|'d) (?:go with|choose|pick|take)\b|my decision\b|the decision\b|final(?:ly)?:)`)
	worries = regexp.MustCompile(`(?i)\b(?:worr(?:y|ied|ies)|concern(?:ed|s)?|afraid|scared|nervous|risk(?:y|s)?|what if|problem(?:s|atic)?|` +
		`might break|could break|will break|breaks|doubt|unsure|not sure|fail(?:s|ed|ing|ure)?|lose|lost|hate|complain\w*|painful|too slow|too late|dangerous|fear|corrupt\w*|crash\w*|outage\w*)\b`)
	asks      = regexp.MustCompile(`(?i)(?:\?\s*$|^(?:who|what|when|where|why|how|which|should|shall|can|could|do|does|did|is|are|will|would|has|have)\b[^.!]*$)`)
	smalltalk = regexp.MustCompile(`(?i)^(?:(?:hi|hello|hey|thanks|thank you|thx|ok|okay|cool|great|nice|good|perfect|sure|yes|yep|no|nope|hmm+|lol|haha|` +
		`morning|good morning|welcome|all|there|team|everyone|so much|very much|a lot|sounds good|makes sense|got it|fair enough|agreed|interesting|i see|right|indeed|exactly|for that|point|to me)[\s,.!]*)+$`)
)

func actOf(rd reading) act {
	if smalltalk.MatchString(rd.text) {
		return actSmall
	}
	for _, s := range rd.sentences {
		if decides.MatchString(s) && !strings.HasSuffix(s, "?") {
			return actDecision
		}
	}
	asked := false
	for _, s := range rd.sentences {
		asked = asked || asks.MatchString(s)
	}
	switch {
	case asked && rd.options[0] != "":
		return actChoice
	case worries.MatchString(rd.text):
		return actConcern
	case asked:
		return actQuestion
	}
	return actStatement
}

// figureShape is a number with a unit of its own or a percentage.
var figureShape = regexp.MustCompile(`(?i)(?:[$€£]\s?\d[\d.,]*\s?[kmb]?\b|\b\d[\d.,]*\s?(?:%|percent|ms|milliseconds?|s|seconds?|minutes?|hours?|days?|weeks?|months?|` +
	`kb|mb|gb|tb|users?|customers?|requests?|records?|rows?|orders?|files?|events?|messages?|people|teams?|services?|clients?|tickets?|devices?|k|million|billion)(?:\b|$))`)

// figure returns a figure that the text states, with its unit, or "".
func figure(text string) string { return strings.TrimSpace(figureShape.FindString(text)) }

// stem reduces a word to what its forms share.
func stem(word string) string { return english.Stem(strings.ToLower(word), true) }

var wordShape = regexp.MustCompile(`[\p{L}][\p{L}\p{N}'-]*`)

// contentStems are the stems of the words that carry meaning, in order, once.
func contentStems(text string) []string {
	var stems []string
	seen := map[string]bool{}
	for _, w := range wordShape.FindAllString(strings.ToLower(text), -1) {
		s := stem(w)
		if len(w) > 2 && !function[w] && !vague[w] && !seen[s] {
			seen[s] = true
			stems = append(stems, s)
		}
	}
	return stems
}

// looksEnglish is a guess for text long enough to guess about: in English of six
// words or more every fourth is a function word, few letters are beyond ASCII,
// and other languages' function words are absent.
func looksEnglish(text string) bool {
	words := wordShape.FindAllString(strings.ToLower(text), -1)
	if len(words) == 0 || strings.ContainsAny(text, "¿¡") {
		return false
	}
	foreign, letters, known, others := 0, 0, 0, 0
	for _, w := range words {
		if function[w] || vague[w] {
			known++
		}
		if otherTongues[w] {
			others++
		}
		for _, r := range w {
			letters++
			if r >= 0x80 {
				foreign++
			}
		}
	}
	if foreign*5 > letters {
		return false
	}
	return others < 2 && (len(words) < 6 || known*4 >= len(words))
}
