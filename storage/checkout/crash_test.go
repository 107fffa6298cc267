package checkout

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/roundtable-chat/app/roundtable/document"
	"github.com/roundtable-chat/app/roundtable/engine"
)

var login = engine.ItemRef{Team: "T1", Channel: "C1", Slug: "login"}

// foreign is a folder that another tool made.
func foreign() map[string]string {
	return map[string]string{
		"login/requirements-spec.md":    "# Login\r\n\r\n## Users\r\n\r\nCashiers.\r\n\r\n## Risks\r\n\r\nNone known.\r\n",
		"login/traceability-matrix.csv": "id,name,owner\nR1,Sell offline,Priya",
		"login/meta.json":               "{\n  \"source\": \"github\",\n  \"codebase_hash\": \"c02145b\",\n  \"steps_completed\": [\"00-01\"],\n  \"x-tool\": {\"b\": 1, \"a\": [1,  2]}\n}\n",
		"login/diagram.png":             "\x89PNG\r\n\x1a\n",
		"login/drafts/old/idea.md":      "deeper than an artifact may be",
		"README.md":                     "what these folders are",
	}
}

// keys are the effects that the tests merge, one after the other.
var keys = []string{"d1", "A2/m:17.1/0"}

// merged is what an effect makes of an item. Nothing in it but the key tells a
// second merge from the first: rows would be there twice.
func merged(item engine.Item, key string) (engine.ItemWrite, error) {
	w := engine.ItemWrite{Version: item.Version, Key: key, Result: []byte("[]"), Files: map[string][]byte{}}
	lookup := func(name string) ([]byte, bool) { text, ok := item.Files[name]; return text, ok }
	files, err := document.Enrich(lookup, "requirements-spec.md", document.Insertion{Title: "Users", StepID: "01-02", Time: "2026-11-21T08:00:00Z", Body: "From " + key + "."})
	if err != nil {
		return w, err
	}
	for _, f := range files {
		w.Files[f.Name] = f.Content
	}
	rows := string(item.Files["traceability-matrix.csv"])
	if !strings.HasSuffix(rows, "\n") {
		rows += "\n"
	}
	w.Files["traceability-matrix.csv"] = []byte(rows + "row of " + key + ",,\n")
	w.Files["adrs/"+document.Slug(key)+".md"] = []byte("# From " + key + "\n")
	meta := document.NewMeta(document.Item{Slug: "login"})
	if item.Meta != nil {
		if meta, err = document.ParseMeta(item.Meta); err != nil {
			return w, err
		}
	}
	_, err = meta.AppendElaboration(document.Record{StepID: "01-02", TurnCount: 3, Timestamp: "2026-11-21T08:00:00Z", SynthesisSummary: "From " + key})
	w.Meta = meta.Bytes()
	return w, err
}

// merge does what the engine does with an effect (engine/enrich.go).
func merge(ctx context.Context, items engine.Items, key string) error {
	for range 20 {
		item, err := items.ReadItem(ctx, login)
		if err != nil {
			return err
		}
		if _, done := item.Applied[key]; done {
			return nil
		}
		w, err := merged(item, key)
		if err != nil {
			return err
		}
		if err = items.WriteItem(ctx, login, w); !errors.Is(err, engine.ErrConflict) {
			return err
		}
	}
	return engine.ErrConflict
}

// work merges every effect into the item, opening the directory first.
func work(t *testing.T, tr tree) error {
	s, err := open(t.Context(), tr, nil)
	for _, key := range keys {
		if err == nil {
			err = merge(t.Context(), s, key)
		}
	}
	return err
}

