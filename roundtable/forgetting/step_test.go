package forgetting

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/say"
	"github.com/roundtable-chat/app/roundtable/thread"
)

var (
	t0    = time.Date(2026, 11, 21, 9, 41, 0, 0, time.UTC)
	priya = thread.Person{ID: "U1", Name: "Priya"}
	sam   = thread.Person{ID: "U2", Name: "Sam"}
	una   = thread.Person{ID: "U3", Name: "Una"}.As(thread.StandingUnknown)
	item  = Target{Item: "offline-mode"}
)

// walk is a forgetting and everything that came of it.
type walk struct {
	t *testing.T
	f Forgetting
	n int
	Result
}

func begin(t *testing.T, target Target) *walk {
	t.Helper()
	w := &walk{t: t}
	w.does(t0, Opened{Forgetting: "F1", Place: thread.Place{Team: "T1", Channel: "C1"}, By: priya, Target: target})
	return w
}

// does gives the next input and returns the effects by their kind.
func (w *walk) does(at time.Time, e Event) (effects []string) {
	w.t.Helper()
	w.n++
	before := w.f
	w.Result = Step(w.f, Input{ID: "in" + string(rune('a'+w.n)), At: at, Event: e})
	w.f = w.Forgetting
	checkStep(w.t, before, w.Result)
	for _, x := range w.Effects {
		switch x := x.(type) {
		case Post:
			effects = append(effects, "post "+x.Message.Text)
		case Tell:
			effects = append(effects, "tell "+x.User+" "+x.Text)
		case Hide:
			effects = append(effects, "hide "+x.Target.name())
		case Restore:
			effects = append(effects, "restore "+x.Target.name())
		case Remove:
			effects = append(effects, "remove "+x.Target.name())
		case Identify:
			if !x.Strictly {
				w.t.Errorf("it asks who %s is to the policy", x.User)
			}
			effects = append(effects, "identify "+x.User)
		}
	}
	return effects
}

// doing answers the effect under way.
func (w *walk) hidden() []string {
	w.t.Helper()
	return w.does(t0.Add(time.Second), Hidden{Effect: w.f.Doing, Documents: 3, Discussions: 1})
}

func (w *walk) noticed() {
	w.t.Helper()
	w.does(t0.Add(2*time.Second), Posted{Effect: "F1/root", TS: "17.1"})
}

// checkStep wants the moves to be those of the table, one after the other, and keys of one
// input not to repeat.
func checkStep(t *testing.T, before Forgetting, r Result) {
	t.Helper()
	at := before.State
	for _, m := range r.Moves {
		if m.From != at || !slices.Contains(Transitions(), m) {
			t.Errorf("I6: %v is no move of the table from %q", m, at)
		}
		at = m.To
	}
	if before.State != "" && at != r.Forgetting.State {
		t.Errorf("I6: it is in %q after moves to %q", r.Forgetting.State, at)
	}
	keys := map[string]bool{}
	for _, e := range r.Effects {
		if keys[e.EffectKey()] || !strings.HasPrefix(e.EffectKey(), r.Forgetting.ID+"/") {
			t.Errorf("effect key %q", e.EffectKey())
		}
		keys[e.EffectKey()] = true
	}
}

func (w *walk) acts() (all []string) {
	for _, a := range w.Acts {
		all = append(all, strings.TrimSpace(string(a.Kind)+" "+a.By))
	}
	return all
}

func want(t *testing.T, what string, got, want []string) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

const noticeText = "To be forgotten: offline-mode\nPriya asked Roundtable to forget this item. Its 3 documents and one discussion are out of sight now, " +
	"and gone for good on 28 November 2026 at 09:41 UTC. Until then any full member of this channel can take it back, as it was: press “Keep it”, or type /roundtable keep offline-mode"

