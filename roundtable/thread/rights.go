package thread

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
