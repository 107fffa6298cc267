package checkout_test

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/storage"
	"github.com/roundtable-chat/app/storage/checkout"
)

var login = engine.ItemRef{Team: "T1", Channel: "C1", Slug: "login"}

// lay writes files below a directory, making folders as needed.
func lay(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		at := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o755), os.WriteFile(at, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
}

// tree reads what is below a directory, without our records.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(at string, d os.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.Name() == ".roundtable":
			return filepath.SkipDir
		case d.Type().IsRegular():
			text, err := os.ReadFile(at)
			rel, _ := filepath.Rel(dir, at)
			out[filepath.ToSlash(rel)] = string(text)
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func read(t *testing.T, s *checkout.Store, ref engine.ItemRef) engine.Item {
	t.Helper()
	item, err := s.ReadItem(t.Context(), ref)
	if err != nil {
		t.Fatal(err)
	}
	return item
}

// A folder that people made is read as it is, and only its artifacts are; the first
// channel that changes it has it, and no other reads it then (I12).
func TestFolderOfPeople(t *testing.T) {
	dir := t.TempDir()
	was := map[string]string{
		"login/a.md": "old\r\n", "login/adrs/0001.md": "x", "login/meta.json": "{ }", "login/.hidden": "h", "login/deep/er/b.md": "b",
		"login/big.bin": strings.Repeat("x", storage.MaxValue+1), "login/pic.png": "\x89", "README.md": "r",
	}
	lay(t, dir, was)
	s := open(t, dir)
	item := read(t, s, login)
	names := slices.Sorted(maps.Keys(item.Files))
	if diff := cmp.Diff([]string{"a.md", "adrs/0001.md", "pic.png"}, names); diff != "" || string(item.Meta) != "{ }" || item.Version == 0 {
		t.Fatalf("got meta.json %q, version %d, files (-want +got):\n%s", item.Meta, item.Version, diff)
	}
	other := login
	other.Channel = "C2"
	if got := read(t, s, other); len(got.Files) != 3 {
		t.Errorf("nobody's folder has %d files for another channel, want 3", len(got.Files))
	}
	if slugs, err := s.ListItems(t.Context(), "T1", "C1"); err != nil || len(slugs) != 0 {
		t.Errorf("nobody's folder is listed: %v, %v", slugs, err)
	}
	w := engine.ItemWrite{Version: item.Version, Key: "k", Files: map[string][]byte{"a.md": []byte("old\r\nnew\r\n")}}
	if err := s.WriteItem(t.Context(), login, w); err != nil {
		t.Fatal(err)
	}
	was["login/a.md"] = "old\r\nnew\r\n"
	if diff := cmp.Diff(was, tree(t, dir)); diff != "" {
		t.Errorf("the directory (-want +got):\n%s", diff)
	}
	if got := read(t, s, other); got.Version != 0 || len(got.Files) != 0 {
		t.Errorf("I12: another channel reads %v", slices.Sorted(maps.Keys(got.Files)))
	}
	if err := s.WriteItem(t.Context(), other, engine.ItemWrite{Files: map[string][]byte{"a.md": []byte("theirs")}}); err != nil {
		t.Fatal(err)
	}
	if got := tree(t, dir)["login-c2/a.md"]; got != "theirs" {
		t.Errorf("the other channel's folder holds %q", got)
	}
}

// What changed since it was read is a conflict, whoever changed it (NFR-004).
func TestChangedUnderneath(t *testing.T) {
	for _, name := range []string{"a.md", "meta.json", "new.md", "adrs/new.md"} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			lay(t, dir, map[string]string{"login/a.md": "a", "login/meta.json": "{}"})
			s := open(t, dir)
			item := read(t, s, login)
			lay(t, dir, map[string]string{"login/" + name: "{\"by\": \"hand\"}"})
			before := tree(t, dir)
			err := s.WriteItem(t.Context(), login, engine.ItemWrite{Version: item.Version, Key: "k", Files: map[string][]byte{"a.md": []byte("ours")}})
			if !errors.Is(err, engine.ErrConflict) {
				t.Errorf("got %v, want ErrConflict", err)
			}
			if diff := cmp.Diff(before, tree(t, dir)); diff != "" {
				t.Errorf("it was written all the same (-want +got):\n%s", diff)
			}
		})
	}
}

