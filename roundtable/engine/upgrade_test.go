package engine_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/engine/enginetest"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// aheadStore shows what it keeps as if a newer version had stored it, until the
// newer version is here.
type aheadStore struct {
	engine.Store
	kind string // state, log, outbox or mail
	here atomic.Bool
}

func (s *aheadStore) age(kind string, b []byte) []byte {
	if s.here.Load() || s.kind != kind {
		return b
	}
	return bytes.Replace(b, []byte(`{"v":1`), []byte(`{"v":2`), 1)
}

func (s *aheadStore) ageMail(mail []engine.Mail) []engine.Mail {
	mail = slices.Clone(mail)
	for i := range mail {
		mail[i].Body = s.age("mail", mail[i].Body)
	}
	return mail
}

func (s *aheadStore) ageClaim(h *engine.Claim) *engine.Claim {
	if h == nil {
		return nil
	}
	h.State, h.Mail, h.Log, h.Outbox = s.age("state", h.State), s.ageMail(h.Mail), slices.Clone(h.Log), slices.Clone(h.Outbox)
	for i := range h.Log {
		h.Log[i] = s.age("log", h.Log[i])
	}
	for i := range h.Outbox {
		h.Outbox[i].Body = s.age("outbox", h.Outbox[i].Body)
	}
	return h
}

func (s *aheadStore) Deliver(ctx context.Context, d engine.Delivery) (engine.Delivered, error) {
	got, err := s.Store.Deliver(ctx, d)
	got.Claim = s.ageClaim(got.Claim)
	return got, err
}

func (s *aheadStore) Claim(ctx context.Context, ref engine.Ref, by engine.Claimant) (*engine.Claim, error) {
	h, err := s.Store.Claim(ctx, ref, by)
	return s.ageClaim(h), err
}

func (s *aheadStore) Commit(ctx context.Context, h *engine.Claim, c engine.Commit) (engine.Committed, error) {
	done, err := s.Store.Commit(ctx, h, c)
	done.Mail = s.ageMail(done.Mail)
	return done, err
}

func (s *aheadStore) Try(ctx context.Context, h *engine.Claim, what string) (engine.Committed, error) {
	done, err := s.Store.Try(ctx, h, what)
	done.Mail = s.ageMail(done.Mail)
	return done, err
}

func (s *aheadStore) Renew(ctx context.Context, h *engine.Claim) (engine.Committed, error) {
	done, err := s.Store.Renew(ctx, h)
	done.Mail = s.ageMail(done.Mail)
	return done, err
}

func (s *aheadStore) Log(ctx context.Context, ref engine.Ref, from int) ([][]byte, error) {
	log, err := s.Store.Log(ctx, ref, from)
	log = slices.Clone(log)
	for i := range log {
		log[i] = s.age("log", log[i])
	}
	return log, err
}

// Whatever of a discussion a newer version stored, an older replica writes nothing,
// loses nothing and does not spin; once somebody can read it, it goes on (NFR-102,
// I1, I3, I7).
func TestNewerFormIsLeftAlone(t *testing.T) {
	for _, kind := range []string{"state", "log", "outbox", "mail"} {
		t.Run(kind, func(t *testing.T) {
			inRoom(t, func(r *room) {
				memory := r.store
				// The old replica goes while a post is in the outbox and mail waits.
				r.panel.Delay = 5 * time.Second
				r.slack.Latency = 3 * time.Second
				before := len(r.contributions())
				said := r.say("Alex, what breaks first?")
				r.pass(14 * time.Second)
				r.replica.Kill()
				r.cancel()
				<-r.done
				ahead := &aheadStore{Store: memory, kind: kind}
				r.options.Store = ahead
				r.start()
				r.say("And what else?")
				r.pass(time.Minute) // the lease ends
				state, log, err := memory.Read(t.Context(), enginetest.Ref())
				if err != nil {
					t.Fatal(err)
				}

				n := len(r.replica.Calls())
				r.pass(time.Hour)
				if claims := len(r.calls(n, "store.claim")); claims == 0 || claims > 65 {
					t.Errorf("looked %d times in an hour, want about once a minute", claims)
				}
				if got := r.engine.LeftToNewer(); got != 1 {
					t.Errorf("left %d discussions to a newer version, want 1", got)
				}
				if got, lines, err := memory.Read(t.Context(), enginetest.Ref()); err != nil || !bytes.Equal(got, state) || len(lines) != len(log) {
					t.Errorf("what the newer version stored was changed (%v)", err)
				}
				late := r.say("Is anybody there?")
				r.pass(time.Second)
				if got, want := r.slack.Reactions(), late+" eyes"; !slices.Contains(got, want) {
					t.Errorf("got reactions %v, want %q: it is kept", got, want)
				}

				ahead.here.Store(true)
				r.pass(5 * time.Minute)
				if got := r.engine.LeftToNewer(); got != 0 {
					t.Errorf("left %d discussions to a newer version, want none", got)
				}
				if got := len(r.contributions()) - before; got < 2 {
					t.Errorf("got %d contributions after it went on, want answers", got)
				}
				_, transcript, err := enginetest.Transcript(t.Context(), r.states(), enginetest.Ref())
				if err != nil {
					t.Fatal(err)
				}
				heard := 0
				for _, turn := range transcript.Turns {
					if turn.Person.ID != "" {
						heard++
					}
				}
				if heard != 3 {
					t.Errorf("%d messages were taken in, want 3: %s and the two after it", heard, said)
				}
				if letters, _ := memory.DeadLetters(t.Context(), 10); len(letters) != 0 {
					t.Errorf("%d inputs were put aside", len(letters))
				}
				if twice := doubles(r); len(twice) > 0 {
					t.Errorf("posted twice: %v", twice)
				}
			})
		})
	}
}

