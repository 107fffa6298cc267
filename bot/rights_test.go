package bot_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/roundtable-chat/app/bot"
	"github.com/roundtable-chat/app/bot/slacksim"
	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// People of whom Slack says who they are, or not.
const (
	guest    = "U0GUEST01"
	stranger = "U0FOREIGN"
)

// peopled is a workspace with a member, a guest and somebody of another workspace.
func peopled() slacksim.Options {
	return slacksim.Options{
		People: []slacksim.Person{
			{ID: priya, Name: "priya", RealName: "Priya Nair"}, {ID: guest, Name: "gus", RealName: "Gus Guest", IsRestricted: true},
			{ID: stranger, Name: "otto", RealName: "Otto Other", TeamID: "T0OTHER01"},
		},
		Channels: []slacksim.Channel{{ID: product, Name: "product"}},
	}
}

// TestWhoSlackDoesNotName shows that nobody is taken for a full member because Slack does not
// say who they are (FR-108): what they write, mark and press is theirs as unknown, and what
// cannot wait is refused. Once Slack answers, each is who they are.
func TestWhoSlackDoesNotName(t *testing.T) {
	var silent atomic.Bool
	silent.Store(true)
	sim := peopled()
	sim.Before = func(method string, _ map[string]string) slacksim.Verdict {
		if method == "users.info" && silent.Load() {
			return slacksim.Verdict{Status: http.StatusTooManyRequests, RetryAfter: time.Second}
		}
		return slacksim.Verdict{}
	}
	s := set(t, sim, nil, true)
	_, place := s.seated()
	for _, who := range []string{priya, guest} {
		ts := s.say(who, place.Thread, "Decision: we give Gus the company car")
		s.say(who, place.Thread, "done")
		s.act("react", fields{"as": who, "channel": product, "ts": ts, "name": "white_check_mark"})
		s.act("edit", fields{"as": who, "channel": product, "ts": ts, "text": "Decision: we give Gus the house"})
		s.press(who, "rt:continue")
		s.refused(who, "Slack did not tell me who you are", func() { s.command(who, product, "forget company-car") })
		s.refused(who, "Slack did not tell me who you are", func() { s.command(who, product, "a topic") })
		s.refused(who, "Slack did not tell me who you are", func() { s.say(who, "", "@Roundtable shall we cache?") })
	}
	s.until("everything that was done", func() bool { return len(s.inbox.all()) == 10 })
	for _, in := range s.inbox.all() {
		if by := doer(t, in); by.Is() != thread.StandingUnknown {
			t.Errorf("%T by %+v, want somebody unknown", in.Event, by)
		}
	}
	_, err := s.bot.Workplace().Identify(t.Context(), priya, false)
	if e := (*engine.SendError)(nil); !errors.As(err, &e) || e.After <= 0 || e.After > time.Second {
		t.Errorf("identify: got %v, want when to ask again", err)
	}
	silent.Store(false)
	for who, want := range map[string]thread.Standing{
		priya: thread.StandingMember, guest: thread.StandingGuest, stranger: thread.StandingOutsider,
	} {
		s.until("Slack says who "+who+" is", func() bool {
			p, err := s.bot.Workplace().Identify(t.Context(), who, false)
			return err == nil && p.ID == who && p.Is() == want
		})
	}
}

// doer is who did what an input says.
func doer(t *testing.T, in roundtable.Input) thread.Person {
	t.Helper()
	by, ok := roundtable.Actor(in.Event)
	if !ok {
		t.Fatalf("nobody does %T", in.Event)
	}
	return by
}

// TestNobodyIsKnownWithoutTheScope shows what a workspace is that does not let the app look
// people up: everybody may write, and Slack is not even asked.
func TestNobodyIsKnownWithoutTheScope(t *testing.T) {
	sim := peopled()
	sim.Scopes = []string{"chat:write", "commands", "channels:read", "channels:history", "reactions:read", "im:read"}
	s := set(t, sim, nil, true)
	_, place := s.seated()
	s.say(priya, place.Thread, "done")
	if _, said := await[roundtable.Said](t, s.inbox); said.By.Is() != thread.StandingUnknown {
		t.Errorf("got %+v", said.By)
	}
	s.refused(priya, "Slack did not tell me who you are", func() { s.command(priya, product, "a topic") })
	if n := s.calls("users.info"); n > 0 {
		t.Errorf("%d lookups", n)
	}
	t.Run("but where everybody may do everything, that does not matter", func(t *testing.T) {
		s := set(t, sim, func(o *bot.Options) { o.Policy.AllowShared, o.Policy.AllowGuests = true, true }, true)
		_, place := s.seated()
		s.say(guest, place.Thread, "done")
		if _, said := await[roundtable.Said](t, s.inbox); said.By.Is() != thread.StandingMember {
			t.Errorf("got %+v", said.By)
		}
	})
}

// calls counts the calls of a Web API method.
func (s *stage) calls(method string) (n int) {
	for _, c := range s.ws.Calls() {
		if c.Method == method {
			n++
		}
	}
	return n
}

// TestNamesSpareRights shows that a person who names hundreds of colleagues leaves enough of
// Slack's lookups to know who may do what (FR-108): nobody is barred, and Slack never has to
// say that it is too much.
func TestNamesSpareRights(t *testing.T) {
	sim := peopled()
	sim.Pace.Tiers = true
	const messages, named = 24, 10
	var texts []string
	for i := range messages {
		var text []string
		for k := range named {
			id := fmt.Sprintf("U0CROWD%03d", named*i+k)
			sim.People = append(sim.People, slacksim.Person{ID: id, Name: strings.ToLower(id), RealName: "Colleague " + id})
			text = append(text, "<@"+id+">")
		}
		texts = append(texts, strings.Join(text, " "))
	}
	s := set(t, sim, nil, true)
	_, place := s.seated()
	for _, text := range texts {
		s.say(guest, place.Thread, text)
	}
	s.until("all that was written", func() bool { return len(s.inbox.all()) == messages })
	s.command(priya, product, "a topic")
	s.told(priya, "Opening a roundtable")
	for _, c := range s.ws.Calls() {
		if c.Method == "users.info" && c.Status == http.StatusTooManyRequests {
			t.Fatal("users.info was called too often")
		}
	}
	if n := s.calls("users.info"); n > named+2 {
		t.Errorf("%d lookups for %d names, want no more than one message's, and those who did something", n, messages*named)
	}
}

// TestGuestsPressNothing shows that what a guest or an outsider presses does not even reach
// the discussion (FR-108).
func TestGuestsPressNothing(t *testing.T) {
	s := set(t, peopled(), nil, true)
	s.seated()
	for _, who := range []string{guest, stranger} {
		s.refused(who, "Only full members", func() { s.press(who, "rt:continue") })
	}
	if got := s.inbox.all(); len(got) != 0 {
		t.Errorf("inputs: got %v, want none", got)
	}
}
