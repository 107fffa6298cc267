package intent

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// token is a word, a sign or a Slack entity of a message.
type token struct {
	kind tokenKind
	// text is the lower-case word, or the sign.
	text string
	// seats are the personas named, in order; only for aName and anOwner.
	seats []int
	// rule is the rule that a name of this shape stands for, if any.
	rule string
	// capital tells that the word began with a capital letter.
	capital bool
}

type tokenKind uint8

const (
	aWord    tokenKind = iota
	aSign              // , : - / ( and the like, within a sentence
	aName              // one or several personas
	anOwner            // a persona's name in the possessive
	aPerson            // a mention of a person, or of a group of people
	aHandle            // "@priya" typed by hand
	theBot             // a mention of the app
	aCrowd             // @here, @channel, @everyone
	aPicture           // an emoji: decoration
	aThing             // code, quoted words, a link, a channel, a date
)

// sentence is a run of tokens up to a full stop, a question or an exclamation
// mark, or the end of a line.
type sentence struct {
	tokens []token
	asks   bool
	// form is the sentence in lower case with single spaces, entities replaced
	// by capitals (N name, O possessive, P person, A handle, B the app, H crowd,
	// C thing), for the expressions of the rules.
	form string
}

// Reading is a message taken apart.
type Reading struct {
	sentences []sentence
	// code is the text of the only code span, if the message is nothing else.
	code  string
	blank bool
}

// edge is how many sentences at the beginning and at the end of a message are
// searched for turns of phrase. What a message asks stands there, and the time
// for the longest message stays within milliseconds. Names are looked for
// everywhere.
const edge = 10

// atEdge tells whether the i-th sentence is near the beginning or the end.
func (r Reading) atEdge(i int) bool {
	return i < edge || i >= len(r.sentences)-edge
}

// scanner turns stripped text into sentences.
type scanner struct {
	table   Participants
	rest    string
	last    rune // the rune before rest
	current sentence
	out     Reading
	content bool // something was said besides mentioning the app
	things  int
	others  int
}

func Read(text string, t Participants) Reading {
	p := strip(text, t.Cast)
	s := &scanner{table: t, rest: p.text, last: '\n'}
	for s.rest != "" {
		s.next()
	}
	s.end(false)
	s.out.blank = !s.content
	if p.pieces == 1 && s.things == 1 && s.others == 0 {
		s.out.code = p.code
	}
	index := newNames(t.Cast)
	for i := range s.out.sentences {
		index.seat(&s.out.sentences[i])
	}
	return s.out
}

// next consumes at least one rune of the rest.
func (s *scanner) next() {
	r, size := firstRune(s.rest)
	switch {
	case r == '\n':
		s.skip(size)
		s.end(false)
	case invisible(r):
		s.skip(size)
	case r == '<':
		s.entity()
	case r == opaque:
		s.skip(size)
		s.add(token{kind: aThing})
	case r == '&':
		s.escape()
	case r == '@' && !wordRune(s.last):
		s.handle()
	case r == ':' && s.shortcode():
	case wordRune(r):
		s.word()
	default:
		s.sign(r, size)
	}
}

func (s *scanner) skip(n int) {
	s.last, _ = utf8.DecodeLastRuneInString(s.rest[:n])
	s.rest = s.rest[n:]
}

// The first sentence is expected to take all of the message, up to a good length: most
// messages are one sentence.
const (
	averageWord = 6
	manyWords   = 24
)

func (s *scanner) add(t token) {
	switch t.kind {
	case theBot:
	case aThing:
		s.content = true
		s.things++
	case aWord, aSign, aName, anOwner, aPerson, aHandle, aCrowd, aPicture:
		s.content = true
		s.others++
	}
	if t.kind == aPicture {
		return
	}
	if s.current.tokens == nil && len(s.out.sentences) == 0 {
		s.current.tokens = make([]token, 0, min(len(s.rest)/averageWord, manyWords)+1)
	}
	s.current.tokens = append(s.current.tokens, t)
}

