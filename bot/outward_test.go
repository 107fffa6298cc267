package bot_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/roundtable-chat/app/bot/slacksim"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/thread"
)

func contribution(place thread.Place, key, text string) engine.Posting {
	return engine.Posting{Place: place, Key: key, Message: thread.Message{
		Kind: thread.KindContribution, Speaker: "business-analyst", Identity: "Maya Chen (Business Analyst)", Text: text,
	}}
}

// posted returns the thread's messages of ours, without the introduction.
func posted(s *stage, place thread.Place) (all []*slacksim.Message) {
	for _, m := range s.ws.Messages(place.Channel) {
		if m.ThreadTS == place.Thread && m.TS != place.Thread && m.BotID != "" {
			all = append(all, m)
		}
	}
	return all
}

// TestPostUnderAName shows AC-002-04.
func TestPostUnderAName(t *testing.T) {
	for _, c := range []struct {
		name             string
		scopes           []string
		username, prefix string
	}{
		{"with the scope", nil, "Maya Chen (Business Analyst)", "What do"},
		{"without it", []string{"chat:write", "channels:history", "channels:read", "users:read"}, "", "Maya Chen (Business Analyst): What do"},
	} {
		t.Run(c.name+" (AC-002-04)", func(t *testing.T) {
			s := set(t, slacksim.Options{Scopes: c.scopes}, nil, false)
			_, place := s.seated()
			ts, err := s.bot.Workplace().Post(t.Context(), contribution(place, "DTEST/m/0", "What do **users** need?"))
			if err != nil {
				t.Fatal(err)
			}
			m := posted(s, place)[0]
			if m.TS != ts || m.Username != c.username || !strings.HasPrefix(m.Text, c.prefix) || m.Metadata == nil {
				t.Errorf("got %+v", m)
			}
		})
	}
}

// TestOutcomes holds Post to what is known of a request that did not plainly
// succeed (I3): doubt is never taken for failure.
func TestOutcomes_I3(t *testing.T) {
	for _, c := range []struct {
		name  string
		fault slacksim.Fault
		want  engine.Outcome
		why   thread.Reason
		after time.Duration
		found int
	}{
		{"429 with Retry-After", slacksim.Fault{Status: 429, RetryAfterMS: 3000}, engine.Unsent, "", 3 * time.Second, 0},
		{"429 in the body", slacksim.Fault{Error: "ratelimited"}, engine.Unsent, "", 30 * time.Second, 0},
		{"performed, then 503", slacksim.Fault{Status: 503, After: true}, engine.InDoubt, "", 0, 1},
		{"performed, then cut", slacksim.Fault{Cut: true, After: true}, engine.InDoubt, "", 0, 1},
		{"cut before", slacksim.Fault{Cut: true}, engine.InDoubt, "", 0, 0},
		{"performed, then internal_error", slacksim.Fault{Error: "internal_error", After: true}, engine.InDoubt, "", 0, 1},
		{"archived", slacksim.Fault{Error: "is_archived"}, engine.Refused, thread.ReasonArchived, 0, 0},
		{"token revoked", slacksim.Fault{Error: "token_revoked"}, engine.Unsent, "", time.Minute, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := set(t, slacksim.Options{}, nil, false)
			_, place := s.seated()
			c.fault.Method, c.fault.Count = "chat.postMessage", 1
			s.ws.Arm(c.fault)
			_, err := s.bot.Workplace().Post(t.Context(), contribution(place, "DTEST/m/0", "hello"))
			var e *engine.SendError
			if !errors.As(err, &e) {
				t.Fatalf("got %v, want a SendError", err)
			}
			if e.Outcome != c.want || e.Reason != c.why || e.After != c.after {
				t.Errorf("got %s %q after %s, want %s %q after %s", e.Outcome, e.Reason, e.After, c.want, c.why, c.after)
			}
			found, err := s.bot.Workplace().Find(t.Context(), place, time.Time{})
			if err != nil {
				t.Fatal(err)
			}
			keys := map[string]int{}
			for _, f := range found {
				keys[f.Key]++
			}
			if keys["DTEST/m/0"] != c.found {
				t.Errorf("in the thread: got %d, want %d", keys["DTEST/m/0"], c.found)
			}
		})
	}
}

func TestArchivedChannel(t *testing.T) {
	s := set(t, slacksim.Options{}, nil, false)
	_, place := s.seated()
	s.act("archive", fields{"as": priya, "channel": product})
	_, err := s.bot.Workplace().Post(t.Context(), contribution(place, "DTEST/m/0", "hello"))
	var e *engine.SendError
	if !errors.As(err, &e) || e.Outcome != engine.Refused || e.Reason != thread.ReasonArchived {
		t.Errorf("got %v, want refused: archived", err)
	}
}

func TestNothingLeavesAfterTheDeadline_I7(t *testing.T) {
	s := set(t, slacksim.Options{}, nil, false)
	_, place := s.seated()
	ctx, cancel := context.WithDeadline(t.Context(), time.Now().Add(-time.Millisecond))
	defer cancel()
	_, err := s.bot.Workplace().Post(ctx, contribution(place, "DTEST/m/0", "too late"))
	var e *engine.SendError
	if !errors.As(err, &e) || e.Outcome != engine.Unsent {
		t.Errorf("got %v, want unsent", err)
	}
	if got := posted(s, place); len(got) != 0 {
		t.Errorf("got %d posts, want none", len(got))
	}
}

