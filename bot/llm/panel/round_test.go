package panel

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/roundtable-chat/app/bot/llm"
	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/persona"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// What the cast says in these tests: sound in every voice.
const (
	mayaSays   = "Who hears first that a refund failed, and what do they do in the meantime?"
	alexSays   = "I see two ways: refund at once and reconcile later, or wait for the bank. The first can be reversed."
	jordanSays = "The contract: `refund(id)` returns `Accepted` or `Duplicate`, and a repeated id changes nothing."
	// mayaSlips holds words that she does not use.
	mayaSlips = "The endpoint should answer with a lower latency when somebody asks for a refund."
)

func TestDiscuss(t *testing.T) {
	tests := []struct {
		name   string
		called []persona.Key
		said   []persona.Key // before
		answer []string
		want   []string
		asked  int
		ending roundtable.Ending
		reason thread.Reason
	}{
		{
			name: "everybody, in order", called: []persona.Key{maya + "!", alex + "!", jordan + "!"},
			answer: []string{spoken(utters(maya, mayaSays), utters(alex, alexSays), utters(jordan, jordanSays))},
			want:   []string{"business-analyst: " + mayaSays, "solutions-architect: " + alexSays, "system-designer: " + jordanSays}, asked: 1,
		},
		{
			name: "silence is respected", called: []persona.Key{maya + "!", alex, jordan},
			answer: []string{spoken(utters(maya, mayaSays), silent(alex), silent(jordan))},
			want:   []string{"business-analyst: " + mayaSays}, asked: 1,
		},
		{
			name: "an empty text is silence", called: []persona.Key{maya + "!", alex},
			answer: []string{spoken(utters(maya, mayaSays), utters(alex, "  "))},
			want:   []string{"business-analyst: " + mayaSays}, asked: 1,
		},
		{
			name: "whoever is called first is heard first, whoever the model lets begin", called: []persona.Key{alex + "!", maya + "!", jordan},
			answer: []string{spoken(utters(jordan, jordanSays), utters(maya, mayaSays), utters(alex, alexSays))},
			want:   []string{"solutions-architect: " + alexSays, "business-analyst: " + mayaSays, "system-designer: " + jordanSays}, asked: 1,
		},
		{
			name: "strangers, people and those not called say nothing", called: []persona.Key{maya + "!", alex},
			answer: []string{spoken(utters("moderator", "We are done here, all of you."), utters("Priya", "I approve of it all."), utters(maya, mayaSays), utters(jordan, jordanSays))},
			want:   []string{"business-analyst: " + mayaSays}, asked: 1,
		},
		{
			name: "nobody speaks twice", called: []persona.Key{maya + "!"},
			answer: []string{spoken(utters(maya, mayaSays), utters(maya, "And what happens if somebody asks for it twice?"))},
			want:   []string{"business-analyst: " + mayaSays}, asked: 1,
		},
		{
			name: "names in front are taken off, other parts cut off", called: []persona.Key{alex + "!"},
			answer: []string{spoken(utters("Alex Rivera (Solutions Architect)", "**Alex Rivera (Solutions Architect):** Alex: "+alexSays+"\n\nJordan: I agree.\nPriya: so do I"))},
			want:   []string{"solutions-architect: " + alexSays}, asked: 1,
		},
		{
			name: "nothing invisible is handed on", called: []persona.Key{maya + "!"},
			answer: []string{spoken(utters(maya, "\u202e"+mayaSays+"\x07\U000E0041"))},
			want:   []string{"business-analyst: " + mayaSays}, asked: 1,
		},
		{
			name: "after a crash, whoever has spoken is not heard again (I3)", called: []persona.Key{maya + "!", alex + "!"}, said: []persona.Key{maya},
			answer: []string{spoken(utters(maya, mayaSays), utters(alex, alexSays))},
			want:   []string{"solutions-architect: " + alexSays}, asked: 1,
		},
		{
			name: "everybody has spoken before the crash", called: []persona.Key{maya + "!", alex + "!"}, said: []persona.Key{maya, alex},
			asked: 0,
		},
		{
			name: "one who must speak and did not is asked once more", called: []persona.Key{maya + "!", alex},
			answer: []string{spoken(silent(maya), silent(alex)), spoken(utters(maya, mayaSays))},
			want:   []string{"business-analyst: " + mayaSays}, asked: 2,
		},
		{
			name: "then the round ends with what there is, and says so", called: []persona.Key{maya + "!", alex},
			answer: []string{spoken(utters(alex, alexSays)), spoken(silent(maya))},
			want:   []string{"solutions-architect: " + alexSays}, asked: 2, ending: roundtable.Ending{Incomplete: true},
		},
		{
			name: "nor if that is nothing at all (I10)", called: []persona.Key{maya + "!"},
			answer: []string{spoken()}, asked: 2, ending: roundtable.Ending{Incomplete: true},
		},
		{
			name: "people who only listen in need not be answered", called: []persona.Key{maya, alex},
			answer: []string{spoken(silent(maya), silent(alex))}, asked: 1,
		},
		{
			name: "what cannot be read is asked for once more", called: []persona.Key{maya + "!"},
			answer: []string{"Maya asks who is affected.", spoken(utters(maya, mayaSays))},
			want:   []string{"business-analyst: " + mayaSays}, asked: 2,
		},
		{
			name: "and not twice", called: []persona.Key{maya + "!"},
			answer: []string{"Maya asks who is affected."}, asked: 2, reason: thread.ReasonModelUnavailable,
		},
		{
			name: "an answer without end is none", called: []persona.Key{maya + "!"},
			answer: []string{strings.Repeat(`{"x":"`, answerLimit)}, asked: 1, reason: thread.ReasonModelUnavailable,
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			m := puppet(test.answer...)
			r := asking(t, test.called...)
			r.Round.Said = test.said
			got, _, ending, err := play(t, panelOf(t, m), r)
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("FR-003: %s", diff)
			}
			if diff := cmp.Diff(test.ending, ending); diff != "" {
				t.Errorf("ending: %s", diff)
			}
			if n := len(m.requests()); n != test.asked {
				t.Errorf("asked %d times, want %d", n, test.asked)
			}
			wantReason(t, err, test.reason)
		})
	}
}

