package engine_test

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/roundtable-chat/app/manifests"
	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/analysis"
	"github.com/roundtable-chat/app/roundtable/document"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/engine/enginetest"
)

// TestAnalysis walks two people through the first phase with an engine that does
// not crash: every step is asked about, written and recorded, in that order, and the
// walk goes on in the next phase (AC-004-04, AC-NFR-003-02).
func TestAnalysis(t *testing.T) {
	_, got := walk(t, enginetest.Crash{})
	meta, err := document.ParseMeta([]byte(got.Files["meta.json"]))
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"00-01", "00-02", "00-03"}; !slices.Equal(meta.StepsCompleted(), want) {
		t.Errorf("the completed steps are %v, want %v", meta.StepsCompleted(), want)
	}
	if want := []string{"00-quick-scan"}; !slices.Equal(meta.PhasesCompleted(), want) {
		t.Errorf("the completed phases are %v, want %v", meta.PhasesCompleted(), want)
	}
	scan := got.Files[analysis.QuickScanFile]
	for _, s := range got.Said {
		if n := strings.Count(scan, s); n != 1 {
			t.Errorf("%q stands %d times in %s, want once", s, n, analysis.QuickScanFile)
		}
	}
	elaborations := meta.Elaborations()
	if len(elaborations) != 1 || elaborations[0].StepID != elaborated {
		t.Errorf("the elaborations are %+v, want one of step %s", elaborations, elaborated)
	}
	if !strings.Contains(scan, "### Elaboration Insights (Step "+elaborated) {
		t.Errorf("what the elaboration came to is not in %s", analysis.QuickScanFile)
	}
	if t.Failed() {
		t.Logf("%s\n%s", strings.Join(got.Posts["A1"], "\n"), scan)
	}
}

// TestElaborationComesBack shows that an elaboration and its analysis lead to each
// other, and that the same menu comes back once the elaboration has ended, with what
// it came to (AC-001-01, AC-006-03, AC-006-04).
func TestElaborationComesBack(t *testing.T) {
	_, got := walk(t, enginetest.Crash{})
	analysed, elaboration := got.Posts["A1"], got.Posts["E"]
	at := func(posts []string, part string) int {
		return slices.IndexFunc(posts, func(p string) bool { return strings.Contains(p, part) })
	}
	opened, ended := at(analysed, "opened an elaboration of this step"), at(analysed, "” has ended")
	if opened < 0 || ended < opened || ended+1 >= len(analysed) {
		t.Fatalf("the elaboration did not come back:\n%s", strings.Join(analysed, "\n"))
	}
	menu := func(post string) string { _, text, _ := strings.Cut(post, ": "); return text }
	if got, want := menu(analysed[ended+1]), menu(analysed[opened-1]); got != want {
		t.Errorf("after the elaboration stands\n%s\nwant the menu from before\n%s", got, want)
	}
	for _, i := range []int{opened, ended} {
		if !strings.Contains(analysed[i], "[The elaboration ↗ E]") {
			t.Errorf("%q does not lead to the elaboration", analysed[i])
		}
	}
	if !strings.Contains(elaboration[0], "[The analysis of Offline mode ↗ A1]") {
		t.Errorf("%q does not lead to the analysis", elaboration[0])
	}
	if framing := at(elaboration, "We just covered Keyword Search"); framing < 0 {
		t.Errorf("the elaboration is not framed:\n%s", strings.Join(elaboration, "\n"))
	}
}

// TestAnalysisCrashSweep crashes the replica before and after every call to the
// store, to the item and to Slack that the walk makes. What stands in Slack and in
// the item afterwards is what stands there without a crash: once, and in order
// (I2, I3, I4, I8, NFR-003).
func TestAnalysisCrashSweep(t *testing.T) {
	calls, want := walk(t, enginetest.Crash{})
	points := 0
	for _, c := range crashes(len(calls), thinned(4), 0) {
		_, got := walk(t, c)
		points++
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s call %d (%s) (-without crash +with):\n%s", when(c.After), c.At, calls[c.At-1], diff)
		}
	}
	t.Logf("%d calls, %d points", len(calls), points)
}

// elaborated is the step that is elaborated in every walk.
const elaborated = "00-02"

