package enginetest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/engine/invariant"
	"github.com/roundtable-chat/app/roundtable/persona"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// Fault is what goes wrong with one post.
type Fault struct {
	// Err is what the caller learns; nil: all went well.
	Err error
	// Performed is true if the post is performed all the same, Late after that
	// time (still within what settling allows for).
	Performed bool
	Late      time.Duration
}

// Slack is a workspace as the engine sees it. The zero value works and does what
// it is asked.
type Slack struct {
	// Fault, if set, decides what goes wrong with the nth post (from 1).
	Fault func(n int, p engine.Posting) Fault
	// Quiet, if set, says until when a person wants not to be disturbed.
	Quiet func(user string) (time.Time, error)
	// Latency is how long a post takes, and Lag how much later its reply comes.
	Latency, Lag time.Duration
	// SignLatency, if set, is how long the nth sign takes (from 1) that somebody is
	// thinking, or nobody any more.
	SignLatency func(n int) time.Duration

	// Who, if set, says who a person is, in place of what Introduce said.
	Who func(user string) (thread.Person, error)

	mu       sync.Mutex
	people   map[string]thread.Person
	asked    []string
	messages []*invariant.Message
	posts    int
	stamp    int64
	flying   map[string]int // posts under way per discussion's channel and thread
	overlaps int
	told     []string
	eyes     []string
	shown    map[string]thread.Message
	thinking map[string][]persona.Seat
	signs    int
	showErr  error
	refused  map[string]invariant.Refusal
	remarks  []remark
}

// Post implements engine.Workplace.
func (s *Slack) Post(ctx context.Context, p engine.Posting) (string, error) {
	if err := context.Cause(ctx); err != nil { // nothing leaves after its time
		return "", &engine.SendError{Outcome: engine.Unsent, Err: err}
	}
	s.mu.Lock()
	s.posts++
	var fault Fault
	if s.Fault != nil {
		fault = s.Fault(s.posts, p)
	}
	where := p.Place.Channel + "/" + p.Place.Thread
	if s.flying == nil {
		s.flying = make(map[string]int)
	}
	if s.flying[where]++; s.flying[where] > 1 && p.Place.Thread != "" {
		s.overlaps++
	}
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		s.flying[where]--
		s.mu.Unlock()
	}()
	if err := pass(ctx, s.Latency); err != nil {
		return "", &engine.SendError{Outcome: engine.Unsent, Err: err}
	}
	if fault.Err != nil && !fault.Performed {
		s.noteRefused(p, fault.Err)
		return "", fault.Err
	}
	if fault.Late > 0 {
		time.AfterFunc(fault.Late, func() { s.perform(p) })
		return "", fault.Err
	}
	ts := s.perform(p)
	if s.Lag > 0 {
		<-time.After(s.Lag)
	}
	return ts, fault.Err
}

// noteRefused remembers a post that was refused for good.
func (s *Slack) noteRefused(p engine.Posting, err error) {
	e, ok := errors.AsType[*engine.SendError](err)
	if !ok || e.Outcome != engine.Refused {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.refused == nil {
		s.refused = make(map[string]invariant.Refusal)
	}
	s.refused[p.Key] = invariant.Refusal{Kind: p.Message.Kind, Reason: e.Reason}
}

// Refused returns the posts that were refused for good, by key.
func (s *Slack) Refused() map[string]invariant.Refusal {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.refused)
}

// pass lets time pass.
func pass(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return context.Cause(ctx)
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (s *Slack) perform(p engine.Posting) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	ts := s.nextTS()
	delete(s.thinking, p.Place.Thread) // as Slack does
	s.messages = append(s.messages, &invariant.Message{
		Channel: p.Place.Channel, Thread: p.Place.Thread, Key: p.Key, TS: ts, At: time.Now(), Message: p.Message,
	})
	return ts
}

