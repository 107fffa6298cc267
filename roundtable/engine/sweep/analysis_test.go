package sweep_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/analysis"
	"github.com/roundtable-chat/app/roundtable/document"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/engine/enginetest"
	"github.com/roundtable-chat/app/roundtable/engine/invariant"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// elaborated is the step that is elaborated on the tour of an analysis.
const elaborated = "00-02"

// analysing is a tour through the first phase of an analysis, of which one step is
// elaborated. The analysis is "A1", the elaboration "E".
func analysing(w *walker) bool {
	ref := w.called("A1", "A1")
	if w.ledger.Changes() == 0 {
		w.openAnalysis(ref)
		return false
	}
	a, err := enginetest.Analysis(w.t.Context(), w.at.store, ref)
	if err != nil {
		w.t.Error(err)
		return true
	}
	switch {
	case a.Entered != "" && a.Entered != "00-quick-scan":
		return true
	case a.State == analysis.StateMenu && a.Step.ID == elaborated && len(w.names) == 1:
		w.say(ref, "e")
	case a.State == analysis.StateMenu:
		w.say(ref, "c")
	case a.State == analysis.StateElaborating:
		w.discuss(w.called("E", a.Elaborations[0].Discussion))
	case a.State == analysis.StateAsking && a.Ask == nil:
		w.answer(ref)
	default: // it is not at rest yet, or never will be
	}
	return false
}

// discuss lets somebody decide something in a discussion, and then end it. It reports
// whether it has ended.
func (w *walker) discuss(ref engine.Ref) (d roundtable.Discussion, ended bool) {
	d, err := enginetest.Discussion(w.t.Context(), w.at.store, ref)
	switch {
	case err != nil:
		w.t.Error(err)
	case d.State == roundtable.StateClosed:
		return d, true
	case d.State != roundtable.StateDiscussionLoop || d.Ask != nil: // not at rest yet
	case len(d.People) == 0:
		w.say(ref, "Decision: search the names first")
	default:
		w.say(ref, "done")
	}
	return d, false
}

func (w *walker) openAnalysis(ref engine.Ref) {
	body, err := analysis.EncodeInput(analysis.Input{ID: "open", At: time.Now(), Event: analysis.Opened{
		Analysis: ref.ID, Place: place(), By: thread.Person{ID: "U1", Name: "Priya"},
		Item: "offline-mode", ItemTitle: "Offline mode", Cast: w.set.Roster.Seats(),
		Settings: analysis.Settings{Gather: w.at.gather, Elaboration: roundtable.Settings{MaxTurns: 10, Gather: w.at.gather}},
	}})
	if err != nil {
		w.t.Fatal(err)
	}
	w.deliver(ref, "open", body, true)
}

// converting is a tour from a discussion of a free topic, "D", to the first step of
// its analysis, "A", by way of [C]. Two people ask for it.
func converting(w *walker) bool {
	ref := w.called("D", "D1")
	if w.ledger.Changes() == 0 {
		in := enginetest.Opening(roundtable.Settings{MaxTurns: 10, Gather: w.at.gather}, time.Now())
		opened := in.Event.(roundtable.Opened)
		opened.Item, opened.ItemTitle = "offline-mode", "Offline mode"
		in.Event = opened
		body, err := roundtable.EncodeInput(in)
		if err != nil {
			w.t.Fatal(err)
		}
		w.deliver(ref, in.ID, body, true)
		return false
	}
	d, ended := w.discuss(ref)
	switch {
	case !ended:
	case d.Converted == nil:
		w.say(ref, "c")
		w.n++
		w.say(ref, "[C]")
	case w.n < 2:
		found, err := engine.NewReader(w.at.store).FindAnalysis(w.t.Context(), engine.ItemRef{Team: "T1", Channel: "C1", Slug: "offline-mode"}, "")
		if err != nil {
			w.t.Error(err)
		}
		if found.Open == nil {
			return false
		}
		if a, err := enginetest.Analysis(w.t.Context(), w.at.store, found.Ref); err == nil && a.State == analysis.StateAsking && a.Ask == nil {
			w.answer(w.called("A", found.Ref.ID))
		}
	default:
		return true
	}
	return false
}

