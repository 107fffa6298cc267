package roundtable

import "maps"

// Right says who may do something in a discussion or an analysis (FR-108). A guest, a
// person of another organisation and a person of whom Slack does not say who they are
// take part in what is said and in nothing else, whichever right it is.
type Right string

// The rights.
const (
	RightEverybody Right = ""       // every full member who is in the channel
	RightOpener    Right = "opener" // the full member who opened it
)

// Verdict is what a right says to a person.
type Verdict int

// The verdicts.
const (
	VerdictRefused Verdict = iota
	VerdictGranted
	// VerdictOpen: the person may, should Slack say that they are a full member.
	VerdictOpen
)

// Judge says whether a person has the right, where opener is the id of the person who
// opened the discussion. A standing that this version does not know is refused.
func (r Right) Judge(p Person, opener string) Verdict {
	if r != RightEverybody && p.ID != opener {
		return VerdictRefused
	}
	switch p.Is() {
	case StandingMember:
		return VerdictGranted
	case StandingUnknown:
		return VerdictOpen
	case StandingGuest, StandingOutsider:
	}
	return VerdictRefused
}

// Need is which of a thread's rights something asks for.
type Need string

// The needs.
const (
	NeedNothing Need = "nothing" // it changes nothing
	NeedMember  Need = "member"  // any full member
	NeedClose   Need = "close"   // Settings.Close
	NeedChoose  Need = "choose"  // Settings.Choose
)

// Right is the right that a need comes to where close and choose are set; ok is false
// for what needs none.
func (n Need) Right(closing, choosing Right) (r Right, ok bool) {
	switch n {
	case NeedMember:
		return RightEverybody, true
	case NeedClose:
		return closing, true
	case NeedChoose:
		return choosing, true
	case NeedNothing:
	}
	return RightEverybody, false
}

// ButtonNeeds says what each button of a discussion needs. Words and reactions that do
// what a button does need what it needs.
func ButtonNeeds() map[ButtonKind]Need { return maps.Clone(buttonNeeds) }

var buttonNeeds = map[ButtonKind]Need{
	ButtonContinue: NeedMember, ButtonExtend: NeedMember, ButtonKeepOn: NeedMember, ButtonRetry: NeedMember,
	ButtonQuiet: NeedMember, ButtonMute: NeedMember, ButtonOpenFloor: NeedMember,
	ButtonShare: NeedMember, ButtonAgain: NeedMember, ButtonAnalyse: NeedMember,
	ButtonWrapUp: NeedClose, ButtonChoose: NeedChoose,
	ButtonCatchUp: NeedNothing, // the edge answers it, and asks for itself who presses
}

// verdict judges a person by a right of the discussion.
func (s *step) verdict(r Right, p Person) Verdict { return r.Judge(p, s.d.Opener.ID) }

// lets reports whether a person may do something now. Where they may not they are told;
// where Slack does not say who they are, what they did is kept.
func (s *step) lets(r Right, p Person, a Act) bool {
	switch s.verdict(r, p) {
	case VerdictGranted:
		return true
	case VerdictOpen:
		s.keep(p, a)
	case VerdictRefused:
		s.tell(p.ID, SayBarred(p, s.d.Opener))
	}
	return false
}

// noteRights notes of a person's words that they decide nothing, if their author may not:
// what marks itself is read from the text whenever the transcript is, long after this.
// Whether the words of somebody unknown decide anything, a later entry says (EntryKnown):
// never, if newer words had replaced them before Slack delivered them.
func (s *step) noteRights(e *Entry) {
	if e.Person == nil || e.Text == "" {
		return
	}
	switch s.verdict(s.d.Settings.Choose, *e.Person) {
	case VerdictRefused:
		e.NoDecision = true
	case VerdictOpen:
		if Decides(e.Text) && s.d.Outcome == nil && !s.in.Overtaken {
			s.keep(*e.Person, Act{Kind: ActDecide, TS: e.TS, Edited: e.Edited})
		}
	case VerdictGranted:
	}
}
