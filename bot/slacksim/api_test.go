package slacksim_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/roundtable-chat/app/bot/slacksim"
)

// method calls a Web API method with form arguments.
func (r *running) method(name string, args map[string]string) map[string]any {
	r.t.Helper()
	form := url.Values{}
	for k, v := range args {
		form.Set(k, v)
	}
	if _, ok := args["token"]; !ok {
		token := "xoxb-local-workspace"
		if name == "apps.connections.open" {
			token = "xapp-local-workspace"
		}
		form.Set("token", token)
	}
	resp, err := r.web.PostForm(r.url+"/api/"+name, form)
	if err != nil {
		r.t.Fatal(err)
	}
	defer resp.Body.Close()
	var out map[string]any
	if err := json.NewDecoder(resp.Body).Decode(&out); err != nil {
		r.t.Fatalf("%s: %v", name, err)
	}
	return out
}

// documented are the errors Slack publishes for a method.
func documented(t *testing.T) func(method, code string) bool {
	t.Helper()
	raw, err := os.ReadFile("testdata/contracts.json")
	if err != nil {
		t.Fatal(err)
	}
	var c struct {
		Common  []string `json:"common_errors"`
		Methods map[string]struct{ Errors []string }
	}
	if err := json.Unmarshal(raw, &c); err != nil {
		t.Fatal(err)
	}
	return func(method, code string) bool {
		return slices.Contains(c.Common, code) || slices.Contains(c.Methods[method].Errors, code)
	}
}

func blocksOf(n int) string {
	return "[" + strings.TrimSuffix(strings.Repeat(`{"type":"divider"},`, n), ",") + "]"
}

