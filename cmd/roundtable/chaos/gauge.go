package chaos

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/roundtable-chat/app/bot/slacksim"
)

// gauge measures what the team must not feel of the rogues: how long Slack waited for
// an acknowledgement of what the team did, how large the replicas grew, and whether
// Slack's Retry-After was kept.
type gauge struct {
	honest func(user string) bool

	mu    sync.Mutex
	waits []time.Duration
	// until says when Slack takes calls of a method, or posts to a channel, again; told
	// is when it said so.
	until, told map[string]time.Time
	limited     int
	hasty       map[string]int // calls that came before, by method
	idle, most  int            // KiB
}

func newGauge(honest func(string) bool) *gauge {
	return &gauge{honest: honest, until: make(map[string]time.Time), told: make(map[string]time.Time), hasty: make(map[string]int)}
}

// acked is slacksim.Options.Acked. An event that had to be sent again counts for all
// the time since it was sent first.
func (g *gauge) acked(a slacksim.Ack) {
	if !g.honest(actor(a.Payload)) {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.waits = append(g.waits, a.Took+time.Duration(a.Attempt)*ackWait)
}

// actor is who did what an envelope tells.
func actor(payload json.RawMessage) string {
	var p struct {
		User   json.RawMessage `json:"user"`    // of an interaction
		UserID string          `json:"user_id"` // of a command
		Event  struct {
			User    string `json:"user"`
			Message struct {
				User string `json:"user"`
			} `json:"message"`
			Before struct {
				User string `json:"user"`
			} `json:"previous_message"`
		} `json:"event"`
	}
	if json.Unmarshal(payload, &p) != nil {
		return ""
	}
	var user struct {
		ID string `json:"id"`
	}
	_ = json.Unmarshal(p.User, &user)
	for _, id := range []string{p.Event.User, p.Event.Message.User, p.Event.Before.User, p.UserID} {
		if id != "" {
			return id
		}
	}
	return user.ID
}

// grace is how long after Slack said when to come back a call may have been on its way,
// or another replica have had no word of it.
const grace = 2 * time.Second

// called is told of every Web API call. Slack limits posts by channel, everything else
// by method.
func (g *gauge) called(c slacksim.CallRecord) {
	name := c.Method
	if name == "chat.postMessage" {
		name += " " + c.Args["channel"]
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if c.At.Before(g.until[name]) && c.At.After(g.told[name].Add(grace)) {
		g.hasty[c.Method]++
	}
	if c.Status != http.StatusTooManyRequests {
		return
	}
	g.limited++
	if !c.At.Before(g.until[name]) {
		g.told[name], g.until[name] = c.At, c.At.Add(c.RetryAfter)
	}
}

// percentile is the time within which so many of a hundred acknowledgements came, and how many there were.
func (g *gauge) percentile(p int) (time.Duration, int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	n := len(g.waits)
	if n == 0 {
		return 0, 0
	}
	slices.Sort(g.waits)
	return g.waits[min(n-1, n*p/100)], n
}

// weigh looks how large the replicas are, until ctx ends. The first look is at them
// while they are idle.
func (g *gauge) weigh(ctx context.Context, f *fleet) {
	for first := true; ; first = false {
		for _, r := range f.replicas {
			size := resident(r.pid())
			g.mu.Lock()
			if first {
				g.idle = max(g.idle, size)
			}
			g.most = max(g.most, size)
			g.mu.Unlock()
		}
		if !pass(ctx, 250*time.Millisecond) {
			return
		}
	}
}

// resident is how much memory a process has in KiB, or 0 if nobody can tell.
func resident(pid int) int {
	raw, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(raw), "VmRSS:")
	field, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
	n, _ := strconv.Atoi(field)
	return n
}