// TestAnalysis walks two people through the first phase with an engine that does
// not crash: every step is asked about, written and recorded, in that order, and the
// walk goes on in the next phase (AC-004-04, AC-NFR-003-02).
func TestAnalysis(t *testing.T) {
	_, got, found := walkInBubble(t, memoryGround, enginetest.Crash{}, analysing)
	for _, v := range found {
		t.Error(v)
	}
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

// find is the index of the first post with a part.
func find(posts []string, part string) int {
	return slices.IndexFunc(posts, func(p string) bool { return strings.Contains(p, part) })
}

// TestElaborationComesBack shows that an elaboration and its analysis lead to each
// other, and that the same menu comes back once the elaboration has ended, with what
// it came to (AC-001-01, AC-006-03, AC-006-04).
func TestElaborationComesBack(t *testing.T) {
	_, got, _ := walkInBubble(t, memoryGround, enginetest.Crash{}, analysing)
	analysed, elaboration := got.Posts["A1"], got.Posts["E"]
	opened, ended := find(analysed, "opened an elaboration of this step"), find(analysed, "” has ended")
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
	if !strings.Contains(analysed[ended], "Decided: search the names first.") {
		t.Errorf("%q does not say what was decided", analysed[ended])
	}
	if !strings.Contains(elaboration[0], "[The analysis of Offline mode ↗ A1]") {
		t.Errorf("%q does not lead to the analysis", elaboration[0])
	}
	// It is framed from what stands in the step's document (AC-004-03), which is what was
	// said in that step and nothing else.
	if from := got.Framed["E"]; !strings.Contains(from, "Answer number-") || strings.Contains(from, "number-1:") {
		t.Errorf("the elaboration is framed from %q", from)
	}
	if find(elaboration, "We just covered Keyword Search") < 0 {
		t.Errorf("the elaboration is not framed:\n%s", strings.Join(elaboration, "\n"))
	}
}

// TestDiscussionBecomesAnalysis shows that [C] at the end of a discussion of a free
// topic opens the analysis of its item, once though two ask, that each leads to the
// other, and that the greeting names what was decided (FR-116, FR-011).
func TestDiscussionBecomesAnalysis(t *testing.T) {
	_, got, found := walkInBubble(t, memoryGround, enginetest.Crash{}, converting)
	for _, v := range found {
		t.Error(v)
	}
	discussion, analysed := got.Posts["D"], got.Posts["A"]
	for _, tt := range []struct {
		posts []string
		want  string
	}{
		{discussion, "Sam turned this into the analysis of “Offline mode”, which goes on in a thread of its own. [The analysis of Offline mode ↗ A]"},
		{analysed[:1], "[The discussion it goes on from ↗ D]"},
		{analysed, "We take along what your roundtable discussion came to:"},
		{analysed, "Decided: search the names first."},
	} {
		if find(tt.posts, tt.want) < 0 {
			t.Errorf("%q is nowhere in\n%s", tt.want, strings.Join(tt.posts, "\n"))
		}
	}
	meta, err := document.ParseMeta([]byte(got.Files["meta.json"]))
	if err != nil {
		t.Fatal(err)
	}
	if e := meta.Elaborations(); len(e) != 1 || e[0].StepID != roundtable.FreeStep {
		t.Errorf("the elaborations are %+v, want the discussion's record", e)
	}
	if len(got.Posts) != 2 {
		t.Errorf("there are %d threads, want the discussion and one analysis", len(got.Posts))
	}
}

// identifying is a tour to the end of an analysis that somebody unknown paused.
func identifying(w *walker) bool {
	ref := w.called("A1", "A1")
	if w.ledger.Changes() == 0 {
		w.openAnalysis(ref)
		return false
	}
	a, err := enginetest.Analysis(w.t.Context(), w.at.store, ref)
	if err != nil {
		w.t.Error(err)
		return true
	}
	una := thread.Person{ID: "U3", Name: "U3"}.As(thread.StandingUnknown)
	if a.State == analysis.StateAsking && len(a.Unknown) == 0 {
		body, err := analysis.EncodeInput(analysis.Input{ID: "b:pause", At: time.Now(), Event: analysis.Pressed{By: una, Button: analysis.ButtonPause}})
		if err != nil {
			w.t.Fatal(err)
		}
		w.deliver(ref, "b:pause", body, false)
		w.slack.Introduce(thread.Person{ID: "U3", Name: "Una"})
	}
	return a.State == analysis.StateClosed
}

// TestSomebodyUnknownInAnAnalysis shows that an analysis waits for Slack as a discussion does
// (FR-116).
func TestSomebodyUnknownInAnAnalysis(t *testing.T) {
	_, got, found := walkInBubble(t, memoryGround, enginetest.Crash{}, identifying)
	for _, v := range found {
		t.Error(v)
	}
	if posts := got.Posts["A1"]; find(posts, "Una paused the analysis") < 0 {
		t.Errorf("got\n%s", strings.Join(posts, "\n"))
	}
}

// tours are the walks that are swept.
func tours() map[string]tour {
	return map[string]tour{"analysing": analysing, "converting": converting}
}

// TestAnalysisCrashSweep crashes the replica before and after every call to the
// store, to the item and to Slack that the walks make. What stands in Slack and in
// the item afterwards is what stands there without a crash: once, and in order
// (I2, I3, I4, I8, NFR-003).
func TestAnalysisCrashSweep(t *testing.T) {
	sweepTours(t, memoryGround, 0, thinned(4), walkInBubble)
}

// TestAnalysisPauseSweep lets a replica stand still before and after every call,
// longer than its lease, while another takes over (I7).
func TestAnalysisPauseSweep(t *testing.T) {
	sweepTours(t, pausedGround, pauseLength, thinned(6), walkInBubble)
}

// walking walks with one crash.
type walking func(t *testing.T, make func() ground, c enginetest.Crash, tour tour) ([]string, remains, []invariant.Violation)

func sweepTours(t *testing.T, make func() ground, pause time.Duration, nth int, walk walking) {
	t.Helper()
	t.Parallel()
	for name, tour := range tours() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			calls, want, _ := walk(t, make, enginetest.Crash{}, tour)
			points := 0
			for _, c := range crashes(len(calls), nth, pause) {
				_, got, found := walk(t, make, c, tour)
				points++
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%s call %d (%s) (-without +with):\n%s", when(c.After), c.At, calls[c.At-1], diff)
				}
				for _, v := range found {
					t.Errorf("%s call %d (%s): %s", when(c.After), c.At, calls[c.At-1], v)
				}
			}
			t.Logf("%d calls, %d points, from %d", len(calls), points, *from)
		})
	}
}