// judge wants everything that was there, whole and in order, and each effect once.
func judge(t *testing.T, what string, before, after map[string]string) {
	t.Helper()
	for name, old := range before {
		if rest, ours := strings.CutPrefix(name, "login/"); ours && !subsequence(old, after[rest]) {
			t.Errorf("%s: I8: %s lost something of %q and is\n%s", what, name, old, after[rest])
		}
	}
	meta, err := document.ParseMeta([]byte(after["meta.json"]))
	if err != nil {
		t.Fatalf("%s: meta.json: %v", what, err)
	}
	for _, key := range keys {
		records := slices.DeleteFunc(meta.Elaborations(), func(r document.Record) bool { return r.SynthesisSummary != "From "+key })
		got := []int{
			strings.Count(after["requirements-spec.md"], "From "+key+"."), strings.Count(after["traceability-matrix.csv"], "row of "+key+",,"),
			strings.Count(after["adrs/"+document.Slug(key)+".md"], "From "+key), len(records),
		}
		if !slices.Equal(got, []int{1, 1, 1, 1}) {
			t.Errorf("%s: I8: in spec, matrix, adr and meta.json %s is found %v times:\n%v", what, key, got, after)
		}
	}
	if got, want := len(after), len(before)-1+len(keys); got != want {
		t.Errorf("%s: %d files, want %d: %v", what, got, want, after)
	}
}

func subsequence(old, text string) bool {
	i := 0
	for k := 0; k < len(text) && i < len(old); k++ {
		if text[k] == old[i] {
			i++
		}
	}
	return i == len(old)
}

// whole wants every file to be as some complete change left it.
func whole(t *testing.T, what string, seen map[string][]string, now map[string]string) {
	t.Helper()
	for name, text := range now {
		if !slices.Contains(seen[name], text) {
			t.Errorf("%s: %s is torn: %q", what, name, text)
		}
	}
}

// calls counts what the work does, and collects every text that a file has on the
// way when nothing goes wrong.
func calls(t *testing.T) (n int, seen map[string][]string) {
	p := newPlatter(t, foreign())
	seen = map[string][]string{}
	look := func() {
		for name, text := range p.files("login") {
			if !slices.Contains(seen[name], text) {
				seen[name] = append(seen[name], text)
			}
		}
	}
	m := &mortal{tree: p, before: func(int, string, string) { look() }}
	if err := work(t, m); err != nil {
		t.Fatal(err)
	}
	look()
	judge(t, "nothing goes wrong", foreign(), p.files("login"))
	return m.calls, seen
}

// thinned is every how manyth call is looked at, where few will do.
func thinned() int {
	if testing.Short() {
		return 5
	}
	return 1
}

// TestCrashAtEveryCall kills the process before, within and after every call of the
// file system, and then lets another do the work (I8, NFR-004). Nothing is lost or
// there twice, and no file is ever seen half-written.
func TestCrashAtEveryCall(t *testing.T) {
	n, seen := calls(t)
	t.Logf("%d calls", n)
	for call := 1; call <= n; call++ {
		for _, how := range []death{beforeCall, withinCall, afterCall} {
			p := newPlatter(t, foreign())
			m := &mortal{tree: p, dieAt: call, how: how}
			if err := work(t, m); !errors.Is(err, errDead) {
				t.Fatalf("call %d: got %v", call, err)
			}
			what := fmt.Sprintf("dead %s call %d (%s)", how, call, m.at)
			whole(t, what, seen, p.files("login"))
			if err := work(t, p); err != nil {
				t.Fatalf("%s: then %v", what, err)
			}
			judge(t, what, foreign(), p.files("login"))
		}
	}
}

// TestPowerFailsAtEveryCall is the same with a disk that forgets what was not synced,
// many times for each call, and with a second failure while the first is mended.
func TestPowerFailsAtEveryCall(t *testing.T) {
	n, seen := calls(t)
	for call := 1; call <= n; call += thinned() {
		for seed := range uint64(12) {
			chance := rand.New(rand.NewPCG(seed, uint64(call)))
			p := newPlatter(t, foreign())
			how := []death{beforeCall, withinCall, afterCall}[seed%3]
			m := &mortal{tree: p, dieAt: call, how: how}
			if err := work(t, m); !errors.Is(err, errDead) {
				t.Fatalf("call %d: got %v", call, err)
			}
			p.failPower(chance)
			what := fmt.Sprintf("power fails %s call %d (%s), seed %d", how, call, m.at, seed)
			whole(t, what, seen, p.files("login"))
			again := &mortal{tree: p, dieAt: 1 + chance.IntN(n), how: how}
			if err := work(t, again); err != nil && !errors.Is(err, errDead) {
				t.Fatalf("%s: then %v", what, err)
			}
			p.failPower(chance)
			if err := work(t, p); err != nil {
				t.Fatalf("%s: at last %v", what, err)
			}
			judge(t, what, foreign(), p.files("login"))
		}
	}
}