// nextTS makes timestamps that grow, as Slack's do.
func (s *Slack) nextTS() string {
	s.stamp = max(s.stamp+1, time.Now().UnixMicro())
	return fmt.Sprintf("%d.%06d", s.stamp/1e6, s.stamp%1e6)
}

// Timestamp gives a timestamp for a person's message.
func (s *Slack) Timestamp() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.nextTS()
}

// Find implements engine.Workplace.
func (s *Slack) Find(ctx context.Context, place thread.Place, since time.Time) ([]engine.Found, error) {
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var found []engine.Found
	for _, m := range s.messages {
		here := m.Channel == place.Channel && (m.Thread == place.Thread || m.TS == place.Thread)
		if here && !m.Retracted && !m.At.Before(since) {
			found = append(found, engine.Found{Key: m.Key, TS: m.TS})
		}
	}
	return found, nil
}

// Retract implements engine.Workplace.
func (s *Slack) Retract(_ context.Context, _ thread.Place, ts string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.messages, func(m *invariant.Message) bool { return m.TS == ts })
	if i < 0 {
		return &engine.SendError{Outcome: engine.Refused, Err: errors.New("message_not_found")}
	}
	s.messages[i].Retracted = true
	return nil
}

// ShowRoot implements engine.Workplace.
func (s *Slack) ShowRoot(_ context.Context, place thread.Place, m thread.Message) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.showErr != nil {
		return s.showErr
	}
	if s.shown == nil {
		s.shown = make(map[string]thread.Message)
	}
	s.shown[place.Root] = m
	return nil
}

// QuietUntil implements engine.Workplace.
func (s *Slack) QuietUntil(_ context.Context, user string) (time.Time, error) {
	if s.Quiet == nil {
		return time.Time{}, nil
	}
	return s.Quiet(user)
}

// Tell implements engine.Workplace.
func (s *Slack) Tell(_ context.Context, _ thread.Place, user, text string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.told = append(s.told, user+": "+text)
	return nil
}

// React implements engine.Workplace.
func (s *Slack) React(_ context.Context, _ thread.Place, ts, emoji string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.eyes = append(s.eyes, ts+" "+emoji)
	return nil
}

// Think implements engine.Workplace.
func (s *Slack) Think(_ context.Context, place thread.Place, personas []persona.Seat) error {
	s.mu.Lock()
	s.signs++
	n := s.signs
	s.mu.Unlock()
	if s.SignLatency != nil {
		<-time.After(s.SignLatency(n))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.thinking == nil {
		s.thinking = make(map[string][]persona.Seat)
	}
	s.thinking[place.Thread] = personas
	return nil
}

// Signs is how often it was shown, or shown no more, who is thinking.
func (s *Slack) Signs() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.signs
}

// Messages returns the posts that stand in a channel, in Slack's order.
func (s *Slack) Messages(channel string) []invariant.Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	var standing []invariant.Message
	for _, m := range s.messages {
		if m.Channel == channel && !m.Retracted {
			standing = append(standing, *m)
		}
	}
	return standing
}

// Posts returns how many posts were asked for; Overlaps how often two were under
// way in one thread at once.
func (s *Slack) Posts() (n, overlaps int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.posts, s.overlaps
}

// Told returns what was said to single people, as "user: text".
func (s *Slack) Told() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.told)
}

// Reactions returns the app's reactions, as "ts emoji".
func (s *Slack) Reactions() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.eyes)
}

// Thinking returns who is shown as thinking in a thread.
func (s *Slack) Thinking(thread string) []persona.Seat {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.thinking[thread]
}

// Shown returns the introduction as shown last, and false before that.
func (s *Slack) Shown(root string) (thread.Message, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m, ok := s.shown[root]
	return m, ok
}

// FailShowing makes ShowRoot fail with err until it is called with nil.
func (s *Slack) FailShowing(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.showErr = err
}

// Doubles returns how many posts were retracted because they stood twice.
func (s *Slack) Doubles() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, m := range s.messages {
		if m.Retracted {
			n++
		}
	}
	return n
}
