package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/storage"
	"github.com/roundtable-chat/app/storage/storagetest"
)

// ran is what running a command gave.
type ran struct {
	code     int
	out, err string
}

// runWith runs a command inside the test, with a Redis if url is not empty.
func runWith(url string, args ...string) ran {
	var out, errs bytes.Buffer
	env := map[string]string{"REDIS_URL": url}
	s := streams{in: strings.NewReader(""), out: &out, err: &errs, environ: func(k string) (string, bool) { v, ok := env[k]; return v, ok }}
	code := run(context.Background(), s, args)
	return ran{code, out.String(), errs.String()}
}

// writeTree writes files by their paths.
func writeTree(t testing.TB, folder string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// awkward are documents that are easily damaged on their way (NFR-004, I8).
var awkward = map[string]string{
	"elaboration-notes.md":   "# Notes\r\n\r\nwith CRLF\r\nand a lone \n and \r",
	"requirements-spec.md":   "no final newline",
	"empty.md":               "",
	"adrs/0001-cache.md":     "# ADR\n",
	"bytes.csv":              "\x00\xff\xfe\xef\xbb\xbf\x80,\x1a\n",
	"naïve ünïcode – 日本.md":  "日本語\n",
	"user-stories.json":      "{\"b\":1,\n \"a\":2}",
	"traceability-matrix.md": strings.Repeat("a line\n", 20_000),
	"meta.json":              "{\r\n  \"zz_unknown\": [1,2 , 3],\n  \"title\": \"X\",  \"elaborations\": []\n}",
}

func TestItemsRoundTrip(t *testing.T) {
	storagetest.EachServer(t, func(t *testing.T, s *storagetest.Server) {
		folder := t.TempDir()
		in, out := filepath.Join(folder, "in"), filepath.Join(folder, "out")
		writeTree(t, in, awkward)
		if got, want := runWith(s.URL, "import", in, "T1/C1/offline-mode"), (ran{0, "8 artifacts read from " + in + "\n", ""}); got != want {
			t.Fatalf("import: got %+v, want %+v", got, want)
		}
		if got, want := runWith(s.URL, "items", "T1/C1"), (ran{0, "T1/C1/offline-mode\n", ""}); got != want {
			t.Errorf("items: got %+v, want %+v", got, want)
		}
		if got, want := runWith(s.URL, "items", "T1/C2"), (ran{}); got != want {
			t.Errorf("items of another channel: got %+v, want %+v", got, want)
		}
		if got, want := runWith(s.URL, "export", "T1/C1/offline-mode", out), (ran{0, "9 files written to " + out + "\n", ""}); got != want {
			t.Fatalf("export: got %+v, want %+v", got, want)
		}
		if diff := cmp.Diff(awkward, readTree(t, out)); diff != "" {
			t.Errorf("(-in +out)\n%s", diff)
		}
	})
}

func TestItemsWithoutMeta(t *testing.T) {
	s := storagetest.Mini(t)
	folder := t.TempDir()
	files := map[string]string{"quick-scan.md": "x"}
	writeTree(t, filepath.Join(folder, "in"), files)
	runWith(s.URL, "import", filepath.Join(folder, "in"), "T1/C1/a")
	runWith(s.URL, "export", "T1/C1/a", filepath.Join(folder, "out"))
	if diff := cmp.Diff(files, readTree(t, filepath.Join(folder, "out"))); diff != "" {
		t.Errorf("(-in +out)\n%s", diff)
	}
}

// TestImportRefuses wants nothing to be written when anything is wrong, and
// everything that is wrong to be named (I8, I12).
func TestImportRefuses(t *testing.T) {
	s := storagetest.Mini(t)
	tests := []struct {
		name  string
		files map[string]string
		extra func(t *testing.T, in string)
		want  []string
	}{
		{"corrupt meta.json", map[string]string{"meta.json": "{\"title\": ", "a.md": "x"}, nil, []string{"import: meta.json: "}},
		{"an empty folder", nil, nil, []string{" is empty"}},
		{"several at once", map[string]string{".hidden": "x", "a/b/c.md": "x", "con.md": "x", "ok.md": "x", "META.json": "{}"}, nil,
			[]string{`.hidden`, "more than one folder level", "reserved device name", "meta.json is the item's own state"}},
		{"a link to a file", map[string]string{"a.md": "x"}, func(t *testing.T, in string) { link(t, "/etc/hostname", filepath.Join(in, "l.md")) }, []string{"import: l.md: not a regular file"}},
		{"a link to a folder", map[string]string{"a.md": "x"}, func(t *testing.T, in string) { link(t, "..", filepath.Join(in, "adrs")) }, []string{"import: adrs: not a regular file"}},
	}
	for i, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			in := t.TempDir()
			writeTree(t, in, tt.files)
			if tt.extra != nil {
				tt.extra(t, in)
			}
			got := runWith(s.URL, "import", in, fmt.Sprintf("T1/C1/item-%d", i))
			if got.code != exitFailure || got.out != "" {
				t.Errorf("got exit code %d and %q, want %d and nothing", got.code, got.out, exitFailure)
			}
			for _, want := range tt.want {
				if !strings.Contains(got.err, want) {
					t.Errorf("%q is missing in\n%s", want, got.err)
				}
			}
		})
	}
	if got := runWith(s.URL, "items", "T1/C1"); got.out != "" {
		t.Errorf("something was written: %s", got.out)
	}
	if got := runWith(s.URL, "import", filepath.Join(t.TempDir(), "nowhere"), "T1/C1/x"); got.code != exitFailure || !strings.Contains(got.err, "no such file") {
		t.Errorf("a folder that is not there: got %+v", got)
	}
}

