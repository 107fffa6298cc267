package forgetting

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/roundtable-chat/app/roundtable/thread"
)

// Result is what Step decided.
type Result struct {
	Forgetting Forgetting
	Effects    []Effect
	Acts       []thread.Audit
	// Moves are the transitions taken, each one of Transitions (I6).
	Moves []Move
}

// NewID derives a forgetting's id from the request for it, so that the same request
// repeated forgets nothing twice.
func NewID(team, channel, request string) string {
	return "F" + strings.TrimPrefix(thread.NewID(team, channel, "forget\x00"+request), "D")
}

// Step decides what an input means for a forgetting. Like [roundtable.Step] it is total
// and pure. The first input is Opened, given with the zero Forgetting.
func Step(f Forgetting, in Input) Result {
	f.Unknown = f.Unknown.Clone()
	s := &step{f: f, in: in}
	if f.State == "" {
		if e, ok := in.Event.(Opened); ok {
			s.open(e)
		}
		return s.result()
	}
	switch e := in.Event.(type) {
	case Hidden:
		s.hidden(e)
	case Barred:
		s.barred(e)
	case Restored:
		s.restored(e)
	case Removed:
		s.removed(e)
	case Kept:
		s.keep(e.By)
	case Pressed:
		if e.Button == ButtonKeep {
			s.keep(e.By)
		}
	case Identified:
		s.identified(e)
	case Posted:
		s.posted(e)
	case Failed:
		s.failed(e)
	case TimerFired:
		s.timerFired()
	case Opened, Said, Edited, Deleted, Reacted, Parked:
		// A repetition, or what people say below the notice.
	}
	return s.result()
}

// step is one call of Step in the making.
type step struct {
	f       Forgetting
	in      Input
	effects []Effect
	acts    []thread.Audit
	moves   []Move
	keys    int
}

func (s *step) result() Result {
	s.f.WakeAt = s.f.wakeAt()
	return Result{Forgetting: s.f, Effects: s.effects, Acts: s.acts, Moves: s.moves}
}

// key makes the next effect key, from the input alone.
func (s *step) key() string {
	cause := s.in.ID
	if !strings.HasPrefix(cause, s.f.ID+"/") {
		cause = s.f.ID + "/" + cause
	}
	k := cause + "/" + strconv.Itoa(s.keys)
	s.keys++
	return k
}

func (s *step) rootKey() string { return s.f.ID + "/root" }

func (s *step) do(e Effect) { s.effects = append(s.effects, e) }

// tell says something to one person; an operator is nobody in the workspace.
func (s *step) tell(p thread.Person, text string) {
	if p.ID != "" && text != "" {
		s.do(Tell{Key: s.key(), User: p.ID, Text: text})
	}
}

// move goes to a state by a way of the table, as a discussion does (I6).
func (s *step) move(to State) {
	way := Move{s.f.State, to}
	s.moves = append(s.moves, way)
	if slices.Contains(Transitions(), way) {
		s.f.State = to
	}
}

func (s *step) open(e Opened) {
	s.f = Forgetting{
		ID: e.Forgetting, Place: e.Place, State: StateHiding, Target: e.Target, Mark: thread.ItemMark(e.Target.Item), By: e.By, Asked: s.in.At,
	}
	if e.By.Is() == thread.StandingMember {
		s.hide()
		return
	}
	s.f.State = StateAsked
	s.f.Unknown.Keep(e.By, thread.Act{Kind: thread.ActForget}, s.in.At) // the edge has said so
	s.settle(e.By)
}

func (s *step) hide() {
	s.f.Doing = s.key()
	s.do(Hide{Key: s.f.Doing, Target: s.f.Target})
}

// hidden announces it. It can be taken back from then on, for as long as the notice says.
func (s *step) hidden(e Hidden) {
	if s.f.State != StateHiding || e.Effect != s.f.Doing {
		return
	}
	s.f.Documents, s.f.Discussions = e.Documents, e.Discussions
	s.acts = append(s.acts, thread.Audit{Kind: thread.AuditForgot, By: s.f.By.ID, Detail: s.f.Target.detail(), Number: e.Discussions})
	s.f.Until = s.in.At.Add(Grace)
	if s.f.KeptBy != nil {
		s.restore()
		return
	}
	s.move(StateHidden)
	s.do(Post{Key: s.rootKey(), Message: Root(s.f)})
}

func (t Target) detail() thread.AuditDetail {
	if t.Discussion != "" {
		return thread.DetailDiscussion
	}
	return thread.DetailItem
}

// barred gives it up. What was hidden by then is brought back.
func (s *step) barred(e Barred) {
	if s.f.State != StateHiding || e.Effect != s.f.Doing {
		return
	}
	s.f.Why, s.f.Open = e.Why, e.Open
	s.restore()
}

// keep takes it back, or keeps that for when Slack says who wants it. Whoever comes later is
// told how things stand.
func (s *step) keep(by thread.Person) {
	if !s.mayKeep(by) {
		return
	}
	switch s.f.State {
	case StateHiding:
		if s.f.KeptBy == nil {
			s.f.KeptBy = &by
		}
	case StateHidden:
		s.f.KeptBy = &by
		s.restore()
	case StateAsked, StateRestoring, StateRemoving, StateKept, StateGone:
		s.tell(by, standing(s.f))
	}
}