// edited are the files that people change in the tests.
var edited = []string{"login/requirements-spec.md", "login/traceability-matrix.csv", "login/meta.json"}

// byHand is a change by a person, at the beginning of a file.
func byHand(name string) func(string) string {
	return func(old string) string {
		if strings.HasSuffix(name, ".json") {
			return strings.Replace(old, "{", "{\"by_hand\": true,", 1)
		}
		return "edited by hand\n\n" + old
	}
}

// TestEditedAfterACrash has a person edit a file between the crash and what mends it
// (NFR-004).
func TestEditedAfterACrash(t *testing.T) {
	n, _ := calls(t)
	chance := rand.New(rand.NewPCG(1, 2))
	for call := 1; call <= n; call += thinned() {
		for _, name := range edited {
			for _, how := range []death{beforeCall, afterCall} {
				p := newPlatter(t, foreign())
				m := &mortal{tree: p, dieAt: call, how: how}
				if err := work(t, m); !errors.Is(err, errDead) {
					t.Fatalf("call %d: got %v", call, err)
				}
				p.edit(name, byHand(name))
				what := fmt.Sprintf("%s edited after death %s call %d (%s)", name, how, call, m.at)
				for range 4 { // whoever mends it dies, too
					m := &mortal{tree: p, dieAt: 1 + chance.IntN(30), how: how}
					if err := work(t, m); err != nil && !errors.Is(err, errDead) {
						t.Fatalf("%s: then %v", what, err)
					}
				}
				if err := work(t, p); err != nil {
					t.Fatalf("%s: then %v", what, err)
				}
				before := foreign()
				before[name] = byHand(name)(before[name])
				judge(t, what, before, p.files("login"))
			}
		}
	}
}

// TestEditedMeanwhile has a person save a file at every moment of a change. What is
// saved between the comparison and the rename that follows it at once is lost; at
// every other moment it is kept, and the change as well.
func TestEditedMeanwhile(t *testing.T) {
	n, _ := calls(t)
	for _, name := range edited {
		gaps := 0
		for call := 1; call <= n; call++ {
			p := newPlatter(t, foreign())
			gap := false
			m := &mortal{tree: p, before: func(at int, op, on string) {
				if at == call {
					gap = op == "rename" && on == name
					p.edit(name, byHand(name))
				}
			}}
			if err := work(t, m); err != nil {
				t.Fatalf("%s edited at call %d: %v", name, call, err)
			}
			if gap {
				gaps++
				continue
			}
			before := foreign()
			before[name] = byHand(name)(before[name])
			judge(t, fmt.Sprintf("%s edited at call %d", name, call), before, p.files("login"))
		}
		if gaps != len(keys) {
			t.Errorf("%s: %d moments are without protection, want one for each of %d changes", name, gaps, len(keys))
		}
	}
}