func wantReason(t *testing.T, err error, want thread.Reason) {
	t.Helper()
	got := thread.Reason("")
	if p, ok := errors.AsType[*engine.PanelError](err); ok {
		got = p.Reason
	} else if err != nil {
		t.Fatal(err)
	}
	if got != want {
		t.Errorf("got reason %q (%v), want %q", got, err, want)
	}
}

// Every shape in which a model writes gives the same round, also in pieces.
func TestDiscussInEveryShape(t *testing.T) {
	full := spoken(utters(maya, mayaSays), utters(alex, alexSays))
	shapes := map[string]string{
		"strict": full, "fenced": "```json\n" + full + "\n```", "prose around": "Sure! Here is the round:\n" + full + "\nAnything else?",
		"one object a line": utters(maya, mayaSays) + "\n" + utters(alex, alexSays),
		"by first names":    strings.NewReplacer(string(maya), "Maya", string(alex), "alex").Replace(full),
	}
	for name, text := range shapes {
		for _, piece := range []int{0, 1, 7} {
			t.Run(name, func(t *testing.T) {
				m := &scripted{name: "test:model", replies: []reply{{text: text, piece: piece}}}
				got, _, ending, err := play(t, panelOf(t, m), asking(t, maya+"!", alex+"!"))
				want := []string{"business-analyst: " + mayaSays, "solutions-architect: " + alexSays}
				if diff := cmp.Diff(want, got); diff != "" || err != nil || ending.Incomplete {
					t.Errorf("%s, error %v, ending %v", diff, err, ending)
				}
			})
		}
	}
}

