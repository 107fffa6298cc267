package analysis

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/vm"

	"github.com/roundtable-chat/app/roundtable/document"
	"github.com/roundtable-chat/app/roundtable/persona"
)

// StepFile is one step of a phase as its file describes it (FR-012).
type StepFile struct {
	// File is the file's path, "01-requirements/02-user-needs.md"; its base name
	// orders the steps of a phase (AC-004-04).
	File string
	// ID is unique among all steps, "01-02"; Title is shown in headers.
	ID, Title string
	// Persona leads the step; Depth is its own when nothing else decides.
	Persona persona.Key
	Depth   Depth
	// Outputs are names of artifacts, or folders ending in a slash for a family of
	// documents.
	Outputs []string
	// DependsOn are ids of steps that must be completed before.
	DependsOn []string
	// SkipIf passes the step over while it holds; its zero value never does.
	SkipIf Condition
	Body   Body
}

// Files are the outputs that name one file: those that an elaboration of the step
// can enrich.
func (f StepFile) Files() []string {
	var files []string
	for _, o := range f.Outputs {
		if !isFolder(o) {
			files = append(files, o)
		}
	}
	return files
}

// Targets are the places that the step fills: those its Artifacts section names,
// and for every other output one titled like the step (AC-010-05).
func (f StepFile) Targets() []Target {
	targets := append([]Target(nil), f.Body.Targets...)
	for _, o := range f.Outputs {
		named := false
		for _, t := range targets {
			named = named || t.File == o
		}
		if !named {
			targets = append(targets, Target{File: o, Part: partOf(o), Name: f.Title})
		}
	}
	return targets
}

func isFolder(output string) bool { return strings.HasSuffix(output, "/") }

var stepID = regexp.MustCompile(`^\d{2}-\d{2}$`)

// IsStepID reports whether a text has the form of a step's id, "NN-NN" (FR-012).
func IsStepID(s string) bool { return stepID.MatchString(s) }

// Prefix is the part of a phase's key that its steps' ids begin with, "01-" of
// "01-requirements"; empty for a phase whose key has none.
func Prefix(phase string) string {
	if len(phase) > 3 && phase[2] == '-' && IsStepID(phase[:3]+"00") {
		return phase[:3]
	}
	return ""
}

// CheckOutput refuses an output that could leave the item's folder (I12).
func CheckOutput(output string) error {
	if isFolder(output) {
		return document.CheckArtifactName(output + "0001.md")
	}
	return document.CheckArtifactName(output)
}

// Criterion is one condition that a step's answers must meet (FR-116).
type Criterion struct {
	Text string `json:"text"`
	// Terms are words one of which an answer must hold to meet the criterion; "#"
	// stands for any number. They stand in the file as a comment that no reader
	// sees: "<!-- terms: user, customer, # -->". Without any the criterion's own
	// longer words are taken.
	Terms []string `json:"terms,omitempty"`
}

var termsComment = regexp.MustCompile(`(?s)<!--\s*terms:(.*?)-->`)

func readCriteria(text string) []Criterion {
	list, _ := items(text)
	var criteria []Criterion
	for _, i := range list {
		raw := i.text + " " + strings.Join(i.below, " ")
		c := Criterion{Text: uncommented(raw)}
		if m := termsComment.FindStringSubmatch(raw); m != nil {
			for term := range strings.SplitSeq(m[1], ",") {
				if t := strings.Join(words(term), " "); t != "" {
					c.Terms = append(c.Terms, t)
				} else if strings.TrimSpace(term) == "#" {
					c.Terms = append(c.Terms, "#")
				}
			}
		}
		if c.Text != "" {
			criteria = append(criteria, c)
		}
	}
	return criteria
}

// Validate returns the indexes of the criteria that no answer speaks to, as far
// as words can show it; whether an answer is a good one is not for words to tell.
func Validate(criteria []Criterion, answers []string) []int {
	said := []string{}
	for _, a := range answers {
		said = append(said, words(a)...)
	}
	var open []int
	for i, c := range criteria {
		if !c.met(said) {
			open = append(open, i)
		}
	}
	return open
}

func (c Criterion) met(said []string) bool {
	terms := c.Terms
	if len(terms) == 0 {
		for _, w := range words(c.Text) {
			if len(w) > longWord && !slices.Contains(terms, w) {
				terms = append(terms, w)
			}
		}
	}
	if len(terms) == 0 {
		return len(said) > 0
	}
	for _, t := range terms {
		if t == "#" && slices.ContainsFunc(said, startsWithDigit) || t != "#" && saysTerm(said, strings.Fields(t)) {
			return true
		}
	}
	return false
}

// longWord is how many bytes a word has at most that says nothing about a topic.
const longWord = 4

// saysTerm looks for a term's words in a row. A last one of some length may go
// on, so that "user" finds "users" and "fail" finds "failing", but "no" not "now".
func saysTerm(said, term []string) bool {
	last := len(term) - 1
	for i := 0; i+last < len(said); i++ {
		word := said[i+last]
		same := word == term[last] || len(term[last]) >= longWord && strings.HasPrefix(word, term[last])
		if same && slices.Equal(said[i:i+last], term[:last]) {
			return true
		}
	}
	return false
}

func startsWithDigit(w string) bool { return w[0] >= '0' && w[0] <= '9' }

// words are a text's words in lower case, without signs.
func words(s string) []string {
	return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

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
