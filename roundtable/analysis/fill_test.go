package analysis

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/roundtable-chat/app/roundtable/thread"
)

// fillOn performs a Write of one part on an item and returns the files that it
// leaves, with what is announced.
func fillOn(t *testing.T, item map[string]string, parts ...Part) (files map[string]string, said []string) {
	t.Helper()
	lookup := func(name string) ([]byte, bool) { text, ok := item[name]; return []byte(text), ok }
	w := Write{Key: "A1/x/0", Step: "01-07", Title: "Stories", Time: time.Date(2026, 11, 16, 9, 0, 0, 0, time.UTC), Parts: parts}
	got, changes, err := Fill(lookup, w, nil)
	if err != nil {
		t.Fatal(err)
	}
	files = map[string]string{}
	for _, f := range got {
		if old := item[f.Name]; !isSubsequence(old, string(f.Content)) {
			t.Errorf("I8, NFR-004: %s lost something:\n%s\nwas\n%s", f.Name, f.Content, old)
		}
		files[f.Name] = string(f.Content)
	}
	for _, c := range changes {
		said = append(said, thread.SayChange(c))
	}
	return files, said
}

func isSubsequence(old, text string) bool {
	i := 0
	for k := 0; k < len(text) && i < len(old); k++ {
		if text[k] == old[i] {
			i++
		}
	}
	return i == len(old)
}

// TestFill adds to every kind of artifact, and loses nothing (NFR-004, I8,
// AC-010-06).
func TestFill(t *testing.T) {
	story := Part{"user-stories.json", PartList, "stories", `[{"id":"US-001","as_a":"<cashier>"},{"id":"US-002"}]`}
	rows := Part{"m.csv", PartRows, "id, name", "R1,\"Sell, offline\"\nR2,=cmd()\n"}
	section := Part{"spec.md", PartSection, "Users and Needs", "Merchants.\n"}
	tests := []struct {
		name string
		item map[string]string
		part Part
		want map[string]string
		said string
	}{
		{"a new list", nil, story, map[string]string{"user-stories.json": "{\n  \"stories\": [\n    {\n      \"id\": \"US-001\",\n      \"as_a\": \"<cashier>\"\n    },\n    {\n      \"id\": \"US-002\"\n    }\n  ]\n}\n"}, `Created user-stories.json, section "stories": added 2 entries.`},
		{"a list that goes on", map[string]string{"user-stories.json": "{\"a\": 1, \"stories\": [ {\"id\": 0} ], \"b\": [1]}"}, Part{"user-stories.json", PartList, "stories", `[{"id":1}]`},
			map[string]string{"user-stories.json": "{\"a\": 1, \"stories\": [ {\"id\": 0},\n    {\n      \"id\": 1\n    } ], \"b\": [1]}"}, `Updated user-stories.json, section "stories": added 1 entry.`},
		{"an empty list", map[string]string{"user-stories.json": `{"stories":[]}`}, Part{"user-stories.json", PartList, "stories", `[{}]`}, map[string]string{"user-stories.json": "{\"stories\":[\n    {}\n  ]}"}, `Updated user-stories.json, section "stories": added 1 entry.`},
		{"no list of the name", map[string]string{"user-stories.json": `{"a":{"stories":[]}}`}, Part{"user-stories.json", PartList, "stories", `[{}]`}, map[string]string{"user-stories.json": "{\"a\":{\"stories\":[]},\n  \"stories\": [\n    {}\n  ]}"}, `Updated user-stories.json, section "stories": added 1 entry.`},
		{"new rows", nil, rows, map[string]string{"m.csv": "id,name\nR1,\"Sell, offline\"\nR2,'=cmd()\n"}, `Created m.csv, section "M": added 2 rows.`},
		{"columns of people's own", map[string]string{"m.csv": "Name,owner,id\nx,\"Priya\",R0,\n"}, rows, map[string]string{"m.csv": "Name,owner,id\nx,\"Priya\",R0,\n\"Sell, offline\",,R1\n'=cmd(),,R2\n"}, `Updated m.csv, section "M": added 2 rows.`},
		{"further rows", map[string]string{"m.csv": "\uFEFFID,Name\r\nR0,a"}, rows, map[string]string{"m.csv": "\uFEFFID,Name\r\nR0,a\r\nR1,\"Sell, offline\"\r\nR2,'=cmd()\r\n"}, `Updated m.csv, section "M": added 2 rows.`},
		{"a section", map[string]string{"spec.md": "# Spec\n\n## Users and Needs\n\nOld.\n\n## More\n"}, section, map[string]string{"spec.md": "# Spec\n\n## Users and Needs\n\nOld.\n\n<!-- Elaboration: step 01-07, 2026-11-16T09:00:00Z -->\n\nMerchants.\n\n## More\n"}, `Updated spec.md, section "Users and Needs": added what step 01-07 came to.`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			files, said := fillOn(t, tt.item, tt.part)
			if diff := cmp.Diff(tt.want, files); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if diff := cmp.Diff([]string{tt.said}, said); diff != "" {
				t.Errorf("AC-008-04 (-want +got):\n%s", diff)
			}
		})
	}
}

