package engine_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/analysis"
	"github.com/roundtable-chat/app/roundtable/forgetting"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// Each machine reads its own stored states and refuses those of the others, saying of which
// kind they are: their fields have the same names, so that one would pass for another.
func TestMachinesRefuseEachOther(t *testing.T) {
	machines := []struct {
		kind   string // as the stored form names it
		states string
		decode func([]byte) error
	}{
		{"", "../testdata/stored/v1/*.json", func(b []byte) error { _, err := roundtable.Decode(b); return err }},
		{"analysis", "../analysis/testdata/stored/v1/*.json", func(b []byte) error { _, err := analysis.Decode(b); return err }},
		{"forgetting", "../forgetting/testdata/restoring.json", func(b []byte) error { _, err := forgetting.Decode(b); return err }},
	}
	for _, stored := range machines {
		states := 0
		for name, b := range readAll(t, stored.states) {
			if !isState(name) {
				continue
			}
			states++
			if kind := thread.KindOf(b); kind != stored.kind {
				t.Errorf("%s is of kind %q, want %q", name, kind, stored.kind)
			}
			for _, m := range machines {
				err := m.decode(b)
				switch {
				case m.kind == stored.kind && err != nil:
					t.Errorf("%s: %v", name, err)
				case m.kind != stored.kind && (err == nil || !strings.Contains(err.Error(), `of kind "`+stored.kind+`"`)):
					t.Errorf("%s is read as a state of kind %q: %v", name, m.kind, err)
				}
			}
		}
		if states == 0 {
			t.Errorf("there is no state in %s", stored.states)
		}
	}
}

// isState leaves out what is stored beside states: inputs, effects, lines of a log.
func isState(name string) bool {
	for _, other := range []string{"input_", "effect_", "log_", "changes", "entry_"} {
		if strings.HasPrefix(name, other) {
			return false
		}
	}
	return true
}

func readAll(t *testing.T, pattern string) map[string][]byte {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil {
		t.Fatal(err)
	}
	all := make(map[string][]byte)
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		all[filepath.Base(f)] = b
	}
	return all
}
