package evaluation_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/roundtable-chat/app/bot/llm/evaluation"
	"github.com/roundtable-chat/app/bot/llm/offline"
	"github.com/roundtable-chat/app/manifests"
	"github.com/roundtable-chat/app/roundtable/persona"
)

func roster(t testing.TB) persona.Roster {
	t.Helper()
	set, err := manifests.Load(nil)
	if err != nil {
		t.Fatal(err)
	}
	return set.Roster
}

func offlinePanel(t testing.TB) *offline.Panel {
	t.Helper()
	panel, err := offline.New(offline.Options{Roster: roster(t)})
	if err != nil {
		t.Fatal(err)
	}
	return panel
}

// NFR-002 (AC-010-04), NFR-003: the built-in personas over all topics: they can be
// told apart blindly, keep the voice rules, leave people to themselves, and lose no
// marked decision.
func TestBuiltInPersonas(t *testing.T) {
	o := evaluation.Options{Roster: roster(t), Panel: offlinePanel(t), Engine: offline.Engine}
	r, err := evaluation.Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Log("\n" + r.Markdown())
	for _, f := range []struct {
		name  string
		got   evaluation.Share
		least float64
	}{
		{"attribution from the other topics", r.HeldOut.All, 0.92},
		{"silence between people", r.Probes.Silence, 1},
		{"marked decisions kept", r.Probes.Marked, 1},
	} {
		if f.got.Of == 0 || f.got.Rate() < f.least {
			t.Errorf("%s: %s, want at least %.2f", f.name, f.got, f.least)
		}
	}
	if r.Failed > 0 || r.Faulty.Rate() > 0.01 || r.Probes.FalseConsent.Count > 0 || r.Discussions < 20 {
		t.Errorf("%d failed, %s faulty, %s false consent in %d discussions", r.Failed, r.Faulty, r.Probes.FalseConsent, r.Discussions)
	}
}

// The same panel gives the same report.
func TestReportIsDeterministic(t *testing.T) {
	var reports [2]string
	for i := range reports {
		r, err := evaluation.Run(t.Context(), evaluation.Options{Roster: roster(t), Panel: offlinePanel(t), Engine: offline.Engine, Topics: 3, Rounds: 6})
		if err != nil {
			t.Fatal(err)
		}
		b, err := r.JSON()
		if err != nil {
			t.Fatal(err)
		}
		reports[i] = r.Markdown() + string(b)
	}
	if diff := cmp.Diff(reports[0], reports[1]); diff != "" {
		t.Errorf("a second evaluation differs:\n%s", diff)
	}
}
