package main

import (
	"context"
	"html"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/roundtable-chat/app/manifests"
	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/analysis"
	"github.com/roundtable-chat/app/roundtable/thread"
	"github.com/roundtable-chat/app/storage"
	"github.com/roundtable-chat/app/storage/storagetest"
)

// TestWalk goes through all steps of an analysis in the demo, on a real Redis that
// survives, with three people, five elaborations, a skip, an override of the depth
// and three kills. What was written in Slack can be read in
// testdata/walk/transcript.txt, and the item as it was exported beside it; -update
// writes both anew. (FR-001, FR-004, FR-005, FR-007, FR-008, FR-010, FR-011,
// AC-004-04, AC-005-05, AC-006-04, AC-006-05, AC-007-01, AC-007-05, AC-007-06,
// AC-010-05, NFR-003, NFR-004, NFR-005, I2, I3, I4, I8)
func TestWalk(t *testing.T) {
	t.Parallel()
	w := setOut(t)
	w.complete()
	before := map[string]string{}
	for i, s := range walked {
		w.talk(s)
		w.atMenu(s)
		if i+1 == len(walked) || walked[i+1].step[:2] != s.step[:2] {
			now := w.export(walkedItem, "phase-"+s.step[:2])
			grown(t, before, now)
			before = now
		}
	}
	w.until(w.after, "the analysis is complete", containing("is complete. /roundtable export"))
	final := w.export(walkedItem, "final")
	grown(t, before, final)
	w.artifactsStand(final)
	metaIsTrue(t, final["meta.json"])
	w.postedOnce()
	reviewed(t, "transcript.txt", w.written(), func(s string) string {
		walk, elaborations, _ := strings.Cut(s, "\n==== Elaboration 1")
		return walk + blurred(elaborations)
	})
	for name, text := range final {
		reviewed(t, filepath.Join("export", name), clockTimes.ReplaceAllString(text, "2026-01-01T00:00:00Z"), blurred)
	}
	const copied = "T0ROUND01/C0RANDOM1/copy"
	if code, _, errs := execute(t, w.env, nil, "import", filepath.Join(w.folder, "final"), copied); code != 0 {
		t.Fatalf("import: exit code %d\n%s", code, errs)
	}
	if diff := cmp.Diff(final, w.export(copied, "again")); diff != "" {
		t.Errorf("exported, imported and exported again (-once +twice):\n%s", diff)
	}
	if got := w.process.terminate(); got != 0 {
		t.Errorf("exit code %d after SIGTERM, want 0:\n%s", got, &w.process.output)
	}
	w.process.calm()
}

const walkedItem = "T0ROUND01/" + product + "/offline-mode"

// walk is the demo while a team goes through an analysis in it. Its discussion is the
// thread of the analysis.
type walk struct {
	discussion
	t       *testing.T
	server  *storagetest.Server
	store   *storage.Redis
	args    []string
	env     []string
	folder  string
	process *process
	steps   analysis.Catalogue
	// after is the timestamp of what was done or seen last.
	after string
	// elaborations are the threads that were opened from menus, and said what was
	// written in each.
	elaborations []discussion
	said         map[string][]string
}

// setOut starts the demo and asks for the analysis.
func setOut(t *testing.T) *walk {
	t.Helper()
	set, err := manifests.Load(nil)
	if err != nil {
		t.Fatal(err)
	}
	w := &walk{t: t, server: storagetest.RedisTCP(t, "--appendonly", "yes", "--appendfsync", "always"), folder: t.TempDir(), steps: set.Steps.Catalogue, said: map[string][]string{}}
	if w.store, err = storage.Open(context.Background(), storage.Options{URL: w.server.URL}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.store.Close() })
	w.env = []string{"REDIS_URL=" + w.server.URL}
	w.args = []string{
		"demo", "--redis", w.server.URL, "--state", filepath.Join(w.folder, "workspace.json"), "--address", "127.0.0.1:0",
		"--lease", "2s", "--gather", "100ms", "--pace", "10ms", "--posts-per-second", "500",
	}
	w.process = start(t, w.folder, nil, w.args...)
	w.discussion = person{demoWorkspace(t, w.process, filepath.Join(w.folder, "workspace.json")), priya, product}.openBy("analyze Offline mode", "Offline mode")
	return w
}

// restart kills bot and workspace as the kernel would, and starts them again. The
// workspace saves what it answers, as Slack keeps what it was told.
func (w *walk) restart() {
	w.t.Helper()
	w.process.kill()
	w.process = start(w.t, w.folder, nil, w.args...)
	w.url = w.process.address(printed)
	eventually(w.t, "the bot is connected again", w.process.output.String, func() bool {
		var state struct{ App struct{ Connections int } }
		return w.call("/sim/state", nil, &state) == nil && state.App.Connections > 0
	})
}

