package document

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/roundtable-chat/app/roundtable/lookahead"
)

// Insertion is what a document is to receive. All of it is decided by the
// caller; nothing here reads a clock.
type Insertion struct {
	// DocumentTitle heads a document that does not exist yet; empty means Title.
	DocumentTitle string
	// Title is the step's title, by which the section is found.
	Title string
	// Named says that Title is the section's own heading: one that only shares a word
	// with it ("Business Context", "Technical Context") is another section.
	Named bool
	// Keywords are words or phrases that help where the title matches nothing.
	Keywords []string
	// StepID and Time (ISO 8601) make the marker (AC-008-03).
	StepID, Time string
	// Another says that this insertion is not there yet, even if an equal one is: two
	// discussions that come to the same in the same second both land.
	Another bool
	// Body is Markdown. Its headings are moved to fit the section; raw HTML
	// and link definitions are escaped; an open code block is closed; what is too
	// intricate to be parsed is escaped, too.
	Body string
	// Proceed is asked before each reading of the document, which is the costly part;
	// its error ends the merge. With nil a merge always goes on.
	Proceed func() error
}

// Placement says how a document took an insertion.
type Placement string

// The placements.
const (
	// InSection: at the end of a section that was there.
	InSection Placement = "section"
	// NewSection: under a new heading at the end.
	NewSection Placement = "new_section"
	// NewDocument: the document was missing or blank.
	NewDocument Placement = "new_document"
	// AlreadyThere: an earlier run wrote it; nothing changed.
	AlreadyThere Placement = "already_there"
)

// Change says what Merge did. The announcement of AC-008-04 is made from it.
type Change struct {
	Placement Placement
	// Heading is the plain text of the section's heading.
	Heading string
	// Offset and Length, in bytes, are where the inserted text stands in the
	// new document. Length is 0 when nothing changed.
	Offset, Length int
}

var (
	// ErrNothingToAdd is returned for a body without content.
	ErrNothingToAdd = errors.New("nothing to add")
	// ErrMarker is returned for a step id or time that cannot stand in a marker.
	ErrMarker = errors.New("step id or time cannot stand in a marker")
	// ErrNoTitle is returned for an insertion without a title.
	ErrNoTitle = errors.New("an insertion needs a title")
	// ErrTooIntricate is returned for a document that cannot be read in time. It is to
	// be left alone.
	ErrTooIntricate = errors.New("the document is too intricate or too long to be read")
	// ErrNoSafePlace is returned when no splice could be shown to leave the
	// old text's rendering as it was. The document is to be left alone.
	ErrNoSafePlace = errors.New("no place where the document keeps its meaning")
)

// Merge adds in to the Markdown document old (FR-008, NFR-004, I8). The
// section whose heading matches in.Title best receives, at its end and before
// the next heading of the same or a higher level, the marker and the body; if
// none matches, a new heading at the end of the document does. A section's
// sub-sections are part of what it holds, so the insertion stands after them;
// it then begins with a heading of its own, or it would read as part of the
// last sub-section.
//
// The result is old with one text spliced in. Line endings follow old. Code or
// HTML that old leaves open at its end is closed first, by its own closing
// line, which changes neither its content nor the section it stands in.
func Merge(old []byte, in Insertion) ([]byte, Change, error) {
	o, body, err := begin(old, in)
	if err != nil {
		return nil, Change{}, err
	}
	return o.merge(in, body)
}

// MergeOnce is Merge, unless the same marker with the same body is there: a
// crash after writing repeats the write, and the second must change nothing.
// The body counts too, because two discussions of one step may end in the same
// moment and both must land.
func MergeOnce(old []byte, in Insertion) ([]byte, Change, error) {
	o, body, err := begin(old, in)
	if err != nil {
		return nil, Change{}, err
	}
	if at, heading, found := o.find(in, body); found && !in.Another {
		return old, Change{Placement: AlreadyThere, Heading: heading, Offset: at}, nil
	}
	return o.merge(in, body)
}

// begin checks and reads what a merge needs.
func begin(old []byte, in Insertion) (*outline, content, error) {
	if err := in.check(); err != nil {
		return nil, content{}, err
	}
	body := prepareBody(in.Body)
	if len(body.parts) == 0 {
		return nil, content{}, ErrNothingToAdd
	}
	o, err := in.read(old)
	if err != nil {
		return nil, content{}, fmt.Errorf("read the document: %w", err)
	}
	return o, body, nil
}

// readable is the longest document that is read, in bytes. One of this length takes
// goldmark a few seconds at worst, as often as there are ways to write an insertion.
const readable = 1 << 20

// read reads a document, if it can be read in time: a merge holds the item's discussion
// up, and runs in the time of a lease.
func (in Insertion) read(source []byte) (*outline, error) {
	if in.Proceed != nil {
		if err := in.Proceed(); err != nil {
			return nil, err
		}
	}
	if len(source) > readable || lookahead.Intricate(source) {
		return nil, ErrTooIntricate
	}
	return parseOutline(source)
}

// merge chooses the place and tries the ways to write there, most readable first.
func (o *outline) merge(in Insertion, body content) ([]byte, Change, error) {
	at, change, inserted := o.compose(in, body)
	for _, s := range o.splices(at, inserted) {
		result := slices.Concat(o.source[:at], []byte(s.text), o.source[at:])
		n, err := in.read(result)
		if err != nil {
			return nil, Change{}, fmt.Errorf("read the merged document: %w", err)
		}
		if o.keptBy(n, at, s) {
			change.Offset, change.Length = at, len(s.text)
			return result, change, nil
		}
	}
	return nil, Change{}, ErrNoSafePlace
}

