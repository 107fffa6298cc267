package main

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestExamineArtifacts(t *testing.T) {
	dir := t.TempDir()
	writeTree(t, dir, map[string]string{"file": "", "taken/.roundtable": ""})
	for _, tt := range []struct {
		name, dir, found string
		level            level
	}{
		{"a directory", dir, "kept in " + dir, fine},
		{"none", filepath.Join(dir, "nowhere"), "no such file", failure},
		{"a file", filepath.Join(dir, "file"), "not a directory", failure},
		{"one that cannot take records", filepath.Join(dir, "taken"), ".roundtable is a file, not a folder", failure},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := examineArtifacts(t.Context(), config{Artifacts: tt.dir})
			if len(got) != 1 || got[0].Level != tt.level || !strings.Contains(got[0].Found, tt.found) || (tt.level == failure) != (got[0].Do != "") {
				t.Errorf("got %+v", got)
			}
		})
	}
	if got := examineArtifacts(t.Context(), config{}); got != nil {
		t.Errorf("without a directory: got %+v", got)
	}
}
