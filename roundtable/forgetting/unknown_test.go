package forgetting

import (
	"strings"
	"testing"
	"time"

	"github.com/roundtable-chat/app/roundtable/thread"
)

// identified answers the open question about Una.
func (w *walk) identified(at time.Time, as thread.Standing) []string {
	w.t.Helper()
	return w.does(at, Identified{Effect: asking(w.f), Person: una.As(as)})
}

// knocks lets Slack be asked when that is due, and says nothing, until a time.
func (w *walk) knocks(until time.Time) (now time.Time) {
	w.t.Helper()
	for now = w.f.WakeAt; now.Before(until) && len(w.f.Unknown) > 0; now = w.f.WakeAt {
		if got := w.does(now, TimerFired{}); len(got) != 1 || got[0] != "identify U3" {
			w.t.Fatalf("at %v: %q", now, got)
		}
		want(w.t, "Slack does not say", w.identified(now, thread.StandingUnknown), nil)
	}
	return now
}

// What somebody wants to take back of whom Slack does not say who they are is kept, they are
// told once, and it comes back as soon as Slack says that they are a full member. Nobody else
// takes anything back (FR-110, I1).
func TestTakenBackBySomebodyUnknown_I1(t *testing.T) {
	pressed, wrote := Pressed{By: una, Button: ButtonKeep}, Kept{By: una}
	for name, tt := range map[string]struct {
		wishes []Event
		told   []string
	}{
		"button":       {[]Event{pressed}, []string{"tell U3 " + thread.SayActKept()}},
		"button twice": {[]Event{pressed, pressed}, []string{"tell U3 " + thread.SayActKept()}},
		"words":        {[]Event{wrote}, nil}, // the command's answer tells
		"words twice":  {[]Event{wrote, pressed}, nil},
	} {
		for as, then := range map[thread.Standing]string{
			thread.StandingMember: "restore offline-mode",
			thread.StandingGuest:  "tell U3 " + thread.SayOutsider(), thread.StandingOutsider: "tell U3 " + thread.SayOutsider(),
		} {
			w := begin(t, item)
			w.hidden()
			w.noticed()
			var told []string
			for _, e := range tt.wishes {
				told = append(told, w.does(t0.Add(time.Hour), e)...)
			}
			want(t, name, told, tt.told)
			if w.f.State != StateHidden {
				t.Fatalf("%s: it is in %s", name, w.f.State)
			}
			now := w.knocks(t0.Add(2 * time.Hour))
			want(t, name+": asked", w.does(now, TimerFired{}), []string{"identify U3"})
			want(t, name+": "+string(as), w.identified(now, as), []string{then})
			if as != thread.StandingMember {
				want(t, name+": recorded", w.acts(), []string{"refused U3"})
				if until := w.f.Until; !w.f.WakeAt.Equal(until) {
					t.Errorf("%s: it wakes at %v, want %v", name, w.f.WakeAt, until)
				}
				continue
			}
			w.does(now, Restored{Effect: w.f.Doing})
			want(t, name+": recorded", w.acts(), []string{"kept U3"})
		}
	}
}

// A wish that is open when the time is over holds the removal up for a day, and no longer; then
// whoever had it is told. Somebody else may take it back all the while.
func TestRemovalWaitsForSlack_I10(t *testing.T) {
	for name, end := range map[string]func(w *walk, over time.Time){
		"Slack says it late": func(w *walk, over time.Time) {
			want(t, "time", w.does(over, TimerFired{}), []string{"identify U3"})
			want(t, "late", w.identified(over, thread.StandingMember), []string{"restore offline-mode"})
		},
		"Slack says that she is a guest": func(w *walk, over time.Time) {
			w.does(over, TimerFired{})
			w.identified(over, thread.StandingGuest)
			want(t, "then", w.does(over, TimerFired{}), []string{"remove offline-mode"})
		},
		"Slack never says it": func(w *walk, _ time.Time) {
			at := w.f.Until.Add(24 * time.Hour)
			w.knocks(at)
			want(t, "a day later", w.does(at, TimerFired{}), []string{"tell U3 " + SayNeverKept(), "remove offline-mode"})
		},
		"somebody else takes it back": func(w *walk, over time.Time) {
			want(t, "Sam", w.does(over, Kept{By: sam}), []string{"restore offline-mode"})
			if len(w.f.Unknown) > 0 {
				t.Errorf("somebody is still asked about: %+v", w.f.Unknown)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := begin(t, item)
			w.hidden()
			w.noticed()
			w.does(t0.Add(time.Hour), Kept{By: una})
			over := w.knocks(t0.Add(2*time.Second + Grace))
			end(w, over)
		})
	}
}

