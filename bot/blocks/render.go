package blocks

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/slack-go/slack"

	"github.com/roundtable-chat/app/roundtable/say"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// A Renderer draws messages. It is a pure function of the message and of what
// it was made with, so that a message drawn twice is the same message.
type Renderer struct {
	// Site is the workspace's address, "https://acme.slack.com/".
	Site string
	// Name returns a person's display name, or "" if it is not known.
	Name func(user string) string
	// Links says whether a URL may be clickable in a place; a synthesis names its own.
	Links func(place thread.Place, url string) bool
	// Names says that messages stand under the speaker's own name; else they
	// begin with it (AC-002-04).
	Names bool
}

// Drawing is a message as Slack takes it.
type Drawing struct {
	Text   string
	Blocks []slack.Block
}

// UserID matches the id of a person in Slack.
var UserID = regexp.MustCompile(`^[UW][A-Z0-9]{2,}$`)

// Draw renders a message of a discussion; discussion may be empty where it is
// not known, and buttons then are looked up by their thread.
func (r Renderer) Draw(place thread.Place, discussion string, m thread.Message) Drawing {
	s := newSheet()
	mention := ""
	for _, user := range m.Notified() {
		if UserID.MatchString(user) {
			mention += "<@" + user + "> "
			s.lead = append(s.lead, slack.NewRichTextSectionUserElement(user, nil), slack.NewRichTextSectionTextElement(" ", nil))
		}
	}
	if !r.Names && m.Identity != "" {
		s.lead = append(s.lead, Styled(Readable(m.Identity)+": ", slack.RichTextSectionTextStyle{Bold: true})...)
	}
	rd := &reader{sheet: s, links: func(url string) bool { return r.Links(place, url) }}
	rd.messages = func(ts string) string { return Permalink(r.Site, place, ts) }
	switch m.Kind {
	case thread.KindRoot:
		rd.headers = true
		r.root(rd, m.Text)
	case thread.KindSynthesis:
		rd.headers = true
		r.synthesis(rd, place, m)
	case thread.KindContribution, thread.KindProcedure, thread.KindNotice, thread.KindChoice, thread.KindMenu:
		r.words(rd, m.Text)
	}
	for _, l := range m.Threads {
		r.thread(rd, place, l)
	}
	blocks := s.finish()
	if status := strings.TrimSpace(Readable(m.Status)); status != "" {
		blocks = append(blocks, aside(status))
		s.line(status)
	}
	if m.Engine != "" {
		blocks = append(blocks, aside(say.Engine(m.Engine)))
	}
	blocks = append(blocks, controls(discussion, m.Buttons, maxBlocks-len(blocks))...)
	text := fallback(s.plain.String())
	if mention != "" {
		text = mention + clipEscaped(strings.TrimLeft(text, " "), maxText-len(mention))
	}
	return Drawing{Text: text, Blocks: blocks}
}

// Private is the text of what one person alone is told: mrkdwn in which nothing is left
// that Slack would resolve, and no address but those that people gave in the place and the
// workspace's own. It holds by itself where Slack cannot be told not to parse (I12).
func (r Renderer) Private(place thread.Place, text string) string {
	return fallback(BareURL.ReplaceAllStringFunc(Readable(text), func(url string) string {
		if r.Links(place, url) || r.Site != "" && strings.HasPrefix(url, r.Site) {
			return url
		}
		return Defang(url)
	}))
}

// aside is a small grey line.
func aside(text string) slack.Block {
	return slack.NewContextBlock("", slack.NewTextBlockObject(slack.PlainTextType, Clip(Readable(text), maxAside), false, false))
}

// words reads people's and models' text.
func (r Renderer) words(rd *reader, text string) {
	text, left := cutSource(text)
	rd.read(plainEntities(Readable(text), r.Name))
	rd.sheet.cut += left
}

// root draws the introduction: its first line as a headline, the rest below.
func (r Renderer) root(rd *reader, text string) {
	first, rest, _ := strings.Cut(strings.TrimSpace(Readable(text)), "\n")
	rd.sheet.header(strings.Trim(first, "#*_ "))
	r.words(rd, rest)
}

