package roundtable

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestPersonsAreStoredForEveryVersion shows that what was stored of people before there were
// standings means what it meant, and that a replica which reads no standing takes nobody for a
// full member who is none.
func TestPersonsAreStoredForEveryVersion(t *testing.T) {
	for _, c := range []struct {
		stored string
		is     Standing
	}{
		{`{"id":"U1","name":"Priya"}`, StandingMember},
		{`{"id":"U1","name":"Priya","guest":true}`, StandingGuest},
		{`{"id":"U1","name":"Priya","guest":true,"standing":"outsider"}`, StandingOutsider},
		{`{"id":"U1","name":"Priya","guest":true,"standing":"unknown"}`, StandingUnknown},
	} {
		var p Person
		if err := json.Unmarshal([]byte(c.stored), &p); err != nil {
			t.Fatal(err)
		}
		if p.Is() != c.is {
			t.Errorf("%s is %q, want %q", c.stored, p.Is(), c.is)
		}
		again, err := json.Marshal(Person{ID: "U1", Name: "Priya"}.As(c.is))
		if err != nil || string(again) != c.stored {
			t.Errorf("%q is stored as %s, want %s", c.is, again, c.stored)
		}
	}
	later := Person{ID: "U1", Standing: "added later"}
	if got := RightEverybody.Judge(later, "U1"); got != VerdictRefused {
		t.Errorf("a standing of a later version: got %v", got)
	}
}

// TestWhatIsKeptOfUnknownPeopleIsBounded shows that a crowd that presses everything while
// Slack does not say who it is cannot make a discussion large, and that nobody loses an act
// without being told.
func TestWhatIsKeptOfUnknownPeopleIsBounded(t *testing.T) {
	d := Step(Discussion{}, Input{ID: "o:1", Event: Opened{Discussion: "D1", By: person("Priya"), Cast: testSeats(), Lead: testSeats()[0].Key}}).Discussion
	refused, n := 0, 0
	for who := range 3 * unknownMost {
		by := person(fmt.Sprint("U", who)).As(StandingUnknown)
		for act := range 5 * actsMost {
			n++
			r := Step(d, Input{ID: fmt.Sprint("b:", n), Event: Pressed{By: by, Button: ButtonChoose, Value: fmt.Sprintf("c%d/%s", act, strings.Repeat("1", act))}})
			d = r.Discussion
			for _, e := range r.Effects {
				if tell, ok := e.(Tell); ok && tell.Text == SayPersonUnknown() {
					refused++
				}
			}
		}
	}
	kept := 0
	for _, u := range d.Unknown {
		kept += len(u.Acts)
	}
	if len(d.Unknown) != unknownMost || kept != unknownMost*actsMost || kept+refused != n {
		t.Errorf("%d people and %d acts are kept, %d of %d acts refused", len(d.Unknown), kept, refused, n)
	}
	long := Pressed{By: person("Una"), Button: ButtonChoose, Value: strings.Repeat("1", actValueMost+1)}
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
	var log []Entry
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
	const marks = 3 * actsMost
	told := 0
	for n := range marks {
		told += step(Said{TS: fmt.Sprint(n), By: person("Una"), Text: fmt.Sprint("Decision: number ", n)})
	}
	if told != 1 {
		t.Errorf("told %d times", told)
	}
	if got := len(ReadTranscript(log).Marks); got != 0 {
		t.Errorf("%d decide before Slack says who she is", got)
	}
	step(Identified{Person: person("Una").As(StandingMember)})
	if got := len(ReadTranscript(log).Marks); got != marks {
		t.Errorf("%d of %d decide", got, marks)
	}
}

// TestSlackIsAskedLessAndLess shows the pauses between questions about who somebody is.
func TestSlackIsAskedLessAndLess(t *testing.T) {
	now := time.Date(2026, 11, 16, 9, 0, 0, 0, time.UTC)
	var u Unknowns
	for _, name := range []string{"Una", "Tom"} {
		u.Keep(Person{ID: "U" + name, Name: name}, Act{Kind: ActDone}, now)
	}
	asked := 0
	for end := now.Add(24 * time.Hour); u.Wake().Before(end); asked++ {
		now = u.Wake()
		if who := u.Ask("key"); !u.Wake().IsZero() {
			t.Fatalf("a second question is open beside that about %s", who)
		}
		u.Unanswered("key", now, time.Time{})
	}
	if asked < 2*24 || asked > 2*40 {
		t.Errorf("asked %d times in a day about two people", asked)
	}
	u.Ask("key")
	u.Unanswered("key", now, now.Add(3*time.Hour))
	if u.Wake().Before(now.Add(3 * time.Hour)) {
		t.Errorf("asked at %s, before Slack wants it", u.Wake())
	}
	if _, ok := u.Take("U-Una", now); !ok || u.Wake() != now {
		t.Errorf("Slack answers again, and the next is asked about at %s", u.Wake())
	}
}