// compose gives the place and the lines to put there, with \n endings.
func (o *outline) compose(in Insertion, body content) (at int, change Change, lines string) {
	i, found := o.bestSection(in.Title, in.Keywords, in.Named)
	if found {
		s := o.section(i)
		highest := s.shallowest
		if highest == 0 {
			highest = lastLevel + 1
		}
		leads, headed := body.headings()
		if !leads && (headed || s.shallowest > 0) {
			body = in.lead(body)
		}
		text := in.marker() + "\n\n" + body.rebase(s.heading.level+1, highest)
		return s.end, Change{Placement: InSection, Heading: s.heading.text}, text
	}
	if leads, headed := body.headings(); headed && !leads {
		body = in.lead(body)
	}
	level, title, placement := o.newSectionLevel(), "", NewSection
	if len(bytes.TrimSpace(o.source[o.start:])) == 0 {
		placement = NewDocument
		if name := collapse(in.DocumentTitle); name != "" && name != collapse(in.Title) {
			title = "# " + escapeInline(name) + "\n\n"
		} else {
			level = 1
		}
	}
	title += strings.Repeat("#", level) + " " + escapeInline(in.Title) + "\n\n"
	text := title + in.marker() + "\n\n" + body.rebase(level+1, lastLevel+1)
	return len(o.source), Change{Placement: placement, Heading: collapse(in.Title)}, text
}

// lead puts a heading before a body that has none at its start.
func (in Insertion) lead(body content) content {
	level := lastLevel
	for _, p := range body.parts {
		if p.level > 0 {
			level = min(level, p.level)
		}
	}
	heading := part{level: level, text: in.leadText()}
	return content{parts: append([]part{heading}, body.parts...)}
}

func (in Insertion) leadText() string {
	return "Elaboration (step " + escapeInline(in.StepID) + ")"
}

// find looks for the marker of in with its body under it, and gives the
// marker's offset and the section's heading.
func (o *outline) find(in Insertion, body content) (at int, heading string, found bool) {
	text := []byte(body.rebase(1, 1))
	want := unlevelled(text, len(text))
	lead := unlevelled([]byte(in.leadText()), 1)[0]
	for i, b := range o.blocks {
		if b.marker != in.marker() {
			continue
		}
		_, from := nextLine(o.source, b.start)
		have := unlevelled(o.source[from:], len(want)+1)
		if len(have) > 0 && have[0] == lead && want[0] != lead {
			have = have[1:]
		}
		if len(have) >= len(want) && slices.Equal(have[:len(want)], want) {
			return b.start, o.headingOver(i), true
		}
	}
	return 0, "", false
}

// headingOver is the heading of the section that took the insertion whose
// marker is at index i of blocks: the nearest above it that governs what the
// insertion begins with.
func (o *outline) headingOver(i int) string {
	below := lastLevel + 1
	if i+1 < len(o.blocks) && o.blocks[i+1].ours {
		below = o.blocks[i+1].level
	}
	for _, b := range slices.Backward(o.blocks[:i]) {
		if b.level > 0 && b.level < below && !b.ours {
			return b.text
		}
	}
	return ""
}

var levelMark = regexp.MustCompile(`^#{1,6} |^\*\*|\*\*$`)

// unlevelled gives the first lines of a text that say something, at most limit,
// without what shows the level of headings, which depends on the place.
func unlevelled(text []byte, limit int) []string {
	var lines []string
	for line := range bytes.Lines(text) {
		if len(lines) == limit {
			break
		}
		if words := levelMark.ReplaceAll(bytes.TrimSpace(line), nil); len(words) > 0 {
			lines = append(lines, string(words))
		}
	}
	return lines
}

const markerStart = "<!-- Elaboration: step "

func isMarker(line string) bool {
	return strings.HasPrefix(line, markerStart) && strings.HasSuffix(line, "-->")
}

// marker is the line that traces an insertion to its step (FR-008).
func (in Insertion) marker() string {
	return markerStart + in.StepID + ", " + in.Time + " -->"
}

var markerWord = regexp.MustCompile(`^[\pL\pN][\pL\pN:.+_-]*$`)

// markerLimit bounds a word of the marker, in characters. As a repetition in the
// expression it would cost megabytes.
const markerLimit = 64

func (in Insertion) check() error {
	for _, word := range []string{in.StepID, in.Time} {
		if !markerWord.MatchString(word) || utf8.RuneCountInString(word) > markerLimit || strings.Contains(word, "--") {
			return fmt.Errorf("%w: %q", ErrMarker, word)
		}
	}
	if collapse(in.Title) == "" {
		return ErrNoTitle
	}
	return nil
}

// collapse makes one line of s.
func collapse(s string) string {
	return strings.Join(strings.Fields(cleanText(s)), " ")
}

var inlineMark = regexp.MustCompile("[\\\\`*\\[\\]<]|&[#A-Za-z]|\\b_|_\\b|^_|_$|#+$|~~")

// escapeInline writes s so that Markdown shows it as it is, on one line.
func escapeInline(s string) string {
	return inlineMark.ReplaceAllStringFunc(collapse(s), func(mark string) string {
		return `\` + mark
	})
}