// remains is what is left of a walk. The analysis is "A1", the elaboration "E".
type remains struct {
	Posts map[string][]string // "key: who: text", in Slack's order
	Files map[string]string
	Said  []string
	Turns map[string][]string
}

// walker is somebody who walks through an analysis, in virtual time.
type walker struct {
	t       *testing.T
	set     manifests.Set
	memory  *enginetest.Memory
	slack   *enginetest.Slack
	replica *enginetest.Replica
	engine  *engine.Engine
	stop    context.CancelFunc
	done    chan error
	said    []string
	n       int
	// elaboration is the discussion that was opened from a menu.
	elaboration string
}

// analysisRef is the analysis of every walk.
func analysisRef() engine.Ref { return engine.Ref{Team: "T1", Channel: "C1", ID: "A1"} }

// walk goes through the first phase; the first replica crashes as told.
func walk(t *testing.T, c enginetest.Crash) (calls []string, left remains) {
	t.Helper()
	set, err := manifests.Load(nil)
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		w := &walker{t: t, set: set, memory: &enginetest.Memory{}, slack: &enginetest.Slack{Latency: 120 * time.Millisecond}}
		first := enginetest.NewReplica(c)
		w.start(first)
		w.open()
		for range 60 {
			w.rest()
			a, err := w.engine.Analysis(t.Context(), analysisRef())
			if err != nil {
				t.Fatal(err)
			}
			if a.Entered != "" && a.Entered != "00-quick-scan" {
				break
			}
			switch {
			case a.State == analysis.StateMenu && a.Step.ID == elaborated && w.elaboration == "":
				w.say(analysisRef(), "e")
			case a.State == analysis.StateMenu:
				w.say(analysisRef(), "c")
			case a.State == analysis.StateElaborating:
				w.elaborate(a.Elaborations[0].Discussion)
			case a.State == analysis.StateAsking && a.Ask == nil:
				w.answer()
			default:
				t.Fatalf("the analysis stands at %s with %+v", a.State, a.Ask)
			}
		}
		w.end()
		calls, left = first.Calls(), w.remains()
	})
	return calls, left
}

