package main

import (
	"path/filepath"
	"testing"
)

// TestDoctorOfDocuments opens the directory of documents as serve would.
func TestDoctorOfDocuments(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	writeTree(t, dir, map[string]string{"good/x": "", "file": "", "taken/.roundtable": ""})
	for _, tt := range []struct{ name, dir, level, found string }{
		{"a directory", "good", "ok", "kept in "},
		{"none", "nowhere", "failure", "no such file"},
		{"a file", "file", "failure", "not a directory"},
		{"one that cannot take records", "taken", "failure", ".roundtable is a file, not a folder"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := filepath.Join(dir, tt.dir)
			examined(t, nil, "--artifacts", dir).expect(t, "files", "documents", tt.level, tt.found)
		})
	}
	if level, _ := examined(t, nil).check("files", "documents"); level != "" {
		t.Errorf("without a directory it says something at level %q", level)
	}
}
