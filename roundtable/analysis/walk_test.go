package analysis_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/roundtable-chat/app/manifests"
	"github.com/roundtable-chat/app/roundtable/analysis"
	"github.com/roundtable-chat/app/roundtable/document"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// TestWholeWalk goes through all 24 steps as they ship, with a panel that asks the
// prompts as they stand and answers that say little: every step is written and
// recorded, every phase completed, and the item is analysed (AC-004-04, AC-005-05).
func TestWholeWalk(t *testing.T) {
	set, err := manifests.Load(nil)
	if err != nil {
		t.Fatal(err)
	}
	meta, err := document.ParseMeta([]byte("{}"))
	if err != nil {
		t.Fatal(err)
	}
	w := &walker{t: t, set: set, meta: meta, files: map[string][]byte{}, now: time.Date(2026, 11, 16, 9, 0, 0, 0, time.UTC)}
	w.step("o:1", analysis.Opened{
		Analysis: "A1", Place: thread.Place{Team: "T1", Channel: "C1"}, By: thread.Person{ID: "U1", Name: "Priya"},
		Item: "offline-mode", ItemTitle: "Offline mode", Cast: set.Roster.Seats(), Settings: analysis.Settings{},
	})
	for w.a.State != analysis.StateClosed {
		if w.n > 3000 {
			t.Fatalf("the walk does not end; it stands at %s, step %v", w.a.State, w.a.Step)
		}
		w.answer()
	}
	if got := w.a.Exit.Kind; got != analysis.ExitCompleted {
		t.Errorf("the walk ended %s", got)
	}
	if got := len(meta.StepsCompleted()); got != 24 {
		t.Errorf("%d steps are recorded", got)
	}
	if got := meta.AnalysisStatus(); got != document.StatusAnalyzed {
		t.Errorf("the item is %s", got)
	}
	for _, p := range set.Steps.Catalogue.Phases {
		for _, f := range p.Steps {
			for _, o := range f.Files() {
				if len(w.files[o]) == 0 && len(w.files[o+document.NoteSuffix]) == 0 {
					t.Errorf("%s was never written", o)
				}
			}
		}
	}
	if len(w.greeted) != 5 {
		t.Errorf("greeted %q, want one greeting a phase", w.greeted)
	}
	largest := 0
	for _, size := range w.sizes {
		largest = max(largest, size)
	}
	if largest > 20_000 {
		t.Errorf("the state grew to %d bytes", largest)
	}
	t.Logf("%d inputs, the state has at most %d bytes", w.n, largest)
}

type walker struct {
	t       *testing.T
	set     manifests.Set
	meta    *document.Meta
	a       analysis.Analysis
	log     []thread.Entry
	files   map[string][]byte
	greeted []string
	sizes   []int
	now     time.Time
	n       int
}

func (w *walker) step(id string, e analysis.Event) {
	w.n++
	w.now = w.now.Add(time.Second)
	r := analysis.Step(w.a, analysis.Input{ID: id, At: w.now, Event: e})
	w.a = r.Analysis
	w.log = append(w.log, r.Entries...)
	stored, err := analysis.Encode(w.a)
	if err != nil {
		w.t.Fatal(err)
	}
	w.sizes = append(w.sizes, len(stored))
	for _, x := range r.Effects {
		w.perform(x)
	}
}

func (w *walker) perform(x analysis.Effect) {
	switch x := x.(type) {
	case analysis.Post:
		if strings.Contains(x.Message.Text, "I'll be guiding you") || strings.HasPrefix(x.Message.Text, "On to ") {
			w.greeted = append(w.greeted, x.Message.Text)
		}
		w.step(x.Key+"/posted", analysis.Posted{Effect: x.Key, TS: fmt.Sprint(w.n)})
	case analysis.Inspect:
		w.step(x.Key+"/surveyed", analysis.Surveyed{Effect: x.Key, Survey: analysis.Look(w.set.Steps.Catalogue, w.set.Roster, w.meta, "")})
	case analysis.Write:
		files, changes, err := analysis.Fill(func(name string) ([]byte, bool) { text, ok := w.files[name]; return text, ok }, x, nil)
		if err != nil {
			w.t.Fatal(err)
		}
		for _, f := range files {
			w.files[f.Name] = f.Content
		}
		w.step(x.Key+"/written", analysis.Written{Effect: x.Key, Changes: changes})
	case analysis.Record:
		if err := x.Apply(w.meta); err != nil {
			w.t.Fatal(err)
		}
		w.step(x.Key+"/recorded", analysis.Recorded{Effect: x.Key})
	case analysis.Inquire, analysis.Compose, analysis.Tell, analysis.Open, analysis.Welcome, analysis.Identify:
	}
}

// answer does what the analysis waits for: as a panel that only knows the prompts,
// or as Priya.
func (w *walker) answer() {
	id := fmt.Sprintf("x:%d", w.n)
	b, _ := analysis.BriefingOf(w.a)
	switch {
	case w.a.Ask != nil && w.a.Ask.Kind == analysis.AskInquire:
		w.step(id, analysis.Asked{Effect: w.a.Ask.Key, Question: b.NextText, Prompt: b.Next, Enough: b.Next == 0})
	case w.a.Ask != nil:
		w.step(id, analysis.Drafted{Effect: w.a.Ask.Key, Transcript: thread.ReadTranscript(w.log)})
	case w.a.State == analysis.StateMenu:
		w.step(id, analysis.Said{TS: id, By: thread.Person{ID: "U1", Name: "Priya"}, Text: "c"})
	default:
		w.step(id, analysis.Said{TS: id, By: thread.Person{ID: "U1", Name: "Priya"}, Text: "It is as we said before."})
	}
}