// What is forgotten is out of sight at once, announced with the person, the item, what goes
// and until when, and removed when nobody took it back (FR-110).
func TestForgottenAfterSevenDays(t *testing.T) {
	w := begin(t, item)
	want(t, "at once", w.does(t0, TimerFired{}), nil)
	w = begin(t, item)
	want(t, "hidden", w.hidden(), []string{"post " + noticeText})
	want(t, "acts", w.acts(), []string{"forgot U1"})
	if !w.f.WakeAt.IsZero() {
		t.Errorf("it wakes at %v before anybody could read the notice", w.f.WakeAt)
	}
	w.noticed()
	until := t0.Add(2*time.Second + Grace)
	if !w.f.WakeAt.Equal(until) || !w.f.Until.Equal(until) {
		t.Errorf("until %v, wakes at %v, want %v", w.f.Until, w.f.WakeAt, until)
	}
	if got := Root(w.f); got.Text != noticeText || len(got.Buttons) != 1 || got.Buttons[0].Kind != ButtonKeep {
		t.Errorf("the notice reads %q with %v", got.Text, got.Buttons)
	}
	want(t, "early", w.does(until.Add(-time.Millisecond), TimerFired{}), nil)
	want(t, "in time", w.does(until, TimerFired{}), []string{"remove offline-mode"})
	want(t, "taken back too late", w.does(until, Kept{By: sam}), []string{"tell U2 The time to take it back is over; offline-mode is being removed."})
	want(t, "removed", w.does(until, Removed{Effect: w.f.Doing}), nil)
	want(t, "acts", w.acts(), []string{"removed"})
	b, err := Encode(w.f)
	if err != nil || strings.Contains(string(b), "offline") {
		t.Errorf("its name is still stored: %s, %v", b, err)
	}
	if w.f.Mark != thread.ItemMark("offline-mode") || Root(w.f).Buttons != nil || strings.Contains(Root(w.f).Text, "offline") {
		t.Errorf("in the end %+v with the notice %q", w.f, Root(w.f).Text)
	}
	w.does(w.f.WakeAt, TimerFired{})
	if !w.f.Over || !w.f.WakeAt.IsZero() {
		t.Errorf("it is not over: %+v", w.f)
	}
}

// A notice that took long to be posted leaves people all of the seven days.
func TestGraceCountsFromTheNotice(t *testing.T) {
	w := begin(t, item)
	w.hidden()
	posted := t0.Add(5 * time.Hour)
	w.does(posted, Posted{Effect: "F1/root", TS: "17.1"})
	if !w.f.Until.Equal(posted.Add(Grace)) || !strings.Contains(Root(w.f).Text, "28 November 2026 at 14:41 UTC") {
		t.Errorf("until %v, notice %q", w.f.Until, Root(w.f).Text)
	}
}

// Somebody takes it back: by the button or in words, once; the notice says who did.
func TestTakenBack(t *testing.T) {
	for name, wish := range map[string]Event{"button": Pressed{By: sam, Button: ButtonKeep}, "words": Kept{By: sam}} {
		w := begin(t, item)
		w.hidden()
		w.noticed()
		want(t, name, w.does(t0.Add(time.Hour), wish), []string{"restore offline-mode"})
		want(t, name+" once more", w.does(t0.Add(time.Hour), Kept{By: priya}), []string{"tell U1 offline-mode is being brought back."})
		want(t, name+" done", w.does(t0.Add(time.Hour), Restored{Effect: w.f.Doing}), nil)
		want(t, name+" acts", w.acts(), []string{"kept U2"})
		want(t, name+" notice", []string{Root(w.f).Text}, []string{"Not forgotten: offline-mode\nSam took it back. Everything is there as it was."})
		want(t, name+" time", w.does(t0.Add(Grace+time.Hour), TimerFired{}), nil)
		want(t, name+" notice", []string{Root(w.f).Text}, []string{"Not forgotten\nSam took it back. Everything is there as it was."})
	}
}

