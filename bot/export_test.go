package bot

import (
	"archive/zip"
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/roundtable-chat/app/roundtable/engine"
)

func TestPack(t *testing.T) {
	item := engine.Item{Files: map[string][]byte{"b.md": []byte("bee"), "a.md": []byte("ay\r\n")}, Meta: []byte("{}")}
	first, err := pack("sso", item)
	if err != nil {
		t.Fatal(err)
	}
	z, err := zip.NewReader(bytes.NewReader(first), int64(len(first)))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, f.Name+"="+string(body))
	}
	if diff := cmp.Diff([]string{"sso/a.md=ay\r\n", "sso/b.md=bee", "sso/meta.json={}"}, got); diff != "" {
		t.Errorf("I8 (-want +got):\n%s", diff)
	}
	if second, err := pack("sso", item); err != nil || !bytes.Equal(first, second) {
		t.Errorf("packed twice, it differs (%v)", err)
	}
}

func TestPackRefusesNamesThatLeave_I12(t *testing.T) {
	for _, name := range []string{"", "/etc/passwd", "../x", "a/../../x", `a\..\b`, "a//b", ".", "C:x", "a\x00b", "x/./y", "\u202egpj.exe"} {
		if _, err := pack("sso", engine.Item{Files: map[string][]byte{name: nil}}); err == nil {
			t.Errorf("%q was packed", name)
		}
	}
}

func TestItemNamed(t *testing.T) {
	b := &Bot{opts: Options{Slug: func(s string) string { return strings.ReplaceAll(strings.ToLower(s), " ", "-") }}}
	slugs := []string{"offline-mode", "release_2024"}
	for _, c := range []struct {
		words, want string
	}{
		{"offline-mode", "offline-mode"},
		{"Offline Mode", "offline-mode"},
		{"Release_2024", "release_2024"},
		{"offline", ""},
		{"", ""},
	} {
		if got, ok := b.itemNamed(slugs, c.words); got != c.want || ok != (c.want != "") {
			t.Errorf("%q: got %q, %v, want %q", c.words, got, ok, c.want)
		}
	}
}
