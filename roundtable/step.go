package roundtable

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// Result is what Step decided: the next discussion, what to do, and what to
// append to the log.
type Result struct {
	Discussion Discussion
	Effects    []Effect
	Entries    []Entry
	// Moves are the transitions taken, each one of Transitions (I6).
	Moves []Move
}

// Move is one transition of the state machine.
type Move struct{ From, To State }

// Transitions lists every transition there is (ADR-0001). The loop of
// discussion_loop onto itself is no transition.
func Transitions() []Move {
	all := States()
	moves := make([]Move, 0, len(all)-1)
	for i := 1; i < len(all); i++ {
		moves = append(moves, Move{all[i-1], all[i]})
	}
	return moves
}

// Afterlife is how long a closed discussion still answers: late messages get a
// sentence, its menu works. Then the store may forget it.
const Afterlife = 7 * 24 * time.Hour

// Step decides what an input means for a discussion. It is total: every input is
// legal in every state, and one that means nothing there changes nothing. It
// does not change d or anything d refers to.
//
// The first input of a discussion is Opened, given with the zero Discussion.
func Step(d Discussion, in Input) Result {
	s := &step{d: d.clone(), in: in}
	if d.State == "" {
		if e, ok := in.Event.(Opened); ok {
			s.open(e)
		}
		return s.result()
	}
	switch e := in.Event.(type) {
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
	case Woken:
		s.woken()
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
	case Enriched:
		s.enriched(e)
	case Analysed:
		s.analysed(e)
	case Knocked:
		s.knocked(e)
	case Parked:
		s.parked()
	}
	s.startRound()
	return s.result()
}

// step is one call of Step in the making.
type step struct {
	d       Discussion
	in      Input
	effects []Effect
	entries []Entry
	moves   []Move
	keys    int
	taken   *takenApart // the message looked at last
}

func (s *step) result() Result {
	s.d.WakeAt = s.wakeAt()
	return Result{Discussion: s.d, Effects: s.effects, Entries: s.entries, Moves: s.moves}
}

// key makes the next effect key. It follows from the input alone, so that the
// same input always has the same effects' keys, whatever else was forgotten.
func (s *step) key() string {
	cause := s.in.ID
	if !strings.HasPrefix(cause, s.d.ID+"/") {
		cause = s.d.ID + "/" + cause
	}
	k := cause + "/" + strconv.Itoa(s.keys)
	s.keys++
	return k
}

func (s *step) do(e Effect)         { s.effects = append(s.effects, e) }
func (s *step) tell(user, t string) { s.do(Tell{Key: s.key(), User: user, Text: t}) }

func (s *step) record(e Entry) {
	e.At = s.in.At
	s.noteRights(&e)
	s.entries = append(s.entries, e)
}

// move goes to a state by way of all states between: there are no short cuts.
func (s *step) move(to State) {
	all := States()
	from, end := slices.Index(all, s.d.State), slices.Index(all, to)
	for i := from; i < end; i++ {
		s.moves = append(s.moves, Move{all[i], all[i+1]})
		s.d.State = all[i+1]
	}
}

// before reports whether the discussion has not reached a state yet.
func (s *step) before(st State) bool {
	all := States()
	return slices.Index(all, s.d.State) < slices.Index(all, st)
}

// post says something as the app.
func (s *step) post(m Message) string {
	k := s.key()
	s.do(Post{Key: k, Message: m})
	return k
}

// line has the lead say something procedural: not a turn.
func (s *step) line(text string, buttons ...Button) {
	lead := s.d.seat(s.d.Lead)
	k := s.post(Message{Kind: KindProcedure, Speaker: lead.Key, Identity: lead.Identity(), Text: text, Buttons: buttons})
	s.record(Entry{Kind: EntryLine, Persona: lead.Key, Key: k, Text: text})
}

// notice has the app itself say why things are as they are.
func (s *step) notice(text string, buttons ...Button) {
	k := s.post(Message{Kind: KindNotice, Text: text, Buttons: buttons})
	s.record(Entry{Kind: EntryLine, Key: k, Text: text})
}

// ask puts a question to the panel and remembers it. Whatever kept the panel
// from going on is over.
func (s *step) ask(a Ask) {
	s.d.Stalled = nil
	a.Key = s.key()
	s.d.Ask = &a
	s.do(Asking(s.d))
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

func (d Discussion) seat(k PersonaKey) Seat {
	for _, s := range d.Cast {
		if s.Key == k {
			return s
		}
	}
	return Seat{}
}

// clone copies everything that Step may change in place.
func (d Discussion) clone() Discussion {
	d.People = slices.Clone(d.People)
	d.Early = slices.Clone(d.Early)
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
		d.Waiting.Said = slices.Clone(d.Waiting.Said)
		d.Waiting.Of = slices.Clone(d.Waiting.Of)
	}
	d.Round = copied(d.Round)
	if d.Round != nil {
		d.Round.Said = slices.Clone(d.Round.Said)
		d.Round.Awaits = copied(d.Round.Awaits)
	}
	d.Ask = copied(d.Ask)
	d.Choice = copied(d.Choice)
	d.Confirming = copied(d.Confirming)
	d.Awaited = copied(d.Awaited)
	d.Stalled = copied(d.Stalled)
	d.Origin = copied(d.Origin)
	d.Converted = copied(d.Converted)
	d.Exit = copied(d.Exit)
	return d
}

func copied[T any](p *T) *T {
	if p == nil {
		return nil
	}
	v := *p
	return &v
}
