package roundtable_test

import (
	"testing"
	"time"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/persona"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// TestEarlyWordsKeepTheirTime writes before the topic is framed: what was said is noted at
// the time at which it was said, and not at that of the framing.
func TestEarlyWordsKeepTheirTime(t *testing.T) {
	at := time.Date(2026, 11, 16, 10, 0, 0, 0, time.UTC)
	lead := persona.Seat{Key: "ba", Name: "Maya Chen", Title: "Business Analyst"}
	cast := []persona.Seat{lead, {Key: "architect", Name: "Alex Rivera", Title: "Solutions Architect"}}
	priya := thread.Person{ID: "U1", Name: "Priya", Standing: thread.StandingMember}
	var d roundtable.Discussion
	var entries []thread.Entry
	step := func(id string, after time.Duration, e roundtable.Event) {
		r := roundtable.Step(d, roundtable.Input{ID: id, At: at.Add(after), Event: e})
		d, entries = r.Discussion, append(entries, r.Entries...)
	}
	step("o:1", 0, roundtable.Opened{
		Discussion: "D1", Place: thread.Place{Team: "T1", Channel: "C1"}, By: priya, Topic: "Keys", Item: "keys", ItemTitle: "Keys",
		Step: roundtable.StepRef{ID: roundtable.FreeStep, Title: "Keys"}, Cast: cast, Lead: lead.Key, Settings: roundtable.Settings{MaxTurns: 10},
	})
	step("D1/root/posted", time.Second, roundtable.Posted{Effect: "D1/root", TS: "1.000001"})
	if d.Ask == nil {
		t.Fatalf("the lead is not asked to frame the topic: %+v", d)
	}
	step("m:2.000001", time.Minute, roundtable.Said{TS: "2.000001", By: priya, Text: "Who keeps the old ones?"})
	step(d.Ask.Key+"/framed", 2*time.Minute, roundtable.Framed{Effect: d.Ask.Key, Framing: roundtable.Framing{Summary: "Keys are to be kept.", Focus: "Who keeps keys?", Ask: "architect"}})
	for _, e := range entries {
		if e.Kind == thread.EntryTurn && e.Person != nil {
			if want := at.Add(time.Minute); !e.At.Equal(want) {
				t.Errorf("noted at %s, want %s", e.At, want)
			}
			return
		}
	}
	t.Errorf("no turn of Priya's among %+v", entries)
}
