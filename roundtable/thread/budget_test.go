package thread

import "testing"

// TestSaySpend: nothing that was used looks free, and nobody reads a micro-dollar.
func TestSaySpend(t *testing.T) {
	for name, c := range map[string]struct {
		spend Spend
		want  string
	}{
		"no price":             {Spend{Tokens: 999}, "999 tokens"},
		"thousands":            {Spend{Tokens: 1234567}, "1,234,567 tokens"},
		"less than a cent":     {Spend{Tokens: 10, Micros: 1}, "10 tokens ($0.0001)"},
		"some cents":           {Spend{Tokens: 10, Micros: 20949}, "10 tokens ($0.0210)"},
		"ten cents, to a cent": {Spend{Tokens: 10, Micros: 100001}, "10 tokens ($0.11)"},
		"thousands of dollars": {Spend{Tokens: 10, Micros: 1234560000}, "10 tokens ($1,234.56)"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := SaySpend(c.spend); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
