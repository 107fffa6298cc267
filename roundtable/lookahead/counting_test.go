package lookahead_test

import (
	"regexp"
	"slices"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// counted parses a text with everything that any reader of the product's knows and returns
// how many steps that took beyond looking at each byte: bytes that were read again, nodes and
// runs of emphasis that were walked over.
func counted(source []byte) int {
	var steps int
	var inline []util.PrioritizedValue
	strikes := util.Prioritized(extension.NewStrikethroughParser(), 500)
	for _, v := range append(parser.DefaultInlineParsers(), strikes) {
		p := v.Value.(parser.InlineParser)
		switch p {
		case parser.NewEmphasisParser():
			p = &emphasis{steps: &steps, of: "*_", most: len(source), make: func(n int) ast.Node { return ast.NewEmphasis(n) }}
		case strikes.Value:
			p = &emphasis{steps: &steps, of: "~", most: 2, make: func(int) ast.Node { return extast.NewStrikethrough() }}
		}
		c := countingParser{p, &steps}
		if _, closes := p.(parser.CloseBlocker); closes {
			inline = append(inline, util.Prioritized(closingParser{c}, v.Priority))
			continue
		}
		inline = append(inline, util.Prioritized(c, v.Priority))
	}
	parser.NewParser(
		parser.WithBlockParsers(parser.DefaultBlockParsers()...), parser.WithInlineParsers(inline...),
		parser.WithParagraphTransformers(parser.DefaultParagraphTransformers()...),
	).Parse(&countingReader{Reader: text.NewReader(source), steps: &steps}, parser.WithContext(&countingContext{Context: parser.NewContext(), steps: &steps}))
	return steps
}

type countingParser struct {
	parser.InlineParser
	steps *int
}

func (p countingParser) Parse(parent ast.Node, block text.Reader, pc parser.Context) ast.Node {
	if block.Peek() == ']' {
		between, n := 0, parent.LastChild()
		for ; n != nil && n.Kind().String() != "LinkLabelState"; n = n.PreviousSibling() {
			between++
		}
		if n != nil {
			*p.steps += between
			searched(n, p.steps)
		}
		pc.(*countingContext).closes = true
		defer func() { pc.(*countingContext).closes = false }()
	}
	return p.InlineParser.Parse(parent, &countingReader{Reader: block, steps: p.steps}, pc)
}

type closingParser struct{ countingParser }

func (p closingParser) CloseBlock(parent ast.Node, block text.Reader, pc parser.Context) {
	p.InlineParser.(parser.CloseBlocker).CloseBlock(parent, block, pc)
}

// searched counts the nodes that are looked at for a link within what would be one: those
// from n on, and what is in them, until one is found.
func searched(n ast.Node, steps *int) bool {
	for ; n != nil; n = n.NextSibling() {
		*steps++
		if _, ok := n.(*ast.Link); ok || searched(n.FirstChild(), steps) {
			return true
		}
	}
	return false
}

// emphasis is goldmark's, or its strikethrough: runs of some characters, at most so many of
// them. It counts the pairs that are compared.
type emphasis struct {
	steps *int
	of    string
	most  int
	make  func(consumes int) ast.Node
}

func (e *emphasis) Trigger() []byte { return []byte(e.of) }

func (e *emphasis) Parse(_ ast.Node, block text.Reader, pc parser.Context) ast.Node {
	before := block.PrecendingCharacter()
	line, segment := block.PeekLine()
	d := parser.ScanDelimiter(line, before, 1, e)
	if d == nil {
		return nil
	}
	*e.steps += d.OriginalLength
	if e.of == "~" && (d.OriginalLength > e.most || before == '~') {
		return nil
	}
	d.Segment = segment.WithStop(segment.Start + d.OriginalLength)
	block.Advance(d.OriginalLength)
	pc.PushDelimiter(d)
	return d
}

func (e *emphasis) IsDelimiter(b byte) bool { return slices.Contains([]byte(e.of), b) }

func (e *emphasis) CanOpenCloser(opener, closer *parser.Delimiter) bool {
	*e.steps++
	return opener.Char == closer.Char
}

func (e *emphasis) OnMatch(consumes int) ast.Node { return e.make(consumes) }

// countingContext counts what is walked over when runs of emphasis are paired, also those
// that can neither begin nor end one, which nobody else is asked about. It sees the pairing
// begin, and pairs on a copy.
type countingContext struct {
	parser.Context
	steps *int
	// closes is set while a bracket closes; bottom is where emphasis stood when it opened,
	// and bounded says that there is such a place.
	closes, bounded bool
	bottom          ast.Node
}

func (c *countingContext) Get(key parser.ContextKey) any {
	v := c.Context.Get(key)
	switch at := v.(type) {
	case []ast.Node:
		c.bottom, c.bounded = at[len(at)-1], true
	case *parser.Delimiter:
		c.bottom, c.bounded = at, true
	}
	return v
}

// FirstDelimiter is asked for when a paragraph ends.
func (c *countingContext) FirstDelimiter() *parser.Delimiter {
	c.pair(c.Context.FirstDelimiter(), nil)
	return c.Context.FirstDelimiter()
}

// LastDelimiter is asked for when a link ends, whose emphasis is paired then.
func (c *countingContext) LastDelimiter() *parser.Delimiter {
	last := c.Context.LastDelimiter()
	if !c.closes || last == nil || !c.bounded || ast.Node(last) == c.bottom {
		return last
	}
	var first *parser.Delimiter
	for n := last.PreviousSibling(); n != nil && n != c.bottom; n = n.PreviousSibling() {
		*c.steps++
		if d, ok := n.(*parser.Delimiter); ok {
			first = d
		}
	}
	c.pair(first, c.bottom)
	return last
}

// pair walks as parser.ProcessDelimiters does, from a run on and back to bottom.
func (c *countingContext) pair(first *parser.Delimiter, bottom ast.Node) {
	var runs []parser.Delimiter
	at := 0
	for d := c.Context.FirstDelimiter(); d != nil; d = d.NextDelimiter {
		if d == first {
			at = len(runs)
		}
		if ast.Node(d) == bottom {
			runs = runs[:0]
			continue
		}
		runs = append(runs, *d)
	}
	if first == nil {
		return
	}
	for at < len(runs) {
		closer := &runs[at]
		found, maybe := -1, false
		for i := at - 1; closer.CanClose && i >= 0 && found < 0; i-- {
			*c.steps++
			if opener := &runs[i]; opener.CanOpen && opener.Char == closer.Char {
				maybe = true
				if opener.CalcComsumption(closer) > 0 {
					found = i
				}
			}
		}
		switch {
		case found >= 0:
			n := runs[found].CalcComsumption(closer)
			runs[found].Length -= n
			closer.Length -= n
			from, to := found+1, at
			if runs[found].Length == 0 {
				from--
			}
			if closer.Length == 0 {
				to++
			}
			runs = slices.Delete(runs, from, to)
			at = from
		case closer.CanClose && !maybe && !closer.CanOpen:
			runs = slices.Delete(runs, at, at+1)
		default:
			at++
		}
	}
}

// countingReader counts the bytes that a reader is moved over or asked for.
type countingReader struct {
	text.Reader
	steps *int
	fresh bool // since the column was told
	head  int
}

func (r *countingReader) Advance(n int) {
	*r.steps += n
	r.fresh = true
	r.Reader.Advance(n)
}

func (r *countingReader) AdvanceAndSetPadding(n, padding int) {
	*r.steps += n
	r.fresh = true
	r.Reader.AdvanceAndSetPadding(n, padding)
}

func (r *countingReader) AdvanceLine() {
	line, _ := r.PeekLine()
	*r.steps += len(line)
	r.fresh = true
	r.Reader.AdvanceLine()
	_, at := r.Position()
	r.head = at.Start
}

// LineOffset is told from the line's start again whenever the reader moved.
func (r *countingReader) LineOffset() int {
	if _, at := r.Position(); r.fresh {
		*r.steps += max(at.Start-r.head, 0)
		r.fresh = false
	}
	return r.Reader.LineOffset()
}

func (r *countingReader) Value(s text.Segment) []byte {
	v := r.Reader.Value(s)
	*r.steps += len(v)
	return v
}

func (r *countingReader) ReadRune() (rune, int, error) {
	*r.steps++
	return r.Reader.ReadRune()
}

func (r *countingReader) Match(reg *regexp.Regexp) bool {
	line, at := r.Position()
	found := reg.FindReaderSubmatchIndex(r)
	r.SetPosition(line, at)
	if found == nil {
		return false
	}
	r.Reader.Advance(found[1] - found[0])
	return true
}

func (r *countingReader) FindClosure(opener, closer byte, options text.FindClosureOptions) (*text.Segments, bool) {
	before, from := r.Position()
	segments, found := r.Reader.FindClosure(opener, closer, options)
	line, to := r.Position()
	*r.steps += max(to.Start-from.Start, line-before)
	return segments, found
}
