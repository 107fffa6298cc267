package document_test

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/roundtable-chat/app/manifests"
	"github.com/roundtable-chat/app/roundtable/analysis"
	"github.com/roundtable-chat/app/roundtable/document"
)

// place is one place that a step fills.
type place struct {
	step analysis.StepFile
	analysis.Target
}

// places are all that the steps of the product fill, a document of the folder for
// each folder.
func places(t *testing.T) []place {
	t.Helper()
	set, err := manifests.Load(nil)
	if err != nil {
		t.Fatal(err)
	}
	var all []place
	for _, phase := range set.Steps.Catalogue.Phases {
		for _, step := range phase.Steps {
			for _, target := range step.Targets() {
				if strings.HasSuffix(target.File, "/") {
					target.File += "0001-message-broker.md"
				}
				all = append(all, place{step, target})
			}
		}
	}
	return all
}

// content is what a step would write in a place, different for each n.
func (p place) content(n int) string {
	switch p.Part {
	case analysis.PartList:
		return fmt.Sprintf(`[{"id": "US-%03d", "as_a": "<cashier> & \"co\"", "acceptance_criteria": ["x"]}]`, n)
	case analysis.PartRows:
		cells := make([]string, len(p.Columns()))
		for i := range cells {
			cells[i] = fmt.Sprintf("\"cell %d, %d\"", n, i)
		}
		return strings.Join(cells, ",") + "\n"
	case analysis.PartSection:
	}
	return fmt.Sprintf("- Priya: finding %d\n\n### Detail %d\n\n```\n# no heading\n```\n", n, n)
}

// fill writes into a place of an item, and returns the file's new text.
func (p place) fill(t *testing.T, item map[string][]byte, n int) {
	t.Helper()
	old, existed := item[p.File]
	files, changes, err := analysis.Fill(func(name string) ([]byte, bool) { text, ok := item[name]; return text, ok }, analysis.Write{
		Key: fmt.Sprintf("A/%d", n), Step: p.step.ID, Title: p.step.Title, Time: time.Date(2026, 11, 21, 8, n%60, 0, 0, time.UTC),
		Parts: []analysis.Part{{File: p.File, Part: p.Part, Name: p.Name, Content: p.content(n)}},
	}, nil)
	if err != nil {
		t.Fatalf("step %s, %s: %v", p.step.ID, p.File, err)
	}
	if len(files) != 1 || files[0].Name != p.File || len(changes) != 1 || !changes[0].Created && !existed {
		t.Errorf("step %s: %s of %d bytes became %d files, %+v", p.step.ID, p.File, len(old), len(files), changes)
	}
	for _, f := range files {
		if !spliced(string(old), string(f.Content)) {
			t.Errorf("I8, NFR-004: step %s lost something of %s:\n%q\nbecame\n%q", p.step.ID, f.Name, old, f.Content)
		}
		item[f.Name] = f.Content
	}
}

// spliced reports whether text is old with one text put in somewhere: stronger than
// that old is a subsequence of it.
func spliced(old, text string) bool {
	p := 0
	for p < len(old) && p < len(text) && old[p] == text[p] {
		p++
	}
	for ; p >= 0; p-- {
		if strings.HasSuffix(text, old[p:]) && len(text) >= len(old) {
			return true
		}
	}
	return false
}

// wellFormed holds a file to what its name says, and wants what was written in it.
func wellFormed(t *testing.T, p place, text string, entries int) {
	t.Helper()
	switch p.Part {
	case analysis.PartList:
		var doc map[string]json.RawMessage
		var list []json.RawMessage
		if err := json.Unmarshal([]byte(text), &doc); err != nil {
			t.Fatalf("%s: %v in\n%s", p.File, err, text)
		}
		if err := json.Unmarshal(doc[p.Name], &list); err != nil || len(list) < entries {
			t.Errorf("%s: %d entries in %q, %v, want %d at least", p.File, len(list), p.Name, err, entries)
		}
	case analysis.PartRows:
		r := csv.NewReader(strings.NewReader(strings.TrimPrefix(text, "\uFEFF")))
		r.FieldsPerRecord = -1
		if rows, err := r.ReadAll(); err != nil || len(rows) < entries+1 {
			t.Errorf("%s: %d rows, %v, want %d at least", p.File, len(rows), err, entries+1)
		}
	case analysis.PartSection:
		if !strings.Contains(text, "# ") || strings.Count(text, "<!-- Elaboration: step "+p.step.ID) < entries {
			t.Errorf("%s: %d findings are not all in\n%s", p.File, entries, text)
		}
	}
}

