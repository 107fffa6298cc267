package analysis

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/roundtable-chat/app/roundtable"
)

// Result is what Step decided.
type Result struct {
	Analysis Analysis
	Effects  []Effect
	Entries  []roundtable.Entry
	// Moves are the transitions taken, each one of Transitions (I6).
	Moves []Move
}

// Move is one transition of the state machine.
type Move struct{ From, To State }

// Transitions lists every transition there is.
func Transitions() []Move {
	moves := []Move{
		{StateGreeting, StateAsking},    // a step is taken up
		{StateAsking, StateValidating},  // enough was said
		{StateValidating, StateAsking},  // criteria without an answer
		{StateValidating, StateWriting}, // a draft stands
		{StateValidating, StateMenu},    // feedback that changes nothing
		{StateWriting, StateMenu},       // written and recorded
		{StateWriting, StateGreeting},   // the phase is recorded; on to the next
		{StateMenu, StateGreeting},      // [C]
		{StateMenu, StateWriting},       // [C] at the end of a phase: it is recorded
		{StateMenu, StateValidating},    // feedback, [S]
		{StateMenu, StateAsking},        // another depth: the step anew
		{StateMenu, StateElaborating},   // [E]
		{StateElaborating, StateMenu},   // it ended, or is not waited for
	}
	for _, s := range States() {
		if s != StateClosed {
			moves = append(moves, Move{s, StateClosed})
		}
	}
	return moves
}

// Afterlife is how long a closed analysis still answers.
const Afterlife = roundtable.Afterlife

// Step decides what an input means for an analysis. Like [roundtable.Step] it is
// total and pure: every input is legal in every state, one that means nothing
// changes nothing, and a is not changed. The first input is Opened, given with the
// zero Analysis.
func Step(a Analysis, in Input) Result {
	s := &step{a: a.clone(), in: in}
	if a.State == "" {
		if e, ok := in.Event.(Opened); ok {
			s.open(e)
		}
		return s.result()
	}
	switch e := in.Event.(type) {
	case Opened:
		s.join(e)
	case Surveyed:
		s.surveyed(e)
	case Asked:
		s.asked(e)
	case Drafted:
		s.drafted(e)
	case Written:
		s.written(e)
	case Recorded:
		s.recorded(e)
	case ElaborationOpened:
		s.elaborationOpened(e)
	case ElaborationEnded:
		s.elaborationEnded(e)
	case Said:
		s.said(e)
	case Edited:
		by := e.By
		s.record(roundtable.Entry{Kind: roundtable.EntryEdit, Person: &by, TS: e.TS, Text: e.Text, Edited: e.EditedTS})
	case Deleted:
		s.record(roundtable.Entry{Kind: roundtable.EntryStrike, TS: e.TS})
	case Reacted:
		s.reacted(e)
	case Pressed:
		s.pressed(e)
	case Woken:
		s.woken()
	case Posted:
		s.posted(e)
	case Failed:
		s.failed(e)
	case Parked:
		if a.Place.Root != "" && a.State != StateClosed {
			s.notice(parkedText())
		}
	}
	s.answerWaiting()
	return s.result()
}

// step is one call of Step in the making.
type step struct {
	a       Analysis
	in      Input
	effects []Effect
	entries []roundtable.Entry
	moves   []Move
	keys    int
}

func (s *step) result() Result {
	s.a.WakeAt = s.wakeAt()
	return Result{Analysis: s.a, Effects: s.effects, Entries: s.entries, Moves: s.moves}
}

// key makes the next effect key, from the input alone.
func (s *step) key() string {
	cause := s.in.ID
	if !strings.HasPrefix(cause, s.a.ID+"/") {
		cause = s.a.ID + "/" + cause
	}
	k := cause + "/" + strconv.Itoa(s.keys)
	s.keys++
	return k
}

func (s *step) do(e Effect)                                  { s.effects = append(s.effects, e) }
func (s *step) record(e roundtable.Entry)                    { e.At = s.in.At; s.entries = append(s.entries, e) }
func (s *step) tell(user, text string)                       { s.do(Tell{Key: s.key(), User: user, Text: text}) }
func (s *step) seat(k roundtable.PersonaKey) roundtable.Seat { return s.a.seat(k) }

