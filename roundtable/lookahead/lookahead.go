package lookahead

import "bytes"

// The budget of a text, in steps of about a nanosecond: what any text may cost, and
// what each of its bytes adds, beside what it takes to look at each byte and to make the
// tree of an ordinary text. Honest prose, lists and tables need a tenth of it. A text of
// 24,000 bytes, more than a message shows, is read within 10 ms at worst, one of 1 MB
// within 250 ms, or within 350 ms if it is nothing but the shortest of paragraphs.
const (
	allowance = 4_000_000
	perByte   = 128
)

// The tree that the parser makes costs in proportion to the objects in it, most of that
// for the collector of garbage: 400,000 brackets that open and never close took half a
// second. What dense ordinary text makes is free, and so is what a line makes by being
// one: no escape takes it away.
const (
	objectSteps   = 250 // making an object and collecting it, measured in nanoseconds
	ordinarySteps = 80  // a byte's share of the objects that are counted of dense ordinary text
)

// Budget is how many steps the parser may take over a text of n bytes.
func Budget(n int) int { return allowance + perByte*n }

// Intricate reports whether a Markdown text could cost its parser more than the budget.
// It takes time linear in the text's length, whatever the text.
func Intricate(source []byte) bool {
	budget := Budget(len(source))
	return estimate(source, budget) > budget
}

// Effort estimates from above how many steps the parser takes over a text beyond
// looking at each byte and making what ordinary text makes. It is exact for nothing and too
// low for nothing. Unlike Intricate it goes on when the budget is spent, so it may itself be slow.
func Effort(source []byte) int { return estimate(source, 1<<62) }

// estimate adds up the effort for a text and stops soon after it exceeds limit.
func estimate(source []byte, limit int) int {
	e := estimator{limit: limit}
	e.take(source)
	return e.spent()
}

// take estimates a text stretch by stretch, until the limit is exceeded. A stretch holds
// whole paragraphs: it begins after a blank line, or with what ends any paragraph before it.
func (e *estimator) take(source []byte) {
	start := 0 // of the stretch
	end := func(at int) {
		if at > start {
			e.stretch(source[start:at])
			start = at
		}
	}
	for at := 0; at < len(source) && !e.exceeded(); {
		line := source[at:lineEnd(source, at)]
		e.read += len(line)
		blank := len(bytes.TrimLeft(line, " \t\r\n")) == 0
		if blank || interrupts(line) {
			end(at)
		}
		e.lead(line, blank)
		at += len(line)
	}
	if !e.exceeded() {
		end(len(source))
	}
}

func lineEnd(source []byte, at int) int {
	if i := bytes.IndexByte(source[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(source)
}

// interrupts reports whether a line ends any paragraph before it: an entry of a
// bulleted list or a heading, at most three columns in. A numbered entry does so only
// in a list, which the estimate does not know of.
func interrupts(line []byte) bool {
	text := bytes.TrimLeft(line, " ")
	if len(line)-len(text) > 3 || len(text) < 3 {
		return false
	}
	switch text[0] {
	case '-', '*', '+':
		return text[1] == ' ' && text[2] > ' '
	case '#':
		text = bytes.TrimLeft(text, "#")
		return len(line)-len(text) <= 6 && len(text) > 0 && text[0] == ' '
	default:
		return false
	}
}

type estimator struct {
	steps, limit int
	// made is how many objects the tree has at worst beside those that its lines make by
	// being lines, read how many bytes were looked at for that.
	made, read int
	// depth is how many quotes, lists and list items can be open at worst.
	depth int
}

// spent is the estimate so far.
func (e *estimator) spent() int { return e.steps + max(objectSteps*e.made-ordinarySteps*e.read, 0) }

func (e *estimator) exceeded() bool { return e.spent() > e.limit }

// leadSteps is what one open container costs for each byte that a line begins with: it
// is told from the line's start again in which column the container's content begins.
const leadSteps = 3

// containerObjects is what a container comes to in objects of the tree, with what is done for
// it besides making it. blockSteps is what it takes to see whether a line begins a block of HTML.
const (
	containerObjects = 3
	blockSteps       = 1500
)

// lead adds what a line costs the containers that are open and those that it opens. A
// line goes on with at most as many as it has bytes before its text; a blank one with
// all.
func (e *estimator) lead(line []byte, blank bool) {
	if blank {
		e.steps += e.depth
		return
	}
	length, markers := 0, 0
	for length < len(line) && leads(line, length, &markers) {
		length++
	}
	e.depth = markers + min(e.depth, length-markers)
	e.steps += leadSteps * length * (markers + e.depth)
	e.made += containerObjects * markers
	if length < len(line) && line[length] == '<' {
		e.steps += blockSteps + tagSteps*tag(line[length:])
	}
}

// leads reports whether the byte at i may belong to what stands before a line's text,
// and counts the containers that begin there.
func leads(line []byte, i int, markers *int) bool {
	switch c := line[i]; {
	case c == ' ', c == '\t', '0' <= c && c <= '9':
		return true
	case c == '>':
		*markers++
		return true
	case c == '-', c == '+', c == '*', c == '.', c == ')':
		if ends := i+1 == len(line) || line[i+1] <= ' '; ends {
			*markers += 2 // a list and its entry
			return true
		}
	}
	return false
}