// Nothing is forgotten that cannot be hidden whole, or that the channel cannot be told of:
// what was hidden comes back, and the person is told why.
func TestNotForgotten(t *testing.T) {
	busy := begin(t, item)
	want(t, "busy", busy.does(t0, Barred{Effect: busy.f.Doing, Why: WhyBusy}), []string{"restore offline-mode"})
	want(t, "busy, told", busy.does(t0, Restored{Effect: busy.f.Doing}), []string{"tell U1 Somebody is working on offline-mode right now, so it was not forgotten. Try again in a moment."})
	want(t, "acts", busy.acts(), nil)

	open := begin(t, item)
	open.does(t0, Barred{Effect: open.f.Doing, Why: WhyOpen, Open: "Who pays?"})
	want(t, "open, told", open.does(t0, Restored{Effect: open.f.Doing}), []string{"tell U1 " + say.ForgetOpen("offline-mode", "Who pays?")})
	open.does(open.f.WakeAt, TimerFired{})
	if b, err := Encode(open.f); err != nil || strings.Contains(string(b), "pays") {
		t.Errorf("a title is still stored: %s, %v", b, err)
	}
	conversation := begin(t, Target{Item: "ledgers", Discussion: "D1", Thread: "16.1", Title: "Who pays?"})
	conversation.does(t0, Barred{Effect: conversation.f.Doing, Why: WhyOpen, Open: "Who pays?"})
	want(t, "open thread, told", conversation.does(t0, Restored{Effect: conversation.f.Doing}), []string{"tell U1 " + say.ForgetOpen("That thread", "Who pays?")})

	untold := begin(t, item)
	untold.hidden()
	want(t, "untold", untold.does(t0, Failed{Effect: "F1/root", Reason: thread.ReasonNotInChannel}), []string{"restore offline-mode"})
	told := untold.does(t0, Restored{Effect: untold.f.Doing})
	if len(told) != 1 || !strings.Contains(told[0], "no notice can be posted") {
		t.Errorf("untold, told %q", told)
	}
	want(t, "acts", untold.acts(), []string{"kept"})

	written := begin(t, item)
	written.hidden()
	written.noticed()
	written.does(written.f.WakeAt, TimerFired{})
	written.does(t0.Add(Grace+time.Hour), Removed{Effect: written.f.Doing, Back: true})
	if text := Root(written.f).Text; !strings.Contains(text, "somebody went on with it") || written.f.Target != item {
		t.Errorf("written into: %q", text)
	}
}

// What was given up is tried again an hour later, under a key of its own.
func TestGivenUpIsTriedAgain(t *testing.T) {
	w := begin(t, item)
	w.hidden()
	w.noticed()
	w.does(w.f.WakeAt, TimerFired{})
	first, at := w.f.Doing, t0.Add(Grace+time.Minute)
	want(t, "given up", w.does(at, Failed{Effect: first, Reason: thread.ReasonMessageRefused}), nil)
	want(t, "an hour later", w.does(w.f.WakeAt, TimerFired{}), []string{"remove offline-mode"})
	if w.f.Doing == first {
		t.Error("it is tried again under the same key")
	}
	w.does(at, Removed{Effect: first})
	if w.f.State != StateRemoving {
		t.Error("a stale answer was taken")
	}
}

// One discussion is forgotten alone; the notice says what stays.
func TestForgetOneDiscussion(t *testing.T) {
	w := begin(t, Target{Item: "ledgers", Discussion: "D1", Thread: "16.1", Title: "Who pays?"})
	got := w.does(t0, Hidden{Effect: w.f.Doing, Discussions: 1})
	if len(got) != 1 || !strings.Contains(got[0], "“Who pays?”") || !strings.Contains(got[0], "What it wrote into documents stays.") {
		t.Errorf("notice %q", got)
	}
}