// Each refusal is the real one, and documented for its method.
func TestRefusals(t *testing.T) {
	r := start(t, slacksim.Options{
		Scopes: []string{"chat:write", "channels:history", "channels:read", "reactions:write", "reactions:read", "channels:join", "im:write", "users:read", "files:write", "dnd:read"},
		Channels: []slacksim.Channel{
			{ID: "C0GENERAL", Name: "general"}, {ID: "C0OLD", Name: "old"}, {ID: "C0ALONE", Name: "alone", WithoutBot: true},
			{ID: "C0SECRET", Name: "secret", Private: true, WithoutBot: true}, {ID: "C0FEW", Name: "few", Members: []string{priya}},
		},
	})
	mine := r.method("chat.postMessage", map[string]string{"channel": general, "text": "mine"})["ts"].(string)
	theirs := r.say(priya, general, "", "theirs")
	reply := r.method("chat.postMessage", map[string]string{"channel": general, "text": "reply", "thread_ts": mine})["ts"].(string)
	old := r.method("chat.postMessage", map[string]string{"channel": "C0OLD", "text": "old"})["ts"].(string)
	r.do("archive", map[string]any{"as": priya, "channel": "C0OLD"})
	r.method("reactions.add", map[string]string{"channel": general, "timestamp": mine, "name": "eyes"})

	ok := documented(t)
	long := strings.Repeat("x", 4001)
	tests := []struct {
		method string
		args   map[string]string
		want   string
	}{
		{"chat.postMessage", map[string]string{"channel": general, "token": ""}, "not_authed"},
		{"chat.postMessage", map[string]string{"channel": general, "token": "xoxb-wrong"}, "invalid_auth"},
		{"chat.postMessage", map[string]string{"channel": general, "token": "xapp-local-workspace"}, "not_allowed_token_type"},
		{"apps.connections.open", map[string]string{"token": "xoxb-local-workspace"}, "not_allowed_token_type"},
		{"chat.postMessage", map[string]string{"text": "hi"}, "invalid_arguments"},
		{"chat.postMessage", map[string]string{"channel": general}, "no_text"},
		{"chat.postMessage", map[string]string{"channel": "C0NOWHERE", "text": "hi"}, "channel_not_found"},
		{"chat.postMessage", map[string]string{"channel": "C0SECRET", "text": "hi"}, "channel_not_found"},
		{"chat.postMessage", map[string]string{"channel": "C0ALONE", "text": "hi"}, "not_in_channel"},
		{"chat.postMessage", map[string]string{"channel": "C0OLD", "text": "hi"}, "is_archived"},
		{"chat.postMessage", map[string]string{"channel": general, "text": "hi", "thread_ts": reply}, "cannot_reply_to_message"},
		{"chat.postMessage", map[string]string{"channel": general, "markdown_text": "a", "text": "b"}, "markdown_text_conflict"},
		{"chat.postMessage", map[string]string{"channel": general, "markdown_text": strings.Repeat("a", 12001)}, "msg_blocks_too_long"},
		{"chat.postMessage", map[string]string{"channel": general, "text": "a", "blocks": "{"}, "invalid_blocks_format"},
		{"chat.postMessage", map[string]string{"channel": general, "text": "a", "blocks": blocksOf(51)}, "invalid_blocks"},
		{"chat.postMessage", map[string]string{"channel": general, "text": "a", "blocks": `[{"type":"alert","text":{"type":"plain_text","text":"x"}}]`}, "invalid_blocks"},
		{"chat.postMessage", map[string]string{"channel": general, "text": "a", "metadata": `{"event_payload":{}}`}, "invalid_metadata_format"},
		{"chat.postMessage", map[string]string{"channel": general, "text": "a", "metadata": `{"event_type":"x","event_payload":[]}`}, "invalid_metadata_schema"},
		{"chat.postMessage", map[string]string{"channel": general, "text": "a", "as_user": "true"}, "as_user_not_supported"},
		{"chat.update", map[string]string{"channel": general, "ts": mine, "text": long}, "msg_too_long"},
		{"chat.update", map[string]string{"channel": general, "ts": theirs, "text": "x"}, "cant_update_message"},
		{"chat.update", map[string]string{"channel": general, "ts": "1.000001", "text": "x"}, "message_not_found"},
		{"chat.update", map[string]string{"channel": "C0OLD", "ts": old, "text": "x"}, "is_inactive"},
		{"chat.delete", map[string]string{"channel": general, "ts": theirs}, "cant_delete_message"},
		{"chat.delete", map[string]string{"channel": general, "ts": "1.000001"}, "message_not_found"},
		{"chat.postEphemeral", map[string]string{"channel": "C0FEW", "user": sam, "text": "x"}, "user_not_in_channel"},
		{"chat.getPermalink", map[string]string{"channel": general, "message_ts": "1.1"}, "message_not_found"},
		{"conversations.replies", map[string]string{"channel": general, "ts": "1.000001"}, "thread_not_found"},
		{"conversations.replies", map[string]string{"channel": general, "ts": mine, "oldest": "soon"}, "invalid_ts_oldest"},
		{"conversations.replies", map[string]string{"channel": general, "ts": mine, "cursor": "bad"}, "invalid_cursor"},
		{"conversations.history", map[string]string{"channel": "C0ALONE"}, "not_in_channel"},
		{"conversations.list", map[string]string{"types": "submarine"}, "invalid_types"},
		{"conversations.join", map[string]string{"channel": "C0OLD"}, "is_archived"},
		{"conversations.open", nil, "users_list_not_supplied"},
		{"conversations.open", map[string]string{"users": "U0NOBODY"}, "user_not_found"},
		{"users.info", map[string]string{"user": "U0NOBODY"}, "user_not_found"},
		{"dnd.teamInfo", nil, "no_users_provided"},
		{"usergroups.list", nil, "missing_scope"},
		{"bots.info", map[string]string{"bot": "B0OTHER"}, "bot_not_found"},
		{"reactions.add", map[string]string{"channel": general, "timestamp": mine, "name": "eyes"}, "already_reacted"},
		{"reactions.add", map[string]string{"channel": general, "name": "eyes"}, "no_item_specified"},
		{"reactions.add", map[string]string{"channel": general, "timestamp": mine, "name": "Not An Emoji"}, "invalid_name"},
		{"reactions.add", map[string]string{"channel": general, "timestamp": "yesterday", "name": "eyes"}, "bad_timestamp"},
		{"reactions.remove", map[string]string{"channel": general, "timestamp": mine, "name": "tada"}, "no_reaction"},
		{"assistant.threads.setStatus", map[string]string{"channel_id": general, "thread_ts": "1.1", "status": "x"}, "invalid_thread_ts"},
		{"views.open", map[string]string{"view": `{"type":"modal"}`, "trigger_id": "1"}, "invalid_arguments"},
		{"views.open", map[string]string{"view": `{"type":"modal","title":{"type":"plain_text","text":"T"},"blocks":[]}`, "trigger_id": "1"}, "invalid_trigger_id"},
		{"views.update", map[string]string{"view_id": "V0", "view": `{"type":"home","blocks":[]}`}, "not_found"},
		{"files.getUploadURLExternal", map[string]string{"filename": "a.txt", "length": "99999999"}, "file_upload_size_restricted"},
		{"files.completeUploadExternal", map[string]string{"files": `[{"id":"F0"}]`}, "file_not_found"},
	}
	for _, tt := range tests {
		t.Run(tt.method+"/"+tt.want, func(t *testing.T) {
			out := r.method(tt.method, tt.args)
			if out["ok"] != false || out["error"] != tt.want {
				t.Errorf("got %v, want error %s", out, tt.want)
			}
			if !ok(tt.method, tt.want) {
				t.Errorf("%s is not documented for %s", tt.want, tt.method)
			}
		})
	}
	if got := r.method("bots.frobnicate", nil)["error"]; got != "unknown_method" {
		t.Errorf("unknown method: got %v", got)
	}
	missing := r.method("usergroups.list", nil)
	if missing["needed"] != "usergroups:read" || !strings.Contains(missing["provided"].(string), "chat:write") {
		t.Errorf("missing_scope: got %v", missing)
	}
	bad := r.method("chat.postMessage", map[string]string{"channel": general, "text": "a", "blocks": blocksOf(51)})
	if got := fmt.Sprint(bad["response_metadata"]); !strings.Contains(got, "no more than 50 items allowed [json-pointer:/blocks]") {
		t.Errorf("invalid_blocks messages: got %s", got)
	}
}

