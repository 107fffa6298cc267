package bot_test

import (
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/roundtable-chat/app/bot"
	"github.com/roundtable-chat/app/bot/slacksim"
	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// marking is a workspace with a discussion, in which a bot listens that remembers
// nothing of what stands there, as after a restart.
type marking struct {
	*stage
	bot     *bot.Bot // the one that listens
	counts  *prometheus.Registry
	asked   *tally
	ref     engine.Ref
	place   thread.Place
	reacted int
}

// mark sets a workspace up; furnish fills it before the bot listens. without, the
// channel has no discussion.
func mark(t *testing.T, sim slacksim.Options, without bool, furnish func(*marking)) *marking {
	t.Helper()
	m := &marking{counts: prometheus.NewRegistry(), asked: &tally{}}
	sim.After = m.asked.after
	sim.Faults = append(sim.Faults, slacksim.Fault{Event: "message", Lose: true}) // what stands there is not delivered
	m.stage = set(t, sim, func(o *bot.Options) { o.Metrics = prometheus.NewRegistry() }, false)
	if !without {
		m.ref, m.place = m.seated()
	}
	if furnish != nil {
		furnish(m)
	}
	m.bot = m.listens(m.counts)
	return m
}

// react marks a message and waits until the event is acknowledged.
func (m *marking) react(as, channel, ts string) {
	m.t.Helper()
	m.act("react", fields{"as": as, "channel": channel, "ts": ts, "name": "white_check_mark"})
	m.reacted++
	m.until("the reaction is acknowledged", func() bool { return m.acknowledged() == m.reacted })
}

// acknowledged counts reactions by what became of them; other events fall away for
// reasons of their own.
func (m *marking) acknowledged() int {
	n := 0.0
	for _, end := range []string{"delivered", "no_thread", "foreigner", "closed"} {
		n += counted(m.t, m.counts, "roundtable_slack_envelopes_total", "end", end)
	}
	return int(n)
}

// found counts the reactions by how it was found whose message is marked.
func (m *marking) found(how string) float64 {
	return counted(m.t, m.counts, "roundtable_slack_marks_total", "found", how)
}

// marks are the reactions that the discussions got.
func (m *marking) marks() (all []roundtable.Reacted) {
	for _, in := range m.inbox.all() {
		if e, ok := in.Event.(roundtable.Reacted); ok {
			all = append(all, e)
		}
	}
	return all
}

// A post of a discussion that the store knows costs no question to Slack (I1).
func TestTheStoreKnowsWhoseMessageIsMarked(t *testing.T) {
	var posted string
	m := mark(t, slacksim.Options{}, false, func(m *marking) {
		var err error
		if posted, err = m.stage.bot.Workplace().Post(t.Context(), engine.Posting{Place: m.place, Key: "DTEST/a", Message: thread.Message{Kind: thread.KindContribution, Text: "We keep a log."}}); err != nil {
			t.Fatal(err)
		}
		m.inbox.note(m.ref, posted)
	})
	m.react(priya, product, posted)
	got := m.marks()
	if len(got) != 1 || got[0].TS != posted || got[0].Unsure || got[0].By.Name != "Priya Nair" {
		t.Errorf("got %+v, want one mark on %s", got, posted)
	}
	if n := m.asked.of("conversations.replies"); n != 0 || m.found("stored") != 1 {
		t.Errorf("Slack was asked %d times, and %v marks were found in the store", n, m.found("stored"))
	}
}

// Where no discussion began before a message, Slack is asked nothing, however much is
// marked.
func TestMarksWithoutADiscussionCostNoCall(t *testing.T) {
	for name, without := range map[string]bool{"in a channel without discussions": true, "before the discussion": false} {
		t.Run(name, func(t *testing.T) {
			var old []string
			s := set(t, slacksim.Options{Faults: []slacksim.Fault{{Event: "message", Lose: true}}}, nil, false)
			for i := range 20 {
				old = append(old, s.say(sam, "", fmt.Sprintf("lunch %d", i)))
			}
			m := &marking{stage: s, counts: prometheus.NewRegistry()}
			if !without {
				m.seated()
			}
			before := len(s.ws.Calls())
			m.listens(m.counts)
			for _, ts := range old {
				m.react(priya, product, ts)
			}
			for _, call := range s.ws.Calls()[before:] {
				if call.Method == "conversations.replies" || call.Method == "users.info" {
					t.Errorf("%s was called", call.Method)
				}
			}
			if got := m.marks(); len(got) > 0 {
				t.Errorf("got %v, want no mark", got)
			}
		})
	}
}

// Slack is asked once about a message that the store does not know, and remembered.
func TestSlackIsAskedOnceAboutAMessage(t *testing.T) {
	var inside, beside string
	m := mark(t, slacksim.Options{}, false, func(m *marking) {
		inside, beside = m.say(sam, m.place.Thread, "never delivered"), m.say(sam, "", "lunch?")
	})
	for _, as := range []string{priya, sam} {
		m.react(as, product, inside)
		m.react(as, product, beside)
	}
	got := m.marks()
	if len(got) != 2 || got[0].TS != inside || got[1].TS != inside || got[0].Unsure || got[1].Unsure {
		t.Errorf("got %+v, want two marks on %s", got, inside)
	}
	if n := m.asked.of("conversations.replies"); n != 2 || m.found("asked") != 2 || m.found("remembered") != 2 {
		t.Errorf("Slack was asked %d times, %v marks were found so and %v remembered; want 2 of each", n, m.found("asked"), m.found("remembered"))
	}
}

// A mark is kept, and acknowledged, where Slack does not say whose message it is on
// (I1): it wants to be left alone, it fails, or what may be asked of it is used up.
// It is left to the discussions that the message may be of.
func TestAMarkIsKeptWhereSlackIsNotAsked(t *testing.T) {
	for name, c := range map[string]struct {
		fault   slacksim.Fault
		permits int
		calls   int // to conversations.replies
	}{
		"Slack wants to be left alone": {slacksim.Fault{Status: http.StatusTooManyRequests, RetryAfterMS: 60_000}, 100, 1},
		"it fails":                     {slacksim.Fault{Status: http.StatusServiceUnavailable}, 100, 3},
		"it cuts":                      {slacksim.Fault{Cut: true}, 100, 3},
		"nothing more may be asked":    {slacksim.Fault{}, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			var marked []string
			m := mark(t, slacksim.Options{}, false, func(m *marking) {
				for i := range 3 {
					marked = append(marked, m.say(sam, m.place.Thread, fmt.Sprintf("never delivered %d", i)))
				}
				m.inbox.permits = c.permits
				if c.fault != (slacksim.Fault{}) {
					c.fault.Method = "conversations.replies"
					m.ws.Arm(c.fault)
				}
			})
			for _, ts := range marked {
				m.react(priya, product, ts)
			}
			var got []string
			for _, e := range m.marks() {
				if !e.Unsure {
					t.Errorf("%+v is sure", e)
				}
				got = append(got, e.TS)
			}
			if !slices.Equal(got, marked) {
				t.Errorf("got marks on %v, want %v", got, marked)
			}
			if n := m.asked.of("conversations.replies"); n != c.calls || m.found("unsure") != 3 {
				t.Errorf("Slack was asked %d times, want %d; %v marks are unsure, want 3", n, c.calls, m.found("unsure"))
			}
		})
	}
}

