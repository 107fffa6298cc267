package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestNoTopicReachesTheLog has a topic worked on with documents in a directory, once
// well, once with something in the way and once with a damaged record: at debug level
// no word of a topic is in the log, and the lines about an item carry its alias (I11).
func TestNoTopicReachesTheLog(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	artifacts := filepath.Join(folder, "docs")
	writeTree(t, artifacts, map[string]string{
		"wombat-severance/elaboration-notes.md/in-the-way": "a folder stands where the document goes",
		".roundtable/numbat-dismissal.json":                "no record",
	})
	p := start(t, folder, nil, "demo", "--artifacts", artifacts, "--address", "127.0.0.1:0", "--pace", "50ms", "--gather", "200ms", "--log-level", "debug")
	w := demoWorkspace(t, p, "")
	for topic, told := range map[string]string{"quokka redundancy": "elaboration-notes.md, section", "wombat severance": "could not be updated", "numbat dismissal": "could not be updated"} {
		d := person{w, priya, product}.open(topic)
		opening(t, d)
		said := d.as(sam).say("Decision: " + topic + " is announced on Monday")
		d.until(said, "somebody reacts", spoken)
		done := d.say("done")
		d.until(done, "what came of the document is told", containing(told))
	}
	if got := p.terminate(); got != 0 {
		t.Errorf("exit code %d after SIGTERM, want 0", got)
	}
	log := p.output.String()
	for _, word := range []string{"quokka", "redundancy", "wombat", "severance", "numbat", "dismissal", "Monday"} {
		for line := range strings.Lines(log) {
			if strings.Contains(strings.ToLower(line), strings.ToLower(word)) {
				t.Errorf("%q is in the log: %s", word, line)
			}
		}
	}
	for _, want := range []string{`msg="a channel has a folder from now on" folder=#`, `msg=item_refused`, "the item cannot be changed as things are: #"} {
		if !strings.Contains(log, want) {
			t.Errorf("the log does not say %q", want)
		}
	}
	if _, err := os.Stat(filepath.Join(artifacts, "quokka-redundancy", "elaboration-notes.md")); err != nil {
		t.Error(err)
	}
}
