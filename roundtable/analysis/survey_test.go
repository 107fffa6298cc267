package analysis

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/roundtable-chat/app/roundtable/document"
	"github.com/roundtable-chat/app/roundtable/persona"
)

// testRoster is the cast of the tests and the leads of three phases.
func testRoster() persona.Roster {
	r := persona.Roster{Default: "business-analyst", Phases: []persona.Phase{
		{Key: "00-quick-scan", Lead: "business-analyst", Description: "Quick scope estimation"},
		{Key: "01-requirements", Lead: "business-analyst", Description: "Requirements discovery"},
		{Key: "02-impact-analysis", Lead: "solutions-architect", Description: "Impact and blast radius"},
	}}
	for _, s := range testCast() {
		r.Personas = append(r.Personas, persona.Persona{Seat: s, Acknowledgement: "Noted: {point}. I'll take it up."})
	}
	return r
}

// testStep is a step file of a phase; what is not given is made up.
func testStep(file, id, title string, outputs []string, dependsOn ...string) StepFile {
	body, _ := ParseBody("## Brief Mode\n\n1. What about " + title + "?\n\n## Standard Mode\n\n1. What is " + title + "?\n2. Why " + title +
		"?\n\n## Validation\n\n- A reason is given. <!-- terms: because -->\n\n## Artifacts\n\n- `" + outputs[0] + "`, section \"" + title + "\"\n")
	lead := persona.Key("business-analyst")
	if strings.HasPrefix(id, "02") {
		lead = "solutions-architect"
	}
	return StepFile{File: file, ID: id, Title: title, Persona: lead, Depth: Standard, Outputs: outputs, DependsOn: dependsOn, Body: body}
}

func testCatalogue() Catalogue {
	c, _, _ := NewCatalogue(testRoster().Phases, []StepFile{
		testStep("02-impact-analysis/01-radius.md", "02-01", "Blast Radius", []string{"impact-analysis.md"}),
		testStep("01-requirements/02-users.md", "01-02", "User Needs", []string{"requirements-spec.md"}, "01-01"),
		testStep("01-requirements/01-context.md", "01-01", "Business Context", []string{"requirements-spec.md", "adrs/"}),
		testStep("00-quick-scan/01-scope.md", "00-01", "Scope Estimation", []string{"quick-scan.md"}),
	})
	return c
}

