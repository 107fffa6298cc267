package bot

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/slack-go/slack"

	"github.com/roundtable-chat/app/roundtable"
)

// peopleAt is a directory that asks a server of the test's.
func peopleAt(t *testing.T, answer http.HandlerFunc) *directory {
	t.Helper()
	server := httptest.NewServer(answer)
	t.Cleanup(server.Close)
	return newDirectory(slack.New("xoxb-test", slack.OptionAPIURL(server.URL+"/"), slack.OptionHTTPClient(server.Client())), "T1")
}

// TestAHurriedLookupSpoilsNothing shows that who asks with no time left neither
// forgets the question nor answers it wrongly for those who come after.
func TestAHurriedLookupSpoilsNothing(t *testing.T) {
	d := peopleAt(t, func(rw http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(rw, `{"ok":true,"user":{"id":"U1","team_id":"T1","real_name":"Priya Nair"}}`)
	})
	hurried, cancel := context.WithCancel(t.Context())
	cancel()
	d.person(hurried, "U1")
	if got, want := d.person(t.Context(), "U1"), (roundtable.Person{ID: "U1", Name: "Priya Nair"}); got != want {
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
	for range 3 {
		if p, ok := d.profile(t.Context(), "U1"); ok || p.until.Before(time.Now().Add(50*time.Second)) {
			t.Errorf("got %+v, %v", p, ok)
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
			if got := (&directory{team: "T1"}).elsewhere(&c.user); got != c.want {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}
