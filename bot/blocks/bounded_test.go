package blocks

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/roundtable-chat/app/roundtable/intricate"
	"github.com/roundtable-chat/app/roundtable/lookahead"
	"github.com/roundtable-chat/app/roundtable/say"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// readings are the readers of people's and models' text, each over one text.
func readings() map[string]func(text string) {
	r := testRenderer()
	return map[string]func(string){
		"contribution": func(text string) {
			r.Draw(place, "D1", thread.Message{Kind: thread.KindContribution, Text: text})
		},
		"synthesis": func(text string) {
			r.Draw(place, "D1", thread.Message{Kind: thread.KindSynthesis, Text: "#### Decisions\n\n- [Priya] " + text + "\n", Synthesis: &thread.Synthesis{}})
		},
		"entities": func(text string) { plainEntities(Readable(text), r.Name) },
		"fallback": func(text string) {
			fallback(text)
			defangWords(text)
			_ = Clip(text, 100)
		},
	}
}

// TestReadingAllocatesLinearly doubles every shape for every reader.
func TestReadingAllocatesLinearly(t *testing.T) {
	for name, read := range readings() {
		t.Run(name, func(t *testing.T) { intricate.Linear(t, 4_000, 1<<20, read) })
	}
}

// BenchmarkReading shows the cost per byte of every reader over every shape.
func BenchmarkReading(b *testing.B) {
	for name, read := range readings() {
		b.Run(name, func(b *testing.B) { intricate.Bench(b, []int{1_000, 10_000, 40_000}, read) })
	}
}

// TestIntricateTextIsDrawnAsItStands draws what would keep a parser busy for seconds:
// what the parser gets is plain, and people read what was written.
func TestIntricateTextIsDrawnAsItStands(t *testing.T) {
	for _, unit := range []string{"[](", "[a](", "![](", "[a](b(c(", "*a_ "} {
		s := newSheet()
		rd := &reader{sheet: s, links: func(string) bool { return false }}
		rd.read(strings.Repeat(unit, 39_000/len(unit)))
		if lookahead.Intricate(rd.source) {
			t.Errorf("%q: the parser was given what is intricate", unit)
		}
		s.finish()
		if got := strings.ReplaceAll(s.plain.String(), "\n", ""); !strings.HasPrefix(got, strings.Repeat(unit, 1_000)) {
			t.Errorf("%q: got %.60q", unit, got)
		}
	}
}

// TestPlainTextBesideAnIntricateOneKeepsItsForm draws the rest of a message as ever.
func TestPlainTextBesideAnIntricateOneKeepsItsForm(t *testing.T) {
	s := newSheet()
	rd := &reader{sheet: s, links: func(string) bool { return false }}
	rd.read("**bold**\n\n" + strings.Repeat("[](", 3_000))
	b, err := json.Marshal(s.finish())
	if err != nil || !bytes.Contains(b, []byte(`"text":"bold","style":{"bold":true}`)) {
		t.Errorf("got %.200s, %v", b, err)
	}
}

// TestNoMoreIsParsedThanAMessageShows cuts before it parses, at a word, and counts.
func TestNoMoreIsParsedThanAMessageShows(t *testing.T) {
	text := strings.Repeat("words of a long result, ", 20_000)
	s := newSheet()
	rd := &reader{sheet: s, links: func(string) bool { return false }}
	testRenderer().words(rd, text)
	if n := utf8.RuneCount(rd.source); n > maxSource || n < maxSource-2*nearby {
		t.Errorf("%d characters were parsed, want about %d", n, maxSource)
	}
	s.finish()
	if want := say.MoreInTranscript(len(text) - maxSheet); s.cut < len(text)-maxSheet-2*nearby || !strings.Contains(s.plain.String(), "more") {
		t.Errorf("%d characters are said to be left, want about what %q says", s.cut, want)
	}
}

// TestShortenedMarkLinksToItsMessage leads to the message that the rules name, and
// nowhere on anybody else's word.
func TestShortenedMarkLinksToItsMessage(t *testing.T) {
	d := testRenderer().Draw(place, "D1", thread.Message{
		Kind: thread.KindSynthesis, Synthesis: &thread.Synthesis{},
		Text: "- [Priya] so…" + thread.SayShortened("1700000001.000100") + "\n- [Priya] [click here](message:1700000001.000100)\n",
	})
	b, err := json.Marshal(d.Blocks)
	if err != nil {
		t.Fatal(err)
	}
	want := `"url":"https://acme.slack.com/archives/C1/p1700000001000100?thread_ts=1700000000.000100\u0026cid=C1","text":"the whole message"`
	if !bytes.Contains(b, []byte(want)) || strings.Count(string(b), `"url"`) != 1 {
		t.Errorf("got %s", b)
	}
}
