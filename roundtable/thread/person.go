package thread

import (
	"slices"
	"strings"

	"github.com/roundtable-chat/app/roundtable/persona"
)

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

// Nameless reports whether nothing better than the id is known to call somebody by.
func (p Person) Nameless() bool { return p.Name == "" || p.Name == p.ID }

// NameAmong is a person's plain name, told apart where it is a persona's, or one of those
// that stand for nobody in particular.
func (p Person) NameAmong(cast []persona.Seat) string {
	name := p.PlainName()
	taken := []string{"All", "User"}
	for _, s := range cast {
		taken = append(taken, s.First(), s.Name, s.Identity(), Participant(s))
	}
	seen := strings.Map(func(r rune) rune {
		if unseen(r) {
			return -1
		}
		return r
	}, name)
	if slices.ContainsFunc(taken, func(n string) bool { return strings.EqualFold(n, seen) }) {
		name += " (person)"
	}
	return name
}

// PlainName is a display name without what would mean something in an
// attribution or in Markdown.
func (p Person) PlainName() string {
	return OneLine(strings.Map(func(r rune) rune {
		if strings.ContainsRune("[]/<>*`\\", r) {
			return ' '
		}
		return r
	}, p.Name))
}

// Participant is a persona in a line of participants.
func Participant(s persona.Seat) string { return s.Name + " (" + s.Title + ")" }
