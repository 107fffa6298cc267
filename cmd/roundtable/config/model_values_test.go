package config

import (
	"strings"
	"testing"

	"github.com/roundtable-chat/app/roundtable/thread"
	"github.com/roundtable-chat/app/roundtable/voice"
)

func TestModels(t *testing.T) {
	for text, want := range map[string]string{
		"offline":                           "offline",
		"anthropic:claude-x":                "anthropic:claude-x",
		" anthropic:a , openai:org/b:free ": "anthropic:a,openai:org/b:free",
		"openai:a,openai:b,offline":         "openai:a,openai:b,offline",
		"":                                  "", // an error
		"offline,openai:a":                  "",
		"openai:a,openai:a":                 "",
		"openai":                            "",
		"openai:":                           "",
		"gemini:x":                          "",
		"openai:a,":                         "",
	} {
		var v modelsValue
		err := v.Set(text)
		if got := v.String(); (err == nil) != (want != "") || got != want {
			t.Errorf("%q: got %q, %v, want %q", text, got, err, want)
		}
	}
}

func TestSpend(t *testing.T) {
	for text, want := range map[string]thread.Spend{
		"":             {},
		"200000":       {Tokens: 200000},
		"$1.50":        {Micros: 1_500_000},
		"$0.000001":    {Micros: 1},
		"5, $12":       {Tokens: 5, Micros: 12_000_000},
		"$12.345678,5": {Tokens: 5, Micros: 12_345_678},
	} {
		var v, again spendValue
		if err := v.Set(text); err != nil || thread.Spend(v) != want {
			t.Errorf("%q: got %+v, %v, want %+v", text, v, err, want)
		}
		if err := again.Set(v.String()); err != nil || again != v {
			t.Errorf("%q is printed as %q, which reads as %+v, %v", text, v.String(), again, err)
		}
	}
	for _, bad := range []string{"0", "-1", "$0", "$-1", "1,2", "$1,$2", "1 $2", "one", ",", "1,", "$", "$1e3", "99999999999999999999"} {
		var v spendValue
		if err := v.Set(bad); err == nil {
			t.Errorf("%q: got %+v, want an error", bad, v)
		}
	}
}

// TestLength: the usual length has a name, too (FR-104).
func TestLength(t *testing.T) {
	for text, want := range map[string]voice.Length{"terse": voice.Terse, "normal": voice.Normal, "full": voice.Full} {
		var v lengthValue
		if err := v.Set(text); err != nil || voice.Length(v) != want || v.String() != text {
			t.Errorf("%q: got %q, printed as %q, %v", text, string(v), v.String(), err)
		}
	}
	for _, bad := range []string{"", "short", "Terse"} {
		var v lengthValue
		if err := v.Set(bad); err == nil {
			t.Errorf("%q: no error", bad)
		}
	}
}

// TestPricesInTheFile: the price table is a part of roundtable.yaml, and its
// mistakes have a place.
func TestPricesInTheFile(t *testing.T) {
	c, _, _, err := configured(t, told{file: "max-turns: 12\nprices:\n- model: anthropic:m\n  since: 2026-11-01\n  input: 2\n  output: 10\n  cache_read: .1\n- {model: openai:n, input: 1, output: 1}\nlisten: ''\n"}, Variant{})
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Prices) != 2 || c.Prices[0].CacheRead != 100_000 || c.Prices[1].Model != "openai:n" || c.MaxTurns != 12 {
		t.Errorf("got %+v", c.Prices)
	}
	for name, f := range map[string]struct{ file, want string }{
		"an unknown field": {"prices:\n- {model: m, input: 1, output: 1, per: token}\n", "roundtable.yaml:1: prices: "},
		"no list":          {"prices: cheap\n", "roundtable.yaml:1: prices: "},
		"an alias":         {"listen: &a x\nprices: *a\n", "roundtable.yaml:2: prices: "},
	} {
		if _, _, _, err := configured(t, told{file: f.file}, Variant{}); err == nil || !strings.HasPrefix(err.Error(), f.want) {
			t.Errorf("%s: got %v, want it to begin with %q", name, err, f.want)
		}
	}
}
