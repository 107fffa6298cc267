package document

import (
	"bytes"
	"strings"
)

// splice is one way to write an insertion at a place.
type splice struct {
	text string
	// closes holds when the text first ends the block before the place, whose
	// rendering may then gain its closing line.
	closes bool
}

// separator is a comment that shows nothing and ends a list.
const separator = "<!-- -->"

// splices gives the ways to write lines at offset at, most readable first: set
// off by blank lines; directly under the text before, because a blank line
// would count as content of code left open in a list item; with a separator
// after it, because a list at the end of the insertion would take in a heading
// that is indented; and with the closing line of a block left open at the end
// of the document.
func (o *outline) splices(at int, lines string) []splice {
	eol := lineEnding(o.source)
	head := bytes.TrimPrefix(o.source[:at], []byte(byteOrderMark))
	whole := len(head) == 0 || head[len(head)-1] == '\n'
	before, blank, after := "", eol, ""
	if !whole {
		before = eol
	}
	if endsBlank(head) {
		blank = ""
	}
	switch {
	case at < len(o.source):
		after = eol + eol
	case whole:
		after = eol
	}
	text := strings.ReplaceAll(lines, "\n", eol) + after
	all := []splice{{text: before + blank + text}}
	if blank != "" {
		all = append(all, splice{text: before + text})
	}
	if at < len(o.source) {
		all = append(all, splice{text: before + blank + text + separator + eol + eol})
	}
	if at == len(o.source) && len(o.blocks) > 0 {
		if closer := o.blocks[len(o.blocks)-1].closer; closer != "" {
			all = append(all, splice{text: before + closer + eol + eol + text, closes: true})
		}
	}
	return all
}

// keptBy holds if n, which is o with s spliced in at at, has every block
// of o with the same rendering and in the same order, the inserted blocks in
// one run at the place, and the marker among them.
func (o *outline) keptBy(n *outline, at int, s splice) bool {
	added := len(n.blocks) - len(o.blocks)
	if n.start != o.start || added <= 0 {
		return false
	}
	marked, inserted := false, 0
	for i, b := range n.blocks {
		old, start := i, b.start
		switch {
		case start >= at+len(s.text):
			old, start = i-added, start-len(s.text)
		case start >= at:
			marked = marked || b.marker != ""
			inserted++
			continue
		}
		if old < 0 || old >= len(o.blocks) || o.blocks[old].start != start {
			return false
		}
		same := b.display == o.blocks[old].display
		if s.closes && old == len(o.blocks)-1 {
			same = strings.HasPrefix(b.display, strings.TrimRight(o.blocks[old].display, "\n"))
		}
		if !same {
			return false
		}
	}
	return marked && inserted == added
}

// lineEnding is the one most lines of doc use; \n if there is no majority.
func lineEnding(doc []byte) string {
	all := bytes.Count(doc, []byte("\n"))
	if crlf := bytes.Count(doc, []byte("\r\n")); crlf > all-crlf {
		return "\r\n"
	}
	return "\n"
}

// endsBlank holds if the last line of doc is blank.
func endsBlank(doc []byte) bool {
	doc = bytes.TrimSuffix(doc, []byte("\n"))
	last := doc[bytes.LastIndexByte(doc, '\n')+1:]
	return len(bytes.TrimSpace(last)) == 0
}