// TestBarred shows what is in the way of a change: nothing is written then, and the
// error says what to mend.
func TestBarred(t *testing.T) {
	link := func(to, at string) func(t *testing.T, dir string) {
		return func(t *testing.T, dir string) {
			at := filepath.Join(dir, filepath.FromSlash(at))
			if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o755), os.Symlink(to, at)); err != nil {
				t.Fatal(err)
			}
		}
	}
	files := func(files map[string]string) func(t *testing.T, dir string) {
		return func(t *testing.T, dir string) { lay(t, dir, files) }
	}
	outside := filepath.Join(t.TempDir(), "outside.md")
	lay(t, filepath.Dir(outside), map[string]string{"outside.md": "not ours"})
	many := map[string]string{}
	for i := range 1002 {
		many[fmt.Sprintf("login/%d.md", i)] = ""
	}
	heavy := map[string]string{}
	for i := range 40 {
		heavy[fmt.Sprintf("login/%d.bin", i)] = strings.Repeat("x", 1<<20)
	}
	tests := []struct {
		name string
		lay  func(t *testing.T, dir string)
		want string
	}{
		{"an artifact that is a link out of the directory", link(outside, "login/a.md"), "login/a.md is a symbolic link, which is not followed"},
		{"an artifact that is a link within", link("b.md", "login/a.md"), "symbolic link"},
		{"a link to another item's folder", link("../other", "login/adrs"), "login/adrs/1.md cannot be made, because login/adrs is a symbolic link"},
		{"the item's folder is a link", link("other", "login"), "login is a symbolic link, which is not followed, not a folder"},
		{"the item's folder is a file", files(map[string]string{"login": ""}), "login is a file, not a folder"},
		{"an artifact that is a folder", files(map[string]string{"login/a.md/x": ""}), "login/a.md is a folder"},
		{"a folder that is a file", files(map[string]string{"login/adrs": ""}), "login/adrs is a file"},
		{"an artifact that is too large", files(map[string]string{"login/a.md": strings.Repeat("x", storage.MaxValue+1)}), "login/a.md is larger than"},
		{"meta.json is a link", link(outside, "login/meta.json"), "login/meta.json is a symbolic link"},
		{"too many files", files(many), "more than 1000 documents"},
		{"too many bytes", files(heavy), "more than 32 MiB"},
		{"a damaged record", files(map[string]string{".roundtable/login.json": "{\"form\":"}), ".roundtable/login.json is damaged"},
		{"a record of a newer version", files(map[string]string{".roundtable/login.json": "{\"form\": 3}"}), "a newer version"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			tt.lay(t, dir)
			s := open(t, dir)
			before := tree(t, dir)
			item, err := s.ReadItem(t.Context(), login)
			if err == nil {
				w := engine.ItemWrite{Version: item.Version, Key: "k", Files: map[string][]byte{"a.md": []byte("ours"), "adrs/1.md": nil}, Meta: []byte("{}")}
				err = s.WriteItem(t.Context(), login, w)
			}
			if !errors.Is(err, engine.ErrBarred) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want ErrBarred with %q", err, tt.want)
			}
			if diff := cmp.Diff(before, tree(t, dir)); diff != "" {
				t.Errorf("something was written (-before +after):\n%s", diff)
			}
		})
	}
	if got, err := os.ReadFile(outside); err != nil || string(got) != "not ours" {
		t.Errorf("I12: the file outside holds %q, %v", got, err)
	}
}

