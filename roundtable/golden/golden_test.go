package golden_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/roundtable-chat/app/roundtable/golden"
)

// judge notes whether a test was failed.
type judge struct {
	testing.TB
	failed bool
}

func (j *judge) Helper()               {}
func (j *judge) Errorf(string, ...any) { j.failed = true }

func TestCheck(t *testing.T) {
	file := filepath.Join(t.TempDir(), "made", "text.txt")
	golden.Check(t, file, "reviewed", true)
	for text, want := range map[string]bool{"reviewed": false, "reviewed ": true, "": true} {
		j := &judge{TB: t}
		if golden.Check(j, file, text, false); j.failed != want {
			t.Errorf("%q: failed %v, want %v", text, j.failed, want)
		}
	}
	if got, err := os.ReadFile(file); err != nil || string(got) != "reviewed" {
		t.Errorf("the file holds %q, %v: it changed without being asked for", got, err)
	}
}
