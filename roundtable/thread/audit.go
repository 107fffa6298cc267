package thread

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

// Decision is a decision that stands in a log.
type Decision struct {
	// TS is the message that decides, or on which a person's reaction does.
	TS string
	// By is the id of the person who made it.
	By string
	// How is DetailMessage, DetailReaction or DetailUnsure.
	How AuditDetail
}

// Decisions are the decisions that stand in a log.
func Decisions(log []Entry) []Decision { return newTelling(log).decided(log) }

// DecidedAt are the decisions that stand in a log where an entry may change them: on the message
// that it is about, or, if it tells who somebody is, on all that they had a part in. Only what
// the log has about those messages is folded, however much else it holds.
func DecidedAt(log []Entry, e Entry) []Decision {
	messages := e.mayChange(log)
	if len(messages) == 0 {
		return nil // as nearly always
	}
	return Decisions(excerpt(log, messages))
}

// mayChange are the messages on which an entry may change what is decided.
func (e *Entry) mayChange(log []Entry) map[string]bool {
	known := false
	switch e.Kind {
	case EntryMark, EntryUnmark:
		if e.Mark.Kind != MarkDecision {
			return nil
		}
	case EntryTurn, EntryLate:
		if e.Person == nil {
			return nil
		}
	case EntryKnown:
		if known = e.Person != nil; !known {
			return nil
		}
	case EntryEdit, EntryStrike:
	case EntryLine, EntryPosted:
		return nil
	}
	var messages map[string]bool
	for i := range log {
		x := &log[i]
		switch ts := x.about(); {
		case ts == "" || messages[ts]:
		case known && x.by() == e.Person.ID, !known && ts == e.about() && x.mayDecide():
			if messages == nil {
				messages = map[string]bool{}
			}
			messages[ts] = true
		}
	}
	return messages
}

// mayDecide reports whether an entry may have anything to do with a decision.
func (e *Entry) mayDecide() bool {
	if e.Mark != nil {
		return e.Mark.Kind == MarkDecision
	}
	return (e.Person != nil || e.Kind == EntryEdit) && Decides(e.Text) // older edits name nobody
}

// about is the message that an entry is, changes or marks; empty for none and for a receipt.
func (e *Entry) about() string {
	switch {
	case e.Kind == EntryPosted:
		return ""
	case e.Mark != nil:
		return e.Mark.TS
	default:
		return e.TS
	}
}

// excerpt is what a log has about some messages, and who people turned out to be, in the
// order of the log.
func excerpt(log []Entry, messages map[string]bool) []Entry {
	var at []int // where each entry of the excerpt stands in the log
	for i := range log {
		if e := &log[i]; e.Kind == EntryKnown || messages[e.about()] {
			at = append(at, i)
		}
	}
	few := make([]Entry, len(at))
	for n, i := range at {
		few[n] = log[i]
		until, _ := slices.BinarySearch(at, log[i].After+1)
		few[n].After = until - 1 // the last entry of the excerpt that was there then
	}
	return few
}

// decided are the decisions that stand: those that messages are, then those that people marked.
func (f *telling) decided(log []Entry) []Decision {
	var all []Decision
	type mark struct{ ts, by, emoji string }
	marks := map[mark]Decision{}
	var order []mark
	for i := range log {
		e := &log[i]
		switch e.Kind {
		case EntryTurn, EntryLate:
			if e.TS == "" || e.Person == nil {
				continue
			}
			if e.Kind == EntryLate && f.told[e.TS] {
				f.early[e.TS] = e
				continue
			}
			for _, own := range f.turn(f.words(e)).marking {
				if Decides(own.text) {
					all = append(all, Decision{e.TS, e.Person.ID, DetailMessage})
				}
			}
		case EntryMark:
			if m := e.Mark; m.TS != "" && m.Kind == MarkDecision && f.vouched(e, m.By) {
				own := mark{m.TS, m.By.ID, m.Emoji}
				if _, again := marks[own]; !again {
					order = append(order, own)
				}
				marks[own] = Decision{m.TS, m.By.ID, e.how(DetailReaction)}
			}
		case EntryUnmark:
			if m := e.Mark; m.Kind == MarkDecision {
				delete(marks, mark{m.TS, m.By.ID, m.Emoji})
			}
		case EntryLine, EntryEdit, EntryStrike, EntryPosted, EntryKnown:
		}
	}
	decided := map[mark]bool{} // a second emoji of the same person decides nothing anew
	for _, own := range order {
		d, stands := marks[own]
		if edit := f.edits[own.ts]; !stands || f.struck[own.ts] || edit != nil && edit.Text == "" {
			continue // it was taken back, or nothing is left that it could stand for
		}
		if once := (mark{ts: own.ts, by: own.by}); !decided[once] {
			all = append(all, d)
			decided[once] = true
		}
	}
	return all
}

// AuditsOf are the acts that an entry of a log notes, where before and after are the decisions
// that stood where it may change them (DecidedAt) before the entry was placed and stand since: a
// decision that somebody made, by a reaction or by how their message begins, each that counts
// since it turned out who made it, and each that stands no more, whatever made it go.
func AuditsOf(e Entry, before, after []Decision) (acts []Audit) {
	for _, d := range after {
		again := e.Kind == EntryEdit && d.How == DetailMessage && Decides(e.Text) // it decides in other words
		if again || !slices.ContainsFunc(before, d.Same) {
			acts = append(acts, e.did(AuditDecided, d))
		}
	}
	for _, d := range before {
		if !slices.ContainsFunc(after, d.Same) {
			acts = append(acts, e.did(AuditUndecided, d))
		}
	}
	return acts
}

// Same reports whether two are one decision, by the same person in the same way.
func (d Decision) Same(o Decision) bool {
	return d.TS == o.TS && d.By == o.By && (d.How == DetailMessage) == (o.How == DetailMessage)
}

// did is the act of the person who made a decision or took it back by an entry.
func (e Entry) did(kind AuditKind, d Decision) Audit {
	a := Audit{Kind: kind, By: d.By, Detail: d.How}
	switch {
	case e.Kind == EntryStrike, e.Kind == EntryEdit && d.How != DetailMessage:
		a.Detail = DetailDeleted
	case e.Kind == EntryEdit && e.Person != nil:
		a.By = e.Person.ID
	case e.Kind == EntryUnmark:
		a.Detail = e.how(DetailReaction)
	case e.Kind == EntryKnown && d.How != DetailUnsure:
		a.Detail = DetailKnown
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
