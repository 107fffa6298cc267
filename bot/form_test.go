package bot_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/roundtable-chat/app/bot"
	"github.com/roundtable-chat/app/bot/slacksim"
	"github.com/roundtable-chat/app/roundtable"
)

// form waits for the form that a person was shown.
func (s *stage) form() (view map[string]any) {
	s.t.Helper()
	s.until("the form", func() bool {
		views, _ := s.state(priya)["views"].([]any)
		if len(views) == 0 {
			return false
		}
		view = views[0].(map[string]any)
		return true
	})
	return view
}

func option(key string) fields {
	return fields{"value": key, "text": fields{"type": "plain_text", "text": key}}
}

func TestForm(t *testing.T) {
	s := set(t, slacksim.Options{}, nil, true)
	s.act("command", fields{"as": priya, "channel": product, "command": "/roundtable", "text": ""})
	view := s.form()
	values := func(topic, turns string, personas ...any) fields {
		return fields{
			"topic": fields{"topic": fields{"type": "plain_text_input", "value": topic}}, "context": fields{"context": fields{"type": "plain_text_input", "value": "pasted"}},
			"lead":     fields{"lead": fields{"type": "static_select", "selected_option": option("system-designer")}},
			"personas": fields{"personas": fields{"type": "multi_static_select", "selected_options": personas}},
			"turns":    fields{"turns": fields{"type": "plain_text_input", "value": turns}},
			"invite":   fields{"invite": fields{"type": "multi_users_select", "selected_users": []string{}}},
		}
	}
	for _, c := range []struct {
		name  string
		in    fields
		field string
	}{
		{"one persona", values("x", "10", option("system-designer")), "personas"},
		{"lead not at the table", values("x", "10", option("business-analyst"), option("solutions-architect")), "lead"},
		{"turns no number", values("x", "many", option("business-analyst"), option("system-designer")), "turns"},
		{"turns below three (FR-007)", values("x", "2", option("business-analyst"), option("system-designer")), "turns"},
	} {
		t.Run(c.name, func(t *testing.T) {
			answer := s.act("submit", fields{"as": priya, "view_id": view["id"], "values": c.in})
			errs, _ := answer["errors"].(map[string]any)
			if answer["response_action"] != "errors" || errs[c.field] == nil {
				t.Errorf("got %v, want an error beside %s", answer, c.field)
			}
		})
	}
	s.act("submit", fields{"as": priya, "view_id": view["id"], "values": values("The topic", "12", option("business-analyst"), option("system-designer"))})
	_, e := await[roundtable.Opened](t, s.inbox)
	if e.Topic != "The topic" || e.Context != "pasted" || e.Lead != "system-designer" || len(e.Cast) != 2 || e.Settings.MaxTurns != 12 || e.Place.Channel != product {
		t.Errorf("got %+v", e)
	}
}

func TestShortcutDiscussesAMessage(t *testing.T) {
	s := set(t, slacksim.Options{}, nil, true)
	ts := s.say(priya, "", "Search is slow since Tuesday")
	s.say(priya, ts, "only for large accounts")
	s.act("shortcut", fields{"as": priya, "callback_id": bot.ShortcutDiscuss, "channel": product, "ts": ts})
	view := s.form()
	s.act("submit", fields{"as": priya, "view_id": view["id"], "values": fields{
		"topic":    fields{"topic": fields{"type": "plain_text_input", "value": "Slow search"}},
		"lead":     fields{"lead": fields{"type": "static_select", "selected_option": option("business-analyst")}},
		"personas": fields{"personas": fields{"type": "multi_static_select", "selected_options": []any{option("business-analyst"), option("system-designer")}}},
		"turns":    fields{"turns": fields{"type": "plain_text_input", "value": "10"}},
	}})
	_, e := await[roundtable.Opened](t, s.inbox)
	want := "Priya Nair: Search is slow since Tuesday\nPriya Nair: only for large accounts"
	if e.Place.Thread != ts || e.Context != want {
		t.Errorf("got thread %q, context %q; want %q, %q", e.Place.Thread, e.Context, ts, want)
	}
}