// What somebody asks to forget of whom Slack does not say who they are stays in sight until it
// does, and is forgotten then, if they are a full member (FR-110, I1).
func TestForgottenBySomebodyUnknown_I1(t *testing.T) {
	ask := func() *walk {
		w := &walk{t: t}
		want(t, "asked", w.does(t0, Opened{Forgetting: "F1", Place: thread.Place{Team: "T1", Channel: "C1"}, By: una, Target: item}), nil)
		if w.f.State != StateAsked || w.f.Pending() {
			t.Fatalf("it is in %s", w.f.State)
		}
		return w
	}
	w := ask()
	want(t, "taken back early", w.does(t0, Kept{By: sam}), []string{"tell U2 Slack has not told me yet who asked to forget offline-mode. Until it does, nothing is forgotten."})
	now := w.knocks(t0.Add(time.Hour))
	want(t, "due", w.does(now, TimerFired{}), []string{"identify U3"})
	want(t, "a member", w.identified(now, thread.StandingMember), []string{"hide offline-mode"})
	w.hidden()
	want(t, "recorded", w.acts(), []string{"forgot U3"})
	if w.f.By.Is() != thread.StandingMember {
		t.Errorf("it was asked for by %+v", w.f.By)
	}

	w = ask()
	w.does(w.f.WakeAt, TimerFired{})
	want(t, "a guest", w.identified(t0.Add(time.Minute), thread.StandingGuest), []string{"tell U3 " + thread.SayOutsider()})
	want(t, "recorded", w.acts(), []string{"refused U3"})
	if w.f.State != StateKept {
		t.Errorf("it is in %s", w.f.State)
	}

	w = ask()
	week := t0.Add(Grace)
	w.knocks(week)
	want(t, "never", w.does(week, TimerFired{}), []string{"tell U3 Slack never told me who you are, so what you wanted forgotten was not. Everything is there as it was; you can ask again."})
	w.does(w.f.WakeAt, TimerFired{})
	if !w.f.Over {
		t.Errorf("it is not over: %+v", w.f)
	}
}

// A person of whom Slack does not say who they are is told nothing of what is forgotten, however
// it stands: they may be a guest (FR-108).
func TestUnknownAreToldNothing(t *testing.T) {
	conversation := Target{Item: "ledgers", Discussion: "D1", Thread: "16.1", Title: "Who pays?"}
	silent := func(what string, told []string) {
		t.Helper()
		for _, said := range told {
			if strings.HasPrefix(said, "tell U3 ") && (strings.Contains(said, "ledgers") || strings.Contains(said, "Who pays?")) {
				t.Errorf("%s: %s", what, said)
			}
		}
	}
	w := &walk{t: t}
	w.does(t0, Opened{Forgetting: "F1", By: una, Target: conversation})
	silent("never known", w.does(w.knocks(t0.Add(Grace)), TimerFired{}))

	w = begin(t, conversation)
	w.hidden()
	w.noticed()
	w.does(t0.Add(time.Hour), Kept{By: una})
	silent("too late", w.does(w.knocks(w.f.Until.Add(24*time.Hour)), TimerFired{}))
	for _, e := range []Event{Kept{By: una}, Pressed{By: una, Button: ButtonKeep}} {
		got := w.does(w.f.Until.Add(25*time.Hour), e)
		want(t, "being removed", got, []string{"tell U3 " + thread.SayPersonUnknown()})
	}
}