// Without chat:write.customize a name and icon are ignored without a word.
func TestIdentityNeedsScope(t *testing.T) {
	r := start(t, slacksim.Options{Scopes: []string{"chat:write"}})
	out := r.method("chat.postMessage", map[string]string{"channel": general, "text": "hi", "username": "Maya"})
	m := out["message"].(map[string]any)
	if m["username"] != nil || m["subtype"] != nil || m["user"] != "U0ROUND01" {
		t.Errorf("got %v, want a post under the app's own name", m)
	}
}

func TestUpdateDropsIdentity(t *testing.T) {
	for _, honour := range []bool{false, true} {
		t.Run(fmt.Sprintf("honoured=%v", honour), func(t *testing.T) {
			r := start(t, slacksim.Options{UpdateHonoursIdentity: honour})
			ts := r.method("chat.postMessage", map[string]string{"channel": general, "text": "hi", "username": "Maya", "icon_emoji": ":woman:"})["ts"].(string)
			out := r.method("chat.update", map[string]string{"channel": general, "ts": ts, "text": "ho", "username": "Maya"})
			m := out["message"].(map[string]any)
			if got := m["username"] == "Maya"; got != honour {
				t.Errorf("username after update: got %v", m["username"])
			}
			if m["text"] != "ho" || m["edited"] == nil {
				t.Errorf("got %v", m)
			}
		})
	}
}

