package roundtable

import "github.com/roundtable-chat/app/roundtable/thread"

// act notes that somebody did something.
func (s *step) act(a thread.Audit) { s.acts = append(s.acts, a) }

// act is the act of ending a discussion.
func (x Exit) act() thread.Audit {
	a := thread.Audit{Kind: thread.AuditClosed, Detail: thread.AuditDetail(x.Kind)}
	if x.By != nil {
		a.By = x.By.ID
	}
	return a
}
