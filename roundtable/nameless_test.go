package roundtable_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/roundtable-chat/app/roundtable"
)

// TestLateNames shows that who spoke before Slack said who they are has a name
// everywhere once it is learnt: what leaves Slack must not name people by an id.
func TestLateNames(t *testing.T) {
	unknown, known := roundtable.Person{ID: "U1", Name: "U1"}, roundtable.Person{ID: "U1", Name: "Priya Nair"}
	sam := roundtable.Person{ID: "U2", Name: "U2"}
	log := []roundtable.Entry{
		{Kind: roundtable.EntryTurn, Turn: 1, Person: &unknown, TS: "1.0", Text: "Decision: we wait"},
		{Kind: roundtable.EntryTurn, Turn: 2, Person: &sam, TS: "2.0", Text: "No."},
		{Kind: roundtable.EntryMark, Mark: &roundtable.Mark{Kind: roundtable.MarkInsight, By: unknown, TS: "2.0"}},
		{Kind: roundtable.EntryTurn, Turn: 3, Person: &unknown, TS: "3.0", Text: "Well,"},
		{Kind: roundtable.EntryTurn, Turn: 3, Person: &known, TS: "4.0", Text: "yes."},
	}
	got := roundtable.ReadTranscript(log)
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

	say := func(d roundtable.Discussion, ts string, by roundtable.Person) roundtable.Discussion {
		return roundtable.Step(d, roundtable.Input{ID: "m:" + ts, At: time.Unix(1_700_000_000, 0), Event: roundtable.Said{TS: ts, By: by, Text: "A remark."}}).Discussion
	}
	d := roundtable.Discussion{
		ID: "D1", State: roundtable.StateDiscussionLoop, Settings: roundtable.Settings{MaxTurns: 10},
		Cast: []roundtable.Seat{{Key: "a", Name: "Ann"}, {Key: "b", Name: "Ben"}}, Lead: "a",
	}
	d = say(say(say(d, "1.0", unknown), "2.0", known), "3.0", unknown)
	if diff := cmp.Diff([]roundtable.Person{known}, d.People); diff != "" {
		t.Errorf("participants (-want +got):\n%s", diff)
	}
}
