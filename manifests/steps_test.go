package manifests

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/roundtable-chat/app/roundtable/analysis"
)

// stepText is a step file with the given lines of front matter in place of, or
// besides, those of a good one.
func stepText(id string, lines ...string) string {
	keys := []string{
		`step_id: "` + id + `"`, "title: A Step", "persona: business-analyst", "depth: standard", "outputs: [a.md]",
	}
	for _, line := range lines {
		key, _, _ := strings.Cut(line, ":")
		keys = slices.DeleteFunc(keys, func(k string) bool { return strings.HasPrefix(k, key+":") })
		if !strings.HasPrefix(line, "-") {
			keys = append(keys, line)
		}
	}
	return "---\n" + strings.Join(keys, "\n") + "\n---\n" + goodBody
}

const goodBody = `
## Brief Mode

1. What?

## Standard Mode

1. What?
2. Why?

## Deep Mode

1. What?

## Validation

- There is a reason. <!-- terms: because -->

## Artifacts

- ` + "`a.md`" + `, section "A Step"
  - One line.
`

// without is good front matter that lacks a key.
func without(id, key string) string {
	return strings.Replace(stepText(id), lineWith(stepText(id), key+":"), "", 1)
}

func lineWith(text, prefix string) string {
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, prefix) {
			return line
		}
	}
	return "no such line"
}

// brokenStep is a step file and the fault that it must be named with.
type brokenStep struct{ name, text, want string }