// Whatever comes in whatever order: no move beside the table, no input changed, and nothing
// removed that was not announced for as long as it says (I6, I9).
func TestAnyOrder(t *testing.T) {
	for seed := range uint64(500) {
		chance := rand.New(rand.NewPCG(seed, 1))
		f, at := Forgetting{}, t0
		var noticed time.Time
		for n := range 40 {
			at = at.Add(time.Duration(chance.Int64N(int64(3 * 24 * time.Hour))))
			events := []Event{
				Opened{Forgetting: "F1", By: priya, Target: item}, Hidden{Effect: f.Doing}, Barred{Effect: f.Doing, Why: WhyBusy}, Restored{Effect: f.Doing},
				Removed{Effect: f.Doing}, Kept{By: sam}, Pressed{By: sam, Button: ButtonKeep}, Pressed{By: sam, Button: roundtable.ButtonQuiet}, TimerFired{}, TimerFired{},
				Posted{Effect: "F1/root", TS: "17.1"}, Failed{Effect: f.Doing}, Failed{Effect: "F1/root"}, Said{Text: "keep"}, Parked{}, Edited{}, Deleted{}, Reacted{},
				Opened{Forgetting: "F1", By: una, Target: item}, Kept{By: una}, Pressed{By: una, Button: ButtonKeep}, Identified{Person: una, Effect: asking(f)},
				Identified{Person: una.As(thread.StandingMember)}, Identified{Person: una.As(thread.StandingGuest)},
			}
			before, was := f, sealed(t, f)
			r := Step(f, Input{ID: "i" + string(rune('0'+n)), At: at, Event: events[chance.IntN(len(events))]})
			if diff := cmp.Diff(was, sealed(t, before)); diff != "" {
				t.Fatalf("the input was changed:\n%s", diff)
			}
			checkStep(t, before, r)
			f = r.Forgetting
			if before.Place.Root == "" && f.Place.Root != "" {
				noticed = at
			}
			for _, e := range r.Effects {
				if _, removes := e.(Remove); removes && (noticed.IsZero() || at.Before(noticed.Add(Grace))) {
					t.Fatalf("seed %d: removed at %v, announced at %v", seed, at, noticed)
				}
			}
			b, err := Encode(f)
			if err != nil {
				t.Fatal(err)
			}
			if back, err := Decode(b); f.State != "" && (err != nil || !cmp.Equal(f, back)) {
				t.Fatalf("stored form: %v\n%s", err, cmp.Diff(f, back))
			}
		}
	}
}

// sealed is a forgetting's stored form.
func sealed(t *testing.T, f Forgetting) string {
	t.Helper()
	b, err := Encode(f)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// asking is the key of the question that is open about somebody.
func asking(f Forgetting) string {
	for _, u := range f.Unknown {
		if u.Asking != "" {
			return u.Asking
		}
	}
	return ""
}

// The stored forms of this version are read for ever.
func TestStoredForms(t *testing.T) {
	w := begin(t, Target{Item: "ledgers", Discussion: "D1", Thread: "16.1", Title: "Who pays?"})
	w.hidden()
	w.noticed()
	w.does(t0.Add(time.Hour), Kept{By: sam})
	state, err := Encode(w.f)
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "restoring.json", state)
	effect, err := EncodeEffect(w.Effects[0])
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "restore.json", effect)
	input, err := EncodeInput(Input{ID: "o:F1", At: t0, Event: Opened{Forgetting: "F1", Place: thread.Place{Team: "T1", Channel: "C1"}, By: priya, Target: item}})
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "opened.json", input)
	other := []byte(`{"v":1,"body":{"topic":"\"kind\":\"forgetting\""}}`)
	if thread.KindOf(input) != OpenedKind || thread.KindOf(state) != StateKind || thread.KindOf(other) != "" {
		t.Error("a form is taken for another")
	}
	if back, err := DecodeInput(input); err != nil || back.Event.(Opened).Target != item {
		t.Errorf("DecodeInput = %+v, %v", back, err)
	}
	if back, err := DecodeEffect(effect); err != nil || !cmp.Equal(back, w.Effects[0]) {
		t.Errorf("DecodeEffect = %+v, %v", back, err)
	}
	if back, err := Decode(state); err != nil || !cmp.Equal(back, w.f) {
		t.Errorf("Decode: %v\n%s", err, cmp.Diff(w.f, back))
	}
	if _, err := Decode([]byte(`{"v":1,"body":{}}`)); err == nil {
		t.Error("a discussion was read as a forgetting")
	}
}

// golden compares with a reviewed file.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	want, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.TrimSpace(string(want)), string(got)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}
