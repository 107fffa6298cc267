package analysis

import "github.com/roundtable-chat/app/roundtable"

// act is the act of ending an analysis.
func (x Exit) act() roundtable.Audit {
	a := roundtable.Audit{Kind: roundtable.AuditClosed, Detail: roundtable.AuditDetail(x.Kind)}
	if x.By != nil {
		a.By = x.By.ID
	}
	return a
}

// depthAct is the act of choosing another depth.
func depthAct(d Depth, by roundtable.Person) roundtable.Audit {
	return roundtable.Audit{Kind: roundtable.AuditDepth, By: by.ID, Detail: roundtable.AuditDetail(d)}
}
