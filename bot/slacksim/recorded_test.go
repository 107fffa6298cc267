package slacksim_test

import (
	"encoding/json"
	"fmt"
	"os"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/roundtable-chat/app/bot/slacksim"
)

// kindOf names a JSON type.
func kindOf(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case map[string]any:
		return "object"
	case []any:
		return "array"
	}
	return fmt.Sprintf("%T", v)
}

// compareShapes lists where ours differs in type from what was recorded, and the
// recorded keys that ours lacks.
func compareShapes(at string, recorded, ours any) (differing, lacking []string) {
	if kindOf(recorded) != kindOf(ours) {
		return []string{fmt.Sprintf("%s: recorded %s, ours %s", at, kindOf(recorded), kindOf(ours))}, nil
	}
	switch r := recorded.(type) {
	case map[string]any:
		o := ours.(map[string]any)
		for key, v := range r {
			mine, ok := o[key]
			if !ok {
				lacking = append(lacking, at+"."+key)
				continue
			}
			d, l := compareShapes(at+"."+key, v, mine)
			differing, lacking = append(differing, d...), append(lacking, l...)
		}
	case []any:
		o := ours.([]any)
		if len(r) > 0 && len(o) > 0 {
			return compareShapes(at+"[0]", r[0], o[0])
		}
	}
	return differing, lacking
}

// Every payload has the recorded one's keys with the same JSON types.
func TestPayloadsMatchRecordings(t *testing.T) {
	raw, err := os.ReadFile("testdata/recorded.json")
	if err != nil {
		t.Fatal(err)
	}
	var recorded map[string]map[string]any
	if err := json.Unmarshal(raw, &recorded); err != nil {
		t.Fatal(err)
	}
	r := start(t, slacksim.Options{Timing: slacksim.Timing{AckWait: 150 * time.Millisecond}})
	ours := record(t, r)
	// What a recording has and ours lacks, with the reason.
	allowed := map[string]string{
		// A user's app_context_changed exists only for apps declared agents.
		"user_app_context_changed": "not produced",
	}
	for name, want := range recorded {
		t.Run(name, func(t *testing.T) {
			if allowed[name] != "" {
				return
			}
			got, ok := ours[name]
			if !ok {
				t.Fatal("nothing was produced for this recording")
			}
			differing, lacking := compareShapes(name, want, got)
			sort.Strings(lacking)
			if len(differing) > 0 {
				t.Errorf("types differ:\n%s", strings.Join(differing, "\n"))
			}
			if diff := cmp.Diff([]string(nil), lacking); diff != "" {
				t.Errorf("keys lacking:\n%s", diff)
			}
		})
	}
}

// record plays a scene that gives one payload of each recorded kind.
func record(t *testing.T, r *running) map[string]map[string]any {
	t.Helper()
	s := r.dial()
	ours := map[string]map[string]any{}
	take := func(name, kind string) frame {
		f := s.event(kind)
		s.ack(f)
		ours[name] = f.Payload
		return f
	}
	root := r.say(priya, product, "", "@Roundtable 1")
	first := s.event("message")
	ours["user_message"] = first.Payload
	take("user_app_mention", "app_mention")
	for {
		again := s.event("message")
		if *again.RetryAttempt == 1 {
			ours["envelope_events_api"] = again.raw
			s.ack(again)
			break
		}
	}
	reply := r.say(sam, product, root, "2")
	take("user_message_reply", "message")
	bot := r.method("chat.postMessage", map[string]string{"channel": product, "thread_ts": root, "text": "Thanks.\n\n_via_"})["ts"].(string)
	take("bot_message_reply", "message")
	r.method("chat.update", map[string]string{"channel": product, "ts": bot, "text": "Thanks!", "blocks": buttonBlocks})
	take("user_message_message_changed", "message")
	r.do("react", map[string]any{"as": sam, "channel": product, "ts": reply, "name": "+1"})
	take("reaction_added", "reaction_added")
	r.say(priya, "D0PRIYA01", "", "hello hello")
	take("im_message", "message")
	r.do("home", map[string]any{"as": priya, "tab": "messages", "channel": product})
	take("user_app_home_opened", "app_home_opened")

	answer := func(endpoint string, body map[string]any, payload ...any) frame {
		t.Helper()
		done := make(chan struct{})
		go func() { defer close(done); r.try(endpoint, body) }()
		f := s.next()
		s.ack(f, payload...)
		<-done
		return f
	}
	f := answer("command", map[string]any{"as": priya, "channel": product, "command": "/roundtable", "text": "x"})
	ours["slash_command"], ours["envelope_slash_commands"] = f.Payload, f.raw
	f = answer("shortcut", map[string]any{"as": priya, "callback_id": "rt_start_global"})
	ours["envelope_interactive"] = f.raw
	f = answer("act", map[string]any{"as": priya, "channel": product, "message_ts": bot, "block_id": "UTKYO", "action_id": "show"})
	ours["block_actions"] = f.Payload
	var view struct{ View struct{ ID string } }
	opened, err := json.Marshal(r.method("views.open", map[string]string{"trigger_id": f.Payload["trigger_id"].(string), "view": feedbackView}))
	if err != nil || json.Unmarshal(opened, &view) != nil {
		t.Fatalf("views.open: %s %v", opened, err)
	}
	f = answer("submit", map[string]any{"as": priya, "view_id": view.View.ID, "values": map[string]any{
		"message":  map[string]any{"message": map[string]any{"type": "plain_text_input", "value": "Hello!"}},
		"category": map[string]any{"category": map[string]any{"type": "static_select", "selected_option": map[string]any{"value": "bug", "text": map[string]any{"type": "plain_text", "text": "Bug Report", "emoji": true}}}},
		"email":    map[string]any{"email": map[string]any{"type": "plain_text_input", "value": "user@example.com"}},
	}})
	ours["view_submission"] = f.Payload
	return ours
}

const buttonBlocks = `[{"type":"rich_text","elements":[{"type":"rich_text_section","elements":[{"type":"text","text":"x"}]}]},
 {"type":"actions","block_id":"UTKYO","elements":[{"type":"button","action_id":"show","text":{"type":"plain_text","text":"Show","emoji":true}}]}]`

const feedbackView = `{"type":"modal","callback_id":"feedback_form","notify_on_close":true,"private_metadata":"{}",
 "title":{"type":"plain_text","text":"Send Feedback","emoji":true},"submit":{"type":"plain_text","text":"Send","emoji":true},
 "close":{"type":"plain_text","text":"Cancel","emoji":true},"blocks":[
 {"type":"input","block_id":"message","label":{"type":"plain_text","text":"Your Feedback"},"element":{"type":"plain_text_input","action_id":"message","multiline":true,"placeholder":{"type":"plain_text","text":"Tell us"}}},
 {"type":"input","block_id":"category","label":{"type":"plain_text","text":"Category"},"element":{"type":"static_select","action_id":"category","placeholder":{"type":"plain_text","text":"Select"},"options":[{"text":{"type":"plain_text","text":"Bug Report"},"value":"bug"}]}},
 {"type":"input","block_id":"email","optional":true,"label":{"type":"plain_text","text":"Email"},"element":{"type":"plain_text_input","action_id":"email","multiline":false,"placeholder":{"type":"plain_text","text":"your@email.com"}}}]}`
