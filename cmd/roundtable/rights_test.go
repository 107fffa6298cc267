package main

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/roundtable-chat/app/bot/slacksim"
	"github.com/roundtable-chat/app/storage/storagetest"
)

// TestNobodyEndsWhatSlackKeepsSilentAbout is a workspace in which users.info is limited: a
// guest and a member, neither of whom the replica knows, mark decisions and write "done".
// Neither ends the discussion, and both are told. The replica is killed; when Slack answers
// its successor, the member's decision counts and the member's "done" ends the discussion,
// once, and the guest is refused: FR-108, I1, NFR-003.
func TestNobodyEndsWhatSlackKeepsSilentAbout(t *testing.T) {
	t.Parallel()
	const gina = "U0GUEST02"
	var silent atomic.Bool
	o := slacksim.Options{
		People: []slacksim.Person{
			{ID: priya, Name: "priya", RealName: "Priya Nair"}, {ID: sam, Name: "sam", RealName: "Sam Okafor"},
			{ID: lena, Name: "lena", RealName: "Lena Fischer"}, {ID: gina, Name: "gina", RealName: "Gina Guest", IsRestricted: true},
		},
		Before: func(method string, _ map[string]string) slacksim.Verdict {
			if method == "users.info" && silent.Load() {
				return slacksim.Verdict{Status: http.StatusTooManyRequests, RetryAfter: time.Second}
			}
			return slacksim.Verdict{}
		},
	}
	w := localSlack(t, o)
	server := storagetest.RedisTCP(t, "--appendonly", "yes", "--appendfsync", "always")
	env := append(serveEnv(w, server), "ROUNDTABLE_LEASE=2s", "ROUNDTABLE_GATHER=200ms")
	p := start(t, t.TempDir(), env, "serve")
	ready(t, p)
	d := person{w, priya, product}.open("who gets the company car")
	d.until("", "the room has the floor", containing("The floor is yours"))

	silent.Store(true)
	for who, decision := range map[string]string{gina: "Gina gets the car", lena: "nobody gets a car"} {
		d.as(who).say("Decision: " + decision)
		d.as(who).say("done")
		eventually(t, who+" is told", func() string { return strings.Join(w.private(who), "\n") }, func() bool {
			told := w.private(who)
			return len(told) == 1 && strings.HasPrefix(told[0], "Slack has not told me yet who you are")
		})
	}
	asked := d.as(sam).say("Alex, what breaks first?")
	d.until(asked, "the discussion goes on", by("Alex"))
	p.kill()

	p = start(t, t.TempDir(), env, "serve")
	ready(t, p)
	silent.Store(false)
	d.until(asked, "the menu is back", containing(menu))
	var syntheses []string
	for _, m := range d.thread() {
		if strings.Contains(m.Text, "Elaboration Insights") {
			syntheses = append(syntheses, m.Text)
		}
	}
	if len(syntheses) != 1 {
		t.Fatalf("%d syntheses, want one:\n%s", len(syntheses), d.transcript(d.root))
	}
	_, decided, _ := strings.Cut(syntheses[0], "Decisions Made")
	decided, _, _ = strings.Cut(decided, "Open Questions")
	if !strings.Contains(decided, "[Lena Fischer] nobody gets a car") || strings.Contains(decided, "Gina") {
		t.Errorf("decided: %s", decided)
	}
	eventually(t, "the guest is refused", func() string { return strings.Join(w.private(gina), "\n") }, func() bool {
		told := w.private(gina)
		return len(told) == 2 && strings.HasPrefix(told[1], "Only full members of this workspace can do that here")
	})
	if told := w.private(lena); len(told) != 1 {
		t.Errorf("the member was told %q", told)
	}
	if got := p.terminate(); got != 0 {
		t.Errorf("exit code %d after SIGTERM, want 0:\n%s", got, &p.output)
	}
	p.calm()
}

// private are the private messages to a person, oldest first.
func (w *workspace) private(as string) []string {
	w.t.Helper()
	var state struct{ Ephemerals []message }
	if err := w.call("/sim/state?as="+as, nil, &state); err != nil {
		w.t.Fatal(err)
	}
	var texts []string
	for _, m := range state.Ephemerals {
		texts = append(texts, m.Text)
	}
	return texts
}