// TestCrashOnTheDisk repeats the crashes on the file system of this machine.
func TestCrashOnTheDisk(t *testing.T) {
	n, _ := calls(t)
	for call := 1; call <= n; call += 5 * thinned() {
		dir := t.TempDir()
		for name, text := range foreign() {
			at := filepath.Join(dir, filepath.FromSlash(name))
			if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o755), os.WriteFile(at, []byte(text), 0o644)); err != nil {
				t.Fatal(err)
			}
		}
		for _, dieAt := range []int{call, 0} {
			root, err := os.OpenRoot(dir)
			if err != nil {
				t.Fatal(err)
			}
			err = work(t, &mortal{tree: disk{root}, dieAt: dieAt, how: []death{beforeCall, withinCall, afterCall}[call%3]})
			if dieAt > 0 != errors.Is(err, errDead) || dieAt == 0 && err != nil {
				t.Fatalf("call %d of %d: got %v", dieAt, n, err)
			}
			root.Close()
		}
		after := map[string]string{}
		err := filepath.WalkDir(filepath.Join(dir, "login"), func(name string, d os.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			text, err := os.ReadFile(name)
			rel, _ := filepath.Rel(filepath.Join(dir, "login"), name)
			after[filepath.ToSlash(rel)] = string(text)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		judge(t, fmt.Sprintf("dead at call %d", call), foreign(), after)
		if diff := cmp.Diff("\x89PNG\r\n\x1a\n", after["diagram.png"]); diff != "" {
			t.Errorf("diagram.png changed: %s", diff)
		}
	}
}

// forgotten lays an item that a channel has, beside what is nobody's.
func forgottenItem(t *testing.T) *platter {
	t.Helper()
	p := newPlatter(t, foreign())
	if err := work(t, p); err != nil {
		t.Fatal(err)
	}
	p.safe, p.loose = maps.Clone(p.now), nil
	return p
}

// farewell hides the item and removes it.
func farewell(t *testing.T, tr tree) error {
	s, err := open(t.Context(), tr, nil)
	if err == nil {
		err = s.HideItem(t.Context(), login, "F1")
	}
	if errors.Is(err, engine.ErrNotFound) { // it was removed before a crash
		err = nil
	}
	if err == nil {
		err = s.RemoveItem(t.Context(), login, "F1")
	}
	return err
}

// gone wants nothing of the item to be left, and everything else to be there.
func gone(t *testing.T, what string, p *platter, more map[string]string) {
	t.Helper()
	want := map[string]string{"drafts/old/idea.md": foreign()["login/drafts/old/idea.md"]}
	maps.Copy(want, more)
	if diff := cmp.Diff(want, p.files("login")); diff != "" {
		t.Errorf("%s: what is left (-want +got):\n%s", what, diff)
	}
	for name := range p.now {
		if strings.HasPrefix(name, bookkeeping+"/login") {
			t.Errorf("%s: %s is still there", what, name)
		}
	}
}

// TestForgetCrashesAtEveryCall ends the process, or the power, before, within and after
// every call of the file system while an item is forgotten and removed. Whoever comes next
// completes it (FR-110).
func TestForgetCrashesAtEveryCall(t *testing.T) {
	p := forgottenItem(t)
	m := &mortal{tree: p}
	if err := farewell(t, m); err != nil {
		t.Fatal(err)
	}
	gone(t, "nothing goes wrong", p, nil)
	t.Logf("%d calls", m.calls)
	for call := 1; call <= m.calls; call++ {
		for seed, how := range []death{beforeCall, withinCall, afterCall} {
			for _, power := range []bool{false, true} {
				p := forgottenItem(t)
				dying := &mortal{tree: p, dieAt: call, how: how}
				if err := farewell(t, dying); !errors.Is(err, errDead) {
					t.Fatalf("call %d: got %v", call, err)
				}
				if power {
					p.failPower(rand.New(rand.NewPCG(uint64(call), uint64(seed))))
				}
				what := fmt.Sprintf("dead %s call %d (%s), power %v", how, call, dying.at, power)
				if err := farewell(t, p); err != nil {
					t.Fatalf("%s: then %v", what, err)
				}
				gone(t, what, p, nil)
			}
		}
	}
}