func testMeta(t *testing.T, text string) *document.Meta {
	t.Helper()
	m, err := document.ParseMeta([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// sayLook is a survey in one line.
func sayLook(s Survey) string {
	if s.Step == nil {
		return fmt.Sprintf("nothing left; complete %v", s.Complete)
	}
	var rest []string
	for _, v := range s.Rest {
		rest = append(rest, v.ID)
	}
	before := "none"
	if s.Before != nil {
		before = s.Before.Key
	}
	return fmt.Sprintf("%s %s at %s by %s; rest %v; done %v; complete %v; before %s", s.Phase.Key, s.Step.ID, s.Step.Depth.Depth, s.Step.Depth.Source, rest, s.Done, s.Complete, before)
}

// TestLook shows what comes next as an item goes through its phases (AC-004-04,
// AC-004-05, AC-005-04, NFR-005).
func TestLook(t *testing.T) {
	tests := []struct{ name, meta, scan, want string }{
		{"a fresh item", `{}`, "", "00-quick-scan 00-01 at standard by step; rest []; done []; complete []; before none"},
		{"a phase that was recorded", `{"phases_completed":["00-quick-scan"],"steps_completed":["00-01"]}`, "Scope: small\nComplexity: low", "01-requirements 01-01 at brief by quick-scan; rest [01-02]; done []; complete []; before 00-quick-scan"},
		{"a phase whose steps are done", `{"steps_completed":["00-01"]}`, "", "01-requirements 01-01 at standard by step; rest [01-02]; done []; complete [00-quick-scan]; before 00-quick-scan"},
		{"resumed in the middle", `{"phases_completed":["00-quick-scan"],"steps_completed":["00-01","01-01"]}`, "", "01-requirements 01-02 at standard by step; rest []; done [Business Context]; complete []; before 00-quick-scan"},
		{"an override of the phase", `{"phases_completed":["00-quick-scan"],"depth_overrides":{"01-requirements":"deep"}}`, "Scope: small\nComplexity: low", "01-requirements 01-01 at deep by override; rest [01-02]; done []; complete []; before 00-quick-scan"},
		{"an override of another phase (AC-006-06)", `{"phases_completed":["00-quick-scan","01-requirements"],"depth_overrides":{"01-requirements":"deep"}}`, "", "02-impact-analysis 02-01 at standard by step; rest []; done []; complete []; before 01-requirements"},
		{"a phase that was skipped", `{"phases_completed":["00-quick-scan","01-requirements"],"steps_completed":["01-01"]}`, "", "02-impact-analysis 02-01 at standard by step; rest []; done []; complete []; before 01-requirements"},
		{"at the end", `{"phases_completed":["00-quick-scan","01-requirements"],"steps_completed":["02-01"]}`, "", "nothing left; complete [02-impact-analysis]"},
		{"after the end", `{"phase_a_completed":true}`, "", "nothing left; complete []"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := sayLook(Look(testCatalogue(), testRoster(), testMeta(t, tt.meta), tt.scan)); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestLookRecallsThreeElaborations(t *testing.T) {
	var records []string
	for i, id := range []string{"01-01", "00-01", "01-01", "01-02", "01-02"} {
		records = append(records, fmt.Sprintf(`{"step_id":%q,"turn_count":3,"personas_active":[],"timestamp":"t","synthesis_summary":"S%d"}`, id, i))
	}
	s := Look(testCatalogue(), testRoster(), testMeta(t, `{"steps_completed":["00-01","01-01"],"elaboration_config":{"max_turns":7},"elaborations":[`+strings.Join(records, ",")+`]}`), "")
	want := []Past{{"01-01", "S2"}, {"01-02", "S3"}, {"01-02", "S4"}}
	if diff := cmp.Diff(want, s.Past); diff != "" || s.MaxTurns != 7 {
		t.Errorf("AC-009-03, AC-007-03: limit %d (-want +got):\n%s", s.MaxTurns, diff)
	}
}

// TestLookWarns names what is passed over and what falls back (AC-003-06).
func TestLookWarns(t *testing.T) {
	roster := testRoster()
	phases := append(roster.Phases[:3:3], persona.Phase{Key: "05-launch", Lead: "business-analyst", Description: "Launch"}, persona.Phase{Key: "06-empty"})
	c, repeated, stray := NewCatalogue(phases, []StepFile{
		testStep("01-requirements/01-a.md", "01-01", "A", []string{"a.md"}, "01-07"), testStep("01-requirements/02-b.md", "01-02", "B", []string{"a.md"}, "01-01"),
		testStep("05-launch/01-c.md", "05-01", "C", []string{"a.md"}), testStep("05-launch/02-d.md", "05-01", "D", []string{"a.md"}), testStep("09-x/02-d.md", "09-01", "D", []string{"a.md"}),
	})
	if len(repeated) != 1 || repeated[0].Title != "D" || len(stray) != 1 {
		t.Errorf("repeated %v, stray %v: the first of two counts", repeated, stray)
	}
	s := Look(c, roster, testMeta(t, `{}`), "")
	want := []string{
		"No step files found for phase 00-quick-scan.",
		"Step 01-01 waits for step 01-07, which is not completed. Skipping.",
		"Step 01-02 waits for step 01-01, which is not completed. Skipping.",
		"No step files found for phase 02-impact-analysis.",
		"Unknown phase key '05-launch'. Falling back to Maya Chen (Business Analyst).",
	}
	if diff := cmp.Diff(want, s.Warnings); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got, want := sayLook(s), "05-launch 05-01 at standard by step; rest []; done []; complete [00-quick-scan 01-requirements 02-impact-analysis]; before none"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestDiscoverPassesOver shows skip_if and order: a step that another waits for may
// stand after it, and a condition can go by the depth.
func TestDiscoverPassesOver(t *testing.T) {
	skip, err := ParseCondition(`scope == "small" or depth == "brief"`)
	if err != nil {
		t.Fatal(err)
	}
	late, early, skipped := testStep("p/01.md", "01-01", "A", []string{"a.md"}, "01-02"), testStep("p/02.md", "01-02", "B", []string{"a.md"}), testStep("p/03.md", "01-03", "C", []string{"a.md"})
	skipped.SkipIf = skip
	p := Phase{Steps: []StepFile{late, early, skipped}}
	for _, tt := range []struct {
		name string
		at   Progress
		want string
	}{
		{"everything", Progress{}, "run [01-02 01-01 01-03] passed []"},
		{"small", Progress{Scan: QuickScan{Scope: ScopeSmall}}, "run [01-02 01-01] passed [01-03]"},
		{"brief by override", Progress{Override: "brief", Scan: QuickScan{Scope: ScopeLarge}}, "run [01-02 01-01] passed [01-03]"},
		{"brief of unknown scope: asked rather than lost", Progress{Override: "brief"}, "run [01-02 01-01 01-03] passed []"},
		{"begun", Progress{Done: []string{"01-02", "01-03"}}, "run [01-01] passed []"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			run, passed := p.Discover(tt.at)
			var ids, over []string
			for _, f := range run {
				ids = append(ids, f.ID)
			}
			for _, x := range passed {
				over = append(over, x.Step.ID)
			}
			if got := fmt.Sprintf("run %v passed %v", ids, over); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestEndless(t *testing.T) {
	c, _, _ := NewCatalogue(testRoster().Phases, []StepFile{
		testStep("00-quick-scan/01.md", "00-01", "A", []string{"a.md"}, "00-01"), testStep("01-requirements/01.md", "01-01", "B", []string{"a.md"}, "02-01"),
		testStep("01-requirements/02.md", "01-02", "C", []string{"a.md"}, "01-09"), testStep("02-impact-analysis/01.md", "02-01", "D", []string{"a.md"}, "01-01"),
		testStep("02-impact-analysis/02.md", "02-02", "E", []string{"a.md"}),
	})
	want := map[string]string{
		"00-01": "waits for itself by way of step 00-01", "01-01": "waits for step 02-01 of a later phase",
		"01-02": "waits for step 01-09, which no usable file has", "02-01": "waits for itself by way of step 01-01",
	}
	if diff := cmp.Diff(want, c.Endless()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
