package engine_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/engine/enginetest"
	"github.com/roundtable-chat/app/roundtable/say"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// shut is a workplace whose channel can be shut.
type shut struct {
	engine.Workplace

	mu    sync.Mutex
	how   shutting
	posts int
	finds int
}

// shutting says how a channel is shut: for what reason posts are refused, whether they
// are in doubt, and whether Slack refuses to show what stands there.
type shutting struct {
	reason        thread.Reason
	doubt, unread bool
}

// set shuts the channel, or with nothing opens it.
func (s *shut) set(how shutting) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.how = how
}

// tried returns how often a post was tried, and how often posts were looked for.
func (s *shut) tried() (posts, finds int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.posts, s.finds
}

func (s *shut) Post(ctx context.Context, p engine.Posting) (string, error) {
	s.mu.Lock()
	s.posts++
	how := s.how
	s.mu.Unlock()
	switch {
	case how.reason != "":
		return "", &engine.SendError{Outcome: engine.Refused, Reason: how.reason, Err: errCut}
	case how.doubt:
		return "", &engine.SendError{Outcome: engine.InDoubt, Err: errCut}
	}
	return s.Workplace.Post(ctx, p)
}

func (s *shut) Find(ctx context.Context, p thread.Place, since time.Time) ([]engine.Found, error) {
	if err := s.look(1); err != nil {
		return nil, err
	}
	return s.Workplace.Find(ctx, p, since)
}

func (s *shut) Read(ctx context.Context, p thread.Place, since time.Time) ([]engine.Heard, error) {
	if err := s.look(0); err != nil {
		return nil, err
	}
	return s.Workplace.Read(ctx, p, since)
}

// look counts, and refuses where nothing is shown.
func (s *shut) look(finds int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.finds += finds
	if !s.how.unread {
		return nil
	}
	return &engine.SendError{Outcome: engine.Refused, Reason: thread.ReasonNotInChannel, Err: errCut}
}

// behind runs f in a room whose channel can be shut.
func behind(t *testing.T, f func(r *room, s *shut)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t)
		s := &shut{Workplace: r.slack}
		r.options.Workplace, r.options.Poll = s, 5*time.Second // many days pass
		r.start()
		defer r.stop()
		r.deliver(enginetest.Opening(roundtable.Settings{MaxTurns: 40, Gather: 3 * time.Second, Silence: 3 * 24 * time.Hour}, time.Now()))
		r.pass(time.Minute)
		f(r, s)
	})
}

// kinds are the kinds of the messages that stand from the nth on.
func (r *room) kinds(n int) []thread.MessageKind {
	var kinds []thread.MessageKind
	for _, m := range r.slack.Messages(enginetest.Ref().Channel)[n:] {
		kinds = append(kinds, m.Message.Kind)
	}
	return kinds
}

func (r *room) standing() int { return len(r.slack.Messages(enginetest.Ref().Channel)) }

// unsaid are the personas' turns that stand nowhere in Slack.
func (r *room) unsaid() (turns []int) {
	r.t.Helper()
	_, transcript, err := enginetest.Transcript(r.t.Context(), r.states(), enginetest.Ref())
	if err != nil {
		r.t.Fatal(err)
	}
	for _, turn := range transcript.Turns {
		if turn.Persona != "" && turn.TS == "" {
			turns = append(turns, turn.Number)
		}
	}
	return turns
}

// What a channel refuses for its own sake waits, with everything after it, and stands
// in order once the channel takes messages again: at once if somebody writes, else
// soon (I3, I4; I3, I4). It is tried seldom meanwhile.
func TestChannelShut(t *testing.T) {
	for _, reason := range []thread.Reason{thread.ReasonNotInChannel, thread.ReasonArchived, thread.ReasonNoPermission} {
		t.Run(string(reason), func(t *testing.T) {
			behind(t, func(r *room, s *shut) {
				s.set(shutting{reason: reason})
				before, _ := s.tried()
				r.say("What about refunds?")
				r.pass(4 * time.Hour)
				posts, _ := s.tried()
				if n := posts - before; n < 2 || n > 15 {
					t.Errorf("it was tried %d times in four hours, want some and at most 15", n)
				}
				if w := r.discussion().Withheld; w == nil || w.Reason != reason {
					t.Errorf("I10: the state says %+v, want %s", w, reason)
				}
				if got := say.Standing(r.discussion()); !strings.Contains(got, "Messages cannot be posted here") {
					t.Errorf("I10: it is said to be %q", got)
				}
				s.set(shutting{})
				r.say("And now?")
				r.pass(time.Minute)
				if missing := r.unsaid(); len(missing) > 0 {
					t.Errorf("turns %v are in the transcript and nowhere else", missing)
				}
				if w := r.discussion().Withheld; w != nil {
					t.Errorf("the state still says %+v", w)
				}
				for key, n := range keysStanding(r.slack) {
					if n > 1 {
						t.Errorf("I3: %s stands %d times", key, n)
					}
				}
			})
		})
	}
}

