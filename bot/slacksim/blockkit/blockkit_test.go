package blockkit

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRichText(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"plain", "2", `[{"type":"rich_text_section","elements":[{"type":"text","text":"2"}]}]`},
		{"mention", "<@U1> 1", `[{"type":"rich_text_section","elements":[{"type":"user","user_id":"U1"},{"type":"text","text":" 1"}]}]`},
		{"unescaped", "a &lt;b&gt; &amp;amp;", `[{"type":"rich_text_section","elements":[{"type":"text","text":"a <b> &amp;"}]}]`},
		{"nested styles", "*a _b_*", `[{"type":"rich_text_section","elements":[{"type":"text","text":"a ","style":{"bold":true}},{"type":"text","text":"b","style":{"bold":true,"italic":true}}]}]`},
		{"snake case", "a snake_case_name", `[{"type":"rich_text_section","elements":[{"type":"text","text":"a snake_case_name"}]}]`},
		{"code", "`*x*` :eyes:", `[{"type":"rich_text_section","elements":[{"type":"text","text":"*x*","style":{"code":true}},{"type":"text","text":" "},{"type":"emoji","name":"eyes"}]}]`},
		{"link", "<https://example.org|here>", `[{"type":"rich_text_section","elements":[{"type":"link","url":"https://example.org","text":"here"}]}]`},
		{"quote and list", "&gt; q\n• a\n• b", `[{"type":"rich_text_quote","elements":[{"type":"text","text":"q"}]},{"type":"rich_text_list","style":"bullet","indent":0,"border":0,"elements":[{"type":"rich_text_section","elements":[{"type":"text","text":"a"}]},{"type":"rich_text_section","elements":[{"type":"text","text":"b"}]}]}]`},
		{"preformatted", "see ```x\ny```", `[{"type":"rich_text_section","elements":[{"type":"text","text":"see "}]},{"type":"rich_text_preformatted","border":0,"elements":[{"type":"text","text":"x\ny"}]}]`},
		{"broadcast and group", "<!here> <!subteam^S1|@team>", `[{"type":"rich_text_section","elements":[{"type":"broadcast","range":"here"},{"type":"text","text":" "},{"type":"usergroup","usergroup_id":"S1"}]}]`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var want, got any
			if err := json.Unmarshal([]byte(tt.want), &want); err != nil {
				t.Fatal(err)
			}
			raw, err := json.Marshal(richParts(tt.in))
			if err != nil || json.Unmarshal(raw, &got) != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// FuzzCheckBlocks: whatever an app sends is judged, and what passes still passes when
// everything is filled in that Slack fills in, and has an id wherever people could act.
func FuzzCheckBlocks(f *testing.F) {
	f.Add(`[{"type":"section","text":{"type":"mrkdwn","text":"x"},"accessory":{"type":"button"}}]`)
	f.Add(`[{"type":"actions","elements":[1,null,{"type":"static_select","options":[{}]}]},null,3]`)
	f.Add(`[{"type":"section","text":{"type":"plain_text","text":"x"}},{"type":"actions","elements":[{"type":"button","text":{"type":"plain_text","text":"y"}}]}]`)
	f.Fuzz(func(t *testing.T, raw string) {
		var blocks []any
		if json.Unmarshal([]byte(raw), &blocks) != nil {
			return
		}
		problems, n := Check(blocks, Message), 0
		Complete(blocks, func() string { n++; return fmt.Sprintf("filled-%d", n) })
		if len(problems) > 0 {
			return
		}
		if again := Check(blocks, Message); len(again) > 0 {
			t.Errorf("%s passed, and does not when it is filled in: %v", raw, again)
		}
		for _, b := range blocks {
			id, _ := b.(object)["block_id"].(string)
			if id == "" {
				t.Errorf("%s: a block has no id", raw)
			}
			elements, _ := b.(object)["elements"].([]any)
			for _, e := range elements {
				if action, ok := e.(object)["action_id"].(string); ok && Find(blocks, id, action) == nil {
					t.Errorf("%s: nobody could press %q", raw, action)
				}
			}
		}
	})
}

// TestConversationFilter holds the filter of a select to what Slack takes.
func TestConversationFilter(t *testing.T) {
	for filter, good := range map[string]bool{
		`"filter":{"include":["public","private","mpim"],"exclude_external_shared_channels":true,"exclude_bot_users":false}`: true,
		`"filter":{"exclude_bot_users":true}`: true, `"placeholder":{"type":"plain_text","text":"x"}`: true,
		`"filter":{}`: false, `"filter":{"include":[]}`: false, `"filter":{"include":["dm"]}`: false, `"filter":{"members":true}`: false,
		`"filter":{"exclude_bot_users":"yes"}`: false,
	} {
		for kind, takes := range map[string]bool{"conversations_select": true, "multi_conversations_select": true, "users_select": !strings.Contains(filter, "filter")} {
			var blocks []any
			block := `[{"type":"input","block_id":"a","label":{"type":"plain_text","text":"a"},"element":{"type":"` + kind + `","action_id":"a",` + filter + `}}]`
			if err := json.Unmarshal([]byte(block), &blocks); err != nil {
				t.Fatal(err)
			}
			if problems := Check(blocks, Modal); (len(problems) == 0) != (good && takes) {
				t.Errorf("%s with %s: %v", kind, filter, problems)
			}
		}
	}
}
