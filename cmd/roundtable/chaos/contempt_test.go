package chaos

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/roundtable-chat/app/bot/slacksim"
	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// newTribunal is a court for a hostile campaign that has not begun.
func newTribunal() *court {
	j := newCourt()
	j.plan = Plan{Mode: Hostile, Prompt: time.Second}
	j.town = &town{people: residents()}
	j.gauge = newGauge(j.town.honest)
	j.town.gauge = j.gauge
	return j
}

// TestDeceives says which links show another address than they lead to (NFR-103).
func TestDeceives(t *testing.T) {
	for _, tt := range []struct {
		label, target string
		want          bool
	}{
		{"https://accounts.google.com", "https://evil.example/login", true},
		{"pay at pay.bank.com", "https://evil.example/pay", true},
		{"log in", "https://evil.example/login", false},
		{"https://evil.example/login", "https://evil.example/login", false},
		{"evil.example", "https://evil.example/login", false},
		{"accounts[.]google[.]com (https://evil.example/login)", "https://evil.example/login", false},
		{"", "https://evil.example/login", false},
	} {
		if got := deceives(tt.label, tt.target); got != tt.want {
			t.Errorf("deceives(%q, %q) = %t, want %t", tt.label, tt.target, got, tt.want)
		}
	}
	block := []any{map[string]any{"type": "rich_text", "elements": []any{map[string]any{"type": "link", "url": "https://evil.example/", "text": "https://bank.com"}}}}
	if got := disguisedIn(block); len(got) != 1 {
		t.Errorf("found %v in a block, want one link", got)
	}
	for _, text := range []string{"<https://evil.example/|https://bank.com>", "[https://bank.com](https://evil.example/)"} {
		if got := disguisedText(text); len(got) != 1 {
			t.Errorf("found %v in %s, want one link", got, text)
		}
	}
}

// TestMeasures shows that the judge sees slow acknowledgements to the team, replicas
// that grow and calls before their time, and none of the rogues' own waits.
func TestMeasures(t *testing.T) {
	of := func(user string) json.RawMessage { return json.RawMessage(`{"event":{"user":"` + user + `"}}`) }
	at := time.Date(2026, 11, 22, 9, 0, 0, 0, time.UTC)
	tests := []struct {
		name  string
		spoil func(*gauge)
		want  []string
	}{
		{"all is well", func(g *gauge) { g.acked(slacksim.Ack{Payload: of(residents()[0].ID), Took: time.Millisecond}) }, nil},
		{"a rogue waits", func(g *gauge) { g.acked(slacksim.Ack{Payload: of(mallory.ID), Took: time.Minute}) }, nil},
		{"the team waits", func(g *gauge) { g.acked(slacksim.Ack{Payload: of(residents()[0].ID), Took: 2 * time.Second}) }, []string{"NFR-002"}},
		{"what the team did is sent again", func(g *gauge) {
			g.acked(slacksim.Ack{Payload: of(residents()[0].ID), Took: time.Millisecond, Attempt: 1})
		}, []string{"NFR-002"}},
		{"a replica grows", func(g *gauge) { g.idle, g.most = 50<<10, 50<<10+growth+1 }, []string{"memory"}},
		{"a call comes too early", func(g *gauge) {
			g.called(slacksim.CallRecord{Method: "users.info", At: at, Status: http.StatusTooManyRequests, RetryAfter: 30 * time.Second})
			g.called(slacksim.CallRecord{Method: "users.info", At: at.Add(grace + 1)})
		}, []string{"pace"}},
		{"a call was on its way", func(g *gauge) {
			g.called(slacksim.CallRecord{Method: "users.info", At: at, Status: http.StatusTooManyRequests, RetryAfter: 30 * time.Second})
			g.called(slacksim.CallRecord{Method: "users.info", At: at.Add(grace)})
			g.called(slacksim.CallRecord{Method: "users.info", At: at.Add(30 * time.Second)})
		}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			j := newTribunal()
			j.town.Workspace = new(slacksim.Workspace)
			tt.spoil(j.gauge)
			j.measures()
			got := invariants(j.log)
			if diff := cmp.Diff(len(tt.want), len(got)); diff != "" || len(got) > 0 && got[0] != tt.want[0] {
				t.Errorf("got %v, want %v: %v", got, tt.want, j.log.violations())
			}
		})
	}
}

// TestAside shows that what a rogue wrote may be put aside and what the team wrote may
// not (I1).
func TestAside(t *testing.T) {
	for who, want := range map[string]int{mallory.ID: 0, residents()[0].ID: 1} {
		body, err := roundtable.EncodeInput(roundtable.Input{ID: "m:1.0", Event: roundtable.Said{TS: "1.0", By: thread.Person{ID: who}, Text: "x"}})
		if err != nil {
			t.Fatal(err)
		}
		j := newTribunal()
		j.town.Workspace = new(slacksim.Workspace)
		j.letters = []engine.DeadLetter{{Mail: engine.Mail{ID: "m:1.0", Body: body}, Reason: "too_large"}}
		j.log.judge("the campaign", j.common())
		if got := len(j.log.violations()); got != want {
			t.Errorf("%d violations of what %s wrote, want %d", got, who, want)
		}
	}
}

// TestActor says who did what an envelope tells.
func TestActor(t *testing.T) {
	for payload, want := range map[string]string{
		`{"event":{"type":"message","user":"U1"}}`:                                 "U1",
		`{"event":{"type":"message","message":{"user":"U2"}}}`:                     "U2",
		`{"event":{"subtype":"message_deleted","previous_message":{"user":"U3"}}}`: "U3",
		`{"type":"block_actions","user":{"id":"U4"}}`:                              "U4",
		`{"command":"/roundtable","user_id":"U5"}`:                                 "U5",
		`{"event":{"type":"member_joined_channel"}}`:                               "",
		`{`: "",
	} {
		if got := actor(json.RawMessage(payload)); got != want {
			t.Errorf("actor(%s) = %q, want %q", payload, got, want)
		}
	}
}

// TestLeaks shows that the judge sees words and tokens in a replica's log (I11).
func TestLeaks(t *testing.T) {
	for line, want := range map[string]int{
		"level=INFO msg=step discussion=D1 channel=C1":     0,
		"level=INFO msg=item folder=ledger-0-of-table-1":   1,
		"level=WARN msg=failed error=\"" + botToken + "\"": 1,
		"level=DEBUG msg=heard text=" + quokka:             1,
	} {
		j := newTribunal()
		name := filepath.Join(t.TempDir(), "replica-1.log")
		if err := os.WriteFile(name, []byte(line+"\n"+line+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := j.readLog(name); err != nil {
			t.Fatal(err)
		}
		if got := len(j.log.violations()); got != want || want > 0 && j.log.violations()[0].Invariant != "I11" {
			t.Errorf("%q in a log: got %v, want %d of I11", line, j.log.violations(), want)
		}
	}
}