// talk goes through a step until its menu stands.
func (w *walk) talk(s sitting) {
	w.t.Helper()
	step, _, ok := w.steps.Step(s.step)
	if !ok {
		w.t.Fatalf("there is no step %s", s.step)
	}
	asks := func(m message) bool { return spoken(m) && asksIn(step, m.Text) }
	for i, u := range s.said {
		m := w.until(w.after, "step "+s.step+" asks before “"+u.text+"”", func(m message) bool { return asks(m) || menuOf(m) })
		if menuOf(m) {
			w.t.Fatalf("step %s: the menu stands before “%s” was said:\n%s", s.step, u.text, w.transcript(w.root))
		}
		w.after = w.as(u.who).say(u.text)
		if s.killed == i+1 {
			w.restart()
		}
	}
	for {
		m := w.until(w.after, "the menu of step "+s.step, func(m message) bool { return asks(m) || menuOf(m) })
		if menuOf(m) {
			w.after = m.TS
			return
		}
		w.after = w.as(priya).say("done")
	}
}

// asksIn reports whether a message ends with one of a step's prompts, or asks for what
// is open.
func asksIn(step analysis.StepFile, text string) bool {
	text = strings.Join(strings.Fields(html.UnescapeString(text)), " ")
	for _, depth := range analysis.Depths() {
		for _, p := range step.Body.Mode(depth).Prompts {
			if strings.HasSuffix(text, p) {
				return true
			}
		}
	}
	return strings.Contains(text, "still open")
}

func menuOf(m message) bool { return strings.Contains(m.Text, "[C]") }

// atMenu does what the team does at the menu of a step, and chooses.
func (w *walk) atMenu(s sitting) {
	w.t.Helper()
	if s.killedAtMenu {
		w.restart()
	}
	if s.feedback.text != "" {
		w.after = w.as(s.feedback.who).say(s.feedback.text)
		w.after = w.until(w.after, "the menu again after feedback", menuOf).TS
	}
	if len(s.elaborated) > 0 {
		w.elaborate(s)
	}
	w.choose(s.choice)
}

// choose presses a button or types.
func (w *walk) choose(c utterance) {
	w.t.Helper()
	switch c.text {
	case pressE, pressC, pressS:
		w.as(c.who).press(c.text)
	default:
		w.after = w.as(c.who).say(c.text)
	}
}

// elaborate opens an elaboration of the step, speaks in it, ends it, and waits until
// the menu is back.
func (w *walk) elaborate(s sitting) {
	w.t.Helper()
	w.choose(s.elaborated[0])
	e := discussion{person: w.person}
	eventually(w.t, "an elaboration of step "+s.step+" opens", func() string { return w.transcript("") }, func() bool {
		for _, m := range w.messages(w.channel) {
			known := slices.ContainsFunc(w.elaborations, func(d discussion) bool { return d.root == m.TS })
			if m.BotID != "" && !known && strings.Contains(m.Text, "ELABORATION MODE") {
				e.root = m.TS
			}
		}
		return e.root != ""
	})
	w.elaborations = append(w.elaborations, e)
	e.until("", "the room has the floor", containing("The floor is yours"))
	for i, u := range s.elaborated[1:] {
		ts := e.as(u.who).say(u.text)
		w.said[e.root] = append(w.said[e.root], ts)
		if s.killedElaborating && i == 0 {
			w.restart()
			for i := range w.elaborations {
				w.elaborations[i].workspace = w.workspace
			}
		}
		w.settled(e, ts)
	}
	e.say("done")
	w.after = w.until(w.after, "the elaboration of step "+s.step+" has ended", containing("The elaboration of")).TS
	w.after = w.until(w.after, "the menu again after the elaboration", menuOf).TS
}

// settled waits until a message was taken up and everything that follows from it has
// been posted.
func (w *walk) settled(e discussion, ts string) {
	w.t.Helper()
	ctx := context.Background()
	eventually(w.t, "the round is over", func() string { return e.transcript(e.root) }, func() bool {
		ref, found, err := w.store.FindThread(ctx, team, e.channel, e.root)
		if err != nil || !found {
			w.t.Fatalf("find the discussion of %s: %v, found %t", e.root, err, found)
		}
		state, log, err := w.store.Read(ctx, ref)
		if err != nil {
			w.t.Fatal(err)
		}
		d, err := roundtable.Decode(ours(state))
		if err != nil {
			w.t.Fatal(err)
		}
		var entries []thread.Entry
		for _, raw := range log {
			entry, err := thread.DecodeEntry(ref.ID, ours(raw))
			if err != nil {
				w.t.Fatal(err)
			}
			entries = append(entries, entry)
		}
		heard, posted := false, true
		turns := thread.ReadTranscript(entries).Turns
		for _, turn := range turns {
			heard = heard || turn.TS == ts
			posted = posted && turn.TS != ""
		}
		return heard && posted && d.Ask == nil && turns[len(turns)-1].Persona != ""
	})
}

// export writes an item into a folder and reads it.
func (w *walk) export(item, folder string) map[string]string {
	w.t.Helper()
	to := filepath.Join(w.folder, folder)
	if code, _, errs := execute(w.t, w.env, nil, "export", item, to); code != 0 {
		w.t.Fatalf("export %s: exit code %d\n%s", item, code, errs)
	}
	return readTree(w.t, to)
}
