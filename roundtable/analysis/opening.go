package analysis

import (
	"slices"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// open starts with the root message, before anything is read or asked.
func (s *step) open(e Opened) {
	s.a = Analysis{
		ID: e.Analysis, Place: e.Place, State: StateGreeting, Item: e.Item, ItemTitle: e.ItemTitle,
		Opener: e.By, Asked: s.in.ID, Opened: s.in.At, LastActivity: s.in.At, Cast: e.Cast, Settings: e.Settings,
	}
	if e.Origin != nil {
		s.a.Origins = []Origin{*e.Origin}
	}
	s.Act(thread.Audit{Kind: thread.AuditOpened, By: e.By.ID, Detail: thread.DetailAnalysis})
	s.Do(Post{Key: s.rootKey(), Message: Root(s.a)})
}

func (s *step) rootKey() string { return s.a.ID + "/root" }

// posted takes in where a message stands. With the root in place the thread
// exists, and the item can be looked up.
func (s *step) posted(e Posted) {
	if e.Effect != s.rootKey() {
		s.record(thread.Entry{Kind: thread.EntryPosted, Key: e.Effect, TS: e.TS})
		return
	}
	s.a.Place.Root = e.TS
	if s.a.Place.Thread == "" {
		s.a.Place.Thread = e.TS
	}
	if s.a.State == StateGreeting && s.a.Ask == nil {
		for i, o := range s.a.Origins {
			s.welcome(o, i > 0)
		}
		s.ask(Ask{Kind: AskInspect})
	}
}

// lookOn looks up what comes next.
func (s *step) lookOn() {
	s.a.Writing, s.a.Purpose = nil, ""
	s.move(StateGreeting)
	s.ask(Ask{Kind: AskInspect})
}

// surveyed takes in how the item stands: to take up a step, or to know which menu
// belongs after one.
func (s *step) surveyed(e Surveyed) {
	if !s.answers(AskInspect, e.Effect) {
		return
	}
	s.a.Ask = nil
	if s.a.State == StateWriting {
		s.offer(e.Survey)
		return
	}
	v := e.Survey
	if len(v.Complete) > 0 { // left behind by a session that was cut off, or empty
		s.Do(Record{Key: s.Key(), Phases: v.Complete})
	}
	if v.Step == nil || v.Phase == nil {
		s.complete()
		return
	}
	s.a.MaxTurns, s.a.Rest, s.a.LastTurn = v.MaxTurns, nil, thread.LastTurn{}
	s.a.Phase, s.a.Step = v.Phase, &Sitting{StepView: *v.Step, Number: len(v.Done) + 1, Of: len(v.Done) + 1 + len(v.Rest), From: s.a.Turns + 1}
	if w := s.a.Waiting; w != nil { // said between two steps: it is the next one's
		s.a.Step.From, s.a.Step.Answers, s.a.Waiting = w.From, s.a.Turns-w.From+1, nil
	}
	s.move(StateAsking)
	s.greet(v)
	s.ask(Ask{Kind: AskInquire})
}

// greet says what the phase and the step are, as the session's past deserves
// (FR-011). At a hand-over the new lead first sums up what was left to them, so
// the greeting waits for that.
func (s *step) greet(v Survey) {
	header := "**" + headerText(s.seat(v.Step.Lead), *v.Step) + "**"
	if s.a.Entered == v.Phase.Key {
		s.line(v.Step.Lead, header)
		return
	}
	first := s.a.Entered == ""
	s.a.Entered = v.Phase.Key
	lead := s.seat(v.Phase.Lead)
	known := slices.Contains(s.a.Greeted, lead.Key)
	if !known {
		s.a.Greeted = append(s.a.Greeted, lead.Key)
	}
	opening := resumedText(v)
	if len(v.Done) == 0 {
		opening = greetingText(lead, *v.Phase, known)
	}
	if brought := broughtText(s.a.Origins); first && brought != "" {
		opening += "\n\n" + brought
	}
	if announcement := announcementText(v.Step.Depth); announcement != "" {
		opening += "\n\n" + announcement
	}
	opening += "\n\n" + header
	if before := v.Before; before != nil && len(v.Done) == 0 && before.Lead != v.Phase.Lead {
		s.Notice(handOverText(s.seat(before.Lead), lead, *before, *v.Phase))
		s.a.HandOver, s.a.Opening = before, opening
		return
	}
	s.line(v.Phase.Lead, opening)
}

// handedOver says what waited for the summary of what was left to the new lead.
func (s *step) handedOver(summary string) {
	before := s.a.HandOver
	if before == nil {
		return
	}
	text := s.a.Opening
	if summary != "" {
		text = reviewedText(s.seat(before.Lead), *before, summary) + "\n\n" + text
	}
	s.a.HandOver, s.a.Opening = nil, ""
	s.line(s.a.Phase.Lead, text)
}

// complete ends an analysis with nothing left to do.
func (s *step) complete() {
	s.Notice(completedText(s.a))
	s.close(Exit{Kind: ExitCompleted})
}

// close ends it for good.
func (s *step) close(x Exit) {
	if n := s.a.Unknown.Deciding(); n > 0 && s.a.Place.Thread != "" {
		s.Notice(unconfirmedText(n))
	}
	s.a.Exit, s.a.Closed = &x, s.in.At
	s.Act(x.act())
	s.a.Ask, s.a.Waiting, s.a.Stalled, s.a.Writing = nil, nil, nil, nil
	s.a.Step, s.a.Rest, s.a.HandOver, s.a.Opening = nil, nil, nil, ""
	s.move(StateClosed)
}

// Origin is a discussion of a free topic that was turned into an analysis: where it
// stands in the same channel, and what it came to.
type Origin struct {
	Discussion string `json:"discussion"`
	Thread     string `json:"thread"`
	roundtable.Conclusion
}

// linkedOrigins bounds how many discussions the root message leads to.
const linkedOrigins = 5

// join takes a discussion into an analysis that is open, or was: its people are led
// here, and the room is told what they bring along. Who asked for an analysis that
// is under way without bringing anything is led here by whoever they asked.
func (s *step) join(e Opened) {
	if e.Origin == nil {
		return
	}
	if s.a.Place.Thread == "" { // they are led here once there is a thread
		s.a.Origins = append(s.a.Origins, *e.Origin)
		return
	}
	if len(s.a.Origins) < linkedOrigins {
		s.a.Origins = append(s.a.Origins, *e.Origin)
	}
	s.welcome(*e.Origin, true)
	if s.a.State != StateClosed {
		s.Line(thread.Message{Kind: thread.KindNotice, Text: joinedText(e.By, e.Origin.Conclusion), Threads: originLinks([]Origin{*e.Origin})})
	}
}

// welcome leads a discussion's people here.
func (s *step) welcome(o Origin, underWay bool) {
	s.Do(Welcome{Key: s.Key(), Discussion: o.Discussion, At: s.in.At, Thread: s.a.Place.Thread, UnderWay: underWay})
}

func originLinks(origins []Origin) (links []thread.ThreadLink) {
	for _, o := range origins[:min(len(origins), linkedOrigins)] {
		if o.Thread != "" {
			links = append(links, thread.ThreadLink{Label: "The discussion it goes on from", Thread: o.Thread})
		}
	}
	return links
}
