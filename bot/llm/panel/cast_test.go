package panel

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/roundtable-chat/app/bot/llm"
	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// split asks a model of their own for some and the deployment's for others.
type split map[string]llm.Model

func (s split) Ask(ctx context.Context, q llm.Question, sink llm.Sink) (llm.Result, error) {
	return llm.Only(s[q.Model]).Ask(ctx, q, sink)
}

// A persona with a model of its own gets a call of its own, in the order of
// speaking, and is told what was said before it in the round (FR-104).
func TestPersonaWithItsOwnModel(t *testing.T) {
	shared := puppet(spoken(utters(maya, mayaSays)), spoken(utters(jordan, jordanSays)))
	own := puppet(spoken(utters(alex, alexSays)))
	r := asking(t, maya+"!", alex+"!", jordan+"!")
	r.Subject.Cast[1].Model = "other:model"
	p := panelOf(t, nil, func(o *Options) { o.Asker = split{"": shared, "other:model": own} })
	got, _, _, err := play(t, p, r)
	want := []string{"business-analyst: " + mayaSays, "solutions-architect: " + alexSays, "system-designer: " + jordanSays}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%s, error %v", diff, err)
	}
	if n, m := len(shared.requests()), len(own.requests()); n != 2 || m != 1 {
		t.Fatalf("asked the shared model %d times and its own %d times, want 2 and 1", n, m)
	}
	if prompt := flat(own.requests()[0]); !strings.Contains(prompt, mayaSays) {
		t.Error("the second model is not told what was said in the round")
	}
	if prompt := flat(shared.requests()[1]); !strings.Contains(prompt, jsonText(alexSays)) {
		t.Error("the first model is not told what the second said")
	}
}

// If a later call fails, what was said stands.
func TestLaterCallFails(t *testing.T) {
	r := asking(t, maya+"!", alex+"!")
	r.Subject.Cast[1].Model = "other:model"
	own := &scripted{replies: []reply{{err: &llm.Error{Kind: llm.Auth}}}}
	p := panelOf(t, nil, func(o *Options) {
		o.Asker = split{"": puppet(spoken(utters(maya, mayaSays))), "other:model": own}
	})
	got, _, ending, err := play(t, p, r)
	if !slices.Equal(got, []string{"business-analyst: " + mayaSays}) || err != nil || !ending.Incomplete {
		t.Errorf("got %q, %v, %v, want one contribution and an incomplete round", got, ending, err)
	}
}

// fickle fails once in the middle of an answer, then has another model answer, as a
// chain does.
type fickle struct {
	first, second llm.Model
	name          string
}

func (f fickle) Ask(ctx context.Context, q llm.Question, sink llm.Sink) (llm.Result, error) {
	sink.Begin("")
	result, err := f.first.Stream(ctx, q.Request, sink.Text)
	if err == nil || sink.Taken() {
		return result, err
	}
	sink.Begin(f.name)
	return f.second.Stream(ctx, q.Request, sink.Text)
}

// Another model may take over as long as nothing was handed on, and is named with
// what it says; afterwards the round is incomplete and nothing is said twice.
func TestAnotherModelTakesOver(t *testing.T) {
	text := spoken(utters(maya, mayaSays), utters(alex, alexSays))
	for name, test := range map[string]struct {
		cut        int
		want       []string
		engine     string
		incomplete bool
	}{
		"before anything was said": {40, []string{"business-analyst: " + mayaSays, "solutions-architect: " + alexSays}, "second:model", false},
		"after somebody spoke":     {len(text) - 40, []string{"business-analyst: " + mayaSays}, "", true},
	} {
		t.Run(name, func(t *testing.T) {
			first := &scripted{replies: []reply{{text: text[:test.cut], piece: 6, err: &llm.Error{Kind: llm.Transient}}}}
			p := panelOf(t, nil, func(o *Options) { o.Asker = fickle{first, puppet(text), "second:model"} })
			got, contributions, ending, err := play(t, p, asking(t, maya+"!", alex+"!"))
			if diff := cmp.Diff(test.want, got); diff != "" || err != nil || ending.Incomplete != test.incomplete {
				t.Errorf("%s, ending %v, error %v", diff, ending, err)
			}
			for _, c := range contributions {
				if c.Engine != test.engine {
					t.Errorf("%s speaks by %q, want %q", c.Persona, c.Engine, test.engine)
				}
			}
		})
	}
}

