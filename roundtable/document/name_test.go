package document

import (
	"errors"
	"regexp"
	"strings"
	"testing"
)

var slugForm = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,63}$`)

func TestSlug(t *testing.T) {
	tests := []struct{ title, want string }{
		{"Offline mode", "offline-mode"},
		{"  GH-21: Elaboration Mode! ", "gh-21-elaboration-mode"},
		{"Überblick & Straße", "uberblick-and-strasse"},
		{"Łódź œuvre Ærø", "lodz-oeuvre-aero"},
		{"don't panic", "dont-panic"},
		{"../../etc/passwd", "etc-passwd"},
		{"日本 API", "api"},
		{"", "item"},
		{" \n", "item"},
		{strings.Repeat("word ", 20), "word-word-word-word-word-word-word-word-word-word-word-word-word"},
		{strings.Repeat("x", 80), strings.Repeat("x", 64)},
		{strings.Repeat("x", 63) + " y", strings.Repeat("x", 63)},
	}
	for _, tt := range tests {
		got := Slug(tt.title)
		if got != tt.want || !slugForm.MatchString(got) {
			t.Errorf("Slug(%q) = %q, want %q", tt.title, got, tt.want)
		}
	}
	a, b := Slug("概要"), Slug("設計")
	if a == b || !slugForm.MatchString(a) || a != Slug(" 概要 ") {
		t.Errorf("slugs without Latin letters: %q and %q, want two stable ones", a, b)
	}
}

// TestCheckArtifactName shows I12: no name leaves its item's folder.
func TestCheckArtifactName(t *testing.T) {
	tests := []struct {
		name string
		ok   bool
	}{
		{"requirements-spec.md", true},
		{"adrs/0001-cache.md", true},
		{"Über blick.md", true},
		{"user-stories.json.elaborations.md", true},
		{"nested/meta.json", true},
		{"communication.md", true},
		{"", false},
		{".", false},
		{"..", false},
		{"../x.md", false},
		{"a/../b.md", false},
		{"/etc/passwd", false},
		{"a//b.md", false},
		{"a/b/c.md", false},
		{"a/", false},
		{`a\b.md`, false},
		{"C:x.md", false},
		{".git/config", false},
		{"a/.hidden", false},
		{"x.", false},
		{"x ", false},
		{" x", false},
		{"a\x00b", false},
		{"a\nb.md", false},
		{"a\u202Eb.md", false},
		{"a\u2028b.md", false},
		{"\xff.md", false},
		{"meta.json", false},
		{"META.JSON", false},
		{"con.md", false},
		{"adrs/LPT1", false},
		{"what?.md", false},
		{strings.Repeat("x", 161), false},
	}
	for _, tt := range tests {
		err := CheckArtifactName(tt.name)
		if (err == nil) != tt.ok {
			t.Errorf("CheckArtifactName(%q) = %v, want ok %v", tt.name, err, tt.ok)
		}
		if err != nil && !errors.Is(err, ErrArtifactName) {
			t.Errorf("CheckArtifactName(%q) = %v, which is no ErrArtifactName", tt.name, err)
		}
	}
}
