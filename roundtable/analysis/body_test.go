package analysis

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestModeFallsBack shows the prescribed chain: the section, else Standard Mode, else
// the whole text (FR-012).
func TestModeFallsBack(t *testing.T) {
	tests := []struct {
		name, text string
		depth      Depth
		want       Mode
	}{
		{"the section itself", "## Deep Mode\n- x?\n## Standard Mode\n- y?", Deep, Mode{Prompts: []string{"x?"}}},
		{"standard for what is missing", "## Brief Mode\n- x?\n## Standard Mode\n- y?", Deep, Mode{Prompts: []string{"y?"}}},
		{"the whole text", "Ask about users.\n\nThen about money.", Brief, Mode{Prompts: []string{"Ask about users.", "Then about money."}}},
		{"the whole text's list", "Guide.\n\n1. a?\n2. b?", Brief, Mode{Guidance: "Guide.", Prompts: []string{"a?", "b?"}}},
		{"brief alone does not stand in for deep", "## Brief Mode\n- x?\n", Deep, Mode{Guidance: "## Brief Mode", Prompts: []string{"x?"}}},
		{"case and closing signs", "## STANDARD mode ##\n- y?", Standard, Mode{Prompts: []string{"y?"}}},
		{"a heading in a fence is none", "## Standard Mode\n- a?\n```\n## Deep Mode\n- b?\n```\n", Deep, Mode{Guidance: "``` ## Deep Mode ```", Prompts: []string{"a?", "b?"}}},
		{"items go on over lines", "## Standard Mode\n\n1. a\n   b?\n2) c?\n   - d?\n", Standard, Mode{Prompts: []string{"a b?", "c? - d?"}}},
		{"comments are not asked", "## Standard Mode\n- a? <!-- hm -->\n", Standard, Mode{Prompts: []string{"a?"}}},
		{"an empty section falls back", "## Deep Mode\n\n## Standard Mode\n- y?", Deep, Mode{Prompts: []string{"y?"}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b, _ := ParseBody(tt.text)
			if diff := cmp.Diff(tt.want, b.Mode(tt.depth)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestTargets(t *testing.T) {
	b, remarks := ParseBody("## Standard Mode\n- x?\n## Validation\n- y\n## Artifacts\n\n- `a.md`, section \"Users, and needs\": short.\n  - A table.\n    - deep\n" +
		"- `b.json`, list `stories`\n* `c.csv` columns \"id, name\"\n- `adrs/`, section \"Decision\"\n")
	want := []Target{
		{"a.md", PartSection, "Users, and needs", "short.\n- A table.\n  - deep"}, {"b.json", PartList, "stories", ""}, {"c.csv", PartRows, "id, name", ""}, {"adrs/", PartSection, "Decision", ""},
	}
	if diff := cmp.Diff(want, b.Targets); diff != "" || len(remarks) > 0 {
		t.Errorf("remarks %v (-want +got):\n%s", remarks, diff)
	}
	f := StepFile{Title: "A Step", Outputs: []string{"a.md", "d.json", "adrs/"}, Body: Body{Targets: want[:1]}}
	if diff := cmp.Diff([]Target{want[0], {File: "d.json", Part: PartList, Name: "A Step"}, {File: "adrs/", Part: PartSection, Name: "A Step"}}, f.Targets()); diff != "" {
		t.Errorf("an output that is not named takes the step's title (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"a.md", "d.json"}, f.Files()); diff != "" {
		t.Errorf("a folder is no file to elaborate (-want +got):\n%s", diff)
	}
}

// TestValidate finds which criteria no answer speaks to.
func TestValidate(t *testing.T) {
	b, _ := ParseBody("## Validation\n- [ ] Groups are named. <!-- terms: user, support team -->\n- A number. <!-- terms: # -->\n- Something about integrations\n- No. <!-- terms: no -->\n")
	tests := []struct {
		name    string
		answers []string
		want    []int
	}{
		{"nothing said", nil, []int{0, 1, 2, 3}},
		{"a word that goes on", []string{"Our users in twelve countries"}, []int{1, 2, 3}},
		{"two words in a row", []string{"the support teams"}, []int{1, 2, 3}},
		{"two words apart", []string{"support the team"}, []int{0, 1, 2, 3}},
		{"a number", []string{"3,000 of them"}, []int{0, 2, 3}},
		{"the criterion's own words", []string{"the integrations with SAP"}, []int{0, 1, 3}},
		{"a short word does not go on", []string{"now", "not"}, []int{0, 1, 2, 3}},
		{"over several answers", []string{"users", "42", "no integrations"}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, Validate(b.Criteria, tt.answers)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	if got := Validate([]Criterion{{Text: "a b"}}, []string{"x"}); len(got) > 0 {
		t.Errorf("a criterion without words is met by any answer; got %v", got)
	}
}

func FuzzParseBody(f *testing.F) {
	f.Add("## Brief Mode\n- a\n```\n## Validation\n- [ ] b <!-- terms: #, c -->\n## Artifacts\n- `x`, list \"y\": z")
	f.Fuzz(func(t *testing.T, text string) {
		b, remarks := ParseBody(text)
		for _, d := range Depths() {
			b.Mode(d)
		}
		for _, r := range remarks {
			if r.Line < 1 {
				t.Errorf("got line %d", r.Line)
			}
		}
		Validate(b.Criteria, []string{text})
	})
}