func (s *step) move(to State) {
	s.moves = append(s.moves, Move{s.a.State, to})
	s.a.State = to
}

func (s *step) post(m roundtable.Message) string {
	k := s.key()
	s.do(Post{Key: k, Message: m})
	return k
}

// line has a persona say something procedural: not a turn.
func (s *step) line(speaker roundtable.PersonaKey, text string, buttons ...roundtable.Button) {
	seat := s.seat(speaker)
	k := s.post(roundtable.Message{Kind: roundtable.KindProcedure, Speaker: seat.Key, Identity: seat.Identity(), Text: text, Buttons: buttons})
	s.record(roundtable.Entry{Kind: roundtable.EntryLine, Persona: seat.Key, Key: k, Text: text})
}

// notice has the app itself say something.
func (s *step) notice(text string, buttons ...roundtable.Button) {
	s.tellRoom(roundtable.Message{Kind: roundtable.KindNotice, Text: text, Buttons: buttons})
}

// tellRoom is notice for what is more than words.
func (s *step) tellRoom(m roundtable.Message) {
	k := s.post(m)
	s.record(roundtable.Entry{Kind: roundtable.EntryLine, Key: k, Text: m.Text})
}

// ask puts a question and remembers it. Whatever kept things from going on is over.
func (s *step) ask(a Ask) {
	s.a.Stalled = nil
	a.Key = s.key()
	s.a.Ask = &a
	s.do(Asking(s.a))
}

// answers reports whether an answer belongs to the open question.
func (s *step) answers(kind AskKind, effect string) bool {
	return s.a.Ask != nil && s.a.Stalled == nil && s.a.Ask.Kind == kind && s.a.Ask.Key == effect
}

// Asking returns the effect that puts the open question, or nil when none is open
// or a failure has stopped it.
func Asking(a Analysis) Effect {
	if a.Ask == nil || a.Stalled != nil {
		return nil
	}
	switch a.Ask.Kind {
	case AskInspect:
		return Inspect{Key: a.Ask.Key}
	case AskInquire:
		return Inquire{Key: a.Ask.Key}
	case AskCompose:
		return Compose{Key: a.Ask.Key, Fault: a.Ask.Fault, Plain: a.Ask.Plain}
	}
	return nil
}

// paid takes in what the analysis has cost, in total.
func (s *step) paid(total roundtable.Spend) {
	s.a.Spent.Tokens = max(s.a.Spent.Tokens, total.Tokens)
	s.a.Spent.Micros = max(s.a.Spent.Micros, total.Micros)
}

// hear notes that a person did something, if only before the lead asked, as in a
// discussion.
func (s *step) hear() {
	for _, at := range []time.Time{s.in.At, s.a.AskedSilence} {
		if at.After(s.a.Heard) {
			s.a.Heard = at
		}
	}
	s.a.AskedSilence = time.Time{}
}

func (a Analysis) seat(k roundtable.PersonaKey) roundtable.Seat {
	for _, s := range a.Cast {
		if s.Key == k {
			return s
		}
	}
	if len(a.Cast) > 0 {
		return a.Cast[0]
	}
	return roundtable.Seat{}
}

// lead is who speaks now.
func (a Analysis) lead() roundtable.PersonaKey {
	switch {
	case a.Step != nil:
		return a.Step.Lead
	case a.Phase != nil:
		return a.Phase.Lead
	default:
		return ""
	}
}

// clone copies everything that Step may change in place.
func (a Analysis) clone() Analysis {
	a.Greeted = slices.Clone(a.Greeted)
	a.People = slices.Clone(a.People)
	a.Elaborations = slices.Clone(a.Elaborations)
	a.Origins = slices.Clone(a.Origins)
	a.Noted = slices.Clone(a.Noted)
	a.Step, a.Ask, a.Writing, a.Waiting = copied(a.Step), copied(a.Ask), copied(a.Writing), copied(a.Waiting)
	a.Stalled, a.Taken, a.Exit = copied(a.Stalled), copied(a.Taken), copied(a.Exit)
	if a.Step != nil {
		a.Step.Asked = slices.Clone(a.Step.Asked)
	}
	return a
}

func copied[T any](p *T) *T {
	if p == nil {
		return nil
	}
	v := *p
	return &v
}