// submit sends the form that is shown about a topic, with what else its fields hold.
func (s *stage) submit(topic, turns string, more fields) fields {
	s.t.Helper()
	values := fields{
		"topic":    fields{"topic": fields{"type": "plain_text_input", "value": topic}},
		"lead":     fields{"lead": fields{"type": "static_select", "selected_option": option("business-analyst")}},
		"personas": fields{"personas": fields{"type": "multi_static_select", "selected_options": []any{option("business-analyst"), option("system-designer")}}},
		"turns":    fields{"turns": fields{"type": "plain_text_input", "value": turns}},
	}
	maps.Copy(values, more)
	return s.act("submit", fields{"as": priya, "view_id": s.form()["id"], "values": values})
}

// TestFormTakesItsOwnDefault shows a turn limit of the deployment's above the usual
// bound (FR-007).
func TestFormTakesItsOwnDefault(t *testing.T) {
	s := set(t, slacksim.Options{}, func(o *bot.Options) { o.Policy.Settings.MaxTurns = 60 }, true)
	s.command(priya, product, "")
	if answer := s.submit("x", "61", nil); answer["response_action"] != "errors" {
		t.Errorf("61 turns: got %v", answer)
	}
	s.submit("x", "60", nil)
	if _, e := await[roundtable.Opened](t, s.inbox); e.Settings.MaxTurns != 60 {
		t.Errorf("got %d turns, want 60", e.Settings.MaxTurns)
	}
}

// TestShortcutDeepInAThread shows that the message is in the context whole, and of its
// thread what was written right before it (FR-101).
func TestShortcutDeepInAThread(t *testing.T) {
	s := set(t, slacksim.Options{}, nil, true)
	ts := s.say(priya, "", "Search is slow since Tuesday")
	for i := range 70 {
		s.say(priya, ts, fmt.Sprintf("reply %d %s", i, strings.Repeat("word ", 20)))
	}
	last := s.say(priya, ts, "It began with the new index. "+strings.Repeat("See the graph. ", 200)+"That is it.")
	for range 60 {
		s.say(priya, ts, "afterwards "+strings.Repeat("word ", 20))
	}
	s.act("shortcut", fields{"as": priya, "callback_id": bot.ShortcutDiscuss, "channel": product, "ts": last})
	s.submit("Slow search", "10", nil)
	_, e := await[roundtable.Opened](t, s.inbox)
	if !strings.HasPrefix(e.Context, "…\n") || !strings.Contains(e.Context, "That is it.\n…") ||
		!strings.Contains(e.Context, "reply 69") || !strings.Contains(e.Context, "It began with") {
		t.Errorf("got %d characters: %.40q … %.60q", len(e.Context), e.Context, e.Context[max(0, len(e.Context)-60):])
	}
	if n := len([]rune(e.Context)); n > 6_002 {
		t.Errorf("got %d characters", n)
	}
}

// TestInvitedPeopleAreTheDiscussions shows that the edge posts no call of its own, in
// whose thread nobody would be heard: the discussion makes it, in its thread.
func TestInvitedPeopleAreTheDiscussions(t *testing.T) {
	s := set(t, slacksim.Options{}, nil, true)
	s.command(priya, product, "")
	chosen := []string{"U0SAM0001", priya, botUser, "U0LENA001", "U0SAM0001", "<!channel>"}
	s.submit("x", "10", fields{"invite": fields{"invite": fields{"type": "multi_users_select", "selected_users": chosen}}})
	_, e := await[roundtable.Opened](t, s.inbox)
	if diff := cmp.Diff([]string{"U0SAM0001", "U0LENA001"}, e.Invited); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if err := s.stop(); err != nil {
		t.Fatal(err)
	}
	if posted := s.ws.Messages(product); len(posted) != 0 {
		t.Errorf("posted: %v", posted)
	}
}