func (s *step) restore() {
	s.f.Unknown = nil // what they want happens
	s.move(StateRestoring)
	s.f.Doing, s.f.Again = s.key(), time.Time{}
	s.do(Restore{Key: s.f.Doing, Target: s.f.Target})
}

func (s *step) remove() {
	s.f.Doing, s.f.Again = s.key(), time.Time{}
	s.do(Remove{Key: s.f.Doing, Target: s.f.Target})
}

func (s *step) restored(e Restored) {
	if s.f.State != StateRestoring || e.Effect != s.f.Doing {
		return
	}
	s.keptAfterAll()
}

// keptAfterAll is the end at which everything is there as it was.
func (s *step) keptAfterAll() {
	s.move(StateKept)
	s.f.Ended = s.in.At
	if by := s.f.KeptBy; by != nil {
		s.acts = append(s.acts, thread.Audit{Kind: thread.AuditKept, By: by.ID, Detail: s.f.Target.detail()})
	} else if !s.f.Until.IsZero() {
		s.acts = append(s.acts, thread.Audit{Kind: thread.AuditKept, Detail: s.f.Target.detail()})
	}
	if s.f.Place.Root == "" { // there is no notice that says so
		s.tell(s.f.By, standing(s.f))
	}
}

// removed is the end at which nothing is left, its name included.
func (s *step) removed(e Removed) {
	if s.f.State != StateRemoving || e.Effect != s.f.Doing {
		return
	}
	if e.Back {
		s.f.Why = WhyWrittenTo
		s.keptAfterAll()
		return
	}
	s.move(StateGone)
	s.f.Ended = s.in.At
	s.acts = append(s.acts, thread.Audit{Kind: thread.AuditRemoved, Detail: s.f.Target.detail(), Number: s.f.Discussions})
	s.f.Target = Target{}
}

// posted takes in where the notice stands: the time in which it can be taken back counts
// from there, however long it took to be posted.
func (s *step) posted(e Posted) {
	if e.Effect != s.rootKey() {
		return
	}
	s.f.Place.Root, s.f.Place.Thread = e.TS, e.TS
	if until := s.in.At.Add(Grace); s.f.State == StateHidden && until.After(s.f.Until) {
		s.f.Until = until
	}
}

// failed decides what becomes of what was given up. Nothing is forgotten that the channel
// was not told of.
func (s *step) failed(e Failed) {
	s.f.Unknown.Unanswered(e.Effect, s.in.At, time.Time{})
	switch {
	case e.Effect == s.rootKey() && s.f.State == StateHidden:
		s.f.Why = WhyUntold
		s.restore()
	case e.Effect != s.f.Doing:
	case s.f.State == StateHiding:
		s.f.Why = WhyFailed
		s.restore()
	case s.f.State == StateRestoring, s.f.State == StateRemoving:
		s.f.Again = s.in.At.Add(again)
	}
}

// timerFired lets time pass.
func (s *step) timerFired() {
	now := s.in.At
	switch s.f.State {
	case StateAsked:
		if !now.Before(s.f.Asked.Add(Grace)) {
			s.f.Why = WhyNameless
			s.stay()
			return
		}
		s.identify()
	case StateHidden:
		if s.f.Place.Root != "" && !now.Before(s.f.removal()) {
			s.forgoUnknown()
			s.move(StateRemoving)
			s.remove()
			return
		}
		s.identify()
	case StateRestoring:
		if s.f.due(now) {
			s.f.Doing, s.f.Again = s.key(), time.Time{}
			s.do(Restore{Key: s.f.Doing, Target: s.f.Target})
		}
	case StateRemoving:
		if s.f.due(now) {
			s.remove()
		}
	case StateKept, StateGone:
		if !now.Before(s.f.Ended.Add(afterlife)) {
			// Nothing keeps a name for longer than it is of use: the item may yet be forgotten.
			s.f.Over, s.f.Target, s.f.Open = true, Target{}, ""
		}
	case StateHiding:
		s.identify()
	}
}

func (f Forgetting) due(now time.Time) bool { return !f.Again.IsZero() && !now.Before(f.Again) }

// wakeAt is the earliest time at which TimerFired would change something; zero for never.
func (f Forgetting) wakeAt() time.Time {
	switch f.State {
	case StateAsked:
		return earlier(f.Asked.Add(Grace), f.Unknown.Wake())
	case StateHiding:
		return f.Unknown.Wake()
	case StateHidden:
		if f.Place.Root != "" {
			return earlier(f.removal(), f.Unknown.Wake())
		}
		return f.Unknown.Wake()
	case StateRestoring, StateRemoving:
		return f.Again
	case StateKept, StateGone:
		if !f.Over {
			return f.Ended.Add(afterlife)
		}
	}
	return time.Time{}
}

// earlier is the earlier of two times, of which zero is never.
func earlier(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}
