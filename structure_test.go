// Package app_test holds the tests of the repository as a whole: who may import
// whom, and which requirement is shown by which test.
package app_test

import (
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
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const module = "github.com/roundtable-chat/app/"

// mayImport says which packages of ours a package may import, outside its tests.
// Arrows point inward; edges never know each other; only cmd sees all. A package
// that is missing here fails the test, so that its place is a decision.
var mayImport = map[string][]string{
	"roundtable":                   {"roundtable/intent", "roundtable/persona", "roundtable/thread"},
	"roundtable/thread":            {"roundtable/lookahead", "roundtable/persona"},
	"roundtable/intent":            {"roundtable/persona"},
	"roundtable/persona":           {},
	"roundtable/document":          {"roundtable/lookahead"},
	"roundtable/forgetting":        {"roundtable", "roundtable/say", "roundtable/thread"},
	"roundtable/engine":            {"roundtable", "roundtable/analysis", "roundtable/document", "roundtable/engine/fairqueue", "roundtable/forgetting", "roundtable/persona", "roundtable/say", "roundtable/thread"},
	"roundtable/engine/fairqueue":  {},
	"roundtable/engine/enginetest": {"roundtable", "roundtable/analysis", "roundtable/document", "roundtable/engine", "roundtable/engine/invariant", "roundtable/persona", "roundtable/thread"},
	"roundtable/engine/invariant":  {"roundtable", "roundtable/document", "roundtable/engine", "roundtable/thread"},
	"roundtable/engine/sweep":      {},
	"storage":                      {"roundtable/engine", "roundtable/thread"},
	"storage/checkout":             {"roundtable/document", "roundtable/engine"},
	"storage/storagetest":          {"storage"},
	"storage/storagetest/contract": {"roundtable/engine", "roundtable/thread", "storage"},
	"bot":                          {"bot/blocks", "bot/people", "bot/recent", "bot/webapi", "bot/wire", "roundtable", "roundtable/analysis", "roundtable/engine", "roundtable/forgetting", "roundtable/persona", "roundtable/say", "roundtable/thread"},
	"roundtable/engine/simulation": {"roundtable", "roundtable/engine", "roundtable/engine/enginetest", "roundtable/engine/invariant", "roundtable/persona", "roundtable/thread"},
	"roundtable/voice":             {"roundtable/persona", "roundtable/thread"},
	"roundtable/analysis":          {"roundtable", "roundtable/document", "roundtable/intent", "roundtable/persona", "roundtable/thread"},
	"roundtable/golden":            {},
	"roundtable/intricate":         {},
	"roundtable/lookahead":         {},
	"roundtable/injection":         {},
	"roundtable/rulestest":         {"roundtable/golden"},
	"bot/wire":                     {},
	"bot/webapi":                   {"roundtable/engine", "roundtable/thread"},
	"bot/people":                   {"bot/blocks", "bot/recent", "bot/webapi", "roundtable/thread"},
	"bot/recent":                   {},
	"bot/blocks":                   {"roundtable/lookahead", "roundtable/say", "roundtable/thread"},
	"bot/llm":                      {"roundtable/thread"},
	"bot/llm/wire":                 {"bot/llm"},
	"bot/llm/panel":                {"bot/llm", "roundtable", "roundtable/analysis", "roundtable/engine", "roundtable/persona", "roundtable/thread", "roundtable/voice"},
	"bot/llm/anthropic":            {"bot/llm", "bot/llm/wire"},
	"bot/llm/openai":               {"bot/llm", "bot/llm/wire"},
	"bot/llm/llmtest":              {"bot/llm"},
	"bot/llm/evaluation":           {"bot/llm", "roundtable", "roundtable/engine", "roundtable/persona", "roundtable/thread", "roundtable/voice"},
	"bot/llm/offline":              {"roundtable", "roundtable/analysis", "roundtable/engine", "roundtable/persona", "roundtable/thread"},
	"bot/slacksim":                 {"bot/slacksim/blockkit", "bot/slacksim/feed", "bot/slacksim/page"},
	"bot/slacksim/blockkit":        {},
	"bot/slacksim/feed":            {},
	"bot/slacksim/page":            {},
	"bot/slacksim/e2e/simserver":   {"bot/slacksim"},
	"manifests":                    {"roundtable/analysis", "roundtable/persona"},
	"cmd/load":                     {"bot/slacksim"},
	"cmd/roundtable":               nil, // everything
	"cmd/roundtable/config":        {"bot", "bot/llm", "bot/llm/anthropic", "bot/llm/offline", "bot/llm/openai", "roundtable", "roundtable/thread", "roundtable/voice", "storage"},
	"cmd/roundtable/doctor":        {"bot/checkup", "bot/llm", "bot/llm/anthropic", "bot/llm/offline", "cmd/roundtable/config", "manifests", "roundtable/thread", "storage"},
	"cmd/roundtable/barrage":       {"bot/slacksim", "roundtable", "roundtable/analysis", "roundtable/engine", "roundtable/thread", "storage", "storage/storagetest"},
	"cmd/roundtable/chaos":         {"bot/slacksim", "roundtable", "roundtable/analysis", "roundtable/document", "roundtable/engine", "roundtable/engine/invariant", "roundtable/thread", "storage", "storage/checkout", "storage/storagetest"},
	"roundtable/say":               {"roundtable", "roundtable/persona", "roundtable/thread"},
	"bot/checkup":                  {"bot/webapi", "bot/wire"},
}

// pure packages may import no clock, randomness, context, logger, network or
// file system, and of third parties only what parses text.
var pure = map[string][]string{
	"roundtable/say":              {},
	"roundtable/thread":           {},
	"roundtable/intent":           {},
	"roundtable/persona":          {},
	"roundtable":                  {},
	"roundtable/voice":            {},
	"roundtable/lookahead":        {},
	"roundtable/forgetting":       {},
	"roundtable/engine/invariant": {},
	"roundtable/analysis":         {"github.com/expr-lang/expr", "github.com/expr-lang/expr/ast", "github.com/expr-lang/expr/vm"},
	"roundtable/document": {
		"github.com/yuin/goldmark", "github.com/yuin/goldmark/ast", "github.com/yuin/goldmark/parser", "github.com/yuin/goldmark/renderer/html",
		"github.com/yuin/goldmark/text", "github.com/kljensen/snowball/english", "golang.org/x/text/unicode/norm",
	},
}

// outside are packages of the standard library with which a program reaches the
// world or chance.
var outside = []string{"context", "log", "log/slog", "math/rand", "math/rand/v2", "crypto/rand", "net", "net/http", "os", "os/exec", "io/fs", "sync", "syscall", "path/filepath", "embed"}

// importTable is what ARCHITECTURE.md shows of mayImport: a row for each package that the
// program is built from, with the first clause of its package comment.
func importTable(all map[string][]source) string {
	inside := map[string]bool{}
	var visit func(dir string)
	visit = func(dir string) {
		if inside[dir] {
			return
		}
		inside[dir] = true
		for _, f := range all[dir] {
			for _, imp := range f.imports {
				if own, ours := strings.CutPrefix(imp, module); ours {
					visit(own)
				}
			}
		}
	}
	visit("cmd/roundtable")
	var b strings.Builder
	b.WriteString("| package | what it is for | may import of ours, `roundtable/` left out |\n| --- | --- | --- |\n")
	for _, dir := range slices.Sorted(maps.Keys(all)) {
		if !inside[dir] {
			continue
		}
		imports := "nothing"
		switch allowed := mayImport[dir]; {
		case dir == "cmd/roundtable":
			imports = "everything"
		case len(allowed) > 0:
			var short []string
			for _, a := range slices.Sorted(slices.Values(allowed)) {
				short = append(short, "`"+strings.TrimPrefix(a, "roundtable/")+"`")
			}
			imports = strings.Join(short, ", ")
		}
		if _, known := pure[dir]; known {
			imports += "; pure"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", dir, purpose(all[dir]), imports)
	}
	b.WriteString("\nPackages that are for tests and measurements alone are left out.\n")
	return b.String()
}

// purpose is the first clause of a package's comment, without the package's name.
func purpose(files []source) string {
	for _, f := range files {
		words := strings.Fields(f.comment)
		if len(words) < 3 {
			continue
		}
		clause := strings.Join(words[2:], " ")
		if end := clauseEnd.FindStringIndex(clause); end != nil {
			clause = clause[:end[0]]
		}
		return strings.ReplaceAll(clause, "|", `\|`)
	}
	return ""
}

var clauseEnd = regexp.MustCompile(`[:;]| \(|\.(?: |$)`)

const architecture = "ARCHITECTURE.md"

// TestImportTable keeps the table of ARCHITECTURE.md as mayImport and the packages'
// comments are.
func TestImportTable(t *testing.T) {
	const begin, end = "<!-- packages -->\n", "<!-- /packages -->"
	old := readText(t, architecture)
	before, rest, opened := strings.Cut(old, begin)
	_, after, closed := strings.Cut(rest, end)
	if !opened || !closed {
		t.Fatalf("%s has no place for the table of packages", architecture)
	}
	want := before + begin + importTable(packages(t)) + end + after
	if *update {
		if err := os.WriteFile(architecture, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(old, want); diff != "" {
		t.Errorf("%s is stale; run make generate (-page +code)\n%s", architecture, diff)
	}
}

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

// stored are the functions that read stored forms.
var stored = []string{"Decode", "DecodeEffect", "DecodeEntry", "DecodeInput", "DecodeLog", "KindOf", "OpenState"}

// judges read stored forms outside the engine, to hold against the rules what a program left
// in the store.
var judges = []string{"cmd/roundtable/barrage", "cmd/roundtable/chaos"}

// TestEdgesReadNoStoredForm keeps the stored forms with the rules, and what reads them with
// the engine: an edge and a command see what engine.Reader shows.
func TestEdgesReadNoStoredForm(t *testing.T) {
	rules := []string{module + "roundtable", module + "roundtable/analysis", module + "roundtable/forgetting"}
	looked := 0
	for dir, files := range packages(t) {
		if top, _, _ := strings.Cut(dir, "/"); top != "bot" && top != "cmd" || slices.Contains(judges, dir) {
			continue
		}
		for _, f := range files {
			looked++
			parsed, err := parser.ParseFile(token.NewFileSet(), f.name, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			names := make(map[string]bool) // of the packages of rules
			for _, i := range parsed.Imports {
				imported, err := strconv.Unquote(i.Path.Value)
				switch {
				case err != nil:
					t.Fatal(err)
				case !slices.Contains(rules, imported):
				case i.Name != nil:
					names[i.Name.Name] = true
				default:
					names[path.Base(imported)] = true
				}
			}
			ast.Inspect(parsed, func(n ast.Node) bool {
				if call, ok := n.(*ast.SelectorExpr); ok && slices.Contains(stored, call.Sel.Name) {
					if of, ok := call.X.(*ast.Ident); ok && names[of.Name] {
						t.Errorf("%s reads a stored form with %s.%s", f.name, of.Name, call.Sel.Name)
					}
				}
				return true
			})
		}
	}
	if looked < 50 {
		t.Errorf("only %d files were looked at", looked)
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
