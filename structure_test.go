// Package app_test holds the tests of the repository as a whole: who may import
// whom, and which requirement is shown by which test.
package app_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/roundtable-chat/app/"

// mayImport says which packages of ours a package may import, outside its tests.
// Arrows point inward; edges never know each other; only cmd sees all. A package
// that is missing here fails the test, so that its place is a decision.
var mayImport = map[string][]string{
	"roundtable":                   {},
	"roundtable/document":          {},
	"roundtable/engine":            {"roundtable", "roundtable/analysis", "roundtable/document"},
	"roundtable/engine/enginetest": {"roundtable", "roundtable/document", "roundtable/engine"},
	"storage":                      {"roundtable", "roundtable/engine"},
	"storage/checkout":             {"roundtable/document", "roundtable/engine"},
	"storage/storagetest":          {"roundtable", "roundtable/engine", "storage"},
	"bot":                          {"roundtable", "roundtable/analysis", "roundtable/engine"},
	"roundtable/engine/simulation": {"roundtable", "roundtable/document", "roundtable/engine", "roundtable/engine/enginetest"},
	"roundtable/voice":             {"roundtable"},
	"roundtable/analysis":          {"roundtable", "roundtable/document"},
	"roundtable/golden":            {},
	"roundtable/injection":         {},
	"roundtable/rulestest":         {"roundtable/golden"},
	"bot/llm":                      {"roundtable", "roundtable/analysis", "roundtable/engine", "roundtable/voice"},
	"bot/llm/anthropic":            {"bot/llm"},
	"bot/llm/openai":               {"bot/llm"},
	"bot/llm/llmtest":              {"bot/llm"},
	"bot/llm/evaluation":           {"roundtable", "roundtable/engine", "roundtable/voice", "bot/llm"},
	"bot/llm/offline":              {"roundtable", "roundtable/analysis", "roundtable/engine"},
	"bot/slacksim":                 {"bot/slacksim/page"},
	"bot/slacksim/page":            {},
	"bot/slacksim/e2e/simserver":   {"bot/slacksim", "bot/slacksim/page"},
	"bot/slacksim/load":            {"bot/slacksim"},
	"manifests":                    {"roundtable", "roundtable/analysis"},
	"cmd/roundtable":               nil, // everything
	"cmd/roundtable/chaos": {
		"bot/slacksim", "roundtable", "roundtable/document", "roundtable/engine", "roundtable/engine/enginetest", "storage", "storage/storagetest",
	},
}

// pure packages may import no clock, randomness, context, logger, network or
// file system, and of third parties only what parses text.
var pure = map[string][]string{
	"roundtable":          {},
	"roundtable/voice":    {},
	"roundtable/analysis": {"github.com/expr-lang/expr", "github.com/expr-lang/expr/ast", "github.com/expr-lang/expr/vm"},
	"roundtable/document": {
		"github.com/yuin/goldmark", "github.com/yuin/goldmark/ast", "github.com/yuin/goldmark/parser", "github.com/yuin/goldmark/renderer/html",
		"github.com/yuin/goldmark/text", "github.com/kljensen/snowball/english", "golang.org/x/text/unicode/norm",
	},
}

// outside are packages of the standard library with which a program reaches the
// world or chance.
var outside = []string{"context", "log", "log/slog", "math/rand", "math/rand/v2", "crypto/rand", "net", "net/http", "os", "os/exec", "io/fs", "sync", "syscall", "path/filepath", "embed"}

func TestImports(t *testing.T) {
	for dir, files := range packages(t) {
		allowed, known := mayImport[dir]
		if !known {
			t.Errorf("package %s has no place in mayImport", dir)
			continue
		}
		for _, f := range files {
			for _, imp := range f.imports {
				switch own, ours := strings.CutPrefix(imp, module); {
				case ours && dir != "cmd/roundtable" && !slices.Contains(allowed, own):
					t.Errorf("%s imports %s; %s may import only %v", f.name, own, dir, allowed)
				case !ours && pure[dir] != nil && slices.Contains(outside, imp):
					t.Errorf("%s imports %s, but package %s is pure", f.name, imp, dir)
				case !ours && pure[dir] != nil && strings.Contains(imp, ".") && !slices.Contains(pure[dir], imp):
					t.Errorf("%s imports %s, but package %s is pure", f.name, imp, dir)
				}
			}
		}
	}
}

// TestPackageComments wants every package to say what it is for, once.
func TestPackageComments(t *testing.T) {
	for dir, files := range packages(t) {
		comments := 0
		for _, f := range files {
			if f.comment != "" {
				comments++
			}
			name := path.Base(dir)
			if f.comment != "" && !strings.HasPrefix(f.comment, "Package "+name+" ") && !strings.HasPrefix(f.comment, "Command "+name+" ") {
				t.Errorf("the package comment of %s should begin with Package %s or Command %s", f.name, name, name)
			}
		}
		if comments != 1 {
			t.Errorf("package %s has %d package comments, want 1", dir, comments)
		}
	}
}

// TestTopLevel keeps code in the customer's folders.
func TestTopLevel(t *testing.T) {
	for dir := range packages(t) {
		top, _, _ := strings.Cut(dir, "/")
		if !slices.Contains([]string{"cmd", "bot", "roundtable", "storage", "manifests"}, top) {
			t.Errorf("package %s is outside cmd, bot, roundtable, storage and manifests", dir)
		}
	}
}

type source struct {
	name, comment string
	imports       []string
}

// packages reads all Go files but tests, by folder.
func packages(t *testing.T) map[string][]source {
	t.Helper()
	found := map[string][]source{}
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		base := filepath.Base(name)
		if d.IsDir() && name != "." && (strings.HasPrefix(base, ".") || base == "node_modules" || base == "testdata") {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments|parser.ImportsOnly)
		if err != nil {
			return err
		}
		s := source{name: filepath.ToSlash(name), comment: f.Doc.Text()}
		for _, i := range f.Imports {
			p, err := strconv.Unquote(i.Path.Value)
			if err != nil {
				return err
			}
			s.imports = append(s.imports, p)
		}
		dir := filepath.ToSlash(filepath.Dir(name))
		found[dir] = append(found[dir], s)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(found) < 5 {
		t.Fatalf("found only %d packages", len(found))
	}
	return found
}
