package llm

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"gopkg.in/yaml.v3"
)

// Price is what a model costs from a day on. Amounts are millionths of a dollar
// per million tokens.
type Price struct {
	Model string
	Since time.Time

	Input, Output                         int64
	CacheRead, CacheWrite5m, CacheWrite1h int64
}

// Prices is a dated price table.
type Prices []Price

// At is a model's price at a time; false where none is known.
func (p Prices) At(model string, at time.Time) (Price, bool) {
	var newest Price
	found := false
	for _, price := range p {
		if price.Model == model && !price.Since.After(at) && (!found || price.Since.After(newest.Since)) {
			newest, found = price, true
		}
	}
	return newest, found
}

const million = 1_000_000

// Cost is what a usage costs in millionths of a dollar, rounded up.
func (p Price) Cost(u Usage) int64 {
	sum := int64(0)
	for _, part := range []struct{ tokens, price int64 }{
		{u.Input, p.Input}, {u.CacheRead, p.CacheRead}, {u.CacheWrite5m, p.CacheWrite5m}, {u.CacheWrite1h, p.CacheWrite1h}, {u.Output, p.Output},
	} {
		sum += min(max(part.tokens, 0), tokensCounted) * part.price
	}
	return (sum + million - 1) / million
}

// most is the highest cost of so many tokens, whatever cache they come from or go
// to.
func (p Price) most(prompt, output int64) int64 {
	p.Input = max(p.Input, p.CacheRead, p.CacheWrite5m, p.CacheWrite1h)
	return p.Cost(Usage{Input: prompt, Output: output})
}

// Bounds that keep a sum of costs within an int64: a hundred million tokens at ten
// thousand dollars a million.
const (
	tokensCounted = 100 * million
	highestPrice  = 10_000 * million
)

// priceEntry is a price as it is written.
type priceEntry struct {
	Model string `yaml:"model"`
	Since string `yaml:"since"`
	// Dollars per million tokens. What is left out of the cache's prices costs as
	// much as input.
	Input        *amount `yaml:"input"`
	Output       *amount `yaml:"output"`
	CacheRead    *amount `yaml:"cache_read"`
	CacheWrite5m *amount `yaml:"cache_write_5m"`
	CacheWrite1h *amount `yaml:"cache_write_1h"`
}

// ParsePrices reads a price table strictly: a list of model, since (a day),
// input, output and, where they differ from input, cache_read, cache_write_5m and
// cache_write_1h, in dollars per million tokens. Every problem is reported.
func ParsePrices(text []byte) (Prices, error) {
	var entries []priceEntry
	d := yaml.NewDecoder(bytes.NewReader(text))
	d.KnownFields(true)
	if err := d.Decode(&entries); errors.Is(err, io.EOF) {
		return nil, nil
	} else if err != nil {
		return nil, fmt.Errorf("read the price table: %w", err)
	}
	var prices Prices
	var problems []error
	for i, e := range entries {
		p, err := e.price()
		if err != nil {
			problems = append(problems, fmt.Errorf("price %d (%s): %w", i+1, e.Model, err))
		}
		for _, q := range prices {
			if q.Model == p.Model && q.Since.Equal(p.Since) && err == nil {
				problems = append(problems, fmt.Errorf("price %d (%s): given twice for one day", i+1, e.Model))
			}
		}
		prices = append(prices, p)
	}
	if err := errors.Join(problems...); err != nil {
		return nil, err
	}
	return prices, nil
}

func (e priceEntry) price() (Price, error) {
	p := Price{Model: e.Model}
	if e.Model == "" || e.Input == nil || e.Output == nil {
		return p, errors.New("model, input and output are needed")
	}
	if e.Since != "" {
		since, err := time.Parse(time.DateOnly, e.Since)
		if err != nil {
			return p, fmt.Errorf("since %q is no day such as 2026-11-21", e.Since)
		}
		p.Since = since
	}
	input := func(a *amount) int64 {
		if a == nil {
			return int64(*e.Input)
		}
		return int64(*a)
	}
	p.Input, p.Output = int64(*e.Input), int64(*e.Output)
	p.CacheRead, p.CacheWrite5m, p.CacheWrite1h = input(e.CacheRead), input(e.CacheWrite5m), input(e.CacheWrite1h)
	return p, nil
}

// amount is a sum in millionths of a dollar, written in dollars.
type amount int64

// UnmarshalYAML reads the amount as it is written, not as a float.
func (a *amount) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind != yaml.ScalarNode {
		return fmt.Errorf("line %d: expected an amount", n.Line)
	}
	v, err := ParseDollars(n.Value)
	if err != nil {
		return fmt.Errorf("line %d: %w", n.Line, err)
	}
	if v > highestPrice {
		return fmt.Errorf("line %d: %s is more than 10000 dollars a million tokens", n.Line, n.Value)
	}
	*a = amount(v)
	return nil
}

// ParseDollars reads an amount such as 12, 0.5 or .10 exactly, as millionths of a
// dollar.
func ParseDollars(s string) (int64, error) {
	whole, part, _ := strings.Cut(s, ".")
	if len(part) > 6 || whole == "" && part == "" {
		return 0, fmt.Errorf("%q is no amount in dollars with at most six decimals", s)
	}
	digits := whole + part + strings.Repeat("0", 6-len(part))
	n, err := strconv.ParseUint(digits, 10, 63)
	if err != nil {
		return 0, fmt.Errorf("%q is no amount in dollars with at most six decimals", s)
	}
	return int64(n), nil
}
