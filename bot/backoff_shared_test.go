package bot_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/roundtable-chat/app/bot"
	"github.com/roundtable-chat/app/bot/slacksim"
	"github.com/roundtable-chat/app/roundtable/document"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/thread"
	"github.com/roundtable-chat/app/storage"
	"github.com/roundtable-chat/app/storage/storagetest"
)

// tally counts the calls that a workspace gets, by method.
type tally struct {
	mu    sync.Mutex
	calls map[string]int
}

func (c *tally) after(r slacksim.CallRecord) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.calls == nil {
		c.calls = map[string]int{}
	}
	c.calls[r.Method]++
}

func (c *tally) of(method string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.calls[method]
}

// TestRetryAfterHoldsForEveryReplica lets two bots on one store ask a Slack that wants
// to be left alone: after the one call that it refused, neither calls again.
func TestRetryAfterHoldsForEveryReplica(t *testing.T) {
	for method, ask := range map[string]func(context.Context, *bot.Workplace, thread.Place) error{
		"conversations.replies": func(ctx context.Context, w *bot.Workplace, at thread.Place) error {
			_, err := w.Read(ctx, at, time.Time{})
			return err
		},
		"dnd.info": func(ctx context.Context, w *bot.Workplace, _ thread.Place) error {
			_, err := w.QuietUntil(ctx, priya)
			return err
		},
		"chat.update": func(ctx context.Context, w *bot.Workplace, at thread.Place) error {
			return w.ShowRoot(ctx, at, thread.Message{Kind: thread.KindRoot, Text: "ELABORATION MODE"})
		},
		"reactions.add": func(ctx context.Context, w *bot.Workplace, at thread.Place) error {
			return w.React(ctx, at, at.Root, "memo")
		},
	} {
		t.Run(method, func(t *testing.T) {
			counts := &tally{}
			redis := storagetest.Mini(t)
			registry := prometheus.NewRegistry()
			s := set(t, slacksim.Options{After: counts.after}, func(o *bot.Options) {
				o.Backoffs = storagetest.Open(t, redis, storage.Options{})
				o.Metrics = registry
			}, false)
			other, err := bot.Connect(t.Context(), bot.Options{
				APIURL: s.url + "/api/", BotToken: "xoxb-local-workspace", AppToken: "xapp-local-workspace",
				Threads: s.inbox, Reader: engine.NewReader(s.inbox), Roster: testRoster(), Slug: document.Slug, Logger: slog.New(slog.NewTextHandler(s.logs, nil)), Transport: &http.Transport{},
				Backoffs: storagetest.Open(t, redis, storage.Options{}),
			})
			if err != nil {
				t.Fatal(err)
			}
			_, place := s.seated()
			s.ws.Arm(slacksim.Fault{Method: method, Status: http.StatusTooManyRequests, RetryAfterMS: 3_600_000, Count: 1})
			if err := ask(t.Context(), s.bot.Workplace(), place); err == nil {
				t.Fatal("Slack did not refuse")
			}
			for i := range 20 {
				for name, w := range map[string]*bot.Workplace{"one": s.bot.Workplace(), "other": other.Workplace()} {
					if err := ask(t.Context(), w, place); err == nil {
						t.Fatalf("call %d of %s left", i+1, name)
					}
				}
			}
			if got := counts.of(method); got != 1 {
				t.Errorf("Slack was called %d times, want once", got)
			}
			if got := counted(t, registry, "roundtable_slack_calls_held_back_total", "method", method); got != 20 {
				t.Errorf("%v calls of the first replica count as held back, want 20", got)
			}
			if got := counts.of("chat.postMessage"); got != 1 {
				t.Errorf("got %d posts, want the introduction", got)
			}
		})
	}
}

// A person whom Slack does not name for now is not asked about again before it wants
// to be asked, whoever else is to be looked up meanwhile.
func TestOneLookupThatIsRefusedHoldsAllBack(t *testing.T) {
	counts := &tally{}
	s := set(t, slacksim.Options{After: counts.after, Faults: []slacksim.Fault{
		{Method: "users.info", Status: http.StatusTooManyRequests, RetryAfterMS: 3_600_000},
	}}, nil, true)
	_, place := s.seated()
	for i, as := range []string{priya, sam, priya, sam} {
		s.say(as, place.Thread, fmt.Sprintf("message %d", i))
		s.until("it is stored", func() bool { return len(s.inbox.all()) == i+1 })
	}
	if got := counts.of("users.info"); got != 1 {
		t.Errorf("users.info was called %d times, want once", got)
	}
}
