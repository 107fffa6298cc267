package roundtable

// Right says who may do something in a discussion (SPEC §8). A guest takes part in what
// is said and in nothing else, whichever right it is.
type Right string

// The rights.
const (
	RightEverybody Right = ""       // who is in the channel
	RightOpener    Right = "opener" // who opened the discussion
)

// may reports whether a person has a right.
func (s *step) may(r Right, p Person) bool {
	return !p.Guest && (r == RightEverybody || p.ID == s.d.Opener.ID)
}

// barred tells a person who has no such right.
func (s *step) barred(r Right, p Person) bool {
	if s.may(r, p) {
		return false
	}
	s.tell(p.ID, barredText(s.d, p))
	return true
}

// noteRights notes of a person's words that they decide nothing, if their author may not:
// what marks itself is read from the text whenever the transcript is, long after this.
func (s *step) noteRights(e *Entry) {
	if e.Person != nil && e.Text != "" && !s.may(s.d.Settings.Choose, *e.Person) {
		e.NoDecision = true
	}
}