func (w *walker) start(r *enginetest.Replica) {
	w.t.Helper()
	var err error
	w.replica = r
	w.engine, err = engine.New(engine.Options{
		Store: r.Store(w.memory), Items: r.Items(w.memory), Workplace: r.Workplace(w.slack), Panel: &enginetest.Panel{},
		Roster: func() roundtable.Roster { return w.set.Roster }, Catalogue: func() analysis.Catalogue { return w.set.Steps.Catalogue },
		Owner: fmt.Sprintf("replica-%p", r),
	})
	if err != nil {
		w.t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	w.stop, w.done = stop, make(chan error, 1)
	e, done := w.engine, w.done
	go func() { done <- e.Run(ctx) }()
}

func (w *walker) end() {
	w.stop()
	if err := <-w.done; err != nil {
		w.t.Errorf("Run: %v", err)
	}
}

// revive puts another replica in the place of one that crashed.
func (w *walker) revive() {
	select {
	case <-w.replica.Dead():
		w.end()
		w.start(enginetest.NewReplica(enginetest.Crash{}))
	default:
	}
}

// rest lets everything come to rest, whether or not the replica crashes meanwhile.
func (w *walker) rest() {
	for range 2 {
		<-time.After(90 * time.Second)
		synctest.Wait()
		w.revive()
	}
	<-time.After(time.Second)
	synctest.Wait()
}

func (w *walker) open() {
	body, err := analysis.EncodeInput(analysis.Input{ID: "open", At: time.Now(), Event: analysis.Opened{
		Analysis: "A1", Place: roundtable.Place{Team: "T1", Channel: "C1"}, By: roundtable.Person{ID: "U1", Name: "Priya"},
		Item: "offline-mode", ItemTitle: "Offline mode", Cast: w.set.Roster.Seats(),
		Settings: analysis.Settings{Gather: 200 * time.Millisecond, Elaboration: roundtable.Settings{MaxTurns: 10}},
	}})
	if err != nil {
		w.t.Fatal(err)
	}
	w.deliver(analysisRef(), "open", body, true)
}

// deliver is Slack, which delivers again what was not taken.
func (w *walker) deliver(ref engine.Ref, id string, body []byte, opens bool) {
	for range 5 {
		d := engine.Delivery{Ref: ref, Mail: engine.Mail{ID: id, Body: body}, Opens: opens}
		if _, err := w.engine.Receive(w.t.Context(), d); err == nil {
			return
		}
		w.revive()
	}
	w.t.Fatalf("%s is never taken", id)
}

// answer says something that nobody has said before.
func (w *walker) answer() {
	w.n++
	text := fmt.Sprintf("Answer number-%d: about 3 files in 1 module, low complexity.", w.n)
	w.said = append(w.said, fmt.Sprintf("number-%d:", w.n))
	w.say(analysisRef(), text)
}

// elaborate lets somebody decide something in the elaboration, and then end it.
func (w *walker) elaborate(discussion string) {
	ref := engine.Ref{Team: "T1", Channel: "C1", ID: discussion}
	if w.elaboration == discussion {
		w.say(ref, "done")
		return
	}
	w.elaboration = discussion
	w.say(ref, "Decision: search the names first")
}

// say lets the two people speak in turns.
func (w *walker) say(ref engine.Ref, text string) {
	by := roundtable.Person{ID: "U1", Name: "Priya"}
	if w.n%2 == 0 {
		by = roundtable.Person{ID: "U2", Name: "Sam"}
	}
	ts := w.slack.Timestamp()
	body, err := roundtable.EncodeInput(roundtable.Input{ID: "m:" + ts, At: time.Now(), Event: roundtable.Said{TS: ts, By: by, Text: text}})
	if err != nil {
		w.t.Fatal(err)
	}
	w.deliver(ref, "m:"+ts, body, false)
}

// changing is what a crash may well change: times, and what a panel that is asked
// again makes of what was said meanwhile.
var changing = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ|m:\d+\.\d+|w:[^/]+|view after \d+ turns`)

func (w *walker) remains() remains {
	r := remains{Posts: map[string][]string{}, Files: map[string]string{}, Said: w.said, Turns: map[string][]string{}}
	names := map[string]string{"A1": "A1", w.elaboration: "E"}
	threads := map[string]string{}
	posts := w.slack.Messages("C1")
	for _, m := range posts {
		if id, root := strings.CutSuffix(m.Key, "/root"); root {
			threads[m.TS] = names[id]
		}
	}
	normal := func(text string) string {
		if w.elaboration != "" {
			text = strings.ReplaceAll(text, w.elaboration, "E")
		}
		return changing.ReplaceAllString(text, "…")
	}
	for _, m := range posts {
		id, _, _ := strings.Cut(m.Key, "/")
		text := fmt.Sprintf("%s: %s: %s", m.Key, m.Message.Speaker, m.Message.Text)
		for _, l := range m.Message.Threads {
			text += fmt.Sprintf(" [%s ↗ %s]", l.Label, threads[l.Thread])
		}
		r.Posts[names[id]] = append(r.Posts[names[id]], normal(text))
	}
	item, err := w.memory.ReadItem(context.Background(), engine.ItemRef{Team: "T1", Channel: "C1", Slug: "offline-mode"})
	if err != nil {
		w.t.Fatal(err)
	}
	files := maps.Clone(item.Files)
	files["meta.json"] = item.Meta
	for name, text := range files {
		r.Files[name] = normal(string(text))
	}
	for id, name := range names {
		r.Turns[name] = w.turns(id)
	}
	return r
}

// turns are the turns of a transcript.
func (w *walker) turns(id string) (turns []string) {
	_, log, err := w.memory.Read(context.Background(), engine.Ref{Team: "T1", Channel: "C1", ID: id})
	if err != nil {
		w.t.Fatal(err)
	}
	var entries []roundtable.Entry
	for _, line := range log {
		e, err := roundtable.DecodeEntry(line)
		if err != nil {
			w.t.Fatal(err)
		}
		entries = append(entries, e)
	}
	for _, turn := range roundtable.ReadTranscript(entries).Turns {
		turns = append(turns, changing.ReplaceAllString(fmt.Sprintf("%d %s%s: %s", turn.Number, turn.Persona, turn.Person.Name, turn.Text), "…"))
	}
	return turns
}
