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
	if t.Failed() {
		t.Logf("%s\n%s", strings.Join(got.Posts, "\n"), scan)
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

// remains is what is left of a walk.
type remains struct {
	Posts []string // "key: who: text", in Slack's order
	Files map[string]string
	Said  []string
	Turns []string
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
			case a.State == analysis.StateMenu:
				w.say("c")
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
	w.deliver("open", body, true)
}

// deliver is Slack, which delivers again what was not taken.
func (w *walker) deliver(id string, body []byte, opens bool) {
	for range 5 {
		d := engine.Delivery{Ref: analysisRef(), Mail: engine.Mail{ID: id, Body: body}, Opens: opens}
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
	w.say(text)
}

// say lets the two people speak in turns.
func (w *walker) say(text string) {
	by := roundtable.Person{ID: "U1", Name: "Priya"}
	if w.n%2 == 0 {
		by = roundtable.Person{ID: "U2", Name: "Sam"}
	}
	ts := w.slack.Timestamp()
	body, err := roundtable.EncodeInput(roundtable.Input{ID: "m:" + ts, At: time.Now(), Event: roundtable.Said{TS: ts, By: by, Text: text}})
	if err != nil {
		w.t.Fatal(err)
	}
	w.deliver("m:"+ts, body, false)
}

// timesAndStamps are what a crash may well change.
var timesAndStamps = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ|m:\d+\.\d+|w:[^/]+`)

func (w *walker) remains() remains {
	r := remains{Files: map[string]string{}, Said: w.said}
	for _, m := range w.slack.Messages("C1") {
		r.Posts = append(r.Posts, timesAndStamps.ReplaceAllString(fmt.Sprintf("%s: %s: %s", m.Key, m.Message.Speaker, m.Message.Text), "…"))
	}
	item, err := w.memory.ReadItem(context.Background(), engine.ItemRef{Team: "T1", Channel: "C1", Slug: "offline-mode"})
	if err != nil {
		w.t.Fatal(err)
	}
	files := maps.Clone(item.Files)
	files["meta.json"] = item.Meta
	for name, text := range files {
		r.Files[name] = timesAndStamps.ReplaceAllString(string(text), "…")
	}
	_, log, err := w.memory.Read(context.Background(), analysisRef())
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
		r.Turns = append(r.Turns, fmt.Sprintf("%d %s%s: %s", turn.Number, turn.Persona, turn.Person.Name, turn.Text))
	}
	return r
}