func link(t *testing.T, to, name string) {
	t.Helper()
	if err := os.Symlink(to, name); err != nil {
		t.Fatal(err)
	}
}

// TestImportNeverOverwrites imports onto items that exist, one of them with a
// meta.json that cannot be read (I8).
func TestImportNeverOverwrites(t *testing.T) {
	s := storagetest.Mini(t)
	store := storagetest.Open(t, s, storage.Options{})
	corrupt := engine.ItemRef{Team: "T1", Channel: "C1", Slug: "corrupt"}
	if err := store.WriteItem(context.Background(), corrupt, engine.ItemWrite{Key: "k", Meta: []byte("{broken"), Files: map[string][]byte{"a.md": []byte("old")}}); err != nil {
		t.Fatal(err)
	}
	first, second := t.TempDir(), t.TempDir()
	writeTree(t, first, map[string]string{"a.md": "first"})
	writeTree(t, second, map[string]string{"a.md": "second"})
	if got := runWith(s.URL, "import", first, "T1/C1/x"); got.code != 0 {
		t.Fatal(got.err)
	}
	for _, tt := range []struct{ item, want string }{{"x", "first"}, {"corrupt", "old"}} {
		for range 2 {
			got := runWith(s.URL, "import", second, "T1/C1/"+tt.item)
			if got.code != exitFailure || !strings.Contains(got.err, "already exists; nothing was changed") {
				t.Errorf("%s: got %+v, want a refusal", tt.item, got)
			}
		}
		out := filepath.Join(t.TempDir(), "out")
		if got := runWith(s.URL, "export", "T1/C1/"+tt.item, out); got.code != 0 {
			t.Fatal(got.err)
		}
		if got := readTree(t, out)["a.md"]; got != tt.want {
			t.Errorf("%s holds %q, want %q", tt.item, got, tt.want)
		}
	}
}

func TestExportRefuses(t *testing.T) {
	s := storagetest.Mini(t)
	store := storagetest.Open(t, s, storage.Options{})
	ctx := context.Background()
	for slug, file := range map[string]string{"good": "a.md", "bad": "../escape.md"} {
		if err := store.WriteItem(ctx, engine.ItemRef{Team: "T1", Channel: "C1", Slug: slug}, engine.ItemWrite{Key: "k", Files: map[string][]byte{file: []byte("x")}}); err != nil {
			t.Fatal(err)
		}
	}
	folder := t.TempDir()
	link(t, "elsewhere", filepath.Join(folder, "dangling"))
	tests := []struct {
		name, item, to, want string
		code                 int
	}{
		{"a folder that exists", "T1/C1/good", folder, "file exists", exitFailure},
		{"a link that leads nowhere", "T1/C1/good", filepath.Join(folder, "dangling"), "file exists", exitFailure},
		{"no folder above it", "T1/C1/good", filepath.Join(folder, "a", "b"), "no such file", exitFailure},
		{"an item that is not there", "T1/C1/nothing", filepath.Join(folder, "n"), "roundtable items T1/C1 lists", exitFailure},
		{"another channel's item", "T1/C2/good", filepath.Join(folder, "n"), "there is no item", exitFailure},
		{"I12: a name that leads out", "T1/C1/bad", filepath.Join(folder, "bad"), "not an artifact name", exitFailure},
		{"no item's name", "T1/C1/Offline Mode", filepath.Join(folder, "n"), `try "offline-mode"`, exitUsage},
		{"two parts", "C1/good", filepath.Join(folder, "n"), "expected TEAM/CHANNEL/ITEM", exitUsage},
		{"an empty part", "T1//good", filepath.Join(folder, "n"), "expected TEAM/CHANNEL/ITEM", exitUsage},
		{"path tricks", "T1/C1/..", filepath.Join(folder, "n"), "is not the name of an item", exitUsage},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := runWith(s.URL, "export", tt.item, tt.to)
			if got.code != tt.code || !strings.Contains(got.err, tt.want) || got.out != "" {
				t.Errorf("got %+v, want exit code %d and %q", got, tt.code, tt.want)
			}
		})
	}
	left, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	if len(left) != 1 || left[0].Name() != "dangling" {
		t.Errorf("got %v, want that only the link is there and failed exports left nothing behind", left)
	}
}

