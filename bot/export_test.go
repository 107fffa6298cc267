package bot

import (
	"archive/zip"
	"bytes"
	"io"
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

func TestSlugs(t *testing.T) {
	for _, c := range []struct{ topic, want string }{
		{"How do we roll out SSO?", "how-do-we-roll-out-sso-ref456"},
		{"日本語", "topic-ref456"},
		{"../../etc", "etc-ref456"},
		{"-- a  b --", "a-b-ref456"},
	} {
		if got := slug(c.topic, "DABCREF456"); got != c.want || !itemSlug.MatchString(got) {
			t.Errorf("slug(%q): got %q, want %q", c.topic, got, c.want)
		}
	}
}
