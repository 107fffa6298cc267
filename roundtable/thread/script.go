package thread

import (
	"strconv"
	"strings"
	"time"
)

// Script is what one step of a machine writes: what it wants done, what goes into the log,
// and what somebody has to answer for. E is the machine's sum of effects.
type Script[E any] struct {
	Effects []E
	Entries []Entry
	Acts    []Audit

	cause  Cause
	ground Ground
	make   Makers[E]
	keys   int
}

// Cause is what a script needs to know of the input that it follows from.
type Cause struct {
	ID     string
	At     time.Time
	Excess Excess
	// By is the id of the person to whose share of the log lines count that the input
	// leads to; empty where nobody set it off.
	By string
}

// Ground is what a script needs of the state that it changes. It is read when it is needed:
// the input that opens a thread sets it.
type Ground struct {
	ID      *string
	Opener  *Person
	Unknown *Unknowns
}

// Makers make a machine's own effects of those that every machine has.
type Makers[E any] struct {
	Post     func(Post) E
	Tell     func(Tell) E
	Identify func(Identify) E
}

// NewScript returns an empty script.
func NewScript[E any](c Cause, g Ground, m Makers[E]) Script[E] {
	return Script[E]{cause: c, ground: g, make: m}
}

// Key makes the next effect key. It follows from the input alone, so that the
// same input always has the same effects' keys, whatever else was forgotten.
func (s *Script[E]) Key() string {
	cause := s.cause.ID
	if !strings.HasPrefix(cause, *s.ground.ID+"/") {
		cause = *s.ground.ID + "/" + cause
	}
	k := cause + "/" + strconv.Itoa(s.keys)
	s.keys++
	return k
}

// AsOf lets what follows happen at another time than the input's: what came before is taken
// up with its own.
func (s *Script[E]) AsOf(at time.Time) { s.cause.At = at }

// Do wants an effect performed.
func (s *Script[E]) Do(e E) { s.Effects = append(s.Effects, e) }

// Act notes that somebody did something.
func (s *Script[E]) Act(a Audit) { s.Acts = append(s.Acts, a) }

// Tell says something to one person only.
func (s *Script[E]) Tell(user, text string) {
	s.Do(s.make.Tell(Tell{Key: s.Key(), User: user, Text: text}))
}

// Post says something as the app, and returns the key of that.
func (s *Script[E]) Post(m Message) string {
	k := s.Key()
	s.Do(s.make.Post(Post{Key: k, Message: m}))
	return k
}

// Line posts a message that is no turn, and notes it in the log.
func (s *Script[E]) Line(m Message) {
	k := s.Post(m)
	s.Entries = append(s.Entries, s.Entry(Entry{Kind: EntryLine, Persona: m.Speaker, Key: k, Text: m.Text}))
}

// Notice has the app itself say why things are as they are.
func (s *Script[E]) Notice(text string, buttons ...Button) {
	s.Line(Message{Kind: KindNotice, Text: text, Buttons: buttons})
}

// Entry is an entry as this step puts it into the log: with the time, the person to whose
// share it counts, and no more text than there is room for.
func (s *Script[E]) Entry(e Entry) Entry {
	e.At = s.cause.At
	if e.Person == nil && e.Mark == nil {
		e.For = s.cause.By
	}
	return s.cause.Excess.Cut(e)
}

// Verdict judges a person by a right of the thread.
func (s *Script[E]) Verdict(r Right, p Person) Verdict { return r.Judge(p, s.ground.Opener.ID) }

// Lets reports whether a person may do something now. Where they may not they are told;
// where Slack does not say who they are, what they did is kept.
func (s *Script[E]) Lets(r Right, p Person, a Act) bool {
	switch s.Verdict(r, p) {
	case VerdictGranted:
		return true
	case VerdictOpen:
		s.Keep(p, a)
	case VerdictRefused:
		s.Tell(p.ID, SayBarred(p, *s.ground.Opener))
	}
	return false
}

// Keep keeps what somebody unknown did, and tells them, once.
func (s *Script[E]) Keep(p Person, a Act) {
	switch s.ground.Unknown.Keep(p, a, s.cause.At) {
	case KeptFirst:
		s.Tell(p.ID, SayActKept())
	case KeptNot:
		s.Tell(p.ID, SayPersonUnknown())
	case KeptMore:
	}
}

// Identify asks who somebody is, once it is time to ask.
func (s *Script[E]) Identify() {
	if at := s.ground.Unknown.Wake(); at.IsZero() || s.cause.At.Before(at) {
		return
	}
	key := s.Key()
	s.Do(s.make.Identify(Identify{Key: key, User: s.ground.Unknown.Ask(key)}))
}

// Forgo gives up on people of whom Slack never said who they are (I10).
func (s *Script[E]) Forgo() {
	for _, u := range *s.ground.Unknown {
		if u.Told {
			s.Tell(u.Person.ID, SayNeverKnown())
		}
	}
	*s.ground.Unknown = nil
}