func TestLongTextIsSplit(t *testing.T) {
	tests := []struct {
		length int
		want   []int
	}{{4000, []int{4000}}, {4040, []int{4040}}, {4041, []int{4000, 41}}, {9000, []int{4000, 4000, 1000}}, {50000, []int{4000, 4000, 4000, 4000, 4000, 4000, 4000, 4000, 4000, 4000}}}
	for _, tt := range tests {
		t.Run(fmt.Sprint(tt.length), func(t *testing.T) {
			r := start(t, slacksim.Options{})
			r.method("chat.postMessage", map[string]string{"channel": general, "text": strings.Repeat("é", tt.length)})
			var got []int
			for _, m := range r.w.Messages(general) {
				got = append(got, len([]rune(m.Text)))
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

// A thread whose root was deleted takes no replies any more: they stand in the channel.
func TestReplyToDeletedRootIsUnthreaded(t *testing.T) {
	for _, withReply := range []bool{false, true} {
		t.Run(fmt.Sprintf("withReply=%v", withReply), func(t *testing.T) {
			r := start(t, slacksim.Options{})
			root := r.say(priya, general, "", "root")
			if withReply {
				r.say(sam, general, root, "reply")
			}
			r.do("delete", map[string]any{"as": priya, "channel": general, "ts": root})
			out := r.method("chat.postMessage", map[string]string{"channel": general, "text": "late", "thread_ts": root})
			if got := out["message"].(map[string]any)["thread_ts"]; got != nil {
				t.Errorf("thread_ts: got %v, want none", got)
			}
		})
	}
}

// The three encodings of the Web API mean the same.
func TestEncodings(t *testing.T) {
	r := start(t, slacksim.Options{})
	bodies := map[string]string{
		"application/x-www-form-urlencoded":     "channel=C0GENERAL&text=same&unfurl_links=false",
		"application/json; charset=utf-8":       `{"channel":"C0GENERAL","text":"same","unfurl_links":false,"blocks":null}`,
		"multipart/form-data; boundary=divider": "--divider\r\nContent-Disposition: form-data; name=\"channel\"\r\n\r\nC0GENERAL\r\n--divider\r\nContent-Disposition: form-data; name=\"text\"\r\n\r\nsame\r\n--divider--\r\n",
	}
	for kind, body := range bodies {
		req, err := http.NewRequest(http.MethodPost, r.url+"/api/chat.postMessage", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", kind)
		req.Header.Set("Authorization", "Bearer xoxb-local-workspace")
		resp, err := r.web.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		var out map[string]any
		_ = json.NewDecoder(resp.Body).Decode(&out)
		resp.Body.Close()
		if out["ok"] != true || out["message"].(map[string]any)["text"] != "same" {
			t.Errorf("%s: got %v", kind, out)
		}
	}
	r.method("chat.postMessage", map[string]string{"channel": general, "text": "x", "colour": "blue"})
	if got := r.w.Warnings(); len(got) != 1 || !strings.Contains(got[0], `"colour"`) {
		t.Errorf("warnings: got %v, want one about colour", got)
	}
}

func TestRepliesPages(t *testing.T) {
	r := start(t, slacksim.Options{})
	root := r.say(priya, general, "", "root")
	var want []string
	for i := range 5 {
		want = append(want, r.say(sam, general, root, fmt.Sprint("reply ", i)))
	}
	var got []string
	cursor := ""
	for {
		out := r.method("conversations.replies", map[string]string{"channel": general, "ts": want[2], "limit": "2", "cursor": cursor})
		messages := out["messages"].([]any)
		if first := messages[0].(map[string]any)["ts"]; first != root {
			t.Errorf("page begins with %v, want the root", first)
		}
		for _, m := range messages[1:] {
			got = append(got, m.(map[string]any)["ts"].(string))
		}
		cursor, _ = out["response_metadata"].(map[string]any)["next_cursor"].(string)
		if cursor == "" {
			break
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	after := r.method("conversations.replies", map[string]string{"channel": general, "ts": root, "oldest": want[2]})
	if n := len(after["messages"].([]any)); n != 3 {
		t.Errorf("after the third reply: got %d messages, want the root and two", n)
	}
}