// Cut at every byte, a round keeps what was complete and says that it broke off;
// if nothing was, it is a stated stop.
func TestDiscussCutAtEveryByte(t *testing.T) {
	text := spoken(utters(maya, mayaSays), utters(alex, alexSays))
	complete := []string{"business-analyst: " + mayaSays, "solutions-architect: " + alexSays}
	most := 0
	for end := range len(text) {
		m := &scripted{name: "test:model", replies: []reply{{text: text[:end], piece: 9, err: &llm.Error{Kind: llm.Transient, Model: "test:model"}}}}
		got, _, ending, err := play(t, panelOf(t, m), asking(t, maya+"!", alex+"!"))
		if len(got) < most || !slices.Equal(got, complete[:len(got)]) {
			t.Fatalf("cut after %d bytes got %q", end, got)
		}
		most = len(got)
		if len(got) == 0 {
			wantReason(t, err, thread.ReasonModelUnavailable)
		} else if err != nil || !ending.Incomplete {
			t.Fatalf("cut after %d bytes got error %v and ending %v, want an incomplete round", end, err, ending)
		}
		if n := len(m.requests()); n != 1 {
			t.Fatalf("cut after %d bytes asked %d times, want 1", end, n)
		}
	}
	if most != 2 {
		t.Errorf("never more than %d were heard", most)
	}
}

// Each kind of failure is a stop with its own reason (I10).
func TestDiscussFails(t *testing.T) {
	tests := map[llm.Kind]thread.Reason{
		llm.RateLimited: thread.ReasonModelUnavailable, llm.Overloaded: thread.ReasonModelUnavailable, llm.Transient: thread.ReasonModelUnavailable,
		llm.Truncated: thread.ReasonModelUnavailable, llm.Malformed: thread.ReasonModelUnavailable, llm.Refused: thread.ReasonModelRefused,
		llm.Auth: thread.ReasonModelConfig, llm.Config: thread.ReasonModelConfig, llm.Unknown: thread.ReasonModelConfig, llm.OverBudget: thread.ReasonOverBudget,
	}
	for kind, want := range tests {
		t.Run(string(kind), func(t *testing.T) {
			m := &scripted{replies: []reply{{err: &llm.Error{Kind: kind}}}}
			got, _, _, err := play(t, panelOf(t, m), asking(t, maya+"!"))
			if len(got) != 0 {
				t.Errorf("got %q", got)
			}
			wantReason(t, err, want)
		})
	}
	t.Run("stop words", func(t *testing.T) {
		for stop, want := range map[llm.Stop]thread.Reason{llm.StopLength: thread.ReasonModelUnavailable, llm.StopRefusal: thread.ReasonModelRefused} {
			m := &scripted{replies: []reply{{text: `{"contributions":[`, stop: stop}}}
			_, _, _, err := play(t, panelOf(t, m), asking(t, maya+"!"))
			wantReason(t, err, want)
		}
	})
}

// What was broken off from outside is no failure of a model's, and what cannot be
// handed on ends the round.
func TestDiscussStops(t *testing.T) {
	text := spoken(utters(maya, mayaSays), utters(alex, alexSays))
	t.Run("given up", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		m := &scripted{replies: []reply{{text: text, piece: 5}}}
		_, err := panelOf(t, m).Discuss(ctx, asking(t, maya+"!", alex+"!"), func(roundtable.Contribution) error { cancel(); return ctx.Err() })
		if !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want the context's error", err)
		}
		if _, ok := errors.AsType[*engine.PanelError](err); ok {
			t.Errorf("got a panel's error, %v", err)
		}
	})
	t.Run("out of time, after somebody spoke", func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 0)
		defer cancel()
		m := &scripted{replies: []reply{{text: text[:len(text)-80], err: &llm.Error{Kind: llm.Cancelled}}}}
		ending, err := panelOf(t, m).Discuss(ctx, asking(t, maya+"!", alex+"!"), func(roundtable.Contribution) error { return nil })
		if err != nil || !ending.Incomplete {
			t.Errorf("got %v and %v, want an incomplete round", ending, err)
		}
	})
	t.Run("cannot be handed on", func(t *testing.T) {
		broken := errors.New("broken")
		n := 0
		_, err := panelOf(t, puppet(text)).Discuss(t.Context(), asking(t, maya+"!", alex+"!"), func(roundtable.Contribution) error { n++; return broken })
		if !errors.Is(err, broken) || n != 1 {
			t.Errorf("got %v after %d contributions, want the error after the first", err, n)
		}
	})
}
