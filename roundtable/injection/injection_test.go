package injection_test

import (
	"testing"

	"github.com/roundtable-chat/app/roundtable/injection"
)

// TestCorpus holds the entries to their form: every place is tried, nothing stands
// twice, and what a message must be taken for is said.
func TestCorpus(t *testing.T) {
	seen := map[string]bool{}
	count := map[injection.Kind]int{}
	for _, a := range injection.Attempts(t) {
		at := string(a.Kind) + "/" + a.Name
		if seen[at] {
			t.Errorf("%s stands twice", at)
		}
		seen[at] = true
		count[a.Kind]++
		if a.Name == "" || a.Tries == "" || a.Text == "" {
			t.Errorf("%s lacks its name, its aim or its text", at)
		}
		if a.Kind == injection.Message && a.Intent == "" {
			t.Errorf("%s does not say what it must be taken for", at)
		}
	}
	places := []injection.Kind{injection.Message, injection.Pasted, injection.Name, injection.Topic, injection.Item, injection.Artifact, injection.Output}
	for _, place := range places {
		if count[place] == 0 {
			t.Errorf("nothing is tried by a %s", place)
		}
	}
	if len(count) != len(places) {
		t.Errorf("got attempts by %v, want only by %v", count, places)
	}
}
