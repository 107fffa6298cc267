package app_test

import (
	"bytes"
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"
)

// deadReferences are forms of reference that lead out of the repository: sections and
// numbered entries of documents that a reader cannot open. A requirement's id, an
// invariant or a heading of a document takes their place. A line without the hint needs
// no closer look.
var deadReferences = []struct {
	hint string
	form *regexp.Regexp
}{
	{"§", regexp.MustCompile(`§`)},
	{"SPEC", regexp.MustCompile(`SPEC(?:\.md)?,? (?:section )?\d`)},
	{"DESIGN", regexp.MustCompile(`DESIGN(?:\.md)?,? (?:section )?\d`)},
	{"STYLE", regexp.MustCompile(`STYLE(?:\.md)?,? (?:rule )?\d`)},
	{"eed", regexp.MustCompile(`\b[Ss]eeds? 0\d\d\b|\b[Tt]he seeds\b`)},
	{"romise", regexp.MustCompile(`\b[Pp]romises? \d`)},
	{"inding", regexp.MustCompile(`\b[Ff]indings? [A-Z]\d|\bfindings/`)},
	{"(", regexp.MustCompile(`\([HPS]\d{1,2}\)`)},
}

// isDead reports whether a line refers to what a reader cannot open. CommonMark's
// sections can be opened.
func isDead(line string) bool {
	line = strings.ReplaceAll(line, "CommonMark §", "")
	for _, r := range deadReferences {
		if strings.Contains(line, r.hint) && r.form.MatchString(line) {
			return true
		}
	}
	return false
}

// TestReferencesAreOfThisRepository reads every text of the repository for references
// that a reader cannot follow.
func TestReferencesAreOfThisRepository(t *testing.T) {
	for _, name := range repositoryFiles(t) {
		source := readText(t, name)
		if name == "references_test.go" || !utf8.ValidString(source) {
			continue
		}
		n := 0
		for line := range strings.Lines(source) {
			n++
			if isDead(line) {
				t.Errorf("%s:%d: no reader can follow %q", name, n, strings.TrimSpace(line))
			}
		}
	}
}

// TestDeadReferencesAreSeen shows what is taken for a reference that leads nowhere.
func TestDeadReferencesAreSeen(t *testing.T) {
	for line, want := range map[string]bool{
		"// (SPEC §8).": true, "# SPEC 11.2: a post": true, "(DESIGN §6)": true, "see seed 004 §5.5": true, "the seeds' form": true,
		"(reliability §1.5)": true, "promises 1, 3, 4": true, "findings/x.md": true, "// (H12)": true,
		"// (FR-108).": false, "CommonMark §4.6": false, "for seed := range uint64(8)": false, "seed 41101": false, "S0DESIGN1": false, "the promise of I8": false,
	} {
		if got := isDead(line); got != want {
			t.Errorf("%q is a dead reference: %t, want %t", line, got, want)
		}
	}
}

// TestCommentsCiteWhatIsThere holds the comments of Go files to ids that are listed,
// documents that exist and headings that stand in them. (TestRequirements does so for
// the ids in bodies of tests.)
func TestCommentsCiteWhatIsThere(t *testing.T) {
	requirements, err := readRequirements(requirementsFile)
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, r := range requirements {
		ids = append(ids, r.id)
	}
	for _, r := range requirements {
		if r.section == "Invariants" && !strings.Contains(readText(t, architecture), "\n| "+r.id+" | ") {
			t.Errorf("%s is not among the invariants of %s", r.id, architecture)
		}
	}
	document := regexp.MustCompile(`\b(?:docs/[a-z-]+|[A-Z]{5,})\.md\b`)
	heading := regexp.MustCompile(`“([^”]+)” (?:in|of) ((?:docs/)?[A-Za-z-]+\.md)\b`)
	for _, name := range repositoryFiles(t) {
		if !strings.HasSuffix(name, ".go") || strings.Contains(name, "/testdata/") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatalf("read the comments of the repository: %v", err)
		}
		for _, c := range file.Comments {
			comment := strings.Join(strings.Fields(c.Text()), " ")
			for _, id := range requirementID.FindAllString(comment, -1) {
				if name != "requirements_test.go" && !slices.Contains(ids, id) {
					t.Errorf("%s cites %s, which %s does not list", name, id, requirementsFile)
				}
			}
			for _, d := range document.FindAllString(comment, -1) {
				if _, err := os.Stat(d); err != nil {
					t.Errorf("%s names %s, which is not there", name, d)
				}
			}
			for _, m := range heading.FindAllStringSubmatch(comment, -1) {
				if source, err := os.ReadFile(m[2]); err != nil || !slices.Contains(readPage(source).headings, m[1]) {
					t.Errorf("%s names the heading “%s” of %s, which is not there", name, m[1], m[2])
				}
			}
		}
	}
}