func TestSlackDoesNotAnswerIsInDoubt_I3(t *testing.T) {
	s := set(t, slacksim.Options{}, nil, false)
	_, place := s.seated()
	s.ws.Arm(slacksim.Fault{Method: "chat.postMessage", DelayMS: 500, Count: 1})
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	_, err := s.bot.Workplace().Post(ctx, contribution(place, "DTEST/m/0", "slow"))
	var e *engine.SendError
	if !errors.As(err, &e) || e.Outcome != engine.InDoubt {
		t.Errorf("got %v, want in doubt", err)
	}
}

func TestFindReadsOnlyOurOwnKeys_I3(t *testing.T) {
	s := set(t, slacksim.Options{}, nil, false)
	_, place := s.seated()
	w := s.bot.Workplace()
	for _, key := range []string{"DTEST/a/0", "DTEST/a/1"} {
		if _, err := w.Post(t.Context(), contribution(place, key, key)); err != nil {
			t.Fatal(err)
		}
	}
	s.say(priya, place.Thread, "DTEST/a/2")
	found, err := w.Find(t.Context(), place, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range found {
		got = append(got, f.Key)
	}
	if diff := cmp.Diff([]string{"DTEST/root", "DTEST/a/0", "DTEST/a/1"}, got); diff != "" {
		t.Errorf("keys (-want +got):\n%s", diff)
	}
	t.Run("in the channel", func(t *testing.T) {
		found, err := w.Find(t.Context(), thread.Place{Team: team, Channel: product}, time.Now().Add(-time.Hour))
		if err != nil || len(found) != 1 || found[0].Key != "DTEST/root" {
			t.Errorf("got %v, %v; want the introduction", found, err)
		}
	})
	t.Run("not older than asked", func(t *testing.T) {
		found, err := w.Find(t.Context(), place, time.Now().Add(time.Hour))
		if err != nil || len(found) != 0 {
			t.Errorf("got %v, %v; want none", found, err)
		}
	})
	t.Run("a double is retracted", func(t *testing.T) {
		if err := w.Retract(t.Context(), place, found[2].TS); err != nil {
			t.Fatal(err)
		}
		if err := w.Retract(t.Context(), place, found[2].TS); err != nil {
			t.Errorf("again: got %v, want nil", err)
		}
		if got := len(posted(s, place)); got != 1 {
			t.Errorf("posts: got %d, want 1", got)
		}
	})
}

func TestThreadGone(t *testing.T) {
	s := set(t, slacksim.Options{}, nil, false)
	_, place := s.seated()
	if err := s.bot.Workplace().Retract(t.Context(), place, place.Thread); err != nil {
		t.Fatal(err)
	}
	_, err := s.bot.Workplace().Post(t.Context(), contribution(place, "DTEST/m/0", "hello"))
	var e *engine.SendError
	if !errors.As(err, &e) || e.Outcome != engine.Refused || e.Reason != thread.ReasonThreadGone {
		t.Errorf("got %v, want refused: thread gone", err)
	}
	for _, m := range s.ws.Messages(product) {
		if strings.Contains(m.Text, "hello") {
			t.Error("the misplaced post was left standing")
		}
	}
}

func TestCourtesies(t *testing.T) {
	s := set(t, slacksim.Options{}, nil, false)
	_, place := s.seated()
	w := s.bot.Workplace()
	ts := s.say(priya, place.Thread, "hello")
	for range 2 {
		if err := w.React(t.Context(), place, ts, "eyes"); err != nil {
			t.Errorf("react: %v", err)
		}
	}
	seats := testRoster().Seats()
	if err := w.Think(t.Context(), place, seats[:2]); err != nil {
		t.Errorf("think: %v", err)
	}
	statuses, _ := s.state(priya)["statuses"].([]any)
	if len(statuses) != 1 || statuses[0].(map[string]any)["username"] != "Maya Chen (Business Analyst)" {
		t.Errorf("statuses: got %v", statuses)
	}
	if err := w.Think(t.Context(), place, nil); err != nil {
		t.Errorf("clear: %v", err)
	}
	if statuses, _ := s.state(priya)["statuses"].([]any); len(statuses) != 0 {
		t.Errorf("statuses after clearing: got %v", statuses)
	}
	if err := w.Tell(t.Context(), place, priya, "for <you>"); err != nil {
		t.Errorf("tell: %v", err)
	}
	s.told(priya, "for &lt;you&gt;")
	if warnings := s.ws.Warnings(); len(warnings) > 0 {
		t.Errorf("Slack would not know: %v", warnings)
	}
}

// Whether somebody may be disturbed is asked of Slack, and not asked without the scope
// for it (FR-107).
func TestQuietUntil(t *testing.T) {
	always := &slacksim.DND{Enabled: true, From: "00:00", To: "00:00"}
	people := []slacksim.Person{{ID: priya, Name: "priya", DND: always}, {ID: sam, Name: "sam"}}
	for _, c := range []struct {
		name, user string
		scopes     []string
		quiet      bool
	}{
		{"in their quiet hours", priya, nil, true},
		{"without such", sam, nil, false},
		{"without the scope", priya, []string{"chat:write", "channels:history", "channels:read", "users:read"}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := set(t, slacksim.Options{Scopes: c.scopes, People: people}, nil, false)
			until, err := s.bot.Workplace().QuietUntil(t.Context(), c.user)
			if err != nil {
				t.Fatal(err)
			}
			if got := until.After(time.Now()); got != c.quiet {
				t.Errorf("got %v, want a time to come: %v", until, c.quiet)
			}
		})
	}
}
