package analysis

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestMenuForms shows the three forms of the menu (AC-007-05,
// AC-007-06, AC-004-06).
func TestMenuForms(t *testing.T) {
	const elaborate = "**[E]** Elaboration Mode -- bring all perspectives to discuss this topic\n"
	const natural = "\nOr type naturally to provide feedback."
	tests := []struct {
		name   string
		menu   Menu
		want   string
		labels string
	}{
		{"within a phase", Menu{ID: "m1"}, elaborate + "**[C]** Continue -- move to the next step\n**[S]** Skip remaining steps in this phase" + natural, "[E] Elaboration Mode|[C] Continue|[S] Skip remaining steps"},
		{"at the end of a phase", Menu{ID: "m1", Next: &PhaseView{Number: "02", Name: "Impact Analysis"}}, elaborate + "**[C]** Continue to Phase 02 (Impact Analysis)" + natural, "[E] Elaboration Mode|[C] Continue to Phase 02 (Impact Analysis)"},
		{"a phase without a number", Menu{ID: "m1", Next: &PhaseView{Name: "Launch"}}, elaborate + "**[C]** Continue to Launch" + natural, "[E] Elaboration Mode|[C] Continue to Launch"},
		{"at the very end", Menu{ID: "m1", Last: true}, elaborate + "**[C]** Complete analysis" + natural, "[E] Elaboration Mode|[C] Complete analysis"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, menuText(tt.menu)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			var labels []string
			for _, b := range tt.menu.buttons() {
				labels = append(labels, b.Label)
			}
			if got := strings.Join(labels, "|"); got != tt.labels {
				t.Errorf("got buttons %s, want %s", got, tt.labels)
			}
		})
	}
}

// A letter is a choice; what has more to say is feedback (AC-007-04).
func TestChoose(t *testing.T) {
	for text, want := range map[string]Choice{
		"e": ChooseElaborate, "E": ChooseElaborate, "[E]": ChooseElaborate, " (e) ": ChooseElaborate, "e.": ChooseElaborate, "*E*": ChooseElaborate,
		"`c`": ChooseContinue, "C!": ChooseContinue, "c please": ChooseContinue, "continue": ChooseContinue, "Continue, please": ChooseContinue, "next": ChooseContinue,
		"s": ChooseSkip, "[S]": ChooseSkip, "skip": ChooseSkip, "elaborate": ChooseElaborate,
		"": "", "x": "", "ec": "", "e?": "", "E. coli": "", "C is the better option": "", "s/foo/bar": "", "continue with refunds first": "",
		"skip the login page": "", "yes": "", "1": "", "ce": "", "[[": "", "see": "",
	} {
		got, ok := Choose(text)
		if got != want || ok != (want != "") {
			t.Errorf("Choose(%q) = %q, %v, want %q", text, got, ok, want)
		}
	}
}
