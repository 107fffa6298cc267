package people

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/slack-go/slack"

	"github.com/roundtable-chat/app/roundtable/thread"
)

// peopleAt is a directory that asks a server of the test's.
func peopleAt(t *testing.T, answer http.HandlerFunc) *Directory {
	t.Helper()
	server := httptest.NewServer(answer)
	t.Cleanup(server.Close)
	return NewDirectory(slack.New("xoxb-test", slack.OptionAPIURL(server.URL+"/"), slack.OptionHTTPClient(server.Client())), "T1", false)
}

// TestAHurriedLookupSpoilsNothing shows that who asks with no time left neither
// forgets the question nor answers it wrongly for those who come after.
func TestAHurriedLookupSpoilsNothing(t *testing.T) {
	d := peopleAt(t, func(rw http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(rw, `{"ok":true,"user":{"id":"U1","team_id":"T1","real_name":"Priya Nair"}}`)
	})
	hurried, cancel := context.WithCancel(t.Context())
	cancel()
	d.Person(hurried, "U1")
	if got, want := d.Person(t.Context(), "U1"), (thread.Person{ID: "U1", Name: "Priya Nair"}); got != want {
		t.Errorf("got %v, want %v", got, want)
	}
}

// TestARefusedLookupIsNotRepeated shows that Slack is left alone as long as it wants.
func TestARefusedLookupIsNotRepeated(t *testing.T) {
	asked := 0
	d := peopleAt(t, func(rw http.ResponseWriter, _ *http.Request) {
		asked++
		rw.Header().Set("Retry-After", "60")
		rw.WriteHeader(http.StatusTooManyRequests)
	})
	for _, user := range []string{"U1", "U1", "U2", "U3"} { // the limit is the method's
		if p, ok := d.Profile(t.Context(), user); ok || d.After(user) < 50*time.Second {
			t.Errorf("got %+v, %v, and %s to wait", p, ok, d.After(user))
		}
	}
	if asked != 1 {
		t.Errorf("asked %d times, want once", asked)
	}
}

func TestWhoIsElsewhere(t *testing.T) {
	for _, c := range []struct {
		name string
		user slack.User
		want bool
	}{
		{"a colleague", slack.User{TeamID: "T1"}, false},
		{"of another workspace, in a channel with us", slack.User{TeamID: "T2"}, true},
		{"of another workspace, in none", slack.User{TeamID: "T2", IsStranger: true}, true},
		{"Slack does not say", slack.User{}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := (&Directory{team: "T1"}).elsewhere(&c.user); got != c.want {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}

// TestALookupThatFailsGivesNoRight shows how long what Slack said of somebody is believed
// once it says nothing more: of a guest as long as it is remembered, of a full member for an
// hour beyond the time that a profile is fresh (FR-108).
func TestALookupThatFailsGivesNoRight(t *testing.T) {
	for _, c := range []struct {
		name    string
		profile Profile
		age     time.Duration
		known   bool
	}{
		{"a guest, days ago", Profile{name: "Gus", Guest: true}, 72 * time.Hour, true},
		{"an outsider, days ago", Profile{name: "Otto", Outside: true}, 72 * time.Hour, true},
		{"a member, within the grace", Profile{name: "Priya"}, profileFresh + profileGrace - time.Minute, true},
		{"a member, too long ago", Profile{name: "Priya"}, profileFresh + profileGrace + time.Minute, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			asked := 0
			d := peopleAt(t, func(rw http.ResponseWriter, _ *http.Request) {
				asked++
				fmt.Fprint(rw, `{"ok":false,"error":"internal_error"}`)
			})
			c.profile.seen = time.Now().Add(-c.age)
			c.profile.until = c.profile.seen.Add(profileFresh)
			d.cache.Add("U1", c.profile)
			p, ok := d.Profile(t.Context(), "U1")
			if ok != c.known || p.Guest != c.profile.Guest || p.Outside != c.profile.Outside || p.name != c.profile.name {
				t.Errorf("got %+v, known %v", p, ok)
			}
			if asked != 1 {
				t.Errorf("asked %d times", asked)
			}
		})
	}
}

// TestNamesWaitForRights shows that no lookup is spent on names while Slack wants to be left
// alone, and few at any time.
func TestNamesWaitForRights(t *testing.T) {
	asked := 0
	d := peopleAt(t, func(rw http.ResponseWriter, _ *http.Request) {
		asked++
		fmt.Fprint(rw, `{"ok":true,"user":{"id":"U1","team_id":"T1","real_name":"Priya Nair"}}`)
	})
	d.pause(time.Now().Add(time.Minute))
	if got := d.Called(t.Context(), "U1"); got != "" || asked > 0 {
		t.Errorf("got %q after %d lookups", got, asked)
	}
	d.quiet = time.Time{}
	for n := range 5 * namesAMinute {
		d.Called(t.Context(), fmt.Sprint("U", n))
	}
	if asked != namesAMinute {
		t.Errorf("%d lookups, want %d", asked, namesAMinute)
	}
	if got := d.Called(t.Context(), "U1"); got != "Priya Nair" {
		t.Errorf("what is known: got %q", got)
	}
}
