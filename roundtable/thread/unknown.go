package thread

import (
	"slices"
	"time"
)

// ActKind is how something was done that needs a right.
type ActKind string

// The kinds of act.
const (
	ActPress  ActKind = "press"  // a button, or words that do the same
	ActDone   ActKind = "done"   // words that end something
	ActDepth  ActKind = "depth"  // words that change how deep an analysis goes
	ActDecide ActKind = "decide" // words that mark themselves as a decision; the log has them
	ActMark   ActKind = "mark"   // a ✅; the log has it
	ActForget ActKind = "forget" // words that have something forgotten
	ActKeep   ActKind = "keep"   // a button, or words, that take that back
)

// Act is something that a person did, by its keys: enough to do it later.
type Act struct {
	Kind   ActKind    `json:"kind"`
	Button ButtonKind `json:"button,omitempty"`
	// Value is the button's, the depth, what a word would have ended, or a mark's emoji.
	Value string `json:"value,omitempty"`
	// TS is the message by which it was done, for words and marks.
	TS string `json:"ts,omitempty"`
	// Edited is when the words by which it was done were edited, as a Slack timestamp;
	// empty while they stand as they were said.
	Edited string `json:"edited,omitempty"`
	// Unsure is set for a mark on a message that may be one of another thread.
	Unsure bool `json:"unsure,omitempty"`
}

// same reports whether two acts are one, whichever words of a message did it.
func (a Act) same(b Act) bool {
	a.Edited = b.Edited
	return a == b
}

// logged reports whether the log has what was done.
func (a Act) logged() bool { return a.Kind == ActDecide || a.Kind == ActMark }

// Unknown is a person of whom Slack does not say who they are, with what they did
// meanwhile that needs a right. Once Slack says, it is done, or refused, as if they did it
// then: what somebody did is not lost because Slack was asked too much (I1).
type Unknown struct {
	Person Person `json:"person"`
	Acts   []Act  `json:"acts,omitempty"`
	// Decides is set while words or a ✅ of theirs stand in the log that decide something
	// if they may, More once there were more of them than Acts holds.
	Decides bool `json:"decides,omitempty"`
	More    bool `json:"more,omitempty"`
	// Told is set once they were told that something is kept: they did something here for
	// certain. Nothing is said of anybody else.
	Told bool `json:"told,omitempty"`
	// Next is when Slack is asked again, Tries how often it was; Asking is the key of
	// the question that is open.
	Next   time.Time `json:"next,omitzero"`
	Tries  int       `json:"tries,omitempty"`
	Asking string    `json:"asking,omitempty"`
}

// Unknowns are the unknown people of one thread, in the order in which they first did
// something.
type Unknowns []Unknown

// Bounds of what is kept: people in a thread, acts of each, and bytes of an act's value,
// which is a button's own and short. What is beyond is refused with a sentence. Those of
// whom there are only marks that may be another thread's take nobody's place, and what
// the log has takes no place of what it has not.
const (
	UnknownMost  = 40
	ActsMost     = 10
	ActValueMost = 100
)

// Pauses between questions to Slack about who somebody is: the first comes after
// identifyFirst, and each pause is twice the one before, up to identifyMost.
const (
	identifyFirst = 5 * time.Second
	identifyMost  = time.Hour
)

// Keeping says what became of an act that was to be kept.
type Keeping int

// The ways of keeping.
const (
	KeptFirst Keeping = iota // it is the person's first, who has to be told
	KeptMore                 // the person knows
	KeptNot                  // there is no room; the person has to be told that, too
)

// Keep keeps an act until Slack says who a person is. The same act twice is one.
func (u *Unknowns) Keep(p Person, a Act, now time.Time) Keeping {
	i := u.at(p.ID)
	enters := i < 0 || !a.Unsure && !(*u)[i].Told
	if enters && !u.room(!a.Unsure) || len(a.Value) > ActValueMost {
		return KeptNot
	}
	if i < 0 {
		*u = append(*u, Unknown{Person: p, Next: now.Add(identifyFirst)})
		i = len(*u) - 1
	}
	x := &(*u)[i]
	if !x.add(a) {
		return KeptNot
	}
	if a.Unsure || x.Told {
		return KeptMore
	}
	x.Told = true
	return KeptFirst
}

// room reports whether there is room for another person who did something here, or who
// perhaps did.
func (u Unknowns) room(here bool) bool {
	n := 0
	for i := range u {
		if u[i].Told == here {
			n++
		}
	}
	return n < UnknownMost
}

// add remembers an act; ok is false where there is no room. What stands in the log need
// not be remembered here; only its acknowledgement is lost.
func (u *Unknown) add(a Act) (ok bool) {
	u.Decides = u.Decides || a.logged()
	n := 0
	for i, b := range u.Acts {
		if a.same(b) {
			u.Acts[i].Edited = max(a.Edited, b.Edited)
			return true
		}
		if a.logged() == b.logged() {
			n++
		}
	}
	if n < ActsMost {
		u.Acts = append(u.Acts, a)
		return true
	}
	u.More = u.More || a.logged()
	return a.logged()
}

