package analysis

import "testing"

// TestCondition evaluates skip_if over what is known (AC-004-05).
func TestCondition(t *testing.T) {
	known := QuickScan{ScopeSmall, ComplexityLow, 3, true}
	tests := []struct {
		source string
		scan   QuickScan
		depth  Depth
		want   bool
	}{
		{"", known, Brief, false},
		{`scope == "small"`, known, Brief, true},
		{`scope == 'small' and complexity == 'low'`, known, Brief, true},
		{`scope == "small" && file_count < 3`, known, Brief, false},
		{`scope in ["small", "medium"] and not (complexity == "high")`, known, Brief, true},
		{`depth == "brief"`, QuickScan{}, Brief, true},
		{`depth != "brief"`, QuickScan{}, Brief, false},
		{`scope != "large"`, QuickScan{}, Brief, false}, // unknown: asked rather than lost
		{`file_count < 5`, QuickScan{Scope: ScopeSmall}, Brief, false},
		{`depth == "brief" or file_count < 5`, QuickScan{}, Brief, false},
		{`complexity != "high"`, QuickScan{Scope: ScopeSmall}, Brief, false},
		{`file_count / (file_count - 3) > 1`, known, Brief, true}, // division by zero is infinite
		{`file_count % (file_count - 3) > 1`, known, Brief, false},
		{`true`, QuickScan{}, Brief, true},
	}
	for _, tt := range tests {
		t.Run(tt.source, func(t *testing.T) {
			c, err := ParseCondition(tt.source)
			if err != nil {
				t.Fatal(err)
			}
			if got := c.Holds(tt.scan, tt.depth); got != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

// TestConditionIsSandboxed refuses whatever is more than a comparison.
func TestConditionIsSandboxed(t *testing.T) {
	for _, source := range []string{
		`len(scope) > 3`, `all([1, 2], # > 0)`, `1..100000 == [1]`, `scope matches "small"`, `scope contains "small"`, `scope + "x" == "small"`,
		`let x = 1; x > 0`, `{"a": 1}.a == 1`, `scope[0:1] == "small"`, `file_count ** 99 > 1`, `file_count > 1 ? true : false`, `now() == now()`,
		`scope ?? "small" == "small"`, `$env.scope == "small"`, `nil == nil`, `scope | upper() == "small"`, `if true { true } else { false }`,
	} {
		if c, err := ParseCondition(source); err == nil {
			t.Errorf("%s was accepted; it is %v", source, c.Holds(QuickScan{ScopeSmall, ComplexityLow, 3, true}, Deep))
		}
	}
}

func FuzzCondition(f *testing.F) {
	for _, s := range []string{`scope == "small" && file_count < 5`, `not (depth in ["brief"])`, `((((`, `file_count / 0 > 1`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, source string) {
		c, err := ParseCondition(source)
		if err == nil {
			c.Holds(QuickScan{ScopeSmall, ComplexityLow, 3, true}, Deep)
		}
	})
}