// brokenSteps are files of a phase with one fault each, besides what a good body
// has; every fault is a different kind.
func brokenSteps() []brokenStep {
	deep := "x: " + strings.Repeat("[", 20) + strings.Repeat("]", 20)
	return []brokenStep{
		{"empty", "", `:1: must begin with front matter`},
		{"prose", "# A step\n", `:1: must begin with front matter`},
		{"unclosed", "---\nstep_id: \"01-01\"\n", `:1: must begin with front matter`},
		{"indented", " ---\na: b\n---\n", `:1: must begin with front matter`},
		{"hollow", "---\n---\n" + goodBody, `:1: is empty`},
		{"comment-only", "---\n# nothing\n---\n", `:1: is empty`},
		{"syntax", "---\ntitle: [a\n---\n", `:\d: did not find expected ',' or ']'`},
		{"tab", "---\nstep_id: a\n\ttitle: b\n---\n", `:\d: found`},
		{"list", "---\n- a\n- b\n---\n", `:2: must be a mapping`},
		{"scalar", "---\nhello\n---\n", `:2: must be a mapping`},
		{"repeated", stepText("01-11", `tags: [a]`, `notes: a`) + "", ``},
		{"repeated-key", strings.Replace(stepText("01-12"), "title: A Step", "title: A Step\ntitle: B Step", 1), `:4: repeats the key "title" of line 3`},
		{"alias", strings.Replace(stepText("01-13"), "title: A Step", "title: &t A Step\npersona: *t", 1), `:4: uses an alias`},
		{"anchor", strings.Replace(stepText("01-14"), "title: A Step", "title: &t A Step", 1), `:3: sets an anchor`},
		{"tag", strings.Replace(stepText("01-15"), "title: A Step", "title: !!binary YQ==", 1), `:3: uses !!binary`},
		{"deep", strings.Replace(stepText("01-16"), "title: A Step", "title: A Step\n"+deep, 1), `:4: is nested more than`},
		{"bytes", strings.Replace(stepText("01-17"), "A Step", "A \xff Step", 1), `:3: is not UTF-8`},
		{"bytes-below", stepText("01-18") + "\xff", `:\d+: is not UTF-8`},
		{"large", stepText("01-19") + strings.Repeat("x", 300<<10), `:1: is larger than 256 KiB`},
		{"no-id", without("01-20", "step_id"), `:2: "step_id" is missing`},
		{"no-title", without("01-21", "title"), `:2: "title" is missing`},
		{"no-persona", without("01-22", "persona"), `:2: "persona" is missing`},
		{"no-depth", without("01-23", "depth"), `:2: "depth" is missing`},
		{"no-outputs", without("01-24", "outputs"), `:2: "outputs" is missing`},
		{"null-title", stepText("01-25", "title:"), `:6: "title" is empty`},
		{"blank-persona", stepText("01-26", `persona: "  "`), `:6: "persona" is empty`},
		{"listed-title", stepText("01-27", "title: [a, b]"), `:6: "title" must be one text`},
		{"mapped-persona", stepText("01-28", "persona: {a: b}"), `:6: "persona" must be one text`},
		{"odd-id", stepText("01-29", "step_id: first"), `:6: the step id "first" must be two digits`},
		{"number-id", stepText("01-30", "step_id: 101"), `:6: the step id "101" must be two digits`},
		{"foreign-id", stepText("02-31"), `:2: the step id "02-31" must begin with "01-"`},
		{"long-title", stepText("01-32", "title: "+strings.Repeat("x", 121)), `:6: the title is longer than 120`},
		{"stranger", stepText("01-33", "persona: project-manager"), `:6: "project-manager" is no persona`},
		{"odd-depth", stepText("01-34", "depth: medium"), `:6: the depth "medium" must be brief, standard or deep`},
		{"no-output", stepText("01-35", "outputs: []"), `:6: "outputs" needs at least one entry`},
		{"scalar-output", stepText("01-36", "outputs: a.md"), `:6: "outputs" must be a list`},
		{"null-output", stepText("01-37", "outputs: [a.md, ~]"), `:6: an entry of "outputs" must be one text`},
		{"leaving-output", stepText("01-38", "outputs: [../../etc/passwd]"), `:6: the output "../../etc/passwd" cannot be used`},
		{"meta-output", stepText("01-39", "outputs: [meta.json]"), `:6: the output "meta.json" cannot be used`},
		{"scalar-depends", stepText("01-40", `depends_on: "01-11"`), `:7: "depends_on" must be a list`},
		{"odd-depends", stepText("01-41", "depends_on: [users]"), `:7: depends on "users", which is no step id`},
		{"self-depends", stepText("01-42", `depends_on: ["01-42"]`), `:7: depends on itself`},
		{"condition-syntax", stepText("01-43", `skip_if: scope ==`), `:7: skip_if unexpected token EOF`},
		{"condition-name", stepText("01-44", `skip_if: size == "small"`), `:7: skip_if unknown name size`},
		{"condition-type", stepText("01-45", `skip_if: file_count + 1`), `:7: skip_if expected bool`},
		{"condition-word", stepText("01-46", `skip_if: scope == "tiny"`), `:7: skip_if compares with "tiny"`},
		{"condition-call", stepText("01-47", `skip_if: len(scope) > 3`), `:7: skip_if`},
		{"condition-loop", stepText("01-48", `skip_if: file_count in 1..999999`), `:7: skip_if uses \.\.`},
		{"condition-list", stepText("01-49", `skip_if: [a]`), `:7: "skip_if" must be one text`},
		{"condition-long", stepText("01-50", `skip_if: 'file_count > 1`+strings.Repeat(" or file_count > 1", 40)+`'`), `:7: skip_if is longer`},
		{"two-documents", strings.Replace(stepText("01-51"), "title: A Step", "title: A Step\n...\n{a: b}", 1), `:\d: `},
		{"waits-for-nobody", stepText("01-52", `depends_on: ["01-99"]`), `:1: step 01-52 never runs: it waits for step 01-99, which no usable file has`},
		{"waits-for-later", stepText("01-53", `depends_on: ["04-01"]`), `:1: step 01-53 never runs: it waits for step 04-01 of a later phase`},
		{"circle-a", stepText("01-54", `depends_on: ["01-55"]`), `:1: step 01-54 never runs: it waits for itself by way of step 01-55`},
		{"circle-b", stepText("01-55", `depends_on: ["01-54"]`), `:1: step 01-55 never runs: it waits for itself by way of step 01-54`},
		{"taken", stepText("01-01"), `:1: the step id "01-01" is that of steps/01-requirements/01-business-context.md`},
	}
}

