package persona

import "strings"

// Key names a persona in stored data, for example "business-analyst".
type Key string

// Seat is what the protocol needs to know of a persona: enough to address it,
// to attribute its words and to decide whether a topic is its own. A discussion
// keeps the seats it was opened with, so that a later change of the roster does
// not change a discussion that is under way.
type Seat struct {
	Key Key `json:"key" yaml:"key"`
	// Name is the full name, "Maya Chen"; Role the full role, "Business
	// Analyst"; Title the short role of a participants line, "BA".
	Name  string `json:"name" yaml:"name"`
	Role  string `json:"role" yaml:"role"`
	Title string `json:"title" yaml:"title"`
	// Aliases are further names that address the persona, besides the first
	// word of Name.
	Aliases []string `json:"aliases,omitempty" yaml:"aliases"`
	// UserGroup is the id of a Slack user group whose mention addresses the
	// persona ("S0123…"), or empty.
	UserGroup string `json:"user_group,omitempty" yaml:"user_group"`
	// Perspective completes "what is your take from … perspective?", with its
	// article: "an architecture".
	Perspective string `json:"perspective" yaml:"perspective"`
	// Domain holds lower-case keywords (single words or phrases) of the
	// persona's own ground.
	Domain []string `json:"domain,omitempty" yaml:"domain"`
}

// First returns the first name, by which people and colleagues address the
// persona and which attributes its insights.
func (s Seat) First() string {
	first, _, _ := strings.Cut(s.Name, " ")
	return first
}

// Identity returns "Maya Chen (Business Analyst)", the name under which the
// persona posts (AC-002-04).
func (s Seat) Identity() string { return s.Name + " (" + s.Role + ")" }

// Persona is a seat and everything that shapes its voice (FR-010). All of it is
// data from the roster; nothing in code knows a persona by name.
type Persona struct {
	Seat `yaml:",inline"`

	// Icon is an emoji with colons (":rt_maya:") or an https URL.
	Icon string `yaml:"icon"`
	// Model is the provider and model that speaks for this persona, or empty
	// for the deployment's own.
	Model string `yaml:"model"`

	// Introduction is how the persona introduces itself; Style describes its
	// manner; Lens what it looks at.
	Introduction string      `yaml:"introduction"`
	Style        string      `yaml:"style"`
	Lens         string      `yaml:"lens"`
	Principles   []Principle `yaml:"principles"`

	// Patterns are sentence shapes that are typical; Behaviours what it does in
	// an elaboration; Never what it leaves to its colleagues.
	Patterns   []string `yaml:"patterns"`
	Behaviours []string `yaml:"behaviours"`
	Never      []string `yaml:"never"`

	// Vocabulary lists words and phrases, lower case.
	Vocabulary Vocabulary `yaml:"vocabulary"`

	// Examples are lines the persona would and would not write.
	Examples Examples `yaml:"examples"`

	// Acknowledgement is how the persona takes up feedback (AC-007-04),
	// with the placeholder {point}.
	Acknowledgement string `yaml:"acknowledgement"`
}

// Principle is a rule the persona works by, with its explanation.
type Principle struct {
	Name string `yaml:"name"`
	Text string `yaml:"text"`
}

// Vocabulary separates voices: what a persona must not say of its own accord
// and what it says readily.
type Vocabulary struct {
	Forbidden      []string `yaml:"forbidden"`
	Characteristic []string `yaml:"characteristic"`
}

// Examples are lines for and against a voice.
type Examples struct {
	Good []string `yaml:"good"`
	Bad  []string `yaml:"bad"`
}

// Roster is a whole cast and who leads which phase.
type Roster struct {
	// Personas are in roster order, the order in which a group is answered
	// after the lead.
	Personas []Persona
	// Phases maps a phase key to its lead.
	Phases []Phase
	// Default leads an unknown phase and free topics (AC-003-06).
	Default Key
}

// Phase is one of the analysis' phases, its lead and what it does.
type Phase struct {
	Key         string `yaml:"key"`
	Lead        Key    `yaml:"lead"`
	Description string `yaml:"description"`
}

// Lead returns the lead of a phase. known is false when the phase has no entry
// and the default persona takes it, which the caller should log.
func (r Roster) Lead(phase string) (lead Key, known bool) {
	for _, p := range r.Phases {
		if p.Key == phase {
			return p.Lead, true
		}
	}
	return r.Default, false
}

// Persona returns the persona with the key.
func (r Roster) Persona(key Key) (Persona, bool) {
	for _, p := range r.Personas {
		if p.Key == key {
			return p, true
		}
	}
	return Persona{}, false
}

// Seats returns the protocol's view of the roster, in roster order.
func (r Roster) Seats() []Seat {
	seats := make([]Seat, len(r.Personas))
	for i, p := range r.Personas {
		seats[i] = p.Seat
	}
	return seats
}