// After Slack wanted to be left alone, what it allows is for recovery: marks are kept
// without a question for a while.
func TestRecoveryReadsBeforeMarksAsk(t *testing.T) {
	var first, second string
	m := mark(t, slacksim.Options{}, false, func(m *marking) {
		first, second = m.say(sam, m.place.Thread, "one"), m.say(sam, m.place.Thread, "two")
		m.ws.Arm(slacksim.Fault{Method: "conversations.replies", Status: http.StatusTooManyRequests, RetryAfterMS: 1000, Count: 1})
	})
	m.react(priya, product, first)
	m.until("a thread can be read again", func() bool {
		_, err := m.bot.Workplace().Find(t.Context(), m.place, time.Time{})
		return err == nil
	})
	m.react(priya, product, second)
	if n := m.asked.of("conversations.replies"); n != 2 || m.found("unsure") != 2 {
		t.Errorf("Slack was called %d times and %v marks are unsure, want 2 of each: one refused, one reading", n, m.found("unsure"))
	}
}

// A mark that may be anybody's goes to few discussions, however many are open, and to
// none from a person whom the policy keeps out; a mailbox that is full is passed over.
func TestWhoKeepsAMark(t *testing.T) {
	o := mixedTeams()
	o.Channels = append(o.Channels, slacksim.Channel{ID: "C0OTHER01", Name: "other"})
	var marked string
	m := mark(t, o, false, func(m *marking) {
		for i := range 30 {
			m.inbox.open(engine.Ref{Team: team, Channel: product, ID: fmt.Sprintf("D%d", i)}, fmt.Sprintf("1.%06d", i))
		}
		m.inbox.open(engine.Ref{Team: team, Channel: "C0OTHER01", ID: "DELSE"}, "1.000001")
		m.inbox.permits = 0
		m.inbox.full[m.ref] = true
		marked = m.say(priya, "", "lunch?")
	})
	m.react(noor, product, marked)
	if got := m.marks(); len(got) != 0 {
		t.Errorf("got %+v of a person of another organisation", got)
	}
	m.react(priya, product, marked)
	if n := len(m.marks()); n < 9 || n > 10 {
		t.Errorf("%d discussions keep the mark, want 10, or 9 beside one that is full", n)
	}
	if slices.ContainsFunc(m.inbox.from, func(user string) bool { return user != priya }) {
		t.Errorf("marks count as the doing of %q, want %s: nobody fills mailboxes alone (I1)", m.inbox.from, priya)
	}
	if slices.ContainsFunc(m.inbox.to(), func(r engine.Ref) bool { return r.Channel != product }) {
		t.Error("a discussion of another channel keeps the mark (I12)")
	}
}
