package analysis

import "github.com/roundtable-chat/app/roundtable/thread"

// act is the act of ending an analysis.
func (x Exit) act() thread.Audit {
	a := thread.Audit{Kind: thread.AuditClosed, Detail: thread.AuditDetail(x.Kind)}
	if x.By != nil {
		a.By = x.By.ID
	}
	return a
}

// depthAct is the act of choosing another depth.
func depthAct(d Depth, by thread.Person) thread.Audit {
	return thread.Audit{Kind: thread.AuditDepth, By: by.ID, Detail: thread.AuditDetail(d)}
}
