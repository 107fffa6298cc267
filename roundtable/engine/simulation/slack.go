package simulation

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/engine/enginetest"
	"github.com/roundtable-chat/app/roundtable/engine/invariant"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// The place where everything happens.
const (
	team    = "T1"
	channel = "C1"
)

// slack is the model of Slack: the stand-in, in which posts may stand and not show.
type slack struct {
	*enginetest.Slack
	// hidden says until when reading does not show a post, by timestamp.
	hidden map[string]time.Time
}

// perform makes a post stand.
func (s *slack) perform(p engine.Posting) string {
	ts, err := s.Post(context.Background(), p)
	if err != nil {
		panic(err) // the stand-in fails only if told to
	}
	return ts
}

// errScheduled is why anything fails: the schedule says so.
var errScheduled = errors.New("so the schedule says")

// reject refuses a post, because of itself or because of the channel.
func (s *slack) reject(p engine.Posting, reason thread.Reason) error {
	s.Fault = func(int, engine.Posting) enginetest.Fault {
		return enginetest.Fault{Err: &engine.SendError{Outcome: engine.Refused, Reason: reason, Err: errScheduled}}
	}
	_, err := s.Post(context.Background(), p)
	s.Fault = nil
	return err
}

// find reads posts back.
func (s *slack) find(place thread.Place, since time.Time) ([]engine.Found, error) {
	found, err := s.Find(context.Background(), place, since)
	return slices.DeleteFunc(found, func(f engine.Found) bool { return s.hidden[f.TS].After(time.Now()) }), err
}

// hide hides a post for a while.
func (s *slack) hide(key string, d time.Duration) {
	if s.hidden == nil {
		s.hidden = make(map[string]time.Time)
	}
	for _, m := range s.Messages(channel) {
		if m.Key == key {
			s.hidden[m.TS] = time.Now().Add(d)
		}
	}
}

// root is where a discussion's introduction stands; empty before it does.
func (s *slack) root(id string) string {
	for _, m := range s.Messages(channel) {
		if m.Key == id+"/root" {
			return m.TS
		}
	}
	return ""
}

// contributions are the personas' posts of a discussion that stand.
func (s *slack) contributions(id string) []invariant.Message {
	return slices.DeleteFunc(s.Messages(channel), func(m invariant.Message) bool {
		return m.Message.Kind != thread.KindContribution || len(m.Key) <= len(id) || m.Key[:len(id)+1] != id+"/"
	})
}

// inWhich names the discussion whose thread a place is; the channel if it is none.
func (s *slack) inWhich(place thread.Place) string {
	for _, m := range s.Messages(channel) {
		if id, root := strings.CutSuffix(m.Key, "/root"); root && m.TS == place.Thread {
			return id
		}
	}
	return channel
}
