package lookahead

import "bytes"

// marks are what a stretch holds that its paragraphs are read by.
type marks struct {
	opens, closes int // brackets
	// apart is what lies between the brackets that pair, in sum; covered says that some
	// bracket may count for nothing, or for another pair.
	apart   int
	covered bool
	runs    int // of emphasis characters, whatever they may be
	begin   int // those that may begin an emphasis
	end     int // those that may end one
	defines int // link definitions, at the most
	lines   int
	nodes   int // of the tree, about
	hidden  int // objects that brackets make if they are none of code
}

// How many objects of the tree a mark makes at worst, with the text beside it.
const (
	openObjects   = 4 // a bracket that opens: what remembers it, where emphasis stood then, its text and that after it
	closeObjects  = 2 // a bracket that closes: a link, or the label that is looked up for one
	targetObjects = 2 // what follows one: an address, a title, a label
	runObjects    = 3 // a run of emphasis: the run, half of what it makes, and the text after it
	codeObjects   = 2 // a run of backticks
	angleObjects  = 4 // a sign that begins a tag or an address
)

// What a step costs more than looking at a byte, measured in nanoseconds.
const (
	targetSteps = 3  // a byte of an address or a title
	nodeSteps   = 8  // a node of the tree on the way to or from where a link began
	runSteps    = 4  // a run of emphasis that is asked whether it goes with another
	lineSteps   = 3  // a line that is moved, when a definition before it is taken out
	tagSteps    = 60 // a byte in the expressions that read HTML
)

// stretch adds what the paragraphs in a stretch of lines cost, which may be one: each
// begin of a construct is followed for as far as the parser may look for its end, and
// what is walked over when brackets and emphasis are paired is bounded by their number.
func (e *estimator) stretch(text []byte) {
	m := e.scan(text)
	pairs := min(m.opens, m.closes)
	// The text between two brackets is copied, and what stands in it looked through.
	if m.covered {
		m.apart = (len(text) + nodeSteps*m.nodes) * pairs / 2
	}
	e.steps += m.apart
	// The lines after a bracket are counted from the last one.
	e.steps += pairs * m.lines
	e.steps += lineSteps * m.defines * m.lines
	// Each run that may end an emphasis looks at those before it, also at those that may
	// neither begin nor end one; each link that holds one at what is in its paragraph.
	e.steps += runSteps * m.runs * m.end
	e.steps += nodeSteps * min(pairs, m.begin+m.end) * (m.nodes + m.lines)
}

// scan counts the marks of a stretch and adds what looking for ends costs.
func (e *estimator) scan(text []byte) marks {
	p := pairing{text: text, spans: e.ticks(text)}
	var m marks
	for i := 0; i < len(text) && !e.exceeded(); i++ {
		switch c := text[i]; c {
		case '\\':
			p.escape(i)
			i++ // what is escaped begins nothing
		case '\n':
			m.lines++
		case '[':
			m.opens++
			m.nodes++
			e.bracket(&m, i < p.code, openObjects)
			p.open(i, m.nodes)
		case ']':
			m.closes++
			m.nodes++
			e.bracket(&m, i < p.code, closeObjects)
			p.close(i, m.nodes)
			if i+1 < len(text) && text[i+1] == ':' {
				m.defines++
			}
			reach := target(text[i+1:])
			if reach > 0 {
				e.made += targetObjects
			}
			e.steps += targetSteps * reach
			p.skip(i+2, i+1+reach)
		case '`':
			m.nodes += 2
			e.made += codeObjects
			i = p.ticks(i) - 1
		case '<':
			m.nodes++
			reach := tag(text[i:])
			if reach > 1 || i+1 < len(text) && (text[i+1] == '!' || text[i+1] == '?') {
				e.made += angleObjects
			}
			e.steps += tagSteps * reach
			p.angle(i, i+reach)
		case '*', '_', '~':
			end := i + 1
			for end < len(text) && text[end] == c {
				end++
			}
			m.delimiter(text, i, end)
			e.made += runObjects
			if c == '~' && end-i > 2 {
				e.steps += (end - i) * (end - i) / 2 // it strikes nothing through, and is told anew from each of its signs
			}
			i = end - 1
		}
	}
	m.apart, m.covered = p.apart, p.covered
	if m.covered {
		e.made += m.hidden
	}
	return m
}

