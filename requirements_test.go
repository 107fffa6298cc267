// Package app_test holds the tests that look at the repository as a whole. It is
// not for tests of any one package.
package app_test

import (
	"bufio"
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write docs/requirements.md and the table of ARCHITECTURE.md anew")

const (
	requirementsFile = "roundtable/testdata/requirements.txt"
	requirementsPage = "docs/requirements.md"
	scenariosFolder  = "roundtable/testdata"
)

// scenarioFolders are where scenarios are that cite requirements.
var scenarioFolders = []string{scenariosFolder, "roundtable/analysis/testdata"}

// requirement is a line of the requirements file.
type requirement struct{ section, id, meaning string }

// citation is a test, or a scenario, that cites a requirement.
type citation struct{ file, test string }

// TestRequirements keeps docs/requirements.md, the map from requirements to the
// tests that cite them, as the tests are. An id that nobody has heard of is a
// slip of the pen.
func TestRequirements(t *testing.T) {
	requirements, err := readRequirements(requirementsFile)
	if err != nil {
		t.Fatal(err)
	}
	cited, err := citations(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range slices.Sorted(maps.Keys(cited)) {
		if !slices.ContainsFunc(requirements, func(r requirement) bool { return r.id == id }) {
			t.Errorf("%v cites %s, which %s does not list", cited[id], id, requirementsFile)
		}
	}
	want := requirementsMarkdown(requirements, cited)
	if *update {
		if err := os.MkdirAll(path.Dir(requirementsPage), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(requirementsPage, want, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	got, err := os.ReadFile(requirementsPage)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(got), string(want)); diff != "" {
		t.Errorf("%s is stale; run go test . -run Requirements -update (-page +tests)\n%s", requirementsPage, diff)
	}
}

func readRequirements(name string) ([]requirement, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var out []requirement
	var section string
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if title, ok := strings.CutPrefix(line, "== "); ok {
			section = title
			continue
		}
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		id, meaning, _ := strings.Cut(line, " ")
		r := requirement{section, id, strings.TrimSpace(meaning)}
		switch {
		case !requirementID.MatchString(id) || requirementID.FindString(id) != id:
			return nil, fmt.Errorf("%s:%d: %q is no id", name, n, id)
		case r.meaning == "" || section == "":
			return nil, fmt.Errorf("%s:%d: %s has no meaning or no section", name, n, id)
		case slices.ContainsFunc(out, func(other requirement) bool { return other.id == id }):
			return nil, fmt.Errorf("%s:%d: %s is listed twice", name, n, id)
		}
		out = append(out, r)
	}
	return out, lines.Err()
}

// requirementID finds ids. An invariant is only taken for one where it cannot be
// part of a longer name.
var requirementID = regexp.MustCompile(`\b(?:FR-\d{3}|AC-(?:NFR-)?\d{3}-\d{2}|NFR-\d{3}|ERR-[A-Z]+-\d{3}|I(?:[1-9]|1[0-2]))\b`)

// citations returns, by id, the tests and scenarios below root that cite it, in
// order of their files.
func citations(root string) (map[string][]citation, error) {
	cited := map[string][]citation{}
	cite := func(text string, by citation) {
		for _, id := range requirementID.FindAllString(text, -1) {
			if !slices.Contains(cited[id], by) {
				cited[id] = append(cited[id], by)
			}
		}
	}
	err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		switch {
		case entry.IsDir() && name != root && (strings.HasPrefix(entry.Name(), ".") || entry.Name() == "node_modules"):
			return fs.SkipDir
		case entry.IsDir() || name == requirementsFile || name == "requirements_test.go":
			return nil
		case strings.HasSuffix(name, "_test.go"):
			return citeGo(name, cite)
		case strings.HasSuffix(name, ".txt") && slices.ContainsFunc(scenarioFolders, func(f string) bool { return strings.HasPrefix(name, f+"/") }):
			text, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			cite(string(text), citation{file: name, test: strings.TrimSuffix(path.Base(name), ".txt")})
		}
		return nil
	})
	return cited, err
}

// citeGo cites for every function of a test file what its comment and its body
// mention, and for the file what stands outside of functions.
func citeGo(name string, cite func(text string, by citation)) error {
	src, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, name, src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return fmt.Errorf("read the tests: %w", err)
	}
	at := func(p token.Pos) int { return set.Position(p).Offset }
	var outside []byte
	last := 0
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok {
			continue
		}
		begin, end := at(f.Pos()), at(f.End())
		if f.Doc != nil {
			begin = at(f.Doc.Pos())
		}
		outside = append(outside, src[last:begin]...)
		last = end
		by := citation{file: name}
		if f.Recv == nil && testFunction.MatchString(f.Name.Name) {
			by.test = f.Name.Name
		}
		cite(string(src[begin:end]), by)
	}
	cite(string(append(outside, src[last:]...)), citation{file: name})
	return nil
}

