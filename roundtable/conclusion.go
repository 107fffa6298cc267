package roundtable

import "github.com/roundtable-chat/app/roundtable/thread"

// Conclusion is what a discussion came to, for whoever goes on with it elsewhere.
type Conclusion struct {
	Turns   int    `json:"turns,omitempty"`
	Summary string `json:"summary,omitempty"`
	// Decisions are the first few, Untold how many more there are.
	Decisions []string `json:"decisions,omitempty"`
	Untold    int      `json:"untold,omitempty"`
	// Unwritten says that the documents took none of it.
	Unwritten bool `json:"unwritten,omitempty"`
}

// toldDecisions bounds how many decisions a conclusion carries, and decisionLimit
// how long each is, in characters.
const (
	toldDecisions = 5
	decisionLimit = 200
)

func (d Discussion) conclusion() Conclusion {
	c := Conclusion{Turns: d.Turns}
	if d.Outcome == nil {
		return c
	}
	c.Summary = d.Outcome.Summary
	told := d.Outcome.Decisions[:min(len(d.Outcome.Decisions), toldDecisions)]
	for _, p := range told {
		c.Decisions = append(c.Decisions, thread.Clip(thread.OneLine(p.Text), decisionLimit))
	}
	c.Untold = len(d.Outcome.Decisions) - len(told)
	return c
}