// TestDocumentsNameFilesThatExist holds the documents to the files and folders that they
// name as code.
func TestDocumentsNameFilesThatExist(t *testing.T) {
	named := regexp.MustCompile("`((?:bot|cmd|docs|helm|manifests|roundtable|storage|\\.ci)/[\\w./*-]+)`")
	found := 0
	for _, name := range repositoryFiles(t) {
		if !strings.HasSuffix(name, ".md") || strings.Contains(name, "/testdata/") || strings.HasPrefix(name, "manifests/steps/") {
			continue
		}
		for _, m := range named.FindAllStringSubmatch(readText(t, name), -1) {
			found++
			if there, err := filepath.Glob(m[1]); err != nil || len(there) == 0 {
				t.Errorf("%s names %s, which is not there", name, m[1])
			}
		}
	}
	if found == 0 {
		t.Error("no document names a file")
	}
}

// TestLinksLeadSomewhere follows the relative links of every Markdown document, and
// their anchors.
func TestLinksLeadSomewhere(t *testing.T) {
	links := 0
	for _, name := range repositoryFiles(t) {
		if !strings.HasSuffix(name, ".md") || strings.Contains(name, "/testdata/") || strings.HasPrefix(name, "manifests/steps/") {
			continue
		}
		for _, link := range readPage([]byte(readText(t, name))).links {
			links++
			if problem := follow(os.DirFS("."), name, link); problem != "" {
				t.Errorf("%s links to %s: %s", name, link, problem)
			}
		}
	}
	if links == 0 {
		t.Error("no document links to anything")
	}
}

// TestFollow shows which links lead nowhere.
func TestFollow(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.Mkdir("docs", 0o755); err != nil {
		t.Fatal(err)
	}
	for name, source := range map[string]string{"README.md": "# A page\n\n## What it `does`, in short\n\n## Twice\n\n## Twice\n", "docs/b.md": "# B\n"} {
		if err := os.WriteFile(name, []byte(source), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for link, leads := range map[string]bool{
		"docs/b.md": true, "docs": true, "docs/b.md#b": true, "#what-it-does-in-short": true, "#twice-1": true, "https://a.example/x#y": true,
		"docs/c.md": false, "docs/b.md#c": false, "#Twice": false, "#twice-2": false, "../README.md": false, "/README.md": false,
	} {
		if problem := follow(os.DirFS("."), "README.md", link); (problem == "") != leads {
			t.Errorf("%s: %q", link, problem)
		}
	}
	if problem := follow(os.DirFS("."), "docs/b.md", "../README.md#a-page"); problem != "" {
		t.Error(problem)
	}
}

// follow says why a link of a document leads nowhere; nothing if it leads somewhere, or
// out of the repository.
func follow(repository fs.FS, from, link string) string {
	if strings.Contains(link, "://") || strings.HasPrefix(link, "mailto:") {
		return ""
	}
	target, anchor, anchored := strings.Cut(link, "#")
	name := from
	if target != "" {
		name = path.Join(path.Dir(from), target)
	}
	if _, err := fs.Stat(repository, name); err != nil || strings.HasPrefix(target, "/") {
		return "no such file"
	}
	if !anchored {
		return ""
	}
	source, err := fs.ReadFile(repository, name)
	if err != nil || !slices.Contains(readPage(source).anchors, anchor) {
		return "no such heading"
	}
	return ""
}

// page is what a Markdown document refers to, and what in it can be referred to.
type page struct{ links, headings, anchors []string }

func readPage(source []byte) page {
	var p page
	seen := map[string]int{}
	root := goldmark.New(goldmark.WithExtensions(extension.Table)).Parser().Parse(text.NewReader(source))
	// The walker returns no error.
	_ = ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Link:
			p.links = append(p.links, string(n.Destination))
		case *ast.Image:
			p.links = append(p.links, string(n.Destination))
		case *ast.Heading:
			title := plain(n, source)
			p.headings = append(p.headings, title)
			p.anchors = append(p.anchors, anchorOf(title, seen))
		}
		return ast.WalkContinue, nil
	})
	return p
}

// plain is the text of a node without its marks.
func plain(n ast.Node, source []byte) string {
	var b bytes.Buffer
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if t, ok := c.(*ast.Text); ok {
			b.Write(t.Value(source))
			continue
		}
		b.WriteString(plain(c, source))
	}
	return b.String()
}

// anchorOf is the anchor that GitHub gives a heading: its letters, digits, hyphens and
// underscores in lower case, with hyphens for spaces; the second of a kind is numbered.
func anchorOf(title string, seen map[string]int) string {
	anchor := strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case unicode.IsLetter(r), unicode.IsDigit(r), r == '-', r == '_':
			return unicode.ToLower(r)
		}
		return -1
	}, title)
	n := seen[anchor]
	seen[anchor]++
	if n > 0 {
		return fmt.Sprintf("%s-%d", anchor, n)
	}
	return anchor
}

// repositoryFiles are the files that the repository is made of, by their paths from its
// root: nothing that was installed or built.
func repositoryFiles(t *testing.T) []string {
	t.Helper()
	var names []string
	err := filepath.WalkDir(".", func(name string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && (e.Name() == "node_modules" || e.Name() == ".git" || e.Name() == ".bin"):
			return fs.SkipDir
		case e.Type().IsRegular() && e.Name() != ".git":
			names = append(names, filepath.ToSlash(name))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}
