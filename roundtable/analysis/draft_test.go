package analysis

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/roundtable-chat/app/roundtable/thread"
)

// TestCheckParts keeps what belongs to the step and is well formed, and names the
// first fault for the second attempt (I12, AC-010-05, AC-010-06).
func TestCheckParts(t *testing.T) {
	targets := []Target{
		{File: "a.md", Part: PartSection, Name: "One"}, {File: "a.md", Part: PartSection, Name: "Two"},
		{File: "s.json", Part: PartList, Name: "stories"}, {File: "m.csv", Part: PartRows, Name: "id, name"}, {File: "adrs/", Part: PartSection, Name: "Decision"},
	}
	tests := []struct {
		name  string
		part  Part
		want  string // the part as it is kept: file, kind, name
		fault string
	}{
		{"a section by name", Part{File: "a.md", Name: "two ", Content: "x"}, "a.md section Two", ""},
		{"a section by its file", Part{File: "a.md", Content: "x"}, "a.md section One", ""},
		{"an unknown section goes to the first", Part{File: "a.md", Name: "Three", Content: "x"}, "a.md section One", ""},
		{"another file", Part{File: "b.md", Content: "x"}, "", `"b.md" is not a place`},
		{"a way out", Part{File: "../a.md", Content: "x"}, "", `"../a.md" is not a place`},
		{"nothing", Part{File: "a.md", Content: " \n"}, "", "the part for a.md is empty"},
		{"too much", Part{File: "a.md", Content: strings.Repeat("x", largestPart+1)}, "", "too long"},
		{"no text", Part{File: "a.md", Content: "\xff"}, "", "not text"},
		{"a list", Part{File: "s.json", Content: `[{"id":"US-001"}]`}, "s.json list stories", ""},
		{"an empty list", Part{File: "s.json", Content: `[]`}, "", "must be a JSON array of objects"},
		{"no list", Part{File: "s.json", Content: `{"id":1}`}, "", "must be a JSON array of objects"},
		{"rows", Part{File: "m.csv", Content: "R1,\"Sell, offline\"\nR2,b\n"}, "m.csv columns id, name", ""},
		{"rows of another width", Part{File: "m.csv", Content: "a,b,c\n"}, "", "must be CSV with the 2 columns id, name"},
		{"a document in the folder", Part{File: "adrs/0001-broker.md", Content: "x"}, "adrs/0001-broker.md section Decision", ""},
		{"a document of another kind", Part{File: "adrs/run.sh", Content: "x"}, "", "is not a place"},
		{"a document below the folder", Part{File: "adrs/x/../../y.md", Content: "x"}, "", "is not a place"},
		{"the folder itself", Part{File: "adrs/", Content: "x"}, "", "is not a place"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			kept, fault := checkParts([]Part{tt.part}, targets, nil)
			got := ""
			if len(kept) == 1 {
				got = kept[0].File + " " + string(kept[0].Part) + " " + kept[0].Name
			}
			if got != tt.want || !strings.Contains(fault, tt.fault) || (fault == "") != (tt.fault == "") {
				t.Errorf("got %q, fault %q; want %q, fault %q", got, fault, tt.want, tt.fault)
			}
		})
	}
	if kept, fault := checkParts(nil, targets, nil); len(kept) > 0 || fault != "there is no part" {
		t.Errorf("got %v, %q", kept, fault)
	}
}

// TestPlainParts writes talk down once for every artifact, without signs that a
// name could smuggle in (I12).
func TestPlainParts(t *testing.T) {
	log := []thread.Entry{
		{Kind: thread.EntryTurn, Turn: 1, Persona: "business-analyst", Text: "before"},
		{Kind: thread.EntryTurn, Turn: 2, Persona: "business-analyst", Text: "Why?"},
		{Kind: thread.EntryTurn, Turn: 3, Person: &thread.Person{ID: "U1", Name: "Pri<!--ya*"}, TS: "3", Text: "Because\nof rain"},
		{Kind: thread.EntryTurn, Turn: 4, Person: &thread.Person{ID: "U1", Name: "Priya"}, TS: "4", Text: "struck"},
		{Kind: thread.EntryStrike, TS: "4"},
	}
	targets := []Target{{"a.md", PartSection, "One", ""}, {"a.md", PartSection, "Two", ""}, {"s.json", PartList, "stories", ""}, {"adrs/", PartSection, "D", ""}}
	content := "As it was said:\n\n- **Maya**: Why?\n- **Pri !--ya**: Because of rain\n"
	want := []Part{{"a.md", PartSection, "One", content}, {"s.json", PartSection, "A Step", content}}
	if diff := cmp.Diff(want, plainParts(targets, sayings(thread.ReadTranscript(log), 2, testCast(), nil), "A Step")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := plainParts(targets, nil, "A Step"); got != nil {
		t.Errorf("nothing was said, got %v", got)
	}
}

// NFR-003: what people marked, and what is still open, is written for every step: also
// where its artifact is a list or rows, and where the draft left nothing.
func TestLinesAlwaysHaveAPlace(t *testing.T) {
	section := Part{"a.md", PartSection, "Scope", "Text.\n"}
	list := Part{"stories.json", PartList, "stories", `[{"id":1}]`}
	const lines = "**Marked**:\n\n- Decided (Priya): x\n"
	for _, tt := range []struct {
		name    string
		parts   []Part
		targets []Target
		want    []Part
	}{
		{"the first section", []Part{list, section}, nil, []Part{list, {"a.md", PartSection, "Scope", "Text.\n\n" + lines}}},
		{"a list", []Part{list}, []Target{{File: "stories.json", Part: PartList, Name: "stories"}}, []Part{list, {"stories.json", PartSection, "Story Writing", lines}}},
		{"no part", nil, []Target{{File: "adrs/", Part: PartSection, Name: "Decision"}, {File: "a.md", Part: PartSection, Name: "Scope"}}, []Part{{"a.md", PartSection, "Scope", lines}}},
		{"folders alone", nil, []Target{{File: "adrs/", Part: PartSection, Name: "Decision"}}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := withLines(tt.parts, StepView{Title: "Story Writing", Targets: tt.targets}, "Marked", []string{"Decided (Priya): x"})
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}
