package document

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// leastAccuracy is what the labelled set must reach. The labels were written
// from the titles and the documents, not from the rules.
const leastAccuracy = 0.95

// TestSectionMatching measures on a labelled set whether an insertion finds
// the section a person would choose (FR-008).
func TestSectionMatching(t *testing.T) {
	table, err := os.ReadFile("testdata/sections.tsv")
	if err != nil {
		t.Fatal(err)
	}
	total, right := 0, 0
	for line := range strings.Lines(string(table)) {
		line = strings.TrimRight(line, "\n")
		if line == "" || line[0] == '#' {
			continue
		}
		columns := strings.Split(line, "\t")
		if len(columns) != 4 {
			t.Fatalf("%q has %d columns, want 4", line, len(columns))
		}
		doc, err := os.ReadFile(filepath.Join("testdata/sections", columns[0]+".md"))
		if err != nil {
			t.Fatal(err)
		}
		in := Insertion{Title: columns[1], StepID: "01-03", Time: "2026-11-21T09:00:00Z", Body: "- [Maya] insight"}
		if columns[2] != "" {
			in.Keywords = strings.Split(columns[2], ", ")
		}
		merged, change, err := Merge(doc, in)
		if err != nil {
			t.Errorf("%s, %q: %v", columns[0], in.Title, err)
			continue
		}
		checkMerge(t, doc, merged, change)
		got := change.Heading
		if change.Placement == NewSection {
			got = "+"
		}
		total++
		if want := strings.Split(columns[3], "|"); slices.Contains(want, got) {
			right++
		} else {
			t.Logf("%s, %q: got %q, want %q", columns[0], in.Title, got, want)
		}
	}
	accuracy := float64(right) / float64(total)
	t.Logf("%d of %d right (%.1f %%)", right, total, 100*accuracy)
	if total < 80 || accuracy < leastAccuracy {
		t.Errorf("%d of %d right, want %.0f %% of at least 80", right, total, 100*leastAccuracy)
	}
}
