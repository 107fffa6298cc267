package thread

import (
	"cmp"
	"slices"
	"time"

	"github.com/roundtable-chat/app/roundtable/persona"
)

// EntryKind says what an entry of the log records.
type EntryKind string

// The kinds of entry. Edits, deletions and receipts are entries of their own, and
// ReadTranscript folds them. An entry stays as it was written, but for those that
// Supersedes names: what was said last stands in the place of what it replaces.
const (
	EntryTurn   EntryKind = "turn"   // a message that is a turn or a part of one
	EntryLine   EntryKind = "line"   // a procedural line; never a turn
	EntryLate   EntryKind = "late"   // a person's message that came when there was no turn for it, or not yet
	EntryEdit   EntryKind = "edit"   // replaces the text of the message at TS
	EntryStrike EntryKind = "strike" // strikes the message at TS
	EntryPosted EntryKind = "posted" // the post with Key stands at TS
	EntryMark   EntryKind = "mark"   // somebody marked something
	EntryUnmark EntryKind = "unmark" // somebody took a mark back
	EntryKnown  EntryKind = "known"  // a person who did something before turned out to be a full member
)

// Entry is one line of a discussion's log, in the stored form.
type Entry struct {
	Kind EntryKind `json:"k"`
	// At is when it was recorded; a receipt needs none, the post's own TS tells it.
	At time.Time `json:"at,omitzero"`
	// Turn is the turn's number, from 1; parts of one contribution share it.
	Turn int `json:"n,omitempty"`
	// Persona or Person is who spoke; both empty is the app.
	Persona persona.Key `json:"p,omitempty"`
	Person  *Person     `json:"u,omitempty"`
	// Key is the post's effect key; TS the Slack timestamp.
	Key  string `json:"key,omitempty"`
	TS   string `json:"ts,omitempty"`
	Text string `json:"t,omitempty"`
	// Edited is when an edit was made, as a Slack timestamp.
	Edited string `json:"e,omitempty"`
	// Stance and ReplyTo are a contribution's.
	Stance  Stance `json:"st,omitempty"`
	ReplyTo int    `json:"re,omitempty"`
	// Faults counts the voice rules that a contribution breaks (FR-010). It stands
	// here and not in meta.json, whose fields are fixed (AC-009-01).
	Faults int      `json:"vf,omitempty"`
	Files  []string `json:"f,omitempty"`
	Mark   *Mark    `json:"m,omitempty"`
	// NoDecision is set for words of a person who may not decide.
	NoDecision bool `json:"nd,omitempty"`
	// Told is set where the message at TS stands in the log already, as one that came
	// late: its words and files are there, and this is the place it got.
	Told bool `json:"told,omitempty"`
	// For is the id of the person who set off a line of the app's or a persona's: it
	// counts to their share of the log.
	For string `json:"for,omitempty"`
	// After is set where somebody unknown did something in the place of an entry that it
	// made meaningless: the index of the entry that was the last one then.
	After int `json:"after,omitempty"`
	// Unsure is set for a mark on a message that may be one of another thread (Reacted).
	Unsure bool `json:"unsure,omitempty"`
}

// MarkKind is what people can mark.
type MarkKind string

// The kinds of mark (FR-105).
const (
	MarkDecision MarkKind = "decision" // ✅, an option button, "Decision: …"
	MarkQuestion MarkKind = "question" // ❓
	MarkInsight  MarkKind = "insight"  // 📌
	MarkAction   MarkKind = "action"   // "Action: …"
)

// Mark is something a person singled out. Either TS names the marked message,
// or Text is the marked thing itself.
type Mark struct {
	Kind MarkKind `json:"kind"`
	By   Person   `json:"by"`
	TS   string   `json:"ts,omitempty"`
	Text string   `json:"text,omitempty"`
	// Emoji is the reaction by which the message at TS was marked. Several emoji mean the
	// same, and a person may put two of them on one message: the mark stands until the
	// last is taken away. It is empty where an older version did not note which it was.
	Emoji string `json:"emoji,omitempty"`
}

// same reports whether two marks single out the same message as the same thing, by the
// same person, with whichever emoji.
func (m *Mark) same(o *Mark) bool {
	return m.TS != "" && m.TS == o.TS && m.Kind == o.Kind && m.By.ID == o.By.ID
}

// Turn is one counted contribution as the fold sees it: parts joined, edits
// applied, struck parts left out.
type Turn struct {
	Number  int
	At      time.Time
	Persona persona.Key // empty for a person's turn
	Person  Person      // zero for a persona's turn
	Text    string
	Stance  Stance
	ReplyTo int
	Faults  int
	// TS is the timestamp of its (first) message, empty until posted.
	TS    string
	Files []string
	// NoDecision is set for a person's who may not decide.
	NoDecision bool
	// marking are those of a person's messages that mark themselves, as they stand.
	marking []said
	// Struck is true when all of it was deleted; Text is then empty.
	Struck bool
}

// said is one message of a turn, and its author as they stood when they wrote it: Slack may
// say who somebody is between two messages of one turn.
type said struct {
	ts, text string
	by       Person
}

// Marked is a mark with the text it stands for.
type Marked struct {
	Mark
	// Body is the marked text, in Markdown as a document has it, up to markLimit; Turn
	// the turn it belongs to, or 0.
	Body string
	Turn int
	// Whole is the whole text if Body is shortened, else empty.
	Whole string
}

// Transcript is the folded log.
type Transcript struct {
	Turns []Turn
	// Late are people's messages after the last turn.
	Late []Turn
	// Marks are in the order of marking, without those taken back.
	Marks []Marked
}

// rename gives those a name of whom it was learnt only later.
func (t *Transcript) rename() {
	var names map[string]string
	for _, said := range [][]Turn{t.Turns, t.Late} {
		for i := range said {
			p := &said[i].Person
			if p.ID == "" || !p.Nameless() {
				continue
			}
			if names == nil {
				names = t.Names()
			}
			p.Name = cmp.Or(names[p.ID], p.Name)
		}
	}
}

// Names are the people of a transcript by their ids.
func (t Transcript) Names() map[string]string {
	names := map[string]string{}
	for _, said := range [][]Turn{t.Turns, t.Late} {
		for _, turn := range said {
			if p := turn.Person; p.ID != "" && !p.Nameless() {
				names[p.ID] = p.Name
			}
		}
	}
	return names
}

// Present are those of some people of whom something stands: a turn that was not taken
// back, or a mark. Nobody else is named as having taken part (FR-003, AC-008-05).
func (t Transcript) Present(people []Person) []Person {
	var there []Person
	for _, p := range people {
		spoke := slices.ContainsFunc(t.Turns, func(turn Turn) bool { return turn.Person.ID == p.ID && !turn.Struck })
		if spoke || slices.ContainsFunc(t.Marks, func(m Marked) bool { return m.By.ID == p.ID }) {
			there = append(there, p)
		}
	}
	return there
}

// Stance is how a contribution stands to what it answers.
type Stance string

// The stances.
const (
	StanceAgree    Stance = "agree"
	StanceDisagree Stance = "disagree"
	StanceQuestion Stance = "question"
	StanceAdd      Stance = "add"
)