// A change that was left half-way is not completed through a link, and a record that
// somebody made up leads nowhere (I12).
func TestPendingThatLeaves(t *testing.T) {
	record := func(name, staged string) string {
		return `{"form": 1, "team": "T1", "channel": "C1", "slug": "login", "pending": {"key": "k", "result": null, "files": [{"name": "` + name + `", "was": "", "now": "x", "staged": "` + staged + `"}]}}`
	}
	for _, tt := range []struct{ name, file, staged, want string }{
		{"through a link", "adrs/x.md", "0", "login is a symbolic link"},
		{"a name that leaves", "../other/x.md", "0", "damaged"},
		{"a name that is hidden", ".git/config", "0", "damaged"},
		{"a staged file from elsewhere", "x.md", "../other.json", "damaged"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			lay(t, dir, map[string]string{
				"other/a.md": "a", "other/adrs/b.md": "b", ".roundtable/login.json": record(tt.file, tt.staged), ".roundtable/login.staged/0": "ours", ".roundtable/other.json": "{}",
			})
			if err := os.Symlink("other", filepath.Join(dir, "login")); err != nil {
				t.Fatal(err)
			}
			s := open(t, dir)
			if _, err := s.ReadItem(t.Context(), login); !errors.Is(err, engine.ErrBarred) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want ErrBarred with %q", err, tt.want)
			}
			if diff := cmp.Diff(map[string]string{"other/a.md": "a", "other/adrs/b.md": "b"}, tree(t, dir)); diff != "" {
				t.Errorf("something was written (-before +after):\n%s", diff)
			}
		})
	}
}

// TestNamesThatLeave shows I12: no name of an item or an artifact is a path.
func TestNamesThatLeave(t *testing.T) {
	s := open(t, t.TempDir())
	for _, ref := range []engine.ItemRef{
		{Team: "T1", Channel: "C1"}, {Team: "T1", Channel: "C1", Slug: ".."}, {Team: "T1", Channel: "C1", Slug: "../x"}, {Team: "T1", Channel: "C1", Slug: ".roundtable"},
		{Team: "T1", Channel: "../C1", Slug: "x"}, {Team: "", Channel: "C1", Slug: "x"}, {Team: "T1", Channel: "C1", Slug: "a/b"}, {Team: "T1", Channel: "C1", Slug: "X"},
	} {
		if _, err := s.ReadItem(t.Context(), ref); err == nil {
			t.Errorf("%v was read", ref)
		}
		if err := s.WriteItem(t.Context(), ref, engine.ItemWrite{Meta: []byte("{}")}); err == nil {
			t.Errorf("%v was written", ref)
		}
		if err := s.HideItem(t.Context(), ref, "F1"); err == nil {
			t.Errorf("%v was forgotten", ref)
		}
	}
	for _, name := range []string{"../a.md", "/a.md", "a/../../b.md", ".git/config", "meta.json", "a/b/c.md", ""} {
		if err := s.WriteItem(t.Context(), login, engine.ItemWrite{Files: map[string][]byte{name: nil}}); err == nil {
			t.Errorf("artifact %q was written", name)
		}
	}
}

// Two processes of one host that add to one item at once lose nothing of each other
// (NFR-004). Each has a lock file of its own open, as two replicas do.
func TestReplicas(t *testing.T) {
	const each = 25
	dir := t.TempDir()
	replicas := []*checkout.Store{open(t, dir), open(t, dir)}
	var all sync.WaitGroup
	for i, s := range replicas {
		for n := range each {
			all.Go(func() {
				line := fmt.Sprintf("%d/%d\n", i, n)
				for {
					item, err := s.ReadItem(t.Context(), login)
					if err == nil {
						w := engine.ItemWrite{Version: item.Version, Key: line, Files: map[string][]byte{"a.md": append(item.Files["a.md"], line...)}}
						err = s.WriteItem(t.Context(), login, w)
					}
					if err == nil {
						return
					}
					if !errors.Is(err, engine.ErrConflict) {
						t.Error(err)
						return
					}
				}
			})
		}
	}
	all.Wait()
	lines := strings.Fields(string(read(t, replicas[0], login).Files["a.md"]))
	slices.Sort(lines)
	if got := len(slices.Compact(lines)); got != each*len(replicas) {
		t.Errorf("%d lines are there, want %d", got, each*len(replicas))
	}
}