// drop forgets the acts for which gone holds.
func (u *Unknown) drop(gone func(Act) bool) {
	n := len(u.Acts)
	if u.Acts = slices.DeleteFunc(u.Acts, gone); len(u.Acts) < n && !u.More {
		u.Decides = slices.ContainsFunc(u.Acts, Act.logged)
	}
}

// certain reports whether some of what the log has of theirs was done here.
func (u Unknown) certain() bool {
	return u.More || slices.ContainsFunc(u.Acts, func(a Act) bool { return a.logged() && !a.Unsure })
}

// Take takes a person out, whom Slack has told of. As it answers again, the others are
// asked about at once.
func (u *Unknowns) Take(person string, now time.Time) (Unknown, bool) {
	i := u.at(person)
	if i < 0 {
		return Unknown{}, false
	}
	x := (*u)[i]
	*u = slices.Delete(*u, i, i+1)
	for k := range *u {
		if next := &(*u)[k].Next; next.After(now) {
			*next = now
		}
	}
	if len(*u) == 0 {
		*u = nil
	}
	return x, true
}

// Withdraw forgets the acts of a message that was deleted.
func (u Unknowns) Withdraw(ts string) {
	for i := range u {
		u[i].drop(func(a Act) bool { return a.TS == ts })
	}
}

// Reword forgets the acts of a message that its words do not mean any more since they were
// edited, and remembers of the others that they mean them still. Slack may deliver edits out
// of order: what later words did is not taken back by earlier ones.
func (u Unknowns) Reword(ts, edited string, means func(Act) bool) {
	for i := range u {
		u[i].drop(func(a Act) bool { return a.TS == ts && a.Edited <= edited && !means(a) })
		for k := range u[i].Acts {
			if a := &u[i].Acts[k]; a.TS == ts && a.Kind != ActMark {
				a.Edited = max(a.Edited, edited)
			}
		}
	}
}

// Unmark forgets a ✅ that was taken away, and none of another emoji that means the same. An
// older version noted no emoji: what it kept is taken for the one that is gone.
func (u Unknowns) Unmark(person, ts, emoji string) {
	i := u.at(person)
	if i < 0 {
		return
	}
	by := func(emoji string) func(Act) bool {
		return func(a Act) bool { return a.Kind == ActMark && a.TS == ts && a.Value == emoji }
	}
	if !slices.ContainsFunc(u[i].Acts, by(emoji)) {
		emoji = ""
	}
	u[i].drop(by(emoji))
}

// Ask opens the question about the person whose turn it is, and names them. One question
// is open at a time: where Slack wants to be left alone, it is asked once. There has to be
// somebody to ask about (Wake).
func (u Unknowns) Ask(key string) (person string) {
	at := u.Wake()
	i := slices.IndexFunc(u, func(x Unknown) bool { return x.Next.Equal(at) })
	u[i].Asking = key
	return u[i].Person.ID
}

// Unanswered closes a question that Slack did not answer: the next about the person comes
// after a pause that grows, and none about anybody before until, when Slack may be asked.
func (u Unknowns) Unanswered(effect string, now, until time.Time) {
	i := slices.IndexFunc(u, func(x Unknown) bool { return x.Asking == effect })
	if i < 0 || effect == "" {
		return
	}
	x := &u[i]
	x.Tries++
	x.Asking, x.Next = "", now.Add(min(identifyFirst<<min(x.Tries, 12), identifyMost))
	for k := range u {
		if u[k].Next.Before(until) {
			u[k].Next = until
		}
	}
}

// Wake is when Slack is to be asked next; zero while a question is open, and for never.
func (u Unknowns) Wake() time.Time {
	var at time.Time
	for i := range u {
		if u[i].Asking != "" {
			return time.Time{}
		}
		if at.IsZero() || u[i].Next.Before(at) {
			at = u[i].Next
		}
	}
	return at
}

// Deciding counts those whose decisions are open.
func (u Unknowns) Deciding() (n int) {
	for i := range u {
		if u[i].Decides && u[i].Told && u[i].certain() {
			n++
		}
	}
	return n
}

// Once are the acts without those that would do again what one before them does: people
// say "done" twice when nothing happens.
func (u Unknown) Once() []Act {
	var once []Act
	for _, a := range u.Acts {
		if a.Kind == ActDecide || !slices.ContainsFunc(once, func(b Act) bool { return b.Kind == a.Kind && b.Button == a.Button && b.Value == a.Value }) {
			once = append(once, a)
		}
	}
	return once
}

// Clone copies them with everything that may be changed in place.
func (u Unknowns) Clone() Unknowns {
	u = slices.Clone(u)
	for i := range u {
		u[i].Acts = slices.Clone(u[i].Acts)
	}
	return u
}

func (u Unknowns) at(person string) int {
	return slices.IndexFunc(u, func(x Unknown) bool { return x.Person.ID == person })
}

// Vouched tells the log that a person is a full member: what they marked before, while Slack
// did not say so, counts from now on (NFR-003).
func Vouched(p Person) Entry {
	return Entry{Kind: EntryKnown, Person: &p}
}
