package lookahead

import "bytes"

// pairing pairs brackets as the parser does, as long as it can be certain which of them
// are brackets to it. What may be an address, a title, a tag or code, and holds a mark
// that is none then, makes it uncertain: covered. Every guess about it could be used to
// make the parser pair others, which lie farther apart.
type pairing struct {
	text  []byte
	spans []span // of code, from the last to the first
	// code is where the code ends that is being read.
	code    int
	opened  []bracket
	apart   int
	covered bool
	// mark and sign are where the next mark and the next closing sign stand.
	mark, sign int
}

// bracket is where one opened, and after how many nodes.
type bracket struct{ at, node int }

func (p *pairing) open(i, node int) {
	if i >= p.code {
		p.opened = append(p.opened, bracket{i, node})
	}
}

func (p *pairing) close(i, node int) {
	if last := len(p.opened) - 1; i >= p.code && last >= 0 {
		from := p.opened[last]
		p.apart += i - from.at + nodeSteps*(node-from.node)
		p.opened = p.opened[:last]
	}
}

// escape takes in a backslash: before a backtick it divides a run.
func (p *pairing) escape(i int) {
	if i >= p.code && i+1 < len(p.text) && p.text[i+1] == '`' {
		p.covered = true
	}
}

// ticks takes in a run of backticks and returns where it ends.
func (p *pairing) ticks(i int) int {
	for len(p.spans) > 0 && p.spans[len(p.spans)-1].to <= i {
		p.spans = p.spans[:len(p.spans)-1]
	}
	last := len(p.spans) - 1
	s := p.spans[last]
	p.spans = p.spans[:last]
	if s.from >= p.code && s.end > 0 {
		p.code = s.end
	}
	return s.to
}

// skip takes in a stretch that may mean nothing but itself.
func (p *pairing) skip(from, to int) {
	if to <= from {
		return
	}
	if p.mark < from {
		p.mark = next(p.text, from, "`[]")
	}
	p.covered = p.covered || p.mark < to
}

// angle takes in a sign that may begin a tag or an address that ends at to or at the
// next closing sign, or a comment or its like that ends anywhere.
func (p *pairing) angle(i, to int) {
	if i+1 < len(p.text) && (p.text[i+1] == '!' || p.text[i+1] == '?') {
		to = len(p.text)
	}
	if p.sign < i {
		p.sign = next(p.text, i, ">")
	}
	if p.sign < len(p.text) {
		to = max(to, p.sign)
	}
	p.skip(i, to)
}

// next is where one of some characters stands next, or the text's length.
func next(text []byte, from int, chars string) int {
	if i := bytes.IndexAny(text[from:], chars); i >= 0 {
		return from + i
	}
	return len(text)
}