// A synthesis waits, too, and so do the documents, which would else be written before
// anybody had read what goes into them.
func TestChannelShutAtTheEnd(t *testing.T) {
	behind(t, func(r *room, s *shut) {
		n := r.standing()
		s.set(shutting{reason: thread.ReasonNotInChannel})
		r.say("done")
		r.pass(time.Minute)
		s.set(shutting{})
		r.pass(2 * time.Minute) // nobody writes
		got := r.kinds(n)
		want := []thread.MessageKind{thread.KindProcedure, thread.KindSynthesis, thread.KindNotice, thread.KindMenu}
		if !slices.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
	})
}

// What waits for a channel does not wait for ever: it is given up after a week, with
// everything that follows, and the discussion comes to its end.
func TestChannelShutForGood(t *testing.T) {
	behind(t, func(r *room, s *shut) {
		s.set(shutting{reason: thread.ReasonArchived})
		before, _ := s.tried()
		r.say("done")
		r.pass(30 * 24 * time.Hour)
		posts, _ := s.tried()
		if n := posts - before; n > 220 {
			t.Errorf("%d posts were tried", n)
		}
		if d := r.discussion(); !d.Over {
			t.Errorf("got %s, not over", d.State)
		}
	})
}

// A thread that is gone takes nothing again: what was to be posted there is given up at
// once, and nothing is looked for.
func TestThreadGone(t *testing.T) {
	behind(t, func(r *room, s *shut) {
		s.set(shutting{reason: thread.ReasonThreadGone})
		before, _ := s.tried()
		r.say("What about refunds?")
		r.pass(time.Hour)
		posts, _ := s.tried()
		if n := posts - before; n > 3 {
			t.Errorf("it was tried %d times", n)
		}
		if d := r.discussion(); d.Stalled == nil || d.Stalled.Reason != thread.ReasonThreadGone {
			t.Errorf("I10: got stalled %+v", d.Stalled)
		}
	})
}

// A message that Slack refuses is not sent again, and the thread says so in its place,
// whatever it was (I3, I10).
func TestMessageRefused(t *testing.T) {
	tests := []struct {
		kind thread.MessageKind
		say  string
		want string
	}{
		{thread.KindContribution, "What about refunds?", "A contribution could not be shown"},
		{thread.KindSynthesis, "done", "The synthesis could not be shown"},
		{thread.KindProcedure, "done", "A message of Maya could not be shown"},
		{thread.KindMenu, "done", "The menu could not be shown"},
	}
	for _, test := range tests {
		t.Run(string(test.kind), func(t *testing.T) {
			inRoom(t, func(r *room) {
				tries := 0
				r.slack.Fault = func(_ int, p engine.Posting) enginetest.Fault {
					if p.Message.Kind != test.kind || tries > 0 {
						return enginetest.Fault{}
					}
					tries++
					return enginetest.Fault{Err: &engine.SendError{Outcome: engine.Refused, Reason: thread.ReasonMessageRefused, Err: errCut}}
				}
				r.say(test.say)
				r.pass(time.Hour)
				told := 0
				for _, m := range r.slack.Messages(enginetest.Ref().Channel) {
					if strings.HasPrefix(m.Message.Text, test.want) {
						told++
					}
				}
				if tries != 1 || told != 1 {
					t.Errorf("it was tried %d times and the thread says %d times that it could not be shown, want 1 and 1", tries, told)
				}
			})
		})
	}
}

// A doubted post whose thread cannot be read is looked for less and less often, and
// stands once when it can (I3).
func TestDoubtThatCannotBeSettled(t *testing.T) {
	behind(t, func(r *room, s *shut) {
		s.set(shutting{doubt: true, unread: true})
		r.say("What about refunds?")
		r.pass(4 * time.Hour)
		if _, finds := s.tried(); finds > 15 {
			t.Errorf("%d readings in four hours", finds)
		}
		s.set(shutting{})
		r.pass(2 * time.Hour)
		if missing := r.unsaid(); len(missing) > 0 {
			t.Errorf("turns %v are in the transcript and nowhere else", missing)
		}
	})
}

// A thread that Slack refuses to show holds up nothing of a discussion whose store
// forgot: what people write is taken in (I1), and a discussion that was closed ends.
func TestForgottenAndUnreadable(t *testing.T) {
	t.Run("open", func(t *testing.T) {
		behind(t, func(r *room, s *shut) {
			s.set(shutting{unread: true})
			r.store.Rewind(r.store.Snapshot())
			r.say("What about refunds?")
			r.pass(time.Hour)
			if got, want := r.people(), []string{"What about refunds?"}; !slices.Equal(got, want) {
				t.Errorf("got %q, want %q", got, want)
			}
			if missing := r.unsaid(); len(missing) > 0 {
				t.Errorf("turns %v were not posted", missing)
			}
			if _, finds := s.tried(); finds > 2 {
				t.Errorf("%d readings in an hour", finds)
			}
		})
	})
	t.Run("closed", func(t *testing.T) {
		behind(t, func(r *room, s *shut) {
			r.say("done")
			r.pass(time.Minute)
			s.set(shutting{unread: true})
			_, before := s.tried()
			r.store.Rewind(r.store.Snapshot())
			r.pass(8 * 24 * time.Hour)
			if d := r.discussion(); !d.Over {
				t.Error("it is not over")
			}
			if _, finds := s.tried(); finds-before > 5 {
				t.Errorf("%d readings in eight days", finds-before)
			}
		})
	})
}
