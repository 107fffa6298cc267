package roundtable_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/persona"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// TestLateNames shows that who spoke before Slack said who they are has a name
// everywhere once it is learnt: what leaves Slack must not name people by an id.
func TestLateNames(t *testing.T) {
	unknown, known := thread.Person{ID: "U1", Name: "U1"}, thread.Person{ID: "U1", Name: "Priya Nair"}
	sam := thread.Person{ID: "U2", Name: "U2"}
	log := []thread.Entry{
		{Kind: thread.EntryTurn, Turn: 1, Person: &unknown, TS: "1.0", Text: "Decision: we wait"},
		{Kind: thread.EntryTurn, Turn: 2, Person: &sam, TS: "2.0", Text: "No."},
		{Kind: thread.EntryMark, Mark: &thread.Mark{Kind: thread.MarkInsight, By: unknown, TS: "2.0"}},
		{Kind: thread.EntryTurn, Turn: 3, Person: &unknown, TS: "3.0", Text: "Well,"},
		{Kind: thread.EntryTurn, Turn: 3, Person: &known, TS: "4.0", Text: "yes."},
	}
	got := thread.ReadTranscript(log)
	var names []string
	for _, turn := range got.Turns {
		names = append(names, turn.Person.Name)
	}
	for _, m := range got.Marks {
		names = append(names, m.By.Name)
	}
	want := []string{"Priya Nair", "U2", "Priya Nair", "Priya Nair", "Priya Nair"}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}

	say := func(d roundtable.Discussion, ts string, by thread.Person) roundtable.Discussion {
		return roundtable.Step(d, roundtable.Input{ID: "m:" + ts, At: time.Unix(1_700_000_000, 0), Event: roundtable.Said{TS: ts, By: by, Text: "A remark."}}).Discussion
	}
	d := roundtable.Discussion{
		ID: "D1", State: roundtable.StateDiscussionLoop, Settings: roundtable.Settings{MaxTurns: 10},
		Cast: []persona.Seat{{Key: "a", Name: "Ann"}, {Key: "b", Name: "Ben"}}, Lead: "a",
	}
	d = say(say(say(d, "1.0", unknown), "2.0", known), "3.0", unknown)
	if diff := cmp.Diff([]thread.Person{known}, d.People); diff != "" {
		t.Errorf("participants (-want +got):\n%s", diff)
	}
}

// TestPeopleAreToldApartFromPersonas shows that nobody passes for a persona in the line of
// participants by what they are called, nor for everybody (FR-003).
func TestPeopleAreToldApartFromPersonas(t *testing.T) {
	t.Parallel()
	cast := []persona.Seat{{Key: "ba", Name: "Maya Chen", Role: "Business Analyst", Title: "BA"}}
	var people []thread.Person
	for i, name := range []string{"Maya", "maya chen", "Maya Chen (BA)", "Maya Chen (Business Analyst)", "Ma\u200bya", "All", "Maya Lee"} {
		people = append(people, thread.Person{ID: string(rune('A' + i)), Name: name})
	}
	d := roundtable.Discussion{Cast: cast, People: people, Spoke: map[string]int{"ba": 1}}
	want := "**Participants**: Maya Chen (BA), Maya (person), maya chen (person), Maya Chen (BA) (person), Maya Chen (Business Analyst) (person), Ma\u200bya (person), All (person), Maya Lee\n"
	if got := d.Markdown(&thread.Synthesis{}); !strings.Contains(got, want) {
		t.Errorf("got %s\nwant %s", got, want)
	}
}
