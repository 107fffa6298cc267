package invariant

import "fmt"

// Violation is a broken invariant (ARCHITECTURE.md, “The invariants”).
type Violation struct {
	Invariant string
	Detail    string
}

func (v Violation) String() string { return v.Invariant + ": " + v.Detail }

// checker gathers violations.
type checker struct {
	Evidence
	found []Violation
}

func (c *checker) broken(invariant, format string, args ...any) {
	v := Violation{invariant, fmt.Sprintf(format, args...)}
	if c.Excuse == nil || !c.Excuse(v) {
		c.found = append(c.found, v)
	}
}

// Check judges the evidence. It returns nothing if all invariants hold.
func Check(e Evidence) []Violation {
	c := &checker{Evidence: e}
	c.inputs()
	c.parking()
	c.marks()
	c.posts()
	c.refusals()
	c.order()
	c.turns()
	c.states()
	c.documents()
	c.acts()
	c.timers()
	c.standstill()
	c.secrets()
	c.mentions()
	c.pace()
	c.holders()
	c.rights()
	return c.found
}
