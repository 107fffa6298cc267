package roundtable

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
)

// Audit is one thing that somebody did and has to answer for (FR-111): a line of the
// audit record. It holds no text, no topic and no name: a person is their id, and
// everything else is a word of a closed set or a number.
type Audit struct {
	Kind AuditKind
	// By is the id of the person who did it; empty where time did, or an operator. Of a
	// decision that went with a message (DetailDeleted) it is whose decision it was.
	By string
	// Detail says more, and Number counts what was done; both may be empty.
	Detail AuditDetail
	Number int
}

// AuditKind is what was done. A name is for ever: it stands in stored records.
type AuditKind string

// The kinds of act.
const (
	AuditOpened    AuditKind = "opened"    // a discussion or an analysis
	AuditExtended  AuditKind = "extended"  // by Number turns
	AuditChose     AuditKind = "chose"     // an option of a choice, or at an analysis' menu
	AuditDecided   AuditKind = "decided"   // marked something as a decision
	AuditUndecided AuditKind = "undecided" // took such a mark back, or the message that it was in or on
	AuditClosed    AuditKind = "closed"    // a discussion or an analysis; Detail says how
	AuditConverted AuditKind = "converted" // a discussion into an analysis
	AuditFloor     AuditKind = "floor"     // how freely personas speak
	AuditDepth     AuditKind = "depth"     // how deep an analysis goes
	AuditExported  AuditKind = "exported"  // an item's documents
	AuditImported  AuditKind = "imported"  // an item's documents; by an operator
	AuditForgot    AuditKind = "forgot"    // put an item or a discussion out of sight
	AuditKept      AuditKind = "kept"      // took that back
	AuditRemoved   AuditKind = "removed"   // what was forgotten is gone
	AuditRefused   AuditKind = "refused"   // somebody tried what they may not; Detail says what
	AuditUnknown   AuditKind = "unknown"   // somebody tried what hangs on who they are, and Slack did not say; Detail says what
)

// AuditKinds lists all kinds of act.
func AuditKinds() []AuditKind {
	return []AuditKind{
		AuditOpened, AuditExtended, AuditChose, AuditDecided, AuditUndecided, AuditClosed, AuditConverted, AuditFloor, AuditDepth,
		AuditExported, AuditImported, AuditForgot, AuditKept, AuditRemoved, AuditRefused, AuditUnknown,
	}
}

// AuditDetail says more about an act, in a word of a closed set.
type AuditDetail string

// The details that have no name of their own elsewhere: an exit's kind, a floor, a menu's
// choice and a depth stand for themselves.
const (
	DetailAnalysis   AuditDetail = "analysis"   // it is an analysis, not a discussion
	DetailItem       AuditDetail = "item"       // an item with its discussions
	DetailDiscussion AuditDetail = "discussion" // one discussion, or analysis
	DetailMessage    AuditDetail = "message"    // by a message that begins with "Decision:"
	DetailReaction   AuditDetail = "reaction"   // by a reaction
	DetailUnsure     AuditDetail = "unsure"     // by a reaction on a message that may be of another thread
	DetailKnown      AuditDetail = "known"      // by what they marked before Slack said who they are
	DetailDeleted    AuditDetail = "deleted"    // with the message; Slack does not say who deleted it
	DetailOpenFloor  AuditDetail = "open"       // personas speak as usual
	DetailForget     AuditDetail = "forget"     // what was tried: to have something forgotten
	DetailKeep       AuditDetail = "keep"       // what was tried: to take it back
)

// ItemMark is what an item is called where its name must not stand, because a name is
// made of people's words: the beginning of its digest. The same name has the same mark.
func ItemMark(slug string) string {
	if slug == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(slug))
	return hex.EncodeToString(sum[:6])
}

// act notes that somebody did something.
func (s *step) act(a Audit) { s.acts = append(s.acts, a) }

// act is the act of ending a discussion.
func (x Exit) act() Audit {
	a := Audit{Kind: AuditClosed, Detail: AuditDetail(x.Kind)}
	if x.By != nil {
		a.By = x.By.ID
	}
	return a
}

