package analysis

// Depth is how thoroughly a step is gone through.
type Depth string

// The depths (AC-006-07).
const (
	Brief    Depth = "brief"
	Standard Depth = "standard"
	Deep     Depth = "deep"
)

// Depths lists all depths, the shallowest first.
func Depths() []Depth { return []Depth{Brief, Standard, Deep} }

// ParseDepth reads a depth as meta.json and step files write it.
func ParseDepth(s string) (Depth, bool) {
	switch d := Depth(s); d {
	case Brief, Standard, Deep:
		return d, true
	default:
		return "", false
	}
}

// DepthSource says what decided a depth.
type DepthSource string

// The sources, in order of their priority (AC-006-07).
const (
	FromOverride  DepthSource = "override"   // somebody asked for it, in this phase
	FromQuickScan DepthSource = "quick-scan" // the size that the quick scan found
	FromStep      DepthSource = "step"       // the step's own (AC-006-07)
)

// Chosen is a depth and what decided it.
type Chosen struct {
	Depth  Depth       `json:"depth"`
	Source DepthSource `json:"source"`
}

// Bounds of the quick scan's mapping, in files (AC-006-07).
const (
	briefBelow = 5
	deepAbove  = 15
)

// PhaseDepth is the depth of a whole phase by the priority chain: what people
// asked for, else what the quick scan found; ok is false when neither says
// anything, and each step keeps its own (AC-006-07). The first phase is
// the quick scan itself and cannot go by it.
func PhaseDepth(override string, first bool, q QuickScan) (c Chosen, ok bool) {
	if d, ok := ParseDepth(override); ok {
		return Chosen{d, FromOverride}, true
	}
	if first || q.Scope == "" {
		return Chosen{}, false
	}
	switch {
	case q.Scope == ScopeSmall && (q.Complexity == ComplexityLow || q.FilesKnown && q.Files < briefBelow):
		return Chosen{Brief, FromQuickScan}, true
	case q.Scope == ScopeLarge && (q.Complexity == ComplexityHigh || q.FilesKnown && q.Files > deepAbove):
		return Chosen{Deep, FromQuickScan}, true
	default:
		return Chosen{Standard, FromQuickScan}, true
	}
}
