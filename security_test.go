package app_test

import (
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"
)

var (
	namedTest    = regexp.MustCompile("`((?:Test|Fuzz)[A-Za-z0-9_]+)`")
	declaredTest = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)[A-Za-z0-9_]+)\(`)
)

// TestSecurityNamesTestsThatExist holds SECURITY.md to what it says of itself: each test
// that it names for a promise is there.
func TestSecurityNamesTestsThatExist(t *testing.T) {
	declared := map[string]bool{}
	err := fs.WalkDir(os.DirFS("."), ".", func(name string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && (e.Name() == "node_modules" || e.Name() == ".git"):
			return fs.SkipDir
		case e.IsDir() || !strings.HasSuffix(name, "_test.go"):
			return nil
		}
		source, err := os.ReadFile(name)
		for _, m := range declaredTest.FindAllStringSubmatch(string(source), -1) {
			declared[m[1]] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("SECURITY.md")
	if err != nil {
		t.Fatal(err)
	}
	named := namedTest.FindAllStringSubmatch(string(page), -1)
	for _, m := range named {
		if !declared[m[1]] {
			t.Errorf("SECURITY.md names %s, and no test is called so", m[1])
		}
	}
	if len(named) == 0 {
		t.Error("SECURITY.md names no test")
	}
}
