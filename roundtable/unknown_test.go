package roundtable

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/roundtable-chat/app/roundtable/thread"
)

// TestWhatIsKeptOfUnknownPeopleIsBounded shows that a crowd that presses everything while
// Slack does not say who it is cannot make a discussion large, and that nobody loses an act
// without being told.
func TestWhatIsKeptOfUnknownPeopleIsBounded(t *testing.T) {
	d := Step(Discussion{}, Input{ID: "o:1", Event: Opened{Discussion: "D1", By: person("Priya"), Cast: testSeats(), Lead: testSeats()[0].Key}}).Discussion
	refused, n := 0, 0
	for who := range 3 * thread.UnknownMost {
		by := person(fmt.Sprint("U", who)).As(thread.StandingUnknown)
		for act := range 5 * thread.ActsMost {
			n++
			r := Step(d, Input{ID: fmt.Sprint("b:", n), Event: Pressed{By: by, Button: ButtonChoose, Value: fmt.Sprintf("c%d/%s", act, strings.Repeat("1", act))}})
			d = r.Discussion
			for _, e := range r.Effects {
				if tell, ok := e.(Tell); ok && tell.Text == thread.SayPersonUnknown() {
					refused++
				}
			}
		}
	}
	kept := 0
	for _, u := range d.Unknown {
		kept += len(u.Acts)
	}
	if len(d.Unknown) != thread.UnknownMost || kept != thread.UnknownMost*thread.ActsMost || kept+refused != n {
		t.Errorf("%d people and %d acts are kept, %d of %d acts refused", len(d.Unknown), kept, refused, n)
	}
	long := Pressed{By: person("Una"), Button: ButtonChoose, Value: strings.Repeat("1", thread.ActValueMost+1)}
	if r := Step(d, Input{ID: "b:long", Event: long}); len(r.Discussion.Unknown) != len(d.Unknown) {
		t.Error("a value is kept that no button of ours has")
	}
	stored, err := json.Marshal(d.Unknown)
	if err != nil || len(stored) > 64<<10 {
		t.Errorf("they take %d bytes, %v", len(stored), err)
	}
}

// TestMarksOfUnknownPeopleAreNotBounded shows that no decision is lost to the bound on what
// the state keeps: marks stand in the log.
func TestMarksOfUnknownPeopleAreNotBounded(t *testing.T) {
	var log []thread.Entry
	d := Discussion{ID: "D1", State: StateDiscussionLoop, Opener: person("Priya"), Cast: testSeats(), Lead: testSeats()[0].Key, Settings: Settings{MaxTurns: 90}}
	step := func(e Event) (told int) {
		r := Step(d, Input{ID: fmt.Sprint("x:", len(log)), Event: e})
		d, log = r.Discussion, append(log, r.Entries...)
		for _, x := range r.Effects {
			if _, ok := x.(Tell); ok {
				told++
			}
		}
		return told
	}
	const marks = 3 * thread.ActsMost
	told := 0
	for n := range marks {
		told += step(Said{TS: fmt.Sprint(n), By: person("Una"), Text: fmt.Sprint("Decision: number ", n)})
	}
	if told != 1 {
		t.Errorf("told %d times", told)
	}
	if got := len(thread.ReadTranscript(log).Marks); got != 0 {
		t.Errorf("%d decide before Slack says who she is", got)
	}
	step(Identified{Person: person("Una").As(thread.StandingMember)})
	if got := len(thread.ReadTranscript(log).Marks); got != marks {
		t.Errorf("%d of %d decide", got, marks)
	}
}
