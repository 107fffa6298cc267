package roundtable

import (
	"maps"

	"github.com/roundtable-chat/app/roundtable/thread"
)

// ButtonNeeds says what each button of a discussion needs. Words and reactions that do
// what a button does need what it needs.
func ButtonNeeds() map[thread.ButtonKind]thread.Need { return maps.Clone(buttonNeeds) }

var buttonNeeds = map[thread.ButtonKind]thread.Need{
	ButtonContinue: thread.NeedMember, ButtonExtend: thread.NeedMember, ButtonKeepOn: thread.NeedMember, ButtonRetry: thread.NeedMember,
	ButtonQuiet: thread.NeedMember, ButtonMute: thread.NeedMember, ButtonOpenFloor: thread.NeedMember,
	ButtonShare: thread.NeedMember, ButtonAgain: thread.NeedMember, ButtonAnalyse: thread.NeedMember,
	ButtonWrapUp: thread.NeedClose, ButtonChoose: thread.NeedChoose,
	ButtonCatchUp: thread.NeedNothing, // the edge answers it, and asks for itself who presses
}

// verdict judges a person by a right of the discussion.
func (s *step) verdict(r thread.Right, p thread.Person) thread.Verdict {
	return r.Judge(p, s.d.Opener.ID)
}

// lets reports whether a person may do something now. Where they may not they are told;
// where Slack does not say who they are, what they did is kept.
func (s *step) lets(r thread.Right, p thread.Person, a thread.Act) bool {
	switch s.verdict(r, p) {
	case thread.VerdictGranted:
		return true
	case thread.VerdictOpen:
		s.keep(p, a)
	case thread.VerdictRefused:
		s.tell(p.ID, thread.SayBarred(p, s.d.Opener))
	}
	return false
}

// noteRights notes of a person's words that they decide nothing, if their author may not:
// what marks itself is read from the text whenever the transcript is, long after this.
// Whether the words of somebody unknown decide anything, a later entry says (EntryKnown):
// never, if newer words had replaced them before Slack delivered them.
func (s *step) noteRights(e *thread.Entry) {
	if e.Person == nil || e.Text == "" {
		return
	}
	switch s.verdict(s.d.Settings.Choose, *e.Person) {
	case thread.VerdictRefused:
		e.NoDecision = true
	case thread.VerdictOpen:
		if thread.Decides(e.Text) && s.d.Outcome == nil && !s.in.Overtaken {
			s.keep(*e.Person, thread.Act{Kind: thread.ActDecide, TS: e.TS, Edited: e.Edited})
		}
	case thread.VerdictGranted:
	}
}