// end closes the sentence.
func (s *scanner) end(asks bool) {
	if len(s.current.tokens) > 0 {
		s.current.asks = asks
		s.out.sentences = append(s.out.sentences, s.current)
	} else if n := len(s.out.sentences); asks && n > 0 && s.last != '\n' {
		s.out.sentences[n-1].asks = true // "…?", "!?"
	}
	s.current = sentence{}
}

// sign consumes punctuation, decoration or a symbol.
func (s *scanner) sign(r rune, size int) {
	spaced := !wordRune(s.last)
	s.skip(size)
	switch r {
	case '?', '？', '؟', '⁇', '⁉':
		s.content = true
		s.others++
		s.end(true)
	case '.', '!', '…', '。', '！':
		s.content = true
		s.others++
		s.end(false)
	case ',', ';', '，', '、':
		s.add(token{kind: aSign, text: ","})
	case ':', '：':
		s.add(token{kind: aSign, text: ":"})
	case '–', '—':
		s.add(token{kind: aSign, text: "-"})
	case '-':
		if spaced && len(s.current.tokens) > 0 {
			s.add(token{kind: aSign, text: "-"})
		}
		s.content = true
	case '/', '(', ')', '[', ']':
		s.add(token{kind: aSign, text: string(r)})
	case '+':
		if next, _ := firstRune(s.rest); unicode.IsDigit(next) {
			s.add(token{kind: aPicture}) // "+1"
		} else {
			s.add(token{kind: aWord, text: "and"})
		}
	case '*', '_', '~', '\'', '’', '‘', '"', '•':
		s.content = true // emphasis; it counts for nothing but for being there
	default:
		s.add(token{kind: aPicture})
	}
}

// word consumes a word: letters and digits, joined within by apostrophes,
// hyphens, underscores and dots ("isn't", "alex-ui", "alex.go"). A mail address
// or a bare link is consumed whole, as a thing.
func (s *scanner) word() {
	n := wordLength(s.rest)
	if end := n; strings.HasPrefix(s.rest[end:], "://") || (strings.HasPrefix(s.rest[end:], "@") && wordLength(s.rest[end+1:]) > 0) {
		if space := strings.IndexAny(s.rest, " \t\n<>"); space >= 0 {
			s.skip(space)
		} else {
			s.skip(len(s.rest))
		}
		s.add(token{kind: aThing})
		return
	}
	first, _ := firstRune(s.rest)
	text := fold(s.rest[:n])
	s.skip(n)
	s.add(token{kind: aWord, text: text, capital: unicode.IsUpper(first)})
}

// wordLength returns the length of the word at the beginning of s, in bytes.
func wordLength(s string) int {
	n := 0
	for n < len(s) {
		r, size := firstRune(s[n:])
		if wordRune(r) {
			n += size
			continue
		}
		if n == 0 || !strings.ContainsRune("'’-_.", r) {
			break
		}
		after, _ := firstRune(s[n+size:])
		if !wordRune(after) || (r == '.' && unicode.IsUpper(after)) {
			break
		}
		n += size
	}
	return n
}

func wordRune(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.Mn, r) && r != '\uFE0F'
}

// invisible tells whether a rune is space or has no shape at all.
func invisible(r rune) bool {
	switch r {
	case '\u115F', '\u1160', '\u2800', '\u3164', '\uFE0F', '\uFFA0': // fillers and selectors
		return true
	}
	return unicode.IsSpace(r) || unicode.IsControl(r) || unicode.Is(unicode.Cf, r)
}

// fold lowers a word and writes its apostrophes alike.
func fold(s string) string {
	return strings.ToLower(strings.ReplaceAll(s, "’", "'"))
}

func firstRune(s string) (rune, int) { return utf8.DecodeRuneInString(s) }
