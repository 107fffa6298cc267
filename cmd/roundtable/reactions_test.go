package main

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/roundtable-chat/app/bot/slacksim"
	"github.com/roundtable-chat/app/storage/storagetest"
)

// reactionCosts is what the workspace sees of what reactions cost.
type reactionCosts struct {
	mu sync.Mutex
	// asked is how often Slack was asked in which thread a message stands. Recovery,
	// which reads threads by the same method, asks for more than one message.
	asked int
	// acked are the reactions that were acknowledged; repeated those that were not at
	// their first delivery.
	acked, repeated int
}

func (c *reactionCosts) after(r slacksim.CallRecord) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if r.Method == "conversations.replies" && r.Args["limit"] == "1" {
		c.asked++
	}
}

func (c *reactionCosts) ack(a slacksim.Ack) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if a.Name == "reaction_added" {
		c.acked++
		if a.Attempt > 0 {
			c.repeated++
		}
	}
}

func (c *reactionCosts) String() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return fmt.Sprintf("%d questions to Slack, %d reactions acknowledged, %d of them late", c.asked, c.acked, c.repeated)
}

// TestReactionsElsewhereCostNothing marks 200 messages that are no discussion's, and
// then one that a persona posted before the replica was started again. Every reaction is
// acknowledged at once, the decision is in the synthesis, and Slack is asked nothing for
// a channel without a discussion, and next to nothing beside one; nor is the mark lost
// while Slack wants to be left alone (I1, NFR-003).
func TestReactionsElsewhereCostNothing(t *testing.T) {
	const foreign = 200
	for name, c := range map[string]struct {
		beside string // where the other messages stand
		// older takes the note of the marked post out of the store, as where an older
		// version posted it; refused makes Slack refuse every reading.
		older, refused bool
		most           int // questions to Slack
	}{
		"in a channel without a discussion":  {beside: "C0RANDOM1"},
		"beside the thread":                  {beside: product, most: 6},
		"on what an older version posted":    {beside: "C0RANDOM1", older: true, most: 1},
		"while Slack wants to be left alone": {beside: product, older: true, refused: true, most: 1},
	} {
		t.Run(name, func(t *testing.T) { // one crowd at a time: Slack waits for 3 s
			costs := &reactionCosts{}
			server := storagetest.RedisTCP(t)
			w := localSlack(t, slacksim.Options{After: costs.after, Acked: costs.ack, Pace: slacksim.Pace{Tiers: true}})
			var others []string
			for i := range foreign {
				others = append(others, w.do("/sim/say", map[string]string{"as": sam, "channel": c.beside, "text": fmt.Sprintf("lunch %d", i)}))
			}
			env := append(serveEnv(w, server), "ROUNDTABLE_LEASE=3s")
			p := start(t, t.TempDir(), env, "serve")
			ready(t, p)
			d := person{w, priya, product}.open("offline mode for notes")
			d.until("", "the room has the floor", containing("The floor is yours"))
			marked := d.until("", "Alex has spoken", by("Alex"))
			p.terminate()
			if c.beside == product { // in time that a discussion was open in
				for i := range others {
					others[i] = w.do("/sim/say", map[string]string{"as": sam, "channel": product, "text": fmt.Sprintf("dinner %d", i)})
				}
			}
			if c.older {
				forgetPost(t, server, marked.TS)
			}
			if c.refused {
				w.do("/sim/faults", map[string]any{"faults": []slacksim.Fault{{Method: "conversations.replies", Status: http.StatusTooManyRequests, RetryAfterMS: 3_600_000}}})
			}
			p = start(t, t.TempDir(), env, "serve")
			ready(t, p)

			var all sync.WaitGroup
			for _, ts := range others {
				all.Go(func() { react(t, w, sam, c.beside, ts) })
			}
			all.Wait()
			react(t, w, priya, product, marked.TS)
			eventually(t, "every reaction is acknowledged", costs.String, func() bool {
				costs.mu.Lock()
				defer costs.mu.Unlock()
				return costs.acked == foreign+1
			})
			done := d.say("done")
			synthesis := d.until(done, "the synthesis stands", containing("Decisions Made"))
			_, decisions, _ := strings.Cut(synthesis.Text, "Decisions Made")
			decisions, _, _ = strings.Cut(decisions, "Open Questions")
			if first, _, _ := strings.Cut(marked.Text, "."); !strings.Contains(decisions, first) || strings.Contains(decisions, "lunch") || strings.Contains(decisions, "dinner") {
				t.Errorf("the decisions are %q, want what was marked: %q", decisions, marked.Text)
			}
			if costs.repeated > 0 || costs.asked > c.most {
				t.Errorf("got %s, want none late and at most %d questions", costs, c.most)
			}
		})
	}
}

// react adds a decision's emoji to a message.
func react(t *testing.T, w *workspace, as, channel, ts string) {
	t.Helper()
	if err := w.call("/sim/react", map[string]string{"as": as, "channel": channel, "ts": ts, "name": "white_check_mark"}, &struct{}{}); err != nil {
		t.Error(err)
	}
}

// forgetPost takes the note of a post out of a store.
func forgetPost(t *testing.T, server *storagetest.Server, ts string) {
	t.Helper()
	client := server.Client(t)
	defer func() { _ = client.Close() }()
	gone := int64(0)
	for _, key := range client.Keys(t.Context(), "*:sn:*").Val() {
		gone += client.HDel(t.Context(), key, strings.ReplaceAll(ts, ".", "")).Val()
	}
	if gone != 1 {
		t.Fatalf("the store noted the post %d times, want once", gone)
	}
}
