package roundtable

import (
	"slices"
	"time"

	"github.com/roundtable-chat/app/roundtable/persona"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// Result is what Step decided: the next discussion, what to do, and what to
// append to the log.
type Result struct {
	Discussion Discussion
	Effects    []Effect
	Entries    []thread.Entry
	// Acts are what somebody did and has to answer for, to be recorded together with
	// Discussion, beside what the entries themselves note (AuditsOf).
	Acts []thread.Audit
	// Moves are the transitions taken, each one of Transitions (I6).
	Moves []Move
}

// Move is one transition of the state machine.
type Move struct{ From, To State }

// Transitions lists every transition there is (ADR-0001). The loop of
// discussion_loop onto itself is no transition.
func Transitions() []Move {
	return []Move{
		{StateEntry, StateTopicFraming},          // the introduction stands
		{StateTopicFraming, StateDiscussionLoop}, // the lead framed the topic
		{StateDiscussionLoop, StateSynthesis},    // people ended it, the limit or silence did
		{StateSynthesis, StatePersist},           // the synthesis stands
		{StatePersist, StateClosed},              // it is written and recorded
		{StateEntry, StateClosed},                // left before anything was said, or Slack refused the introduction
		{StateTopicFraming, StateClosed},         // left before anything was said
	}
}

// Step decides what an input means for a discussion. It is total: every input is
// legal in every state, and one that means nothing there changes nothing. It
// does not change d or anything d refers to.
//
// The first input of a discussion is Opened, given with the zero Discussion.
func Step(d Discussion, in Input) Result {
	s := newStep(d, in)
	if d.State == "" {
		if e, ok := in.Event.(Opened); ok {
			s.open(e)
		}
		return s.result()
	}
	s.takeOver()
	s.withdraw()
	if by, ok := Actor(in.Event); ok {
		s.settle(by)
	}
	if !s.refusedForRoom() {
		s.apply()
	}
	s.startRound()
	return s.result()
}

// apply gives the input to the rule that it concerns.
func (s *step) apply() {
	switch e := s.in.Event.(type) {
	case Opened: // a repetition; the discussion is open already
	case Said:
		s.said(e)
	case Edited:
		s.edited(e)
	case Deleted:
		s.deleted(e)
	case Reacted:
		s.reacted(e)
	case Pressed:
		s.pressed(e)
	case TimerFired:
		s.timerFired()
	case Framed:
		s.framed(e)
	case Contributed:
		s.contributed(e)
	case RoundEnded:
		s.roundEnded(e)
	case Drafted:
		s.drafted(e)
	case Failed:
		s.failed(e)
	case Posted:
		s.posted(e)
	case DocumentsWritten:
		s.documentsWritten(e)
	case Analysed:
		s.analysed(e)
	case DNDChecked:
		s.dndChecked(e)
	case Identified:
		s.identified(e)
	case Parked:
		s.parked()
	}
}

// step is one call of Step in the making.
type step struct {
	d     Discussion
	in    Input
	moves []Move
	taken *takenApart // the message looked at last
	thread.Script[Effect]
}

func newStep(d Discussion, in Input) *step {
	by, _ := Actor(in.Event)
	s := &step{d: d.clone(), in: in}
	s.Script = thread.NewScript(thread.Cause{ID: in.ID, At: in.At, Excess: in.Excess, By: by.ID},
		thread.Ground{ID: &s.d.ID, Opener: &s.d.Opener, Unknown: &s.d.Unknown},
		thread.Makers[Effect]{
			Post:     func(e thread.Post) Effect { return Post(e) },
			Tell:     func(e thread.Tell) Effect { return Tell(e) },
			Identify: func(e thread.Identify) Effect { return Identify(e) },
		})
	return s
}

func (s *step) result() Result {
	s.d.WakeAt = s.wakeAt()
	return Result{Discussion: s.d, Effects: s.Effects, Entries: s.Entries, Acts: s.Acts, Moves: s.moves}
}

func (s *step) record(e thread.Entry) {
	e = s.Entry(e)
	s.noteRights(&e)
	s.Entries = append(s.Entries, e)
}

// asOf lets what follows happen at another time than the input's.
func (s *step) asOf(at time.Time) {
	s.in.At = at
	s.AsOf(at)
}

// move goes to a state by a way of the table. A rule that wants another is a defect: its
// way is not taken, and stands in Moves, where every test looks for it (I6).
func (s *step) move(to State) {
	way := Move{s.d.State, to}
	s.moves = append(s.moves, way)
	if slices.Contains(Transitions(), way) {
		s.d.State = to
	}
}

// before reports whether the discussion has not reached a state yet.
func (s *step) before(st State) bool {
	all := States()
	return slices.Index(all, s.d.State) < slices.Index(all, st)
}

// line has the lead say something procedural: not a turn.
func (s *step) line(text string, buttons ...thread.Button) {
	lead := s.d.seat(s.d.Lead)
	s.Line(thread.Message{Kind: thread.KindProcedure, Speaker: lead.Key, Identity: lead.Identity(), Text: text, Buttons: buttons})
}

// ask puts a question to the panel and remembers it. Whatever kept the panel
// from going on is over.
func (s *step) ask(a Ask) {
	s.d.Stalled = nil
	a.Key = s.Key()
	s.d.Ask = &a
	s.Do(Asking(s.d))
}

// answers reports whether an answer belongs to the open question. What arrives
// after the question was given up is stale.
func (s *step) answers(kind AskKind, effect string) bool {
	return s.busy() && s.d.Ask.Kind == kind && s.d.Ask.Key == effect
}

// Asking returns the effect that puts the open question to the panel, or nil
// when none is open or a failure has stopped it.
func Asking(d Discussion) Effect {
	if d.Ask == nil || d.Stalled != nil {
		return nil
	}
	switch d.Ask.Kind {
	case AskFrame:
		return Frame{Key: d.Ask.Key}
	case AskDiscuss:
		return Discuss{Key: d.Ask.Key}
	case AskSynthesise:
		return Synthesise{Key: d.Ask.Key, Fault: d.Ask.Fault, Plain: d.Ask.Plain}
	}
	return nil
}

// ContributionID is the id of the input that carries a contribution of the round
// under way. It names the speaker, who speaks once a round, so that a round which
// is asked for again after a crash gives nobody the key of another's post.
func ContributionID(d Discussion, c Contribution) string {
	key := ""
	if d.Ask != nil {
		key = d.Ask.Key
	}
	if c.Drift != nil {
		return key + "/drift"
	}
	return key + "/c-" + string(c.Persona)
}

func (d Discussion) seat(k persona.Key) persona.Seat {
	for _, s := range d.Cast {
		if s.Key == k {
			return s
		}
	}
	return persona.Seat{}
}

// clone copies everything that Step may change in place.
func (d Discussion) clone() Discussion {
	d.People = slices.Clone(d.People)
	d.Early = slices.Clone(d.Early)
	d.Unframed = slices.Clone(d.Unframed)
	d.Refused = slices.Clone(d.Refused)
	d.Changes = slices.Clone(d.Changes)
	d.Again = slices.Clone(d.Again)
	spoke := make(map[string]int, len(d.Spoke))
	for k, v := range d.Spoke {
		spoke[k] = v
	}
	d.Spoke = spoke
	d.Waiting = copied(d.Waiting)
	if d.Waiting != nil {
		d.Waiting.Turns = slices.Clone(d.Waiting.Turns)
		d.Waiting.Names = slices.Clone(d.Waiting.Names)
		d.Waiting.Personas = slices.Clone(d.Waiting.Personas)
		d.Waiting.Touched = slices.Clone(d.Waiting.Touched)
		d.Waiting.Spoken = slices.Clone(d.Waiting.Spoken)
		d.Waiting.Said = slices.Clone(d.Waiting.Said)
		d.Waiting.Of = slices.Clone(d.Waiting.Of)
	}
	d.Round = copied(d.Round)
	if d.Round != nil {
		d.Round.Said = slices.Clone(d.Round.Said)
		d.Round.PendingReply = copied(d.Round.PendingReply)
	}
	d.Ask = copied(d.Ask)
	d.Choice = copied(d.Choice)
	d.Confirming = copied(d.Confirming)
	d.PendingReply = copied(d.PendingReply)
	d.Stalled = copied(d.Stalled)
	d.Origin = copied(d.Origin)
	d.Converted = copied(d.Converted)
	d.Exit = copied(d.Exit)
	d.Unknown = d.Unknown.Clone()
	return d
}

func copied[T any](p *T) *T {
	if p == nil {
		return nil
	}
	v := *p
	return &v
}

// paid takes in what the discussion has cost by the account of whoever pays. It
// is a total, so that an answer that got lost is made up for by the next one.
func (s *step) paid(total thread.Spend) {
	s.d.Spent.Tokens = max(s.d.Spent.Tokens, total.Tokens)
	s.d.Spent.Micros = max(s.d.Spent.Micros, total.Micros)
}

// broke reports whether a used-up budget keeps the panel from going on.
func (d Discussion) broke() bool {
	return d.Stalled != nil && d.Stalled.Reason == thread.ReasonOverBudget
}
