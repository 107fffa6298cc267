package llm

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const table = `
- {model: "a:one", since: 2026-01-01, input: 2, output: 10, cache_read: .10, cache_write_5m: 2.5, cache_write_1h: 4}
- {model: "a:one", since: 2026-11-01, input: 1, output: 5}
- {model: "b:two", input: 0.000001, output: 0}
`

func TestPrices(t *testing.T) {
	prices, err := ParsePrices([]byte(table))
	if err != nil {
		t.Fatal(err)
	}
	day := func(s string) time.Time {
		d, err := time.Parse(time.DateOnly, s)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	want := Price{Model: "a:one", Since: day("2026-01-01"), Input: 2_000_000, Output: 10_000_000, CacheRead: 100_000, CacheWrite5m: 2_500_000, CacheWrite1h: 4_000_000}
	got, ok := prices.At("a:one", day("2026-10-31"))
	if diff := cmp.Diff(want, got); diff != "" || !ok {
		t.Errorf("before the change (-want +got):\n%s", diff)
	}
	if got, _ := prices.At("a:one", day("2026-11-01")); got.Input != 1_000_000 || got.CacheRead != 1_000_000 {
		t.Errorf("after the change: got %+v; a cache without a price costs as input", got)
	}
	if _, ok := prices.At("a:one", day("2025-12-31")); ok {
		t.Error("a price before its day")
	}
	if _, ok := prices.At("c:three", day("2026-11-21")); ok {
		t.Error("a price of an unknown model")
	}
	if got, _ := prices.At("b:two", day("2026-11-21")); got.Cost(Usage{Input: 1}) != 1 || got.Cost(Usage{Output: 5}) != 0 {
		t.Error("a part of a millionth is rounded up, and nothing costs nothing")
	}
}

func TestCost(t *testing.T) {
	p := Price{Input: 2 * million, Output: 10 * million, CacheRead: million / 10, CacheWrite5m: 5 * million / 2, CacheWrite1h: 4 * million}
	// A turn of the reference's table: mostly read from the cache.
	if got, want := p.Cost(Usage{Input: 200, CacheRead: 4000, CacheWrite5m: 10, CacheWrite1h: 300, Output: 500}), int64(400+400+25+1200+5000); got != want {
		t.Errorf("got %d, want %d", got, want)
	}
	if got, want := p.most(1000, 100), int64(4000+1000); got != want {
		t.Errorf("the most: got %d, want %d", got, want)
	}
	dear := Price{Input: highestPrice, Output: highestPrice, CacheRead: highestPrice, CacheWrite5m: highestPrice, CacheWrite1h: highestPrice}
	huge := int64(1) << 60
	if got := dear.Cost(Usage{huge, huge, huge, huge, huge, huge, false}); got <= 0 {
		t.Errorf("a sum overflowed: %d", got)
	}
}

func TestParsePricesRefuses(t *testing.T) {
	for name, text := range map[string]string{
		"no model":          `[{input: 1, output: 1}]`,
		"no output":         `[{model: a, input: 1}]`,
		"an unknown field":  `[{model: a, input: 1, output: 1, per: token}]`,
		"a day that is no":  `[{model: a, since: 2026-13-01, input: 1, output: 1}]`,
		"given twice":       `[{model: a, input: 1, output: 1}, {model: a, input: 2, output: 2}]`,
		"no number":         `[{model: a, input: cheap, output: 1}]`,
		"less than nothing": `[{model: a, input: -1, output: 1}]`,
		"a float's way":     `[{model: a, input: 1e3, output: 1}]`,
		"too fine":          `[{model: a, input: 0.0000001, output: 1}]`,
		"too dear":          `[{model: a, input: 10001, output: 1}]`,
		"a list":            `[{model: a, input: [1], output: 1}]`,
		"no list":           `model: a`,
	} {
		t.Run(name, func(t *testing.T) {
			if p, err := ParsePrices([]byte(text)); err == nil {
				t.Errorf("got %+v, want an error", p)
			}
		})
	}
	if p, err := ParsePrices(nil); err != nil || p != nil {
		t.Errorf("an empty table: got %v, %v", p, err)
	}
}

func FuzzParseDollars(f *testing.F) {
	for _, s := range []string{"12", "0.5", ".10", "", ".", "1.2.3", "+1", "1_000", " 1", "9223372036854.775807", "99999999999999"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		n, err := ParseDollars(s)
		if err == nil && (n < 0 || strings.ContainsAny(s, "+-_e ")) {
			t.Errorf("%q is %d", s, n)
		}
	})
}
