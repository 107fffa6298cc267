package slacksim

import (
	"encoding/json"
	"maps"
	"os"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// contract is what Slack published about a method.
type contract struct {
	Args      map[string]bool `json:"args"`
	Scopes    []string        `json:"bot_scopes"`
	Errors    []string        `json:"errors"`
	PerMinute int             `json:"per_minute"`
}

type contracts struct {
	Common  []string            `json:"common_errors"`
	Methods map[string]contract `json:"methods"`
}

func loadContracts(t *testing.T) contracts {
	t.Helper()
	raw, err := os.ReadFile("testdata/contracts.json")
	if err != nil {
		t.Fatal(err)
	}
	var c contracts
	if err := json.Unmarshal(raw, &c); err != nil {
		t.Fatal(err)
	}
	return c
}

// Every method takes exactly the arguments, scopes and rate that Slack documents.
func TestMethodsMatchContracts(t *testing.T) {
	published := loadContracts(t)
	for _, name := range slices.Sorted(maps.Keys(methods)) {
		t.Run(name, func(t *testing.T) {
			m, want := methods[name], published.Methods[name]
			if want.Args == nil {
				t.Fatal("not in the published contracts")
			}
			var args, required []string
			for arg, must := range want.Args {
				args = append(args, arg)
				if must {
					required = append(required, arg)
				}
			}
			slices.Sort(args)
			slices.Sort(required)
			if diff := cmp.Diff(args, sorted(m.args)); diff != "" {
				t.Errorf("arguments (-published +ours):\n%s", diff)
			}
			if diff := cmp.Diff(required, sorted(m.required)); diff != "" {
				t.Errorf("required (-published +ours):\n%s", diff)
			}
			if diff := cmp.Diff(sorted(want.Scopes), sorted(m.scopes)); diff != "" {
				t.Errorf("scopes (-published +ours):\n%s", diff)
			}
			if m.perMinute != want.PerMinute {
				t.Errorf("per minute: got %d, want %d", m.perMinute, want.PerMinute)
			}
			for _, code := range m.absent {
				if !slices.Contains(want.Errors, code) {
					t.Errorf("error for a missing argument %q is not documented", code)
				}
			}
		})
	}
}

func sorted(list []string) []string {
	out := slices.Clone(list)
	slices.Sort(out)
	if len(out) == 0 {
		return nil
	}
	return out
}
