package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/roundtable-chat/app/roundtable/document"
	"github.com/roundtable-chat/app/storage/storagetest"
)

// foreignItem is an item as another tool that writes the same format left it: its folder's
// name is its slug, it stands in the middle of phase 01, and people added fields and
// columns of their own (FR-009, AC-010-06).
const foreignItem = "gh-21-elaboration-mode-multi-persona-roundtable-discussions"

func foreignFolder(t testing.TB) map[string]string {
	t.Helper()
	return readTree(t, filepath.Join("testdata", "foreign", foreignItem))
}

// kept reports whether every byte of old is still in text, in order (I8).
func kept(old, text string) bool {
	i := 0
	for k := 0; k < len(text) && i < len(old); k++ {
		if text[k] == old[i] {
			i++
		}
	}
	return i == len(old)
}

// Items move between Redis and a directory, and out of either, without loss. Redis
// is not needed to work on a directory (FR-008, I8).
func TestItemsMove(t *testing.T) {
	s := storagetest.Mini(t)
	folder := t.TempDir()
	in, artifacts := filepath.Join(folder, "in"), filepath.Join(folder, "docs")
	at := func(name string) string { return filepath.Join(folder, name) }
	for i, files := range []map[string]string{awkward, foreignFolder(t)} {
		item := []string{"T1/C1/awkward", "T1/C1/" + foreignItem}[i]
		from, out := in+item[len(item)-2:], at("out"+item[len(item)-2:])
		writeTree(t, from, files)
		writeTree(t, artifacts, map[string]string{"README.md": "ours"})
		for _, step := range []struct {
			url  string
			args []string
		}{
			{"", []string{"import", "--artifacts", artifacts, from, item}},
			{"", []string{"export", "--artifacts", artifacts, item, out + "1"}},
			{s.URL, []string{"import", out + "1", item}},
			{s.URL, []string{"export", item, out + "2"}},
		} {
			if got := runWith(step.url, step.args...); got.code != 0 {
				t.Fatalf("%v: %s", step.args, got.err)
			}
		}
		slug := strings.TrimPrefix(item, "T1/C1/")
		for what, got := range map[string]map[string]string{
			"in the directory": readTree(t, filepath.Join(artifacts, slug)), "from the directory": readTree(t, out+"1"), "through Redis": readTree(t, out+"2"),
		} {
			if diff := cmp.Diff(files, got); diff != "" {
				t.Errorf("%s, %s (-in +out):\n%s", slug, what, diff)
			}
		}
		if got := runWith("", "import", "--artifacts", artifacts, from, item); got.code != exitFailure || !strings.Contains(got.err, "already exists; nothing was changed") {
			t.Errorf("imported again: got %+v", got)
		}
	}
	if got, want := runWith("", "items", "--artifacts", artifacts, "T1/C1"), (ran{0, "T1/C1/awkward\nT1/C1/" + foreignItem + "\n", ""}); got != want {
		t.Errorf("items: got %+v, want %+v", got, want)
	}
	if got := runWith("", "items", "T1/C1"); got.code != exitUsage || !strings.Contains(got.err, "REDIS_URL and --artifacts are both missing") {
		t.Errorf("neither store: got %+v", got)
	}
	if got := runWith("", "items", "--artifacts", at("nowhere"), "T1/C1"); got.code != exitFailure || !strings.Contains(got.err, "--artifacts: open the directory of artifacts") {
		t.Errorf("no directory: got %+v", got)
	}
}

