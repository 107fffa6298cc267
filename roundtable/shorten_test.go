package roundtable_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// decided is a discussion in which a person wrote some messages.
func decided(texts ...string) thread.Synthesis {
	maya := thread.Person{ID: "U1", Name: "Priya"}
	var log []thread.Entry
	for i, text := range texts {
		log = append(log, thread.Entry{Kind: thread.EntryTurn, Turn: i + 1, Person: &maya, TS: fmt.Sprintf("1700000000.%06d", i+1), Text: text})
	}
	d := roundtable.Discussion{People: []thread.Person{maya}, Turns: len(texts)}
	syn, _ := roundtable.Check(d, &roundtable.Draft{}, thread.ReadTranscript(log))
	return syn
}

// TestLongMarksAreShortenedAndLeadToTheWhole marks a dozen messages of the length that
// Slack takes: the result holds all of them, can be kept, and says where each stands as
// a whole (NFR-003).
func TestLongMarksAreShortenedAndLeadToTheWhole(t *testing.T) {
	var texts []string
	for i := range 12 {
		texts = append(texts, fmt.Sprintf("Decision: number %d %s", i, strings.Repeat("and so on, ", 3_500)))
	}
	syn := decided(texts...)
	if len(syn.Decisions) != len(texts) {
		t.Fatalf("got %d decisions, want %d", len(syn.Decisions), len(texts))
	}
	for i, p := range syn.Decisions {
		link := fmt.Sprintf("(shortened; see [the whole message](message:1700000000.%06d))", i+1)
		if !strings.HasPrefix(p.Text, fmt.Sprintf("number %d and so on,", i)) || !strings.HasSuffix(p.Text, link) {
			t.Errorf("got %.30q … %q", p.Text, p.Text[len(p.Text)-80:])
		}
	}
	b, err := roundtable.EncodeEffect(roundtable.WriteDocuments{Key: "D1/x/0", Markdown: roundtable.Discussion{}.Markdown(&syn)})
	if err != nil || len(b) > 20_000 {
		t.Errorf("the result takes %d bytes, %v, the most is 20,000", len(b), err)
	}
}

// TestMarksAreWhole leaves marked text of a page as it is.
func TestMarksAreWhole(t *testing.T) {
	body := strings.TrimSpace(strings.Repeat("we ship on Friday, ", 50))
	if got := decided("Decision: " + body).Decisions[0].Text; got != body {
		t.Errorf("got %q", got)
	}
}

// TestMarksThatDifferLateAreTwo keeps two decisions apart that begin with the same page.
func TestMarksThatDifferLateAreTwo(t *testing.T) {
	page := "Decision: " + strings.Repeat("the same words ", 200)
	if syn := decided(page+"but in March", page+"but in May"); len(syn.Decisions) != 2 {
		t.Errorf("got %d decisions, want 2", len(syn.Decisions))
	}
}

// TestShortenedTextEndsWithASentence ends where a sentence does if one does late enough.
func TestShortenedTextEndsWithASentence(t *testing.T) {
	got := decided("Decision: " + strings.Repeat("One sentence of five words. ", 60)).Decisions[0].Text
	head, _, _ := strings.Cut(got, " … (shortened")
	if !strings.HasSuffix(head, "five words.") || utf8.RuneCountInString(head) > 1_000 {
		t.Errorf("got %q", head)
	}
	unbroken := decided("Decision: " + strings.Repeat("字", 30_000)).Decisions[0].Text
	if head, _, _ := strings.Cut(unbroken, "… (shortened"); utf8.RuneCountInString(head) != 1_000 {
		t.Errorf("got %d characters of one word, want 1,000", utf8.RuneCountInString(head))
	}
}

// TestShortenedMarkKeepsItsLink spells out what is intricate in a shortened mark, so that
// it cannot take the link beside it along.
func TestShortenedMarkKeepsItsLink(t *testing.T) {
	got := decided("Decision: n " + strings.Repeat("[](", 12_900)).Decisions[0].Text
	if !strings.HasPrefix(got, `n \[\](\[\](`) || !strings.HasSuffix(got, "[the whole message](message:1700000000.000001))") {
		t.Errorf("got %.40q … %q", got, got[len(got)-80:])
	}
}

// TestLinkMessages gives a link of the rules its address, and no other text one.
func TestLinkMessages(t *testing.T) {
	text := "cut" + thread.SayShortened("1700000000.000100") + " and [mine](message:1700000000.000100)"
	got := thread.LinkMessages(text, func(ts string) string { return "https://acme.slack.com/p" + ts })
	if want := "cut (shortened; see [the whole message](https://acme.slack.com/p1700000000.000100)) and [mine](message:1700000000.000100)"; got != want {
		t.Errorf("got %q", got)
	}
	got = thread.LinkMessages(text, func(string) string { return "" })
	if want := "cut (shortened; see the whole message)"; !strings.HasPrefix(got, want) {
		t.Errorf("without an address: got %q", got)
	}
}