// doubles are the keys that stand more than once in Slack.
func doubles(r *room) (twice []string) {
	seen := make(map[string]bool)
	for _, m := range r.slack.Messages(enginetest.Ref().Channel) {
		if m.Retracted {
			continue
		}
		if seen[m.Key] {
			twice = append(twice, m.Key)
		}
		seen[m.Key] = true
	}
	return twice
}

// An older replica offered a discussion of a newer one gives it back at once: the
// newer one goes on with it within one look for work, however often the older one
// is offered it.
func TestNewerReplicaGetsItAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t)
		memory := r.store
		r.start()
		defer r.stop()
		old := newRoom(t)
		old.store, old.slack = memory, r.slack
		old.options.Store, old.options.Owner = &aheadStore{Store: memory, kind: "state"}, "old"
		old.start()
		defer old.stop()
		r.deliver(enginetest.Opening(roundtable.Settings{MaxTurns: 40, Gather: time.Second}, time.Now()))
		r.pass(time.Minute)
		for i, pause := range []time.Duration{time.Second, 5 * time.Second, 20 * time.Second, 40 * time.Second, time.Minute, 90 * time.Second, 10 * time.Minute, time.Second} {
			before := len(r.contributions())
			old.say(fmt.Sprintf("Alex, question %d?", i)) // every event reaches the older replica
			r.pass(6 * time.Second)
			if len(r.contributions()) == before {
				t.Fatalf("message %d: nobody answered within 6 s", i)
			}
			r.pass(pause)
		}
		if got := old.calls(0, "slack."); len(got) != 0 {
			t.Errorf("the older replica did %v in Slack", got)
		}
	})
}

// Discussions of a newer version that nobody can read stand in front of others in
// the queue and hold none of them up.
func TestNewerFormsStarveNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t)
		r.options.Workers = 2
		for i := range 300 {
			ref := enginetest.Ref()
			ref.ID = fmt.Sprintf("newer%d", i)
			delivered, err := r.store.Deliver(t.Context(), engine.Delivery{Ref: ref, Mail: engine.Mail{ID: "x", Body: []byte(`{"v":2}`)}, Opens: true, Claim: &engine.Claimant{Owner: "newer"}})
			h := delivered.Claim
			if err != nil {
				t.Fatal(err)
			}
			if _, err := r.store.Commit(t.Context(), h, engine.Commit{State: []byte(`{"v":2}`), Mode: engine.ModeYield}); err != nil {
				t.Fatal(err)
			}
		}
		r.start()
		defer r.stop()
		for i := range 20 {
			r.pass(30 * time.Second)
			ref := enginetest.Ref()
			ref.ID, ref.Channel = fmt.Sprintf("ours%d", i), "C2"
			body, err := roundtable.EncodeInput(opening(ref, "Ledgers"))
			if err != nil {
				t.Fatal(err)
			}
			// Stored by a replica that had no hand free: only looking for work finds it.
			if _, err := r.store.Deliver(t.Context(), engine.Delivery{Ref: ref, Mail: engine.Mail{ID: "o", Body: body}, Opens: true}); err != nil {
				t.Fatal(err)
			}
			r.pass(2 * time.Second)
			if _, err := enginetest.Discussion(t.Context(), r.states(), ref); errors.Is(err, engine.ErrNotFound) {
				t.Fatalf("discussion %d was not begun within 2 s", i)
			} else if err != nil {
				t.Fatal(err)
			}
		}
		if claims := len(r.calls(0, "store.claim")); claims > 300*20 {
			t.Errorf("%d claims in 11 minutes for 300 discussions that cannot be read, want about one a minute each", claims)
		}
	})
}

// opening opens a discussion on a topic.
func opening(ref engine.Ref, topic string) roundtable.Input {
	in := enginetest.Opening(roundtable.Settings{MaxTurns: 40, Gather: time.Second}, time.Now())
	o := in.Event.(roundtable.Opened)
	o.Discussion, o.Topic, o.Place = ref.ID, topic, thread.Place{Team: ref.Team, Channel: ref.Channel}
	in.ID, in.Event = "open", o
	return in
}