// A person's permissions stay on a file that is replaced.
func TestPermissionsStay(t *testing.T) {
	dir := t.TempDir()
	lay(t, dir, map[string]string{"login/a.md": "a"})
	if err := os.Chmod(filepath.Join(dir, "login", "a.md"), 0o660); err != nil {
		t.Fatal(err)
	}
	s := open(t, dir)
	w := engine.ItemWrite{Version: read(t, s, login).Version, Files: map[string][]byte{"a.md": []byte("b")}}
	if err := s.WriteItem(t.Context(), login, w); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(filepath.Join(dir, "login", "a.md")); err != nil || info.Mode().Perm() != 0o660 {
		t.Errorf("got %v, %v, want 0660", info.Mode(), err)
	}
}

// What is forgotten is out of sight while its files stay where they are, comes back byte for
// byte, and in the end takes what is the item's along and nothing else (FR-110).
func TestForget(t *testing.T) {
	dir := t.TempDir()
	lay(t, dir, map[string]string{"login/a.md": "a", "login/adrs/1.md": "x", "login/deep/er/b.md": "b", "other/a.md": "o"})
	s := open(t, dir)
	if err := s.HideItem(t.Context(), login, "F1"); !errors.Is(err, engine.ErrNotFound) {
		t.Errorf("nobody's folder: got %v, want ErrNotFound", err)
	}
	if err := s.WriteItem(t.Context(), login, engine.ItemWrite{Version: read(t, s, login).Version, Key: "d1", Meta: []byte("{}"), Opener: "U1"}); err != nil {
		t.Fatal(err)
	}
	was, files := read(t, s, login), tree(t, dir)
	for range 2 {
		if err := s.HideItem(t.Context(), login, "F1"); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.HideItem(t.Context(), login, "F2"); !errors.Is(err, engine.ErrNotFound) {
		t.Errorf("forgotten already: got %v, want ErrNotFound", err)
	}
	if slugs, err := s.ListItems(t.Context(), login.Team, login.Channel); err != nil || len(slugs) != 0 {
		t.Errorf("ListItems = %v, %v, want none", slugs, err)
	}
	if item := read(t, s, login); !item.Hidden {
		t.Errorf("the item is not hidden: %+v", item)
	}
	if diff := cmp.Diff(files, tree(t, dir)); diff != "" {
		t.Errorf("hiding changed the files (-want +got):\n%s", diff)
	}
	if err := errors.Join(s.RestoreItem(t.Context(), login, "F2"), s.RemoveItem(t.Context(), login, "F2")); err != nil {
		t.Fatal(err)
	}
	if item := read(t, s, login); !item.Hidden {
		t.Error("another forgetting brought it back")
	}
	if err := s.RestoreItem(t.Context(), login, "F1"); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(was, read(t, s, login)); diff != "" {
		t.Errorf("it came back otherwise (-want +got):\n%s", diff)
	}
	if err := s.HideItem(t.Context(), login, "F1"); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := s.RemoveItem(t.Context(), login, "F1"); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(map[string]string{"login/deep/er/b.md": "b", "other/a.md": "o"}, tree(t, dir)); diff != "" {
		t.Errorf("what is left (-want +got):\n%s", diff)
	}
	if left, err := filepath.Glob(filepath.Join(dir, ".roundtable", "login*")); err != nil || len(left) != 0 {
		t.Errorf("the records still know of it: %v, %v", left, err)
	}
	if item := read(t, s, login); item.Version != 0 {
		t.Errorf("the item is still there: %+v", item)
	}
}

// What somebody edits, adds or links after an item was forgotten is theirs: it is not
// removed with it, and nothing beside the item is (NFR-004).
func TestForgetLeavesWhatWasEditedSince(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	w := engine.ItemWrite{Key: "d1", Meta: []byte("{}"), Files: map[string][]byte{"a.md": []byte("a"), "b.md": []byte("b"), "adrs/1.md": []byte("x")}}
	if err := s.WriteItem(t.Context(), login, w); err != nil {
		t.Fatal(err)
	}
	if err := s.HideItem(t.Context(), login, "F1"); err != nil {
		t.Fatal(err)
	}
	lay(t, dir, map[string]string{"login/a.md": "mine", "login/new.md": "n", "other/1.md": "x"})
	if err := errors.Join(os.RemoveAll(filepath.Join(dir, "login", "adrs")), os.Symlink("../other", filepath.Join(dir, "login", "adrs"))); err != nil {
		t.Fatal(err)
	}
	if err := s.RemoveItem(t.Context(), login, "F1"); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, "login", "adrs")); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"login/a.md": "mine", "login/new.md": "n", "other/1.md": "x"}, tree(t, dir)); diff != "" {
		t.Errorf("what is left (-want +got):\n%s", diff)
	}
}

