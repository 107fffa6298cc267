package bot_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/roundtable-chat/app/bot"
	"github.com/roundtable-chat/app/bot/slacksim"
	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// noor is of another organisation. Slack does not call her a stranger: she shares
// channels with us.
const noor = "U0NOOR001"

func mixedTeams() slacksim.Options {
	return slacksim.Options{
		People: []slacksim.Person{
			{ID: priya, Name: "priya", RealName: "Priya Nair"},
			{ID: noor, Name: "noor", RealName: "Noor Haddad", TeamID: "T0ELSE001"},
		},
		Channels: []slacksim.Channel{{ID: product, Name: "product"}, {ID: "C0SHARED1", Name: "shared", IsExtShared: true}},
	}
}

// TestOtherOrganisationsAreRefused shows every way in which somebody of another
// organisation asks, in a channel that has items from before it was shared (FR-108,
// I12).
func TestOtherOrganisationsAreRefused_I12(t *testing.T) {
	counts := prometheus.NewRegistry()
	s := set(t, mixedTeams(), func(o *bot.Options) {
		o.Items, o.Metrics = everywhere{engine.Item{Files: map[string][]byte{"plan.md": []byte("# Secret plan")}}}, counts
	}, true)
	_, place := s.seated()
	for _, text := range []string{"export sso-rollout", "list", "status", "forget sso-rollout for good", "analyze sso-rollout", "a topic"} {
		t.Run("command "+text, func(t *testing.T) {
			s.refused(noor, "full members", func() { s.command(noor, product, text) })
		})
		t.Run("mention "+text, func(t *testing.T) {
			s.refused(noor, "full members", func() { s.say(noor, "", "@Roundtable "+text) })
		})
	}
	t.Run("button", func(t *testing.T) {
		s.refused(noor, "full members", func() { s.press(noor, "rt:continue") })
	})
	t.Run("what is done in the thread", func(t *testing.T) {
		ts := s.say(noor, place.Thread, "done")
		s.act("edit", fields{"as": noor, "channel": product, "ts": ts, "text": "Decision: ours"})
		s.act("react", fields{"as": noor, "channel": product, "ts": place.Root, "name": "white_check_mark"})
		s.until("three events of a foreigner", func() bool {
			return counted(t, counts, "roundtable_slack_envelopes_total", "end", "foreigner") == 3
		})
	})
	t.Run("a colleague in a channel that is shared now", func(t *testing.T) {
		for _, text := range []string{"export sso-rollout", "list", "forget sso-rollout", "show sso-rollout plan.md"} {
			s.refused(priya, "another organisation", func() { s.command(priya, "C0SHARED1", text) })
		}
	})
	if got := s.inbox.all(); len(got) != 0 {
		t.Errorf("inputs: got %v, want none", got)
	}
	if n := len(s.forgettings()); n != 0 {
		t.Errorf("forgotten: got %d items", n)
	}
	for _, as := range []string{noor, priya} {
		if seen := fmt.Sprint(s.state(as)); strings.Contains(seen, "Secret plan") || strings.Contains(seen, "sso-rollout.zip") {
			t.Errorf("%s got the item", as)
		}
	}
}

// TestOtherOrganisationsTakePartWhereAllowed shows the same with AllowShared.
func TestOtherOrganisationsTakePartWhereAllowed(t *testing.T) {
	s := set(t, mixedTeams(), func(o *bot.Options) {
		o.Policy.AllowShared = true
		o.Items = everywhere{engine.Item{Files: map[string][]byte{"plan.md": []byte("# Plan")}}}
	}, true)
	_, place := s.seated()
	s.command(noor, "C0SHARED1", "export sso-rollout")
	s.told(noor, "sending you the documents")
	s.say(noor, place.Thread, "We would rather wait.")
	if _, e := await[roundtable.Said](t, s.inbox); e.By.Name != "Noor Haddad" {
		t.Errorf("got %+v", e.By)
	}
}

// TestWithoutTheRightToLookPeopleUp shows that who cannot be told from a guest is not
// taken for a member (FR-108).
func TestWithoutTheRightToLookPeopleUp(t *testing.T) {
	o := mixedTeams()
	o.Scopes = []string{"chat:write", "commands", "channels:read", "channels:history", "im:read", "app_mentions:read"}
	t.Run("everybody is refused", func(t *testing.T) {
		s := set(t, o, nil, true)
		s.refused(priya, "did not tell me who you are", func() { s.command(priya, product, "a topic") })
		if got := s.inbox.all(); len(got) != 0 {
			t.Errorf("inputs: got %v, want none", got)
		}
	})
	t.Run("unless nobody is kept out", func(t *testing.T) {
		s := set(t, o, func(o *bot.Options) { o.Policy.AllowShared, o.Policy.AllowGuests = true, true }, true)
		s.command(priya, product, "a topic")
		await[roundtable.Opened](t, s.inbox)
	})
}

// everywhere is a shelf that stands in every channel.
type everywhere struct{ item engine.Item }

func (e everywhere) ReadItem(context.Context, engine.ItemRef) (engine.Item, error) {
	return e.item, nil
}

func (e everywhere) ListItems(context.Context, string, string) ([]string, error) {
	return []string{"sso-rollout"}, nil
}

// TestGuestsAreKnownAsSuch shows that the rules are told of guests, who could type what
// they may not press (FR-108).
func TestGuestsAreKnownAsSuch(t *testing.T) {
	const gus = "U0GUEST01"
	for _, allowed := range []bool{false, true} {
		t.Run(fmt.Sprint("allowed ", allowed), func(t *testing.T) {
			people := []slacksim.Person{{ID: priya, Name: "priya", RealName: "Priya Nair"}, {ID: gus, Name: "gus", RealName: "Gus Guest", IsRestricted: true}}
			s := set(t, slacksim.Options{People: people}, func(o *bot.Options) { o.Policy.AllowGuests = allowed }, true)
			_, place := s.seated()
			ts := s.say(gus, place.Thread, "done")
			if _, e := await[roundtable.Said](t, s.inbox); e.By != (thread.Person{ID: gus, Name: "Gus Guest", Guest: !allowed}) {
				t.Errorf("said by %+v", e.By)
			}
			s.act("react", fields{"as": gus, "channel": product, "ts": ts, "name": "white_check_mark"})
			if _, e := await[roundtable.Reacted](t, s.inbox); e.By.Guest == allowed {
				t.Errorf("reaction by %+v", e.By)
			}
		})
	}
}
