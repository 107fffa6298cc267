package enginetest

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// remark is something that a person did in a thread and that stands there.
type remark struct {
	channel, thread string
	input           roundtable.Input
}

// Hear makes a message of a person's, or an edit, stand in a thread, whether or
// not anybody is told of it.
func (s *Slack) Hear(place thread.Place, in roundtable.Input) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.remarks = append(s.remarks, remark{place.Channel, place.Thread, in})
}

// Unhear takes a message of a person's out of its thread, with its edits: it was
// deleted.
func (s *Slack) Unhear(ts string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.remarks = slices.DeleteFunc(s.remarks, func(r remark) bool {
		message, ok := MessageOf(r.input.Event)
		return ok && message == ts
	})
}

// MessageOf is the timestamp of the message whose words an event brings; false for what
// brings none.
func MessageOf(e roundtable.Event) (ts string, ok bool) {
	switch e := e.(type) {
	case roundtable.Said:
		return e.TS, true
	case roundtable.Edited:
		return e.TS, true
	case roundtable.Opened, roundtable.Deleted, roundtable.Reacted, roundtable.Pressed, roundtable.TimerFired, roundtable.Framed, roundtable.Contributed,
		roundtable.RoundEnded, roundtable.Drafted, roundtable.Failed, roundtable.Posted, roundtable.DocumentsWritten, roundtable.Analysed, roundtable.DNDChecked,
		roundtable.Identified, roundtable.Parked:
	}
	return "", false
}

// Read implements engine.Workplace.
func (s *Slack) Read(ctx context.Context, place thread.Place, since time.Time) ([]engine.Heard, error) {
	if err := context.Cause(ctx); err != nil {
		return nil, &engine.SendError{Outcome: engine.Unsent, Err: err}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var heard []engine.Heard
	for _, r := range s.remarks {
		if r.channel == place.Channel && r.thread == place.Thread && !r.input.At.Before(since) {
			heard = append(heard, engine.Heard{Input: r.input})
		}
	}
	slices.SortStableFunc(heard, func(a, b engine.Heard) int { return a.Input.At.Compare(b.Input.At) })
	return heard, nil
}

// errNoAnswer is why Slack does not say who somebody is.
var errNoAnswer = errors.New("ratelimited")

// Introduce makes Slack say from now on who a person is. Of others it does not say.
func (s *Slack) Introduce(p thread.Person) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.people == nil {
		s.people = make(map[string]thread.Person)
	}
	s.people[p.ID] = p
}

// Identify implements engine.Workplace. There is no policy here that grants anything.
func (s *Slack) Identify(ctx context.Context, user string, _ bool) (thread.Person, error) {
	if err := context.Cause(ctx); err != nil {
		return thread.Person{}, &engine.SendError{Outcome: engine.Unsent, Err: err}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, user)
	if s.Who != nil {
		return s.Who(user)
	}
	if p, ok := s.people[user]; ok {
		return p, nil
	}
	return thread.Person{}, &engine.SendError{Outcome: engine.Unsent, Err: errNoAnswer}
}

// Identities are the people of whom Slack was asked who they are, in that order.
func (s *Slack) Identities() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.asked)
}
