package analysis

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/vm"
)

// Condition is a step's skip_if: a comparison of what is known of the item with
// constants, for example `scope == "small" && file_count < 5` (AC-004-05). It can
// call nothing, loop over nothing and reach nothing.
type Condition struct {
	program *vm.Program
	// names are the facts it speaks of.
	names []string
}

// facts are what a condition can speak of, by their names in it.
type facts struct {
	Scope      string `expr:"scope"`
	Complexity string `expr:"complexity"`
	FileCount  int    `expr:"file_count"`
	Depth      string `expr:"depth"`
}

// Bounds of a condition.
const (
	longestCondition = 500
	mostNodes        = 50
)

// ParseCondition reads a skip_if. An error says in one line what is wrong.
func ParseCondition(source string) (Condition, error) {
	source = strings.TrimSpace(source)
	if source == "" {
		return Condition{}, nil
	}
	if len(source) > longestCondition {
		return Condition{}, fmt.Errorf("is longer than %d characters", longestCondition)
	}
	seen := &guard{}
	program, err := expr.Compile(source, expr.Env(facts{}), expr.AsBool(), expr.DisableAllBuiltins(), expr.MaxNodes(mostNodes),
		expr.Optimize(false), expr.Patch(seen))
	if seen.fault != "" {
		return Condition{}, errors.New(seen.fault)
	}
	if err != nil {
		// The library adds a drawing of the place on further lines.
		first, _, _ := strings.Cut(err.Error(), "\n")
		return Condition{}, errors.New(strings.TrimSpace(first))
	}
	return Condition{program: program, names: seen.names}, nil
}

// Holds reports whether the condition is true of what is known. One that speaks
// of something unknown does not hold: a step is asked rather than lost.
func (c Condition) Holds(q QuickScan, d Depth) bool {
	if c.program == nil {
		return false
	}
	for _, name := range c.names {
		if name == "scope" && q.Scope == "" || name == "complexity" && q.Complexity == "" || name == "file_count" && !q.FilesKnown {
			return false
		}
	}
	got, err := expr.Run(c.program, facts{Scope: string(q.Scope), Complexity: string(q.Complexity), FileCount: q.Files, Depth: string(d)})
	if err != nil {
		return false // for example a division by zero: nothing that is true
	}
	holds, _ := got.(bool)
	return holds
}

// guard looks at every node of a condition, notes the facts, and refuses what a
// comparison does not need.
type guard struct {
	names []string
	fault string
}

// constants are the words that a fact can be.
var constants = []string{
	string(ScopeSmall), string(ScopeMedium), string(ScopeLarge), string(ComplexityLow), string(ComplexityMedium), string(ComplexityHigh),
	string(Brief), string(Standard), string(Deep),
}

// Visit implements ast.Visitor.
func (g *guard) Visit(node *ast.Node) {
	switch n := (*node).(type) {
	case *ast.IdentifierNode:
		if !slices.Contains(g.names, n.Value) {
			g.names = append(g.names, n.Value)
		}
	case *ast.StringNode:
		if !slices.Contains(constants, n.Value) {
			g.refuse(fmt.Sprintf("compares with %q, which is no scope, complexity or depth", n.Value))
		}
	case *ast.BinaryNode:
		if !slices.Contains([]string{"==", "!=", "<", "<=", ">", ">=", "and", "&&", "or", "||", "in", "+", "-", "*", "/", "%"}, n.Operator) {
			g.refuse(fmt.Sprintf("uses %s; only comparisons are read", n.Operator))
		}
	case *ast.UnaryNode, *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.ArrayNode, *ast.ConstantNode:
	default:
		g.refuse("uses more than comparisons of scope, complexity, file_count and depth with constants")
	}
}

func (g *guard) refuse(why string) {
	if g.fault == "" {
		g.fault = why
	}
}