// Every artifact of the 24 steps is created in a form of its own, takes more of every
// step that fills it, and keeps its structure (FR-010, AC-010-05, AC-010-06).
func TestEveryArtifact(t *testing.T) {
	all := places(t)
	item := map[string][]byte{}
	for n, p := range all {
		p.fill(t, item, n)
		p.fill(t, item, n+100)
		wellFormed(t, p, string(item[p.File]), 2)
	}
	var names []string
	steps := map[string]bool{}
	for _, p := range all {
		names = append(names, p.File)
		steps[p.step.ID] = true
	}
	slices.Sort(names)
	want := []string{
		"adrs/0001-message-broker.md", "architecture-overview.md", "data-flow.md", "design-summary.md", "error-taxonomy.md", "impact-analysis.md", "interface-spec.md",
		"module-design.md", "nfr-matrix.md", "quick-scan.md", "requirements-spec.md", "traceability-matrix.csv", "user-stories.json",
	}
	if diff := cmp.Diff(want, slices.Compact(names)); diff != "" || len(steps) != 24 || len(item) != len(want) {
		t.Errorf("%d steps fill %d artifacts (-want +got):\n%s", len(steps), len(item), diff)
	}
}

// written are texts that people and other tools left in artifacts of each kind.
func written(p place, r *rand.Rand) string {
	pick := func(of ...string) string { return of[r.IntN(len(of))] }
	switch p.Part {
	case analysis.PartList:
		list := fmt.Sprintf("%q: [%s]", p.Name, pick("", " ", `{"id":"US-000","x":1}`, "\n    {\n      \"id\": \"US-000\"\n    }\n  ", `1, "two", null, [3]`))
		more := pick("", `, "unknown": {"z": 1, "a": [1,  2]}`, ",\r\n\t\"n\": 1.50e3", `, "ünï": "😀 \u00e9"`)
		return pick("{", "{\n  ", "\n{ \"first\" : true , ") + list + more + pick("}", "\n}\n", " }\r\n")
	case analysis.PartRows:
		columns := append(slices.Clone(p.Columns()), "owner", "Zieltermin")
		r.Shuffle(len(columns), func(i, k int) { columns[i], columns[k] = columns[k], columns[i] })
		eol := pick("\n", "\r\n")
		text := pick("", "\uFEFF") + strings.Join(columns, ",") + eol
		for range r.IntN(4) {
			text += pick("R1,\"Sell, offline\",,x", "R2", "a,b,c,d,e,f,g,h,i", "\"over\ntwo lines\",x", "") + eol
		}
		return strings.TrimSuffix(text, pick("", eol))
	case analysis.PartSection:
	}
	text := pick("# "+p.File+"\n\n", "---\ntitle: x\n---\n\n", "", "\uFEFF# Bill\r\n\r\n", "intro without a heading\n")
	for range r.IntN(5) {
		text += pick("## "+p.Name+"\n\n", "## Others\n\n", "### "+p.step.Title+"\n", "Setext\n===\n") + pick("words\n\n", "| a | b |\n|---|---|\n| 1 | 2 |\n", "```\n## "+p.Name+"\n```\n", "- [ ] task\n  - deep\n", "<!-- note -->\n", "> quote\n\n")
	}
	return text
}

// TestEveryArtifactKeepsEverything is NFR-004 and I8 for every artifact of the 24
// steps, upon what people and other tools wrote there: nothing is lost, the file
// stays what it is, and repeated work accumulates.
func TestEveryArtifactKeepsEverything(t *testing.T) {
	rounds := uint64(15)
	if testing.Short() {
		rounds = 4
	}
	for i, p := range places(t) {
		for seed := range rounds {
			r := rand.New(rand.NewPCG(seed, uint64(i)))
			item := map[string][]byte{p.File: []byte(written(p, r))}
			for n := range 3 {
				p.fill(t, item, n)
			}
			wellFormed(t, p, string(item[p.File]), 3)
			if t.Failed() {
				t.Fatalf("step %s, %s, seed %d", p.step.ID, p.File, seed)
			}
		}
	}
}

// A synthesis, too, lands in every artifact in its own form, or beside it (FR-008).
func TestEveryArtifactTakesASynthesis(t *testing.T) {
	for i, p := range places(t) {
		for seed := range uint64(10) {
			item := map[string][]byte{p.File: []byte(written(p, rand.New(rand.NewPCG(seed, uint64(i)))))}
			files, err := document.Enrich(func(name string) ([]byte, bool) { text, ok := item[name]; return text, ok }, p.File, document.Insertion{
				Title: p.step.Title, StepID: p.step.ID, Time: "2026-11-21T08:00:00Z", Body: "#### Decisions Made\n\n- [Priya] nightly\n",
			})
			if err != nil || len(files) != 1 {
				t.Fatalf("step %s, %s: %v, %d files", p.step.ID, p.File, err, len(files))
			}
			want := p.File
			if p.Part == analysis.PartRows {
				want += document.NoteSuffix
			}
			if f := files[0]; f.Name != want || !spliced(string(item[f.Name]), string(f.Content)) || !strings.Contains(string(f.Content), "[Priya] nightly") {
				t.Errorf("I8: step %s: %s became %s:\n%s", p.step.ID, item[p.File], f.Name, f.Content)
			}
		}
	}
}