var testFunction = regexp.MustCompile(`^(?:Test|Fuzz|Benchmark|Example)`)

// requirementsMarkdown renders the page.
func requirementsMarkdown(requirements []requirement, cited map[string][]citation) []byte {
	var b bytes.Buffer
	shown := 0
	for _, r := range requirements {
		if len(cited[r.id]) > 0 {
			shown++
		}
	}
	fmt.Fprintf(&b, "# Requirements and the tests that show them\n\n"+
		"Generated from `%s` and the ids that tests and scenarios cite; run\n"+
		"`go test . -run Requirements -update` after a change. %d of %d are cited.\n", requirementsFile, shown, len(requirements))
	section := ""
	for _, r := range requirements {
		if r.section != section {
			section = r.section
			fmt.Fprintf(&b, "\n## %s\n\n| id | meaning | shown by |\n| --- | --- | --- |\n", section)
		}
		var by []string
		for _, c := range cited[r.id] {
			name := c.test
			if name == "" {
				name = path.Base(c.file)
			}
			by = append(by, fmt.Sprintf("[%s](../%s)", name, c.file))
		}
		if len(by) == 0 {
			by = []string{"—"}
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", r.id, r.meaning, strings.Join(by, ", "))
	}
	return b.Bytes()
}

// TestCitations shows how ids are found and to whom they are attributed.
func TestCitations(t *testing.T) {
	t.Chdir(t.TempDir())
	write := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(path.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("a/a_test.go", "package a\n\n// FR-001 and I12 stand alone, I13 and XI2 and AI1 do not count.\n\n"+
		"// TestA shows FR-002.\nfunc TestA() { _ = \"AC-001-02: x\" }\n\nfunc helper() { _ = \"I1\" }\n\nvar x = \"ERR-ELAB-007\"\n")
	write("a/a.go", "package a\n\n// FR-003 in code is no test.\n")
	write(scenariosFolder+"/deep/er/exit.txt", "# AC-NFR-003-02, twice AC-NFR-003-02\n")
	write(".hidden/b_test.go", "package b // FR-004\n")
	got, err := citations(".")
	if err != nil {
		t.Fatal(err)
	}
	file, testA := citation{"a/a_test.go", ""}, citation{"a/a_test.go", "TestA"}
	want := map[string][]citation{
		"FR-001": {file}, "I12": {file}, "FR-002": {testA}, "AC-001-02": {testA}, "I1": {file}, "ERR-ELAB-007": {file},
		"AC-NFR-003-02": {{scenariosFolder + "/deep/er/exit.txt", "exit"}},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(citation{})); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	write("a/a_test.go", "no Go")
	if _, err := citations("."); err == nil {
		t.Error("got no error for a test file that is not Go")
	}
}

func TestReadRequirementsRefuses(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"an id of no known form", "== A\nXY-1 words", ":2: \"XY-1\" is no id"},
		{"more than an id", "== A\nFR-001a words", ":2: \"FR-001a\" is no id"},
		{"no meaning", "== A\nFR-001", ":2: FR-001 has no meaning"},
		{"no section", "FR-001 words", ":1: FR-001 has no meaning or no section"},
		{"twice", "== A\nFR-001 words\n\nFR-001 words", ":4: FR-001 is listed twice"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			name := filepath.Join(t.TempDir(), "requirements.txt")
			if err := os.WriteFile(name, []byte(tt.text), 0o644); err != nil {
				t.Fatal(err)
			}
			if _, err := readRequirements(name); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want an error with %q", err, tt.want)
			}
		})
	}
}