// TestImportTakesWhatAnItemMayHold refuses a folder with too many files before anything
// is written, by Redis and in a directory alike, so that nothing of it is listed, and
// takes one that is just full back and forth.
func TestImportTakesWhatAnItemMayHold(t *testing.T) {
	full := map[string]string{"meta.json": "{}"}
	for i := range engine.MaxArtifacts {
		full[fmt.Sprintf("%04d.md", i)] = "x"
	}
	folder := t.TempDir()
	writeTree(t, filepath.Join(folder, "full"), full)
	writeTree(t, filepath.Join(folder, "more"), full)
	for i := range 4 * engine.MaxArtifacts {
		writeTree(t, filepath.Join(folder, "more"), map[string]string{fmt.Sprintf("more-%04d.md", i): "x"})
	}
	writeTree(t, filepath.Join(folder, "long"), map[string]string{"long.md": strings.Repeat("x", engine.MaxArtifactBytes+1), "other.md": "x"})
	for name, where := range map[string]struct {
		url  string
		args []string
	}{
		"Redis":       {url: storagetest.Redis(t).URL},
		"a directory": {args: []string{"--artifacts", t.TempDir()}},
	} {
		t.Run(name, func(t *testing.T) {
			command := func(args ...string) ran {
				return runWith(where.url, append(args[:1:1], append(where.args, args[1:]...)...)...)
			}
			for from, want := range map[string]string{"more": "holds more than 1000 files", "long": "long.md has more than 1048576 bytes"} {
				if got := command("import", filepath.Join(folder, from), "T1/C1/"+from); got.code != 1 || !strings.Contains(got.err, want) {
					t.Errorf("%s: got %+v, want %q", from, got, want)
				}
			}
			if got := command("items", "T1/C1"); got.code != 0 || got.out != "" {
				t.Errorf("after what was refused there is listed: %+v", got)
			}
			if got := command("import", filepath.Join(folder, "full"), "T1/C1/full"); got.code != 0 || !strings.Contains(got.out, "1000 artifacts read") {
				t.Fatalf("a full item: %+v", got)
			}
			if got := command("export", "T1/C1/full", filepath.Join(folder, "back-"+name)); got.code != 0 || !strings.Contains(got.out, "1001 files") {
				t.Fatalf("a full item again: %+v", got)
			}
		})
	}
}

// TestImportReadsNoMoreThanItMay has a folder with files that claim to be huge and hold
// nothing: of each no more is read than an artifact may have.
func TestImportReadsNoMoreThanItMay(t *testing.T) {
	folder := t.TempDir()
	for _, name := range []string{"sparse.md", "meta.json"} {
		if err := os.WriteFile(filepath.Join(folder, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(filepath.Join(folder, name), 3<<30); err != nil {
			t.Fatal(err)
		}
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := readFolder(folder)
	runtime.ReadMemStats(&after)
	for _, name := range []string{"sparse.md", "meta.json"} {
		if !errors.Is(err, engine.ErrTooLarge) || !strings.Contains(err.Error(), name+" has more than") {
			t.Errorf("got %v, want %s refused", err, name)
		}
	}
	// Reading to a bound allocates some times the bound while the buffer grows.
	if took := after.TotalAlloc - before.TotalAlloc; took > 32*engine.MaxArtifactBytes {
		t.Errorf("%d bytes were allocated", took)
	}
}
