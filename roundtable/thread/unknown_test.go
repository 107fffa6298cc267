package thread

import (
	"encoding/json"
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

// TestSlackIsAskedLessAndLess shows the pauses between questions about who somebody is.
func TestSlackIsAskedLessAndLess(t *testing.T) {
	now := time.Date(2026, 11, 16, 9, 0, 0, 0, time.UTC)
	var u Unknowns
	for _, name := range []string{"Una", "Tom"} {
		u.Keep(Person{ID: "U-" + name, Name: name}, Act{Kind: ActDone}, now)
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