// byRule is a panel that needs no model.
type byRule struct{ engine.Panel }

func (byRule) Frame(context.Context, roundtable.Subject) (roundtable.Framing, error) {
	return roundtable.Framing{Focus: "By rule?", Ask: alex}, nil
}

func (byRule) Discuss(_ context.Context, r engine.RoundRequest, emit func(roundtable.Contribution) error) (roundtable.Ending, error) {
	return roundtable.Ending{}, emit(roundtable.Contribution{Persona: r.Round.Calls[0].Persona, Text: "By rule."})
}

func (byRule) Synthesise(context.Context, roundtable.Subject, thread.Transcript, string) (*roundtable.Draft, error) {
	return &roundtable.Draft{Summary: "By rule."}, nil
}

// A standby speaks where no model answers, under its own name; not where the
// operator has something to mend or the budget is spent (FR-114).
func TestStandby(t *testing.T) {
	standing := func(o *Options) {
		o.Standby = &Standby{Panel: byRule{}, Inquirer: inquiringByRule{}, Engine: "offline"}
	}
	for kind, stands := range map[llm.Kind]bool{llm.Overloaded: true, llm.Transient: true, llm.Refused: true, llm.Unknown: true, llm.Malformed: true, llm.Auth: false, llm.Config: false, llm.OverBudget: false} {
		t.Run(string(kind), func(t *testing.T) {
			p := panelOf(t, &scripted{replies: []reply{{err: &llm.Error{Kind: kind}}}}, standing)
			f, frameErr := p.Frame(t.Context(), subject(t))
			_, contributions, _, roundErr := play(t, p, asking(t, maya+"!"))
			d, draftErr := p.Synthesise(t.Context(), subject(t), opened(), "a fault")
			if !stands {
				for _, err := range []error{frameErr, roundErr, draftErr} {
					if _, ok := errors.AsType[*engine.PanelError](err); !ok {
						t.Errorf("got %v, want a panel's error", err)
					}
				}
				return
			}
			if err := errors.Join(frameErr, roundErr, draftErr); err != nil {
				t.Fatal(err)
			}
			if f.Engine != "offline" || len(contributions) != 1 || contributions[0].Engine != "offline" || d.Engine != "offline" {
				t.Errorf("got %v, %v, %v, want all by offline", f, contributions, d)
			}
		})
	}
	t.Run("never in the middle of a round", func(t *testing.T) {
		text := spoken(utters(maya, mayaSays), utters(alex, alexSays))
		m := &scripted{replies: []reply{{text: text[:len(text)-40], err: &llm.Error{Kind: llm.Transient}}}}
		_, contributions, ending, err := play(t, panelOf(t, m, standing), asking(t, maya+"!", alex+"!"))
		if len(contributions) != 1 || contributions[0].Engine != "" || !ending.Incomplete || err != nil {
			t.Errorf("got %v, %v, %v", contributions, ending, err)
		}
	})
}

func TestNewPanelChecksItsOptions(t *testing.T) {
	good := Options{Asker: llm.Only(puppet("")), Secret: testSecret, Metrics: prometheus.NewRegistry()}
	if _, err := New(good); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*Options){
		"nobody to answer": func(o *Options) { o.Asker = nil },
		"a short secret":   func(o *Options) { o.Secret = []byte("short") },
		"a nameless standby": func(o *Options) {
			o.Standby = &Standby{Panel: byRule{}, Inquirer: inquiringByRule{}}
		},
		"a standby that leads no analysis": func(o *Options) {
			o.Standby = &Standby{Panel: byRule{}, Engine: "offline"}
		},
		"metrics twice": func(*Options) {},
	} {
		o := good
		change(&o)
		if _, err := New(o); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
