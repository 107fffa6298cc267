package roundtable

// Person is somebody who acts in a thread. ID is the workspace's user id;
// Name is what attributions show.
type Person struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	// Guest is set for everybody who is no full member, so that a replica that reads no
	// Standing refuses them, too. Standing says which of them it is; empty is a guest.
	// Ask Is, and make a Person of a standing with As.
	Guest    bool     `json:"guest,omitempty"`
	Standing Standing `json:"standing,omitempty"`
}

// Standing is who somebody is to the workspace, as far as rights go (FR-108). The
// policy is applied before: a guest to whom it grants what members may is a member here.
type Standing string

// The standings.
const (
	StandingMember   Standing = ""         // a full member
	StandingGuest    Standing = "guest"    // a guest of the workspace
	StandingOutsider Standing = "outsider" // of another organisation
	StandingUnknown  Standing = "unknown"  // Slack does not say
)

// Standings lists all standings.
func Standings() []Standing {
	return []Standing{StandingMember, StandingGuest, StandingOutsider, StandingUnknown}
}

// Is is the person's standing.
func (p Person) Is() Standing {
	if p.Standing == StandingMember && p.Guest {
		return StandingGuest
	}
	return p.Standing
}

// As is the person with a standing.
func (p Person) As(is Standing) Person {
	p.Guest = is != StandingMember
	p.Standing = is
	if is == StandingGuest { // as it was stored when there were no others
		p.Standing = ""
	}
	return p
}

// nameless reports whether nothing better than the id is known to call somebody by.
func (p Person) nameless() bool { return p.Name == "" || p.Name == p.ID }
