package analysis

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestPhaseDepth shows the priority chain (AC-006-07).
func TestPhaseDepth(t *testing.T) {
	scan := func(s Scope, c Complexity, files int) QuickScan { return QuickScan{s, c, files, files >= 0} }
	tests := []struct {
		name     string
		override string
		first    bool
		scan     QuickScan
		want     Chosen
		ok       bool
	}{
		{"an override beats the scan", "brief", false, scan(ScopeLarge, ComplexityHigh, 99), Chosen{Brief, FromOverride}, true},
		{"an override holds in the first phase, too", "deep", true, QuickScan{}, Chosen{Deep, FromOverride}, true},
		{"an override that is no depth is none", "medium", false, QuickScan{}, Chosen{}, false},
		{"small and low is brief", "", false, scan(ScopeSmall, ComplexityLow, -1), Chosen{Brief, FromQuickScan}, true},
		{"small and few files is brief", "", false, scan(ScopeSmall, ComplexityHigh, 4), Chosen{Brief, FromQuickScan}, true},
		{"five files are not few", "", false, scan(ScopeSmall, ComplexityHigh, 5), Chosen{Standard, FromQuickScan}, true},
		{"small of unknown complexity is standard", "", false, scan(ScopeSmall, "", -1), Chosen{Standard, FromQuickScan}, true},
		{"no file at all is few", "", false, scan(ScopeSmall, "", 0), Chosen{Brief, FromQuickScan}, true},
		{"medium is standard", "", false, scan(ScopeMedium, ComplexityMedium, 10), Chosen{Standard, FromQuickScan}, true},
		{"medium is standard whatever else", "", false, scan(ScopeMedium, ComplexityHigh, 40), Chosen{Standard, FromQuickScan}, true},
		{"large and high is deep", "", false, scan(ScopeLarge, ComplexityHigh, -1), Chosen{Deep, FromQuickScan}, true},
		{"large and many files is deep", "", false, scan(ScopeLarge, ComplexityLow, 16), Chosen{Deep, FromQuickScan}, true},
		{"fifteen files are not many", "", false, scan(ScopeLarge, ComplexityLow, 15), Chosen{Standard, FromQuickScan}, true},
		{"AC-006-07: without a scope nothing is decided", "", false, scan("", ComplexityHigh, 40), Chosen{}, false},
		{"the first phase does not go by its own result", "", true, scan(ScopeLarge, ComplexityHigh, 40), Chosen{}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := PhaseDepth(tt.override, tt.first, tt.scan)
			if got != tt.want || ok != tt.ok {
				t.Errorf("got %v, %v, want %v, %v", got, ok, tt.want, tt.ok)
			}
		})
	}
}

func TestReadQuickScan(t *testing.T) {
	tests := []struct {
		name, text string
		want       QuickScan
	}{
		{"the form of the step files", "# Quick Scan\n\n## Scope\n\n**Scope**: medium (two screens)\n**Complexity**: low (known ground)\n\n## File Count\n\n**File count**: 8-12, tests included\n", QuickScan{ScopeMedium, ComplexityLow, 12, true}},
		{"bold with the colon inside", "**Scope:** Large\n**Complexity:** High\n**Files:** 20", QuickScan{ScopeLarge, ComplexityHigh, 20, true}},
		{"list items", "- Scope: small\n* Complexity: moderate\n1. File count: ~3", QuickScan{ScopeSmall, ComplexityMedium, 3, true}},
		{"a table", "| Measure | Value |\n| --- | --- |\n| Scope | Large |\n| Complexity | high |\n| Estimated files | 1,200 |", QuickScan{ScopeLarge, ComplexityHigh, 1200, true}},
		{"headings and the line below", "## Estimated Scope\n\nMedium\n\n## Complexity\nhigh, because of the sync\n\n## File Count\n\nAbout 15 to 20 files", QuickScan{ScopeMedium, ComplexityHigh, 20, true}},
		{"a heading with the value", "## Scope: LARGE\n### Complexity: low", QuickScan{Scope: ScopeLarge, Complexity: ComplexityLow}},
		{"the last one stands", "Scope: small\n\nScope: large", QuickScan{Scope: ScopeLarge}},
		{"of two the larger", "Scope: small to medium\nComplexity: low/medium", QuickScan{Scope: ScopeMedium, Complexity: ComplexityMedium}},
		{"the reason does not count", "Scope: small (not large)\nComplexity: low, because the high part is done", QuickScan{Scope: ScopeSmall, Complexity: ComplexityLow}},
		{"a number and its reason", "File count: 4 (of 120)", QuickScan{Files: 4, FilesKnown: true}},
		{"none at all is a number", "Files: 0", QuickScan{FilesKnown: true}},
		{"CRLF", "Scope: small\r\nComplexity: low\r\n", QuickScan{Scope: ScopeSmall, Complexity: ComplexityLow}},
		{"not in code, quotes, comments", "```\nScope: large\n```\n> Scope: large\n<!-- Scope: large -->\n", QuickScan{}},
		{"not in prose", "The scope of this is large and its complexity high; 40 files.", QuickScan{}},
		{"not under another heading", "## Keywords\n\nlarge\n\n## Files to ignore\n\n30", QuickScan{}},
		{"an unknown value", "Scope: huge\nFile count: unknown", QuickScan{}},
		{"nothing", "", QuickScan{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, ReadQuickScan(tt.text)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func FuzzReadQuickScan(f *testing.F) {
	f.Add("## Scope\n\nlarge\n| Files | 1-99999999999999999999 |")
	f.Fuzz(func(t *testing.T, text string) {
		q := ReadQuickScan(text)
		if !q.FilesKnown && q.Files != 0 || q.Files < 0 {
			t.Errorf("got %+v", q)
		}
	})
}