// TestEveryBrokenStepIsNamed shows AC-012-01: each of a directory of broken
// step files is named with its fault and line, and none of them keeps another
// file from being used.
func TestEveryBrokenStepIsNamed(t *testing.T) {
	folder := fstest.MapFS{}
	broken := brokenSteps()
	file := func(b brokenStep) string { return "steps/01-requirements/50-" + b.name + ".md" }
	faulty := 0
	for _, b := range broken {
		folder[file(b)] = &fstest.MapFile{Data: []byte(b.text)}
		if b.want != "" {
			faulty++
		}
	}
	if faulty < 40 {
		t.Fatalf("only %d kinds of fault", faulty)
	}
	steps := mustLoad(t, folder).Steps
	named := map[string][]string{}
	for _, r := range steps.Faults() {
		named[r.File] = append(named[r.File], r.String())
	}
	for _, b := range broken {
		got := named[file(b)]
		if b.want == "" && len(got) > 0 {
			t.Errorf("%s: got %q, want no fault", b.name, got)
		}
		want := regexp.MustCompile("^" + regexp.QuoteMeta(file(b)) + b.want)
		if b.want != "" && !slices.ContainsFunc(got, want.MatchString) {
			t.Errorf("%s: got %q, want %s", b.name, got, want)
		}
	}
	whole := 0
	for _, p := range steps.Catalogue.Phases {
		for _, f := range p.Steps {
			if !strings.Contains(f.File, "/50-") {
				whole++
			}
		}
	}
	if whole != 24 {
		t.Errorf("%d of the 24 good steps are left", whole)
	}
}

// AC-012-01, AC-004-04: the warnings are worded as prescribed.
func TestNamedWarnings(t *testing.T) {
	folder := fstest.MapFS{
		"phases.yaml": {Data: []byte("default: business-analyst\nphases:\n" +
			"  - {key: 00-quick-scan, lead: business-analyst, description: Scan}\n  - {key: 07-nothing, lead: business-analyst, description: None}\n")},
		"steps/00-quick-scan/02-keyword-search.md": {Data: []byte("---\nstep_id: [\n---\n")},
		"steps/00-quick-scan/04-again.md":          {Data: []byte(stepText("00-03"))},
		"steps/00-quick-scan/notes.txt":            {Data: []byte("no step")},
		"steps/00-quick-scan/README.MD":            {Data: []byte("no step")},
	}
	steps := mustLoad(t, folder).Steps
	var got []string
	for _, r := range steps.Remarks {
		if r.Warning != "" {
			got = append(got, r.Warning)
		}
	}
	want := []string{
		"Step file 02-keyword-search.md has invalid frontmatter. Skipping.",
		"Step file 04-again.md repeats step 00-03 of 03-file-count.md. Skipping.",
		"No step files found for phase 07-nothing.",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// An extra key is people's own: a warning, and the step is used.
func TestWarningsKeepTheStep(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"an unknown key", stepText("01-50", "team: payments"), `:7: warning: the key "team" is not one of a step file`},
		{"an output twice", stepText("01-50", "outputs: [a.md, a.md]"), `:6: warning: the output "a.md" stands there twice`},
		{"a dependency twice", stepText("01-50", `depends_on: ["01-01", "01-01"]`), `:7: warning: depends on "01-01" twice`},
		{"an unknown section", stepText("01-50") + "## Notes\n", `:\d+: warning: the section "Notes" is not one`},
		{"a section twice", stepText("01-50") + "## Brief Mode\n\n- x\n", `:\d+: warning: the section "Brief Mode" stands at line`},
		{"nothing below", strings.Replace(stepText("01-50"), goodBody, "", 1), `: warning: nothing stands below`},
		{"no standard mode", strings.Replace(stepText("01-50"), "## Standard Mode", "## Notes", 1), `: warning: there is no section "Standard Mode"`},
		{"no validation", strings.Replace(stepText("01-50"), "## Validation", "### Validation", 1), `: warning: there is no section "Validation"`},
		{"no artifacts", strings.Replace(stepText("01-50"), "## Artifacts", "### Artifacts", 1), `: warning: there is no section "Artifacts"`},
		{"another's artifact", strings.Replace(stepText("01-50"), "`a.md`", "`b.md`", 1), `: warning: the section "Artifacts" fills b.md`},
		{"a part of the wrong kind", strings.Replace(stepText("01-50"), "section \"A", "list \"A", 1), `:\d+: warning: a.md has no list`},
		{"no part", strings.Replace(stepText("01-50"), ", section \"A Step\"", "", 1), `:\d+: warning: which section of a.md is filled is not said`},
		{"no file", strings.Replace(stepText("01-50"), "`a.md`, section", "the section", 1), `:\d+: warning: an entry should begin`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			steps := mustLoad(t, fstest.MapFS{"steps/01-requirements/50-x.md": {Data: []byte(tt.text)}}).Steps
			if faults := steps.Faults(); len(faults) > 0 {
				t.Errorf("got faults %v", faults)
			}
			if _, _, ok := steps.Catalogue.Step("01-50"); !ok {
				t.Error("the step is not used")
			}
			if !slices.ContainsFunc(steps.Remarks, func(r StepRemark) bool { return regexp.MustCompile(tt.want).MatchString(r.String()) }) {
				t.Errorf("got %v, want %s", steps.Remarks, tt.want)
			}
		})
	}
}

