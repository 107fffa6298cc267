package config

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/roundtable-chat/app/bot/llm"
	"github.com/roundtable-chat/app/bot/llm/anthropic"
	"github.com/roundtable-chat/app/bot/llm/offline"
	"github.com/roundtable-chat/app/bot/llm/openai"
	"github.com/roundtable-chat/app/roundtable/thread"
	"github.com/roundtable-chat/app/roundtable/voice"
)

// The kinds of values that settings of language models have.

// modelsValue is a fallback order of "provider:model"; the last may be offline.
type modelsValue []string

func (v *modelsValue) Set(s string) error {
	var models []string
	for m := range strings.SplitSeq(s, ",") {
		m = strings.TrimSpace(m)
		switch err := CheckModel(m); {
		case m == offline.Engine:
		case err != nil:
			return err
		}
		if slices.Contains(models, m) {
			return fmt.Errorf("%s is given twice", m)
		}
		models = append(models, m)
	}
	if i := slices.Index(models, offline.Engine); i >= 0 && i != len(models)-1 {
		return fmt.Errorf("%s always answers, so it can only come last", offline.Engine)
	}
	*v = models
	return nil
}
func (v *modelsValue) String() string { return strings.Join(*v, ",") }

// CheckModel refuses what names no model of a provider.
func CheckModel(name string) error {
	provider, model, _ := strings.Cut(name, ":")
	if model == "" || provider != anthropic.Provider && provider != openai.Provider {
		return fmt.Errorf("%q is not known; it can be %s, %s:<model> or %s:<model>", name, offline.Engine, anthropic.Provider, openai.Provider)
	}
	return nil
}

// profileValue is what an OpenAI-compatible server understands; see
// openai.ParseProfile.
type profileValue string

func (v *profileValue) Set(s string) error {
	if _, err := openai.ParseProfile(s); err != nil {
		return err
	}
	*v = profileValue(s)
	return nil
}
func (v *profileValue) String() string { return string(*v) }

// lengthValue is how long contributions are, the usual by its name (FR-104).
type lengthValue voice.Length

const usualLength = "normal"

func (v *lengthValue) Set(s string) error {
	if s == usualLength {
		s = string(voice.Normal)
	} else if s != string(voice.Terse) && s != string(voice.Full) {
		return fmt.Errorf("%q is not known; it can be %s, %s or %s", s, voice.Terse, usualLength, voice.Full)
	}
	*v = lengthValue(s)
	return nil
}

func (v *lengthValue) String() string { return cmp.Or(string(*v), usualLength) }

// spendValue is a budget: tokens, dollars, or both: "200000", "$1.50",
// "200000,$1.50". Empty is no limit.
type spendValue thread.Spend

func (v *spendValue) Set(s string) error {
	var limit thread.Spend
	for part := range strings.SplitSeq(s, ",") {
		part = strings.TrimSpace(part)
		money, isMoney := strings.CutPrefix(part, "$")
		var n int64
		var err error
		switch {
		case part == "" && s == "":
			continue
		case isMoney:
			n, err = llm.ParseDollars(money)
		default:
			n, err = strconv.ParseInt(part, 10, 64)
		}
		if err != nil || n <= 0 || isMoney && limit.Micros > 0 || !isMoney && limit.Tokens > 0 {
			return fmt.Errorf("%q is not a budget such as 200000 (tokens), $1.50 or 200000,$1.50", s)
		}
		if isMoney {
			limit.Micros = n
		} else {
			limit.Tokens = n
		}
	}
	*v = spendValue(limit)
	return nil
}

func (v *spendValue) String() string {
	var parts []string
	if v.Tokens > 0 {
		parts = append(parts, strconv.FormatInt(v.Tokens, 10))
	}
	if v.Micros > 0 {
		parts = append(parts, "$"+dollars(v.Micros))
	}
	return strings.Join(parts, ",")
}

// dollars writes millionths exactly, with at least two decimals.
func dollars(micros int64) string {
	text := fmt.Sprintf("%d.%06d", micros/1_000_000, micros%1_000_000)
	for strings.HasSuffix(text, "0") && len(text)-strings.IndexByte(text, '.') > 3 {
		text = strings.TrimSuffix(text, "0")
	}
	return text
}

// structured is a value that is more than a plain one in the configuration file. It
// is set from YAML text, and printed as such.
type structured interface{ yaml() }

// pricesValue is the price table, kept as it was written.
type pricesValue struct {
	p    *llm.Prices
	text string
}

func (v *pricesValue) Set(s string) error {
	prices, err := llm.ParsePrices([]byte(s))
	if err != nil {
		return err
	}
	*v.p, v.text = prices, strings.TrimSpace(s)
	return nil
}
func (v *pricesValue) String() string { return v.text }
func (*pricesValue) yaml()            {}

// structuredText is a node of the configuration file as the text that its setting
// is set from.
func structuredText(n *yaml.Node) (string, error) {
	for _, part := range append([]*yaml.Node{n}, n.Content...) {
		if part.Kind == yaml.AliasNode {
			return "", errors.New("YAML aliases are not allowed here")
		}
	}
	text, err := yaml.Marshal(n)
	if err != nil {
		return "", fmt.Errorf("read it as YAML: %w", err)
	}
	return string(text), nil
}

// structuredNode is the text of a structured setting as a node of the printed
// configuration.
func structuredNode(text string) (*yaml.Node, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(text), &doc); err != nil {
		return nil, fmt.Errorf("print it as YAML: %w", err)
	}
	if len(doc.Content) == 0 {
		return &yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle}, nil
	}
	return doc.Content[0], nil
}