// A record of a forgotten item is of a form that older versions refuse: they would show it.
// One of an item that is there again is not.
func TestForgottenRecordIsOfANewerForm(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	if err := s.WriteItem(t.Context(), login, engine.ItemWrite{Key: "d1", Meta: []byte("{}")}); err != nil {
		t.Fatal(err)
	}
	form := func(want string) {
		t.Helper()
		if b, err := os.ReadFile(filepath.Join(dir, ".roundtable", "login.json")); err != nil || !strings.Contains(string(b), `"form": `+want) {
			t.Errorf("the record is %s, %v, want form %s", b, err, want)
		}
	}
	form("1")
	if err := s.HideItem(t.Context(), login, "F1"); err != nil {
		t.Fatal(err)
	}
	form("2")
	if err := s.RestoreItem(t.Context(), login, "F1"); err != nil {
		t.Fatal(err)
	}
	form("1")
}

// Somebody who has Git clear away what it does not know takes the records along:
// the documents stay, and the folder is nobody's again.
func TestRecordsClearedAway(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	if err := s.WriteItem(t.Context(), login, engine.ItemWrite{Key: "d1", Files: map[string][]byte{"a.md": []byte("a")}}); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(dir, ".roundtable")); err != nil {
		t.Fatal(err)
	}
	item := read(t, s, login)
	if string(item.Files["a.md"]) != "a" || len(item.Applied) != 0 {
		t.Errorf("got %+v", item)
	}
	if err := s.WriteItem(t.Context(), login, engine.ItemWrite{Version: item.Version, Key: "d2", Files: map[string][]byte{"a.md": []byte("ab")}}); err != nil {
		t.Error(err)
	}
	if ignored, err := os.ReadFile(filepath.Join(dir, ".roundtable", ".gitignore")); err != nil || string(ignored) != "*\n" {
		t.Errorf("Git is told to ignore %q of the new records, %v", ignored, err)
	}
}

func TestOpenRefuses(t *testing.T) {
	dir := t.TempDir()
	lay(t, dir, map[string]string{"file": "", "taken/.roundtable": ""})
	if err := errors.Join(os.Mkdir(filepath.Join(dir, "linked"), 0o755), os.Symlink("../elsewhere", filepath.Join(dir, "linked", ".roundtable"))); err != nil {
		t.Fatal(err)
	}
	for at, want := range map[string]string{"nowhere": "no such file", "file": "not a directory", "taken": ".roundtable is a file, not a folder", "linked": ".roundtable is a symbolic link"} {
		if _, err := checkout.Open(t.Context(), checkout.Options{Dir: filepath.Join(dir, at)}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", at, err, want)
		}
	}
}