// TestForgetEditedMeanwhile has a person save a file at every moment of the removal: what
// they saved stays, also what they saved between the comparison and the move that follows
// it (NFR-004).
func TestForgetEditedMeanwhile(t *testing.T) {
	hidden := func() (*platter, func(tree) error) {
		p := forgottenItem(t)
		s, err := open(t.Context(), p, nil)
		if err == nil {
			err = s.HideItem(t.Context(), login, "F1")
		}
		if err != nil {
			t.Fatal(err)
		}
		return p, func(tr tree) error {
			s, err := open(t.Context(), tr, nil)
			if err != nil {
				return err
			}
			return s.RemoveItem(t.Context(), login, "F1")
		}
	}
	p, remove := hidden()
	counted := &mortal{tree: p}
	if err := remove(counted); err != nil {
		t.Fatal(err)
	}
	for call := 1; call <= counted.calls; call++ {
		p, remove := hidden()
		at := ""
		m := &mortal{tree: p, before: func(n int, op, on string) {
			if n == call {
				at = op + " " + on
				p.edit("login/requirements-spec.md", func(string) string { return "saved meanwhile" })
			}
		}}
		if err := remove(m); err != nil {
			t.Fatalf("edited at call %d (%s): %v", call, at, err)
		}
		gone(t, fmt.Sprintf("edited at call %d (%s)", call, at), p, map[string]string{"requirements-spec.md": "saved meanwhile"})
	}
}

// TestWrittenIntoAfterATornRemoval ends the process at every call of a removal, and has
// somebody write into the item, take it back or forget it anew before anybody completes
// that. No document is half of what was forgotten and half of what was written since, and
// what is forgotten in the end is gone (FR-110, NFR-004).
func TestWrittenIntoAfterATornRemoval(t *testing.T) {
	counted := &mortal{tree: forgottenItem(t)}
	if err := farewell(t, counted); err != nil {
		t.Fatal(err)
	}
	w := engine.ItemWrite{Key: "d9", Result: []byte("[]"), Files: map[string][]byte{"new.md": []byte("new")}}
	torn := 0
	for call := 1; call <= counted.calls; call++ {
		p := forgottenItem(t)
		before := p.files("login")
		if err := farewell(t, &mortal{tree: p, dieAt: call, how: beforeCall}); !errors.Is(err, errDead) {
			t.Fatalf("call %d: got %v", call, err)
		}
		_, begun := p.now[asideDir("login")]
		s, err := open(t.Context(), p, nil)
		if err != nil {
			t.Fatal(err)
		}
		for err = engine.ErrConflict; errors.Is(err, engine.ErrConflict); {
			item, broken := s.ReadItem(t.Context(), login)
			if broken != nil {
				t.Fatal(broken)
			}
			w.Version = item.Version
			err = s.WriteItem(t.Context(), login, w)
		}
		what := fmt.Sprintf("written into after call %d", call)
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		want := map[string]string{"new.md": "new", "drafts/old/idea.md": before["drafts/old/idea.md"]}
		if _, kept := p.now["login/meta.json"]; kept && !begun {
			want = maps.Clone(before)
			want["new.md"] = "new"
		}
		if begun {
			torn++
		}
		if diff := cmp.Diff(want, p.files("login")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
		if err := errors.Join(s.HideItem(t.Context(), login, "F2"), s.RemoveItem(t.Context(), login, "F2")); err != nil {
			t.Fatalf("%s, then forgotten: %v", what, err)
		}
		gone(t, what+" and forgotten again", p, nil)
	}
	if torn < 10 {
		t.Errorf("%d removals had begun, want more", torn)
	}
}

// TestTakenBackAfterATornRemoval takes an item back of which everything was moved aside and
// nothing removed yet, as a store does that forgot how far its forgetting was: all of it is
// there again.
func TestTakenBackAfterATornRemoval(t *testing.T) {
	p := forgottenItem(t)
	want := p.files("login")
	m := &mortal{tree: p, how: beforeCall}
	m.before = func(n int, op, on string) {
		if op == "remove" && strings.HasPrefix(on, asideDir("login")) && m.dieAt == 0 {
			m.dieAt = n
		}
	}
	if err := farewell(t, m); !errors.Is(err, errDead) {
		t.Fatalf("got %v", err)
	}
	s, err := open(t.Context(), p, nil)
	if err == nil {
		err = s.RestoreItem(t.Context(), login, "F1")
	}
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, p.files("login")); diff != "" {
		t.Errorf("what is back (-want +got):\n%s", diff)
	}
}