// bracket counts the objects that a bracket makes, which in code are none, if it is certain
// what is code.
func (e *estimator) bracket(m *marks, code bool, objects int) {
	if code {
		m.hidden += objects
		return
	}
	e.made += objects
}

// delimiter counts a run of emphasis characters as what it may be.
func (m *marks) delimiter(text []byte, from, to int) {
	space := func(i int) bool { return i < 0 || i >= len(text) || isSpace(text[i]) }
	word := func(i int) bool { return i >= 0 && i < len(text) && isWord(text[i]) }
	m.nodes++
	m.runs++
	if text[from] == '_' && word(from-1) && word(to) {
		return // within a word
	}
	if !space(to) {
		m.begin++
	}
	if !space(from - 1) {
		m.end++
	}
}

// A span is a run of backticks and where the code ends that it would begin; 0 for
// nowhere.
type span struct{ from, to, end int }

// ticks adds what looking for the ends of code costs, from each run of backticks to the
// next of the same length or to the end, and returns the runs from the last to the first.
func (e *estimator) ticks(text []byte) []span {
	var spans []span
	next := map[int]int{} // by length, where the next run of it ends
	for end := len(text); end > 0; {
		to := bytes.LastIndexByte(text[:end], '`') + 1
		if to == 0 {
			break
		}
		from := to - 1
		for from > 0 && text[from-1] == '`' {
			from--
		}
		stop, found := next[to-from]
		spans = append(spans, span{from, to, stop})
		if !found {
			stop = len(text)
		}
		e.steps += stop - from
		next[to-from] = to
		end = from
	}
	return spans
}

// target is how far is looked for what follows a closing bracket: an address and a
// title in parentheses or after a colon, or a label.
func target(rest []byte) int {
	if len(rest) == 0 {
		return 0
	}
	switch rest[0] {
	case '[':
		return closing(rest[1:], '[', ']')
	case '(', ':':
	default:
		return 0
	}
	at := 1 + spaces(rest[1:])
	at += address(rest[at:])
	at += spaces(rest[at:])
	if at >= len(rest) {
		return at
	}
	switch c := rest[at]; c {
	case '"', '\'':
		at += closing(rest[at+1:], c, c)
	case '(':
		at += closing(rest[at+1:], '(', ')')
	}
	return at
}

// spaces is how many bytes of white space a text begins with.
func spaces(text []byte) int { return len(text) - len(bytes.TrimLeft(text, " \t\r\n\v\f")) }

// address is how many bytes are read as a link's address.
func address(text []byte) int {
	if len(text) > 0 && text[0] == '<' {
		end := bytes.IndexAny(text, ">\n")
		if end < 0 {
			end = len(text)
		}
		return end
	}
	open := 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\':
			i++
		case c == '(':
			open++
		case c == ')':
			if open--; open < 0 {
				return i
			}
		case c <= ' ':
			return i
		}
	}
	return len(text)
}

// closing is how far is looked for the end of a label or a title.
func closing(text []byte, opener, closer byte) int {
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case closer, opener:
			return i
		}
	}
	return len(text)
}

// tag is how far a sign is tried as the begin of a tag: as far as names and attributes
// go on. The ends of comments, instructions and declarations are looked for once.
func tag(text []byte) int {
	if len(text) < 2 || !isWord(text[1]) && text[1] != '/' {
		return 1
	}
	value, begun := false, false // of an attribute
	for i := 1; i < len(text); i++ {
		switch c := text[i]; {
		case value && !begun && (c == '"' || c == '\''):
			end := bytes.IndexByte(text[i+1:], c)
			if end < 0 {
				return len(text)
			}
			i += end + 1
			value = false
		case isSpace(c):
			value = value && !begun
		case c == '<', c == '>', c == '`', c == '"', c == '\'':
			return i
		case c == '=':
			value, begun = true, false
		case value:
			begun = true
		case !isWord(c) && bytes.IndexByte([]byte(":._-/"), c) < 0:
			return i
		}
	}
	return len(text)
}

func isSpace(c byte) bool { return c == ' ' || '\t' <= c && c <= '\r' }

func isWord(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' }
