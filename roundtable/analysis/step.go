package analysis

import (
	"slices"
	"time"

	"github.com/roundtable-chat/app/roundtable/intent"
	"github.com/roundtable-chat/app/roundtable/persona"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// Result is what Step decided.
type Result struct {
	Analysis Analysis
	Effects  []Effect
	Entries  []thread.Entry
	// Acts are what somebody did and has to answer for; see [roundtable.Result].
	Acts []thread.Audit
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

// ClosedGrace is how long a closed analysis still answers.
const ClosedGrace = thread.ClosedGrace

// Step decides what an input means for an analysis. Like [roundtable.Step] it is
// total and pure: every input is legal in every state, one that means nothing
// changes nothing, and a is not changed. The first input is Opened, given with the
// zero Analysis.
func Step(a Analysis, in Input) Result {
	s := newStep(a, in)
	if a.State == "" {
		if e, ok := in.Event.(Opened); ok {
			s.open(e)
		}
		return s.result()
	}
	s.withdraw()
	if by, ok := actor(in.Event); ok {
		s.settle(by)
	}
	if !s.refusedForRoom() {
		s.apply()
	}
	s.answerWaiting()
	return s.result()
}

// apply gives the input to the rule that it concerns.
func (s *step) apply() {
	switch e := s.in.Event.(type) {
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
		s.edited(e)
	case Deleted:
		s.record(thread.Entry{Kind: thread.EntryStrike, TS: e.TS})
	case Reacted:
		s.reacted(e)
	case Pressed:
		s.pressed(e)
	case TimerFired:
		s.timerFired()
	case Posted:
		s.posted(e)
	case Failed:
		s.failed(e)
	case Identified:
		s.identified(e)
	case Parked:
		if s.a.Place.Root != "" && s.a.State != StateClosed {
			s.Notice(parkedText())
		}
	}
}

// refusedForRoom refuses an input for which the log has no room, and says so in the
// thread, once for each person and once for all, as in a discussion (I1). Moving on at the
// menu, leaving and finishing a step stay possible. Elaborating does not: it leads back to
// the same menu, and a person who presses it again and again would fill the log.
func (s *step) refusedForRoom() bool {
	if s.in.Excess == thread.ExcessNone {
		return false
	}
	switch e := s.in.Event.(type) {
	case Said:
		if s.movesOn(e) {
			return false
		}
		s.touch()
		u := intent.Understand(e.Text, intent.Participants{Cast: s.a.Cast, BotUser: e.BotUser})
		if d, ok := s.deedOf(e, u); ok && s.Verdict(d.right, e.By) == thread.VerdictOpen {
			s.Keep(e.By, d.act)
			return true
		}
		s.sayNoRoom(e.By)
	case Edited:
		s.sayNoRoom(e.By)
	case Reacted:
		if !e.Unsure {
			s.sayNoRoom(e.By)
		}
	case Pressed:
		if e.Button != ButtonElaborate || s.a.State == StateClosed {
			return false
		}
		s.touch()
		s.Tell(e.By.ID, thread.SayNoRoomToAnalyse(e.By, s.in.Excess))
	case Deleted: // of a message that was not kept
	case Opened, Surveyed, Asked, Drafted, Written, Recorded, ElaborationOpened, ElaborationEnded, TimerFired, Posted, Failed, Parked, Identified:
		return false
	}
	return true
}

// movesOn reports whether a message is heard though there is no room for it: it means
// nothing, moves on at the menu, leaves, or comes after the end, where nothing is kept.
func (s *step) movesOn(e Said) bool {
	u := intent.Understand(e.Text, intent.Participants{Cast: s.a.Cast, BotUser: e.BotUser})
	choice, chooses := Choose(e.Text)
	chooses = chooses && choice != ChooseElaborate
	switch {
	case s.a.State == StateClosed || u.Intent == intent.Empty && len(e.Files) == 0:
		return true
	case e.By.Is() != thread.StandingMember:
		return false
	case s.a.State == StateMenu:
		return s.menuBusy() == "" && (chooses || u.Intent == intent.Exit)
	case s.a.State == StateValidating:
		return s.a.Stalled != nil && u.Intent == intent.Exit
	default:
		return (s.a.State == StateAsking || s.a.State == StateElaborating) && u.Intent == intent.Exit
	}
}

// sayNoRoom says once that no more is kept, of a person's or of anybody's, and how to go
// on.
func (s *step) sayNoRoom(by thread.Person) {
	who := by.ID
	if s.in.Excess == thread.ExcessAll {
		who = ""
	}
	if slices.Contains(s.a.Refused, who) || s.a.State == StateClosed {
		return
	}
	s.a.Refused = append(s.a.Refused, who)
	s.Notice(thread.SayNoRoomToAnalyse(by, s.in.Excess))
}

// step is one call of Step in the making.
type step struct {
	a     Analysis
	in    Input
	moves []Move
	thread.Script[Effect]
}

func newStep(a Analysis, in Input) *step {
	s := &step{a: a.clone(), in: in}
	s.Script = thread.NewScript(thread.Cause{ID: in.ID, At: in.At, Excess: in.Excess, By: setOffBy(in.Event)},
		thread.Ground{ID: &s.a.ID, Opener: &s.a.Opener, Unknown: &s.a.Unknown},
		thread.Makers[Effect]{
			Post:     func(e thread.Post) Effect { return Post(e) },
			Tell:     func(e thread.Tell) Effect { return Tell(e) },
			Identify: func(e thread.Identify) Effect { return Identify(e) },
		})
	return s
}

func (s *step) result() Result {
	s.a.WakeAt = s.wakeAt()
	return Result{Analysis: s.a, Effects: s.Effects, Entries: s.Entries, Acts: s.Acts, Moves: s.moves}
}

func (s *step) seat(k persona.Key) persona.Seat { return s.a.seat(k) }

// record notes what happened in the log, and what in it somebody has to answer for.
func (s *step) record(e thread.Entry) {
	e = s.Entry(e)
	s.noteRights(&e)
	s.Entries = append(s.Entries, e)
}

// setOffBy is the id of the person to whose share of the log a line counts that an event
// leads to: the person who did it in the thread, or opened the elaboration that it tells of.
func setOffBy(e Event) string {
	if opened, ok := e.(ElaborationOpened); ok {
		return opened.By.ID
	}
	by, _ := actor(e)
	return by.ID
}

// move goes to a state by a way of the table, as a discussion does (I6).
func (s *step) move(to State) {
	way := Move{s.a.State, to}
	s.moves = append(s.moves, way)
	if slices.Contains(Transitions(), way) {
		s.a.State = to
	}
}

// line has a persona say something procedural: not a turn.
func (s *step) line(speaker persona.Key, text string, buttons ...thread.Button) {
	seat := s.seat(speaker)
	s.Line(thread.Message{Kind: thread.KindProcedure, Speaker: seat.Key, Identity: seat.Identity(), Text: text, Buttons: buttons})
}

// ask puts a question and remembers it. Whatever kept things from going on is over.
func (s *step) ask(a Ask) {
	s.a.Stalled = nil
	a.Key = s.Key()
	s.a.Ask = &a
	s.Do(Asking(s.a))
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
func (s *step) paid(total thread.Spend) {
	s.a.Spent.Tokens = max(s.a.Spent.Tokens, total.Tokens)
	s.a.Spent.Micros = max(s.a.Spent.Micros, total.Micros)
}

// touch notes that a person did something, if only before the lead asked, as in a
// discussion.
func (s *step) touch() {
	for _, at := range []time.Time{s.in.At, s.a.AskedSilence} {
		if at.After(s.a.LastActivity) {
			s.a.LastActivity = at
		}
	}
	s.a.AskedSilence = time.Time{}
}

func (a Analysis) seat(k persona.Key) persona.Seat {
	for _, s := range a.Cast {
		if s.Key == k {
			return s
		}
	}
	if len(a.Cast) > 0 {
		return a.Cast[0]
	}
	return persona.Seat{}
}

// lead is who speaks now.
func (a Analysis) lead() persona.Key {
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
	a.Refused = slices.Clone(a.Refused)
	a.Step, a.Ask, a.Writing, a.Waiting = copied(a.Step), copied(a.Ask), copied(a.Writing), copied(a.Waiting)
	a.Stalled, a.Taken, a.Exit = copied(a.Stalled), copied(a.Taken), copied(a.Exit)
	a.Unknown = a.Unknown.Clone()
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
