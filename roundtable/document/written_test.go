package document

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestWritten finds what a step has left in a document, so that an elaboration is
// framed from it (AC-004-03).
func TestWritten(t *testing.T) {
	doc := []byte("# Spec\n\n## Context\n\nBy hand.\n")
	add := func(title, step, time, body string) {
		t.Helper()
		var err error
		if doc, _, err = Merge(doc, Insertion{Title: title, StepID: step, Time: time, Body: body}); err != nil {
			t.Fatal(err)
		}
	}
	add("Context", "01-01", "2026-11-16T09:00:00Z", "Shops lose the network.\n\n### Who\n\nCashiers.")
	add("User needs", "01-02", "2026-11-16T10:00:00Z", "They sell on.")
	add("Context", "01-01", "2026-11-16T11:00:00Z", "```\n<!-- Elaboration: step 01-01, fenced -->\n```\n\nAccountants close daily.")
	for _, tt := range []struct {
		name, step string
		doc        []byte
		want       string
	}{
		{"twice", "01-01", doc, "### Elaboration (step 01-01)\n\nShops lose the network.\n\n### Who\n\nCashiers.\n\n### Elaboration (step 01-01)\n\n```\n<!-- Elaboration: step 01-01, fenced -->\n```\n\nAccountants close daily."},
		{"once", "01-02", doc, "They sell on."},
		{"never", "01-0", doc, ""},
		{"no text", "01-01", append([]byte{0xff}, doc...), ""},
		{"no document", "01-01", nil, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, Written(tt.doc, tt.step)); diff != "" {
				t.Errorf("(-want +got):\n%s\nin\n%s", diff, doc)
			}
		})
	}
}