// An artifact that is not what its name says stays as it is; a note beside it
// takes what there is.
func TestFillBesideBrokenArtifacts(t *testing.T) {
	list := Part{"s.json", PartList, "stories", `[{"id":1}]`}
	rows := Part{"m.csv", PartRows, "id,name", "a,b\n"}
	for name, tt := range map[string]struct {
		old  string
		part Part
		want string
	}{
		"no JSON": {"{", list, "s.json.elaborations.md"}, "an array": {"[]", list, "s.json.elaborations.md"}, "a member of another kind": {`{"stories":"none"}`, list, "s.json"},
		"other columns": {"id,b,c\n", rows, "m.csv.elaborations.md"}, "no CSV": {"id,name\n\"x\n", rows, "m.csv.elaborations.md"},
		"other names": {"key,title\n", rows, "m.csv.elaborations.md"},
	} {
		t.Run(name, func(t *testing.T) {
			files, _ := fillOn(t, map[string]string{tt.part.File: tt.old}, tt.part)
			if got := slices.Collect(maps.Keys(files)); !slices.Equal(got, []string{tt.want}) {
				t.Errorf("got %v, want %s", got, tt.want)
			}
		})
	}
}

// Several parts of one file are all there; a name that leaves the item is refused
// (I12).
func TestFillSeveralParts(t *testing.T) {
	files, said := fillOn(t, nil, Part{"a.md", PartSection, "One", "x"}, Part{"b.md", PartSection, "B", "y"}, Part{"a.md", PartSection, "Two", "z"})
	if got := files["a.md"]; !strings.Contains(got, "One") || !strings.Contains(got, "Two") || len(files) != 2 || len(said) != 3 {
		t.Errorf("got %v, %v", files, said)
	}
	if _, _, err := Fill(func(string) ([]byte, bool) { return nil, false }, Write{Step: "01-01", Parts: []Part{{"../x.md", PartSection, "A", "x"}}}, nil); err == nil {
		t.Error("a way out was taken")
	}
}

// FuzzAppend adds to whatever a file may hold: a result is well formed, and has all
// that was there (I8).
func FuzzAppend(f *testing.F) {
	f.Add("{\"stories\": [1, {\"a\": [2]}] , \"x\": {}}", "id,name\r\n1,\"a\nb\"")
	f.Add("{ }", "")
	f.Add("{\"stories\":[],\"stories\":[ 3 ]}", "id,name")
	f.Fuzz(func(t *testing.T, document, table string) {
		if got, _ := appendList([]byte(document), true, "stories", `[{"id":"x"}]`); got != nil {
			var read struct{ Stories []json.RawMessage }
			if !isSubsequence(document, string(got)) || json.Unmarshal(got, &read) != nil || len(read.Stories) == 0 {
				t.Errorf("%q became %q", document, got)
			}
		}
		if got, _ := appendRows([]byte(table), []string{"id", "name"}, "x,y\n"); got != nil && !isSubsequence(table, string(got)) {
			t.Errorf("%q became %q", table, got)
		}
	})
}

func TestRecordApplies(t *testing.T) {
	m := testMeta(t, `{"x": 1}`)
	for range 2 { // once however often it is repeated (AC-005-05)
		if err := (Record{Step: "01-01", Phases: []string{"00-quick-scan", "01-requirements"}, Phase: "01-requirements", Depth: Deep}).Apply(m); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := fmt.Sprint(m.StepsCompleted(), m.PhasesCompleted(), m.DepthOverrides()), "[01-01] [00-quick-scan 01-requirements] map[01-requirements:deep]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	for _, r := range []Record{{Step: "\xff"}, {Phases: []string{""}}, {Depth: Deep}} {
		if err := r.Apply(m); err == nil {
			t.Errorf("%+v was recorded", r)
		}
	}
}
