package engine

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
)

// TestPrivateNamesAreAliasesInLogs shows that a name that people chose is told to who
// reads an error and not to who reads a log (I11), however the error was wrapped.
func TestPrivateNamesAreAliasesInLogs(t *testing.T) {
	ref := ItemRef{Team: "T1", Channel: "C1", Slug: "layoff-of-bob"}
	alias := Private(ref.Slug).Alias()
	if len(alias) != 9 || alias != Private("layoff-of-bob").Alias() || alias == Private("layoff-of-bo").Alias() {
		t.Fatalf("the alias is %q", alias)
	}
	cause := errors.New("open layoff-of-bob/hush \"hush\".md: denied")
	inner := Discreet(fmt.Errorf("look: %w", cause), `hush "hush".md`)
	for name, c := range map[string]struct {
		err  error
		want string
	}{
		"nothing private": {errors.New("read layoff"), "read layoff"},
		"once":            {ref.Discreet(fmt.Errorf("read item %s: %w", ref.Slug, ErrNotFound)), "read item " + alias + ": " + ErrNotFound.Error()},
		"wrapped":         {fmt.Errorf("turn: %w", &refusal{ref.Discreet(errors.New("layoff-of-bob.json"))}), "turn: " + alias + ".json"},
		"joined":          {errors.Join(errors.New("a"), ref.Discreet(errors.New("x/layoff-of-bob-c1"))), "a\nx/" + alias + "-c1"},
		"two names":       {ref.Discreet(fmt.Errorf("write: %w", inner)), "write: look: open " + alias + "/" + Private(`hush "hush".md`).Alias() + ": denied"},
		"quoted":          {Discreet(fmt.Errorf("artifact %q", `a "b"`), `a "b"`), `artifact "` + Private(`a "b"`).Alias() + `"`},
		"part of a word":  {Discreet(errors.New("a bad name: a"), "a"), Private("a").Alias() + " bad name: " + Private("a").Alias()},
		"longest first":   {Discreet(errors.New("login-c1 of login"), "login", "login-c1"), Private("login-c1").Alias() + " of " + Private("login").Alias()},
	} {
		if got := LogText(c.err); got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
	if Discreet(nil, "x") != nil || !errors.Is(ref.Discreet(ErrConflict), ErrConflict) || !strings.Contains(inner.Error(), "hush") {
		t.Error("an error is not what it was")
	}
	var log bytes.Buffer
	slog.New(slog.NewTextHandler(&log, nil)).Info("x", "item", Private(ref.Slug), "ref", ref)
	if got := log.String(); strings.Contains(got, "layoff") || strings.Count(got, alias) != 2 {
		t.Errorf("the log says %s", got)
	}
}