func TestStepsOutsideOfPhases(t *testing.T) {
	steps := mustLoad(t, fstest.MapFS{
		"steps/05-test/01-x.md": {Data: []byte(stepText("05-01"))}, "steps/lost.md": {Data: []byte(stepText("01-50"))},
	}).Steps
	var got []string
	for _, r := range steps.Remarks {
		got = append(got, r.String())
	}
	want := []string{
		`steps/05-test: warning: "05-test" is no phase of phases.yaml; its files are not read`,
		"steps/lost.md:1: a step file must stand in the folder of its phase",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// An overriding directory replaces and adds file by file; marks of other editors
// (CRLF, a byte order mark) do no harm.
func TestOverriddenSteps(t *testing.T) {
	own := "\uFEFF" + strings.ReplaceAll(stepText("01-02", "title: Our Users", "depth: deep"), "\n", "\r\n")
	steps := mustLoad(t, fstest.MapFS{
		"steps/01-requirements/02-user-needs.md": {Data: []byte(own)},
		"steps/01-requirements/09-more.md":       {Data: []byte(stepText("01-09"))},
	}).Steps
	if len(steps.Remarks) > 0 {
		t.Fatalf("got remarks %v", steps.Remarks)
	}
	f, _, _ := steps.Catalogue.Step("01-02")
	if f.Title != "Our Users" || f.Depth != analysis.Deep || len(f.Body.Modes) != 3 || len(f.Body.Criteria) != 1 {
		t.Errorf("got %+v", f)
	}
	var order []string
	for _, f := range steps.Catalogue.Phases[1].Steps {
		order = append(order, f.ID)
	}
	if want := strings.Fields("01-01 01-02 01-03 01-04 01-05 01-06 01-07 01-08 01-09"); !slices.Equal(order, want) {
		t.Errorf("got %v, want %v (AC-004-04)", order, want)
	}
}

// TestStepGuide reads the example of docs/step-files.md as people would copy it.
func TestStepGuide(t *testing.T) {
	guide, err := os.ReadFile("../docs/step-files.md")
	if err != nil {
		t.Fatal(err)
	}
	_, example, _ := strings.Cut(string(guide), "```markdown\n")
	example, _, ok := strings.Cut(example, "```")
	if !ok {
		t.Fatal("the guide has no example")
	}
	steps := mustLoad(t, fstest.MapFS{"steps/01-requirements/02-user-needs.md": {Data: []byte(example)}}).Steps
	f, _, _ := steps.Catalogue.Step("01-02")
	if len(steps.Remarks) > 0 || len(f.Body.Modes) != 3 || len(f.Body.Criteria) != 2 || len(f.Body.Targets) != 1 {
		t.Errorf("got %+v with remarks %v", f.Body, steps.Remarks)
	}
	if f.Body.Modes[analysis.Standard].Guidance == "" || !f.SkipIf.Holds(analysis.QuickScan{Scope: analysis.ScopeSmall, Complexity: analysis.ComplexityLow}, analysis.Brief) {
		t.Errorf("the example is not read as it says: %+v", f)
	}
}