// DecidedAt are the decisions that stand in a log on the message that an entry is about: its
// own, and those of people who marked it. There are none where the entry cannot change any.
func DecidedAt(log []Entry, e Entry) []Audit {
	ts := e.TS
	switch e.Kind {
	case EntryMark, EntryUnmark:
		if ts = e.Mark.TS; e.Mark.Kind != MarkDecision {
			return nil
		}
	case EntryTurn, EntryLate:
		if e.Person == nil {
			return nil
		}
	case EntryEdit, EntryStrike:
	case EntryLine, EntryPosted, EntryKnown:
		return nil
	}
	for i := range log {
		if x := &log[i]; ts != "" && x.mayDecide(ts) {
			return newTelling(log).decided(log, ts)
		}
	}
	return nil // as nearly always
}

// mayDecide reports whether an entry may have anything to do with a decision on a message.
func (e *Entry) mayDecide(ts string) bool {
	if e.Mark != nil {
		return e.Mark.TS == ts && e.Mark.Kind == MarkDecision
	}
	return e.TS == ts && (e.Person != nil || e.Kind == EntryEdit) && Decides(e.Text) // older edits name nobody
}

// decided are the decisions that stand on a message.
func (f *telling) decided(log []Entry, ts string) []Audit {
	var all []Audit
	type mark struct{ by, emoji string }
	marks := map[mark]Audit{}
	var order []mark
	for i := range log {
		e := &log[i]
		switch e.Kind {
		case EntryTurn, EntryLate:
			if e.TS != ts || e.Person == nil {
				continue
			}
			if e.Kind == EntryLate && f.told[ts] {
				f.early[ts] = e
				continue
			}
			for _, own := range f.turn(f.words(e)).marking {
				if Decides(own.text) {
					all = append(all, Audit{Kind: AuditDecided, By: e.Person.ID, Detail: DetailMessage})
				}
			}
		case EntryMark:
			if m := e.Mark; m.TS == ts && m.Kind == MarkDecision && f.vouched(e, m.By) {
				own := mark{m.By.ID, m.Emoji}
				if _, again := marks[own]; !again {
					order = append(order, own)
				}
				marks[own] = Audit{Kind: AuditDecided, By: m.By.ID, Detail: e.how(DetailReaction)}
			}
		case EntryUnmark:
			if m := e.Mark; m.TS == ts && m.Kind == MarkDecision {
				delete(marks, mark{m.By.ID, m.Emoji})
			}
		case EntryLine, EntryEdit, EntryStrike, EntryPosted, EntryKnown:
		}
	}
	if edit := f.edits[ts]; f.struck[ts] || edit != nil && edit.Text == "" {
		return all // nothing is left that a mark could stand for
	}
	decided := map[string]bool{} // a second emoji of the same person decides nothing anew
	for _, own := range order {
		if m, stands := marks[own]; stands && !decided[own.by] {
			all = append(all, m)
			decided[own.by] = true
		}
	}
	return all
}

// AuditsOf are the acts that an entry of a log notes, where before and after are the decisions
// that stood on its message (DecidedAt) before the entry was placed and stand since: a decision
// that somebody made, by a reaction or by how their message begins, and each that stands no
// more, whatever made it go.
func AuditsOf(e Entry, before, after []Audit) (acts []Audit) {
	for _, d := range after {
		again := e.Kind == EntryEdit && d.Detail == DetailMessage && Decides(e.Text) // it decides in other words
		if again || !slices.ContainsFunc(before, d.sameDecision) {
			acts = append(acts, e.did(d))
		}
	}
	for _, d := range before {
		if !slices.ContainsFunc(after, d.sameDecision) {
			d.Kind = AuditUndecided
			acts = append(acts, e.did(d))
		}
	}
	if e.Kind == EntryKnown && e.Person != nil {
		acts = append(acts, Audit{Kind: AuditDecided, By: e.Person.ID, Detail: e.how(DetailKnown)})
	}
	return acts
}

// sameDecision reports whether two are one decision, by the same person in the same way.
func (a Audit) sameDecision(b Audit) bool {
	return a.By == b.By && (a.Detail == DetailMessage) == (b.Detail == DetailMessage)
}

// did is the act of whoever made a decision or took it back by an entry.
func (e Entry) did(a Audit) Audit {
	switch {
	case e.Kind == EntryStrike, e.Kind == EntryEdit && a.Detail != DetailMessage:
		a.Detail = DetailDeleted
	case e.Kind == EntryEdit && e.Person != nil:
		a.By = e.Person.ID
	case e.Kind == EntryUnmark:
		a.Detail = e.how(DetailReaction)
	}
	return a
}

// how is a mark's detail: another where nobody knows whether what is marked is of this
// thread.
func (e Entry) how(sure AuditDetail) AuditDetail {
	if e.Unsure {
		return DetailUnsure
	}
	return sure
}
