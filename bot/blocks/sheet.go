package blocks

import (
	"strings"
	"unicode/utf8"

	"github.com/slack-go/slack"

	"github.com/roundtable-chat/app/roundtable/say"
)

// Slack's limits (reference: Block Kit), and ours where Slack states none.
const (
	maxBlocks     = 50
	maxHeader     = 150
	maxButtons    = 25
	MaxButtonText = 75
	maxButtonSize = 2000
	maxText       = 4000
	maxAside      = 2000
	// maxSheet is how much rich text one message holds; Slack accepts 12,000
	// characters of Markdown and states no limit for rich text.
	maxSheet = 12000
	// maxRun is how much one rich text block holds, a section's limit.
	maxRun = 3000
	// reserved blocks stay free for controls, the note that something was cut
	// and the engine line.
	reserved = 6
)

// A sheet lays rich text out as the blocks of one message: in order, each within
// Slack's limits, and never more than a message holds. What does not fit is
// counted and stated at the end. The same content as plain text becomes the
// message's fallback, which notifications and screen readers use.
type sheet struct {
	blocks []slack.Block
	// lead stands before the first words: a mention, or who speaks.
	lead   []slack.RichTextSectionElement
	run    []slack.RichTextElement
	length int
	left   int
	cut    int
	plain  strings.Builder
}

func newSheet() *sheet { return &sheet{left: maxSheet} }

// room takes what still fits on the sheet and counts the rest as cut.
func (s *sheet) room(e []slack.RichTextSectionElement) []slack.RichTextSectionElement {
	if s.full() {
		s.cut += textLength(e)
		return nil
	}
	head, tail := split(e, s.left)
	s.left -= textLength(head)
	if n := textLength(tail); n > 0 {
		s.cut += n
		s.left = 0
	}
	return head
}

func (s *sheet) full() bool {
	return s.left == 0 || s.cut > 0 || len(s.blocks) >= maxBlocks-reserved
}

func (s *sheet) line(text string) {
	if s.plain.Len() > 0 {
		s.plain.WriteByte('\n')
	}
	s.plain.WriteString(text)
}

// add puts an element into the current block, or into a new one when that is
// full.
func (s *sheet) add(e slack.RichTextElement, length int) {
	if s.length > 0 && s.length+length > maxRun {
		s.endRun()
	}
	s.run = append(s.run, e)
	s.length += length
}

func (s *sheet) endRun() {
	if len(s.run) > 0 {
		s.blocks = append(s.blocks, slack.NewRichTextBlock("", s.run...))
	}
	s.run, s.length = nil, 0
}

// pieces divides a long run so that each piece fits into a block.
func (s *sheet) pieces(e []slack.RichTextSectionElement, each func([]slack.RichTextSectionElement, int)) {
	for e = s.room(e); len(e) > 0; {
		head, tail := split(e, maxRun)
		if len(head) == 0 {
			head, tail = e[:1], e[1:]
		}
		each(head, textLength(head))
		e = tail
	}
}

// paragraph adds running text. Slack sets sections directly below each other, so
// paragraphs that follow each other share a section with an empty line between.
func (s *sheet) paragraph(e []slack.RichTextSectionElement) {
	if len(e) == 0 {
		return
	}
	e = append(s.lead, e...)
	s.lead = nil
	s.pieces(e, func(e []slack.RichTextSectionElement, n int) {
		s.line(plainText(e))
		if last := len(s.run) - 1; last >= 0 && s.length+n <= maxRun {
			if section, ok := s.run[last].(*slack.RichTextSection); ok {
				section.Elements = append(section.Elements, Styled("\n\n", slack.RichTextSectionTextStyle{})...)
				section.Elements = append(section.Elements, e...)
				s.length += n
				return
			}
		}
		s.add(slack.NewRichTextSection(e...), n)
	})
}

// start puts the lead into a paragraph of its own where no running text begins
// the message.
func (s *sheet) start() {
	if e := s.lead; len(e) > 0 {
		s.lead = nil
		s.paragraph(e)
	}
}

// item adds one entry of a list; entries of one list share an element.
func (s *sheet) item(style slack.RichTextListElementType, indent, number int, e []slack.RichTextSectionElement) {
	s.start()
	s.pieces(e, func(e []slack.RichTextSectionElement, n int) {
		s.line(strings.Repeat("  ", indent) + "• " + plainText(e))
		if last := len(s.run) - 1; last >= 0 && s.length+n <= maxRun {
			if l, ok := s.run[last].(*slack.RichTextList); ok && l.Style == style && l.Indent == indent {
				l.Elements = append(l.Elements, slack.NewRichTextSection(e...))
				s.length += n
				return
			}
		}
		l := slack.NewRichTextList(style, indent, slack.NewRichTextSection(e...))
		if style == slack.RTEListOrdered {
			l.Offset = number
		}
		s.add(l, n)
	})
}

func (s *sheet) quote(e []slack.RichTextSectionElement) {
	s.start()
	s.pieces(e, func(e []slack.RichTextSectionElement, n int) {
		s.line("> " + plainText(e))
		s.add(&slack.RichTextQuote{Type: slack.RTEQuote, Elements: e}, n)
	})
}

// code adds preformatted text. A long one is divided into blocks of its own, so
// that no piece stands outside of its frame.
func (s *sheet) code(text string) {
	s.start()
	s.pieces(Styled(text, slack.RichTextSectionTextStyle{}), func(e []slack.RichTextSectionElement, n int) {
		s.line(plainText(e))
		s.add(&slack.RichTextPreformatted{Type: slack.RTEPreformatted, Elements: e}, n)
	})
}

func (s *sheet) header(text string) {
	text = strings.Join(strings.Fields(text), " ")
	if s.full() {
		s.cut += utf8.RuneCountInString(text)
		return
	}
	if text == "" {
		return
	}
	s.endRun()
	s.line(text)
	s.blocks = append(s.blocks, slack.NewHeaderBlock(slack.NewTextBlockObject(slack.PlainTextType, Clip(text, maxHeader), false, false)))
}

func (s *sheet) divider() {
	s.endRun()
	if !s.full() && len(s.blocks) > 0 {
		s.blocks = append(s.blocks, slack.NewDividerBlock())
	}
}

// finish closes the sheet and states what was cut.
func (s *sheet) finish() []slack.Block {
	s.start()
	s.endRun()
	if s.cut > 0 {
		note := say.MoreInTranscript(s.cut)
		s.line(note)
		s.blocks = append(s.blocks, slack.NewRichTextBlock("", slack.NewRichTextSection(Styled(note, slack.RichTextSectionTextStyle{Italic: true})...)))
	}
	return s.blocks
}

// fallback is the message's top-level text: mrkdwn, in which nothing is left
// that Slack would resolve, at most maxText characters, never cut inside an
// escape.
func fallback(plain string) string {
	var b strings.Builder
	n := 0
	b.Grow(min(len(plain), maxText) + 16)
	for _, r := range Inert(plain) {
		e := ""
		if n++; r == '&' || r == '<' || r == '>' {
			e = escape(string(r))
			n += len(e) - 1
		}
		if n > maxText-1 {
			b.WriteString("…")
			break
		}
		if e == "" {
			b.WriteRune(r)
		}
		b.WriteString(e)
	}
	return b.String()
}
