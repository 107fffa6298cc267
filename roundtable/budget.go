package roundtable

import "github.com/roundtable-chat/app/roundtable/thread"

// paid takes in what the discussion has cost by the account of whoever pays. It
// is a total, so that an answer that got lost is made up for by the next one.
func (s *step) paid(total thread.Spend) {
	s.d.Spent.Tokens = max(s.d.Spent.Tokens, total.Tokens)
	s.d.Spent.Micros = max(s.d.Spent.Micros, total.Micros)
}

// broke reports whether a used-up budget keeps the panel from going on.
func (d Discussion) broke() bool {
	return d.Stalled != nil && d.Stalled.Reason == thread.ReasonOverBudget
}
