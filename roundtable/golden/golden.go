// Package golden holds what a test makes against a file that a person has reviewed.
// It is for tests, and judges nothing: whoever writes a file anew reads it before
// it is committed.
package golden

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Check fails unless got is what stands in file. With update, which every package's
// tests take as the flag -update, it is written first.
func Check(t testing.TB, file, got string, update bool) {
	t.Helper()
	if update {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	reviewed, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(reviewed), got); diff != "" {
		t.Errorf("not what was reviewed; read what changed, then run with -update: %s (-reviewed +got)\n%s", file, diff)
	}
}