// TestForeignFolderGoesOn takes up the analysis of a folder that another tool made,
// where it stands in the checkout: the greeting knows what was done and discussed,
// the next step is gone through and recorded, and nothing that was there is lost
// (AC-009-02, AC-009-03, AC-011-02, I8). Exported and imported elsewhere it is the
// same.
func TestForeignFolderGoesOn(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	artifacts := filepath.Join(folder, "docs", "requirements")
	was := foreignFolder(t)
	writeTree(t, filepath.Join(artifacts, foreignItem), was)
	p := start(t, folder, nil, "demo", "--artifacts", artifacts, "--address", "127.0.0.1:0", "--pace", "50ms", "--gather", "200ms")
	w := demoWorkspace(t, p, "")
	d := person{w, priya, product}.openBy("analyze "+foreignItem, foreignItem)
	greeting := d.until("", "the greeting", containing("Welcome back"))
	if !strings.Contains(greeting.Text, "3 additional acceptance criteria for offline sync") {
		t.Errorf("the greeting does not recall the elaboration: %s", greeting.Text)
	}
	d.until("", "the step begins", containing("Step 01-04"))
	last := greeting.TS
	for range 12 {
		m := d.until(last, "a question or the menu", func(m message) bool {
			return containing("[C]")(m) || spoken(m) && (strings.HasSuffix(strings.TrimSpace(m.Text), "?") || strings.Contains(m.Text, "still open"))
		})
		if containing("[C]")(m) {
			break
		}
		text := "It is a Go service with Redis on Kubernetes, and Slack is the only integration."
		if strings.Contains(m.Text, "still open") {
			text = "done"
		}
		last = d.say(text)
	}
	d.until("", "the menu", containing("[C]"))
	if got := p.terminate(); got != 0 {
		t.Errorf("exit code %d after SIGTERM, want 0:\n%s", got, &p.output)
	}
	p.calm()

	now := readTree(t, filepath.Join(artifacts, foreignItem))
	for name, old := range was {
		if name == document.MetaName || name == "requirements-spec.md" {
			if !kept(old, now[name]) {
				t.Errorf("I8: %s lost something:\n%s", name, now[name])
			}
		} else if now[name] != old {
			t.Errorf("%s is no artifact of the step and became\n%s", name, now[name])
		}
	}
	if spec := now["requirements-spec.md"]; !strings.Contains(spec, "<!-- Elaboration: step 01-04") || !strings.Contains(spec, "Kubernetes") {
		t.Errorf("the step is not in the spec:\n%s", spec)
	}
	want := strings.Replace(was["meta.json"], `"01-02", "01-03"]`, `"01-02", "01-03", "01-04"]`, 1)
	if diff := cmp.Diff(want, now["meta.json"]); diff != "" {
		t.Errorf("meta.json, which should have one step more and nothing else (-want +got):\n%s", diff)
	}

	item, out := "T0ROUND01/"+product+"/"+foreignItem, filepath.Join(folder, "out")
	if got := runWith("", "export", "--artifacts", artifacts, item, out); got.code != 0 {
		t.Fatal(got.err)
	}
	if got := runWith("", "import", "--artifacts", artifacts, out, "T0ROUND01/C0RANDOM1/copy"); got.code != 0 {
		t.Fatal(got.err)
	}
	for what, at := range map[string]string{"exported": out, "imported": filepath.Join(artifacts, "copy")} {
		if diff := cmp.Diff(now, readTree(t, at)); diff != "" {
			t.Errorf("%s, it is another (-item +copy):\n%s", what, diff)
		}
	}
}

// A discussion leaves its results in the directory. Asked to forget the item, Roundtable
// puts it out of sight and leaves the files where they are for as long as it can be taken
// back; taken back, it is there as it was (FR-110).
func TestDiscussionInADirectory(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	artifacts := filepath.Join(folder, "docs")
	writeTree(t, artifacts, map[string]string{"README.md": "ours"})
	p := start(t, folder, nil, "demo", "--artifacts", artifacts, "--address", "127.0.0.1:0", "--pace", "50ms", "--gather", "200ms")
	w := demoWorkspace(t, p, "")
	d := person{w, priya, product}.open("offline mode for notes")
	opening(t, d)
	said := d.say("Decision: notes are kept for thirty days")
	d.until(said, "somebody reacts", spoken)
	d.until(d.say("done"), "the menu is back", containing(menu))
	now := readTree(t, filepath.Join(artifacts, "offline-mode-for-notes"))
	if !strings.Contains(now["elaboration-notes.md"], "thirty days") || !strings.Contains(now["meta.json"], `"step_id": "00-00"`) {
		t.Errorf("the folder holds %v", now)
	}
	stands := func(text string) {
		t.Helper()
		eventually(t, text, func() string { return d.transcript("") }, func() bool { return strings.Contains(d.transcript(""), text) })
		if diff := cmp.Diff(now, readTree(t, filepath.Join(artifacts, "offline-mode-for-notes"))); diff != "" {
			t.Errorf("the folder is another (-was +is):\n%s", diff)
		}
	}
	d.command("forget offline-mode-for-notes for good")
	stands("one document and one discussion are out of sight now")
	d.command("keep offline-mode-for-notes")
	stands("Priya Nair took it back")
	if got := p.terminate(); got != 0 {
		t.Errorf("exit code %d after SIGTERM, want 0:\n%s", got, &p.output)
	}
	p.calm()
	if left := readTree(t, artifacts); left["README.md"] != "ours" {
		t.Error("what is not ours was changed")
	}
}
