package enginetest

import (
	"context"
	"slices"
	"time"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/engine"
)

// remark is something that a person did in a thread and that stands there.
type remark struct {
	channel, thread string
	input           roundtable.Input
}

// Hear makes a message of a person's, or an edit, stand in a thread, whether or
// not anybody is told of it.
func (s *Slack) Hear(place roundtable.Place, in roundtable.Input) {
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
		switch e := r.input.Event.(type) {
		case roundtable.Said:
			return e.TS == ts
		case roundtable.Edited:
			return e.TS == ts
		default:
			return false
		}
	})
}

// Read implements engine.Workplace.
func (s *Slack) Read(ctx context.Context, place roundtable.Place, since time.Time) ([]engine.Heard, error) {
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
