package bot_test

import (
	"testing"

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