// synthesis draws the result with links to the messages that support each point
// (FR-008).
func (r Renderer) synthesis(rd *reader, place thread.Place, m thread.Message) {
	if syn := m.Synthesis; syn != nil {
		heard := rd.links
		rd.links = func(url string) bool { return heard(url) || HostOf(url) != "" && slices.Contains(syn.Links, url) }
		rd.points = slices.Concat(syn.Insights, syn.Decisions, syn.Questions, syn.Actions)
		rd.sources = func(p thread.Point) []slack.RichTextSectionElement { return r.sources(place, p) }
	}
	r.words(rd, m.Text)
}

func (r Renderer) sources(place thread.Place, p thread.Point) []slack.RichTextSectionElement {
	var e []slack.RichTextSectionElement
	for _, ts := range p.TS {
		if link := Permalink(r.Site, place, ts); link != "" {
			e = append(e, slack.NewRichTextSectionTextElement(" ", nil), slack.NewRichTextSectionLinkElement(link, "↗", nil))
		}
	}
	return e
}

// thread draws a link to another thread of the channel; where its address is not
// known, nothing.
func (r Renderer) thread(rd *reader, place thread.Place, l thread.ThreadLink) {
	address := Permalink(r.Site, thread.Place{Channel: place.Channel}, l.Thread)
	label := strings.Join(strings.Fields(Readable(l.Label)), " ")
	if address == "" || label == "" {
		return
	}
	rd.sheet.paragraph(Unmasked([]slack.RichTextSectionElement{slack.NewRichTextSectionLinkElement(address, "↗ "+label, nil)}))
}

var timestamp = regexp.MustCompile(`^\d{1,12}\.\d{6}$`)

// Permalink is the address of a message in the place's thread of a workspace, or "".
func Permalink(site string, place thread.Place, ts string) string {
	if !timestamp.MatchString(ts) || site == "" {
		return ""
	}
	link := site + "archives/" + place.Channel + "/p" + strings.Replace(ts, ".", "", 1)
	if place.Thread != "" && place.Thread != ts {
		link += "?thread_ts=" + place.Thread + "&cid=" + place.Channel
	}
	return link
}

// ActionPrefix marks the buttons of discussions.
const ActionPrefix = "rt:"

// controls draws buttons, without those Slack would refuse the message for; it wants every action id of a message to differ, so
// a kind that occurs again is numbered.
func controls(discussion string, buttons []thread.Button, room int) []slack.Block {
	var elements []slack.BlockElement
	seen := map[thread.ButtonKind]int{}
	for _, b := range buttons {
		value := strings.ToValidUTF8(discussion+"|"+b.Value, "\uFFFD")
		label := Clip(strings.Join(strings.Fields(Readable(b.Label)), " "), MaxButtonText)
		if len(value) > maxButtonSize || b.Kind == "" || label == "" {
			continue
		}
		id := ActionPrefix + string(b.Kind)
		if n := seen[b.Kind]; n > 0 {
			id += ":" + strconv.Itoa(n)
		}
		seen[b.Kind]++
		button := slack.NewButtonBlockElement(id, value, slack.NewTextBlockObject(slack.PlainTextType, label, false, false))
		if b.Style == string(slack.StylePrimary) || b.Style == string(slack.StyleDanger) {
			button.Style = slack.Style(b.Style)
		}
		elements = append(elements, button)
	}
	var blocks []slack.Block
	for len(elements) > 0 && len(blocks) < room {
		n := min(len(elements), maxButtons)
		blocks = append(blocks, slack.NewActionBlock("", elements[:n]...))
		elements = elements[n:]
	}
	return blocks
}

// clipEscaped cuts escaped text to n characters without dividing an escape.
func clipEscaped(text string, n int) string {
	if r := []rune(text); len(r) > n {
		text = string(r[:n-1])
		if amp := strings.LastIndexByte(text, '&'); amp >= 0 && !strings.Contains(text[amp:], ";") {
			text = text[:amp]
		}
		return text + "…"
	}
	return text
}
