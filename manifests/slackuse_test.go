package manifests

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// everywhere are the kinds of conversation in which a discussion may take place.
var everywhere = []string{"channels", "groups", "im", "mpim"}

func each(suffix string) []string {
	scopes := make([]string, len(everywhere))
	for i, kind := range everywhere {
		scopes[i] = kind + ":" + suffix
	}
	return scopes
}

// calls are the client methods that package bot uses: which methods of Slack's
// they call, and which scopes those need for what the bot does with them.
var calls = map[string]struct {
	methods []string
	scopes  []string
}{
	"AddReactionContext":               {[]string{"reactions.add"}, []string{"reactions:write"}},
	"AuthTestContext":                  {[]string{"auth.test"}, nil},
	"CreateCanvasContext":              {[]string{"canvases.create"}, []string{"canvases:write"}},
	"DeleteMessageContext":             {[]string{"chat.delete"}, []string{"chat:write"}},
	"GetConversationHistoryContext":    {[]string{"conversations.history"}, each("history")},
	"GetConversationInfoContext":       {[]string{"conversations.info"}, each("read")},
	"GetConversationRepliesContext":    {[]string{"conversations.replies"}, each("history")},
	"GetConversationsForUserContext":   {[]string{"users.conversations"}, []string{"channels:read", "groups:read"}},
	"GetDNDInfoContext":                {[]string{"dnd.info"}, []string{"dnd:read"}},
	"GetPermalinkContext":              {[]string{"chat.getPermalink"}, nil},
	"GetUserInfoContext":               {[]string{"users.info"}, []string{"users:read"}},
	"GetUsersInConversationContext":    {[]string{"conversations.members"}, each("read")},
	"OpenConversationContext":          {[]string{"conversations.open"}, []string{"im:write"}},
	"OpenViewContext":                  {[]string{"views.open"}, nil},
	"PostEphemeralContext":             {[]string{"chat.postEphemeral"}, []string{"chat:write"}},
	"PostMessageContext":               {[]string{"chat.postMessage"}, []string{"chat:write"}},
	"PostMessageWithResponseContext":   {[]string{"chat.postMessage"}, []string{"chat:write"}},
	"PublishViewContext":               {[]string{"views.publish"}, nil},
	"SetAssistantThreadsStatusContext": {[]string{"assistant.threads.setStatus"}, []string{"chat:write"}},
	"UpdateMessageContext":             {[]string{"chat.update"}, []string{"chat:write"}},
	"UpdateViewContext":                {[]string{"views.update"}, nil},
	"UploadFileContext":                {[]string{"files.getUploadURLExternal", "files.completeUploadExternal"}, []string{"files:write"}},
}

// events are the event types that package bot reads: what has to be subscribed
// to for them, and the scope that Slack asks for.
var events = map[string]map[string]string{
	"AppHomeOpenedEvent":   {"app_home_opened": ""},
	"AppMentionEvent":      {"app_mention": "app_mentions:read"},
	"MessageEvent":         {"message.channels": "channels:history", "message.groups": "groups:history", "message.im": "im:history", "message.mpim": "mpim:history"},
	"ReactionAddedEvent":   {"reaction_added": "reactions:read"},
	"ReactionRemovedEvent": {"reaction_removed": "reactions:read"},
}

// envelopes are types of the events' library that are no events.
var envelopes = map[string]bool{"EventsAPIEvent": true, "EventsAPICallbackEvent": true, "EventsAPIInnerEvent": true}

// botSource is what the tests read of package bot.
type botSource struct {
	calls, events map[string]bool
	shortcuts     []string
	commands      bool
	customizes    bool
}

func readBot(t *testing.T) botSource {
	t.Helper()
	files, err := filepath.Glob("../bot/*.go")
	if err != nil {
		t.Fatal(err)
	}
	people, err := filepath.Glob("../bot/people/*.go")
	if err != nil {
		t.Fatal(err)
	}
	src := botSource{calls: map[string]bool{}, events: map[string]bool{}}
	for _, file := range slices.Concat(files, people) {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(parsed, src.visit)
	}
	if len(src.calls) == 0 || len(src.events) == 0 {
		t.Fatal("no call and no event was found in package bot; has its client got another name?")
	}
	return src
}

// visit notes calls of a field named api, types of package slackevents, and the
// constants of the shortcuts.
func (s *botSource) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.SelectorExpr:
		if x, ok := n.X.(*ast.SelectorExpr); ok && x.Sel.Name == "api" {
			s.calls[n.Sel.Name] = true
		}
		if x, ok := n.X.(*ast.Ident); ok {
			switch {
			case x.Name == "slackevents" && strings.HasSuffix(n.Sel.Name, "Event") && !envelopes[n.Sel.Name]:
				s.events[n.Sel.Name] = true
			case x.Name == "slackevents" && n.Sel.Name == "Message": // read into a type of our own
				s.events["MessageEvent"] = true
			case x.Name == "slack" && n.Sel.Name == "MsgOptionUsername":
				s.customizes = true
			case x.Name == "slack" && n.Sel.Name == "SlashCommand":
				s.commands = true
			}
		}
	case *ast.ValueSpec:
		for i, name := range n.Names {
			if strings.HasPrefix(name.Name, "Shortcut") && i < len(n.Values) {
				if lit, ok := n.Values[i].(*ast.BasicLit); ok {
					if id, err := strconv.Unquote(lit.Value); err == nil {
						s.shortcuts = append(s.shortcuts, id)
					}
				}
			}
		}
	}
	return true
}

// The manifest asks for the scopes that the bot's calls and events need, and for
// no other: each is a line that an administrator has to approve.
func TestScopesAndEventsMatchTheBot(t *testing.T) {
	src, m := readBot(t), readManifest(t)
	scopes, subscribed := map[string]bool{}, map[string]bool{}
	for name := range src.calls {
		call, ok := calls[name]
		if !ok {
			t.Errorf("package bot calls %s; say in the table which scopes it needs", name)
		}
		for _, s := range call.scopes {
			scopes[s] = true
		}
	}
	for name := range src.events {
		subscriptions, ok := events[name]
		if !ok {
			t.Errorf("package bot reads %s; say in the table what has to be subscribed to", name)
		}
		for event, scope := range subscriptions {
			subscribed[event] = true
			if scope != "" {
				scopes[scope] = true
			}
		}
	}
	if src.commands {
		scopes["commands"] = true
	}
	if src.customizes {
		scopes["chat:write.customize"] = true
	}
	asked := slices.Concat(m.OAuth.Scopes.Bot, m.OAuth.Scopes.Optional)
	slices.Sort(asked)
	if diff := cmp.Diff(sortedKeys(scopes), asked); diff != "" {
		t.Errorf("scopes (-needed +asked for):\n%s", diff)
	}
	listed := slices.Sorted(slices.Values(m.Settings.Events.Bot))
	if diff := cmp.Diff(sortedKeys(subscribed), listed); diff != "" {
		t.Errorf("events (-read +subscribed):\n%s", diff)
	}
	if got, want := m.Features.AppHome.Home, src.calls["PublishViewContext"]; got != want {
		t.Errorf("home tab enabled = %v, published by the bot = %v", got, want)
	}
	var ids []string
	for _, s := range m.Features.Shortcuts {
		ids = append(ids, s.CallbackID)
	}
	slices.Sort(ids)
	slices.Sort(src.shortcuts)
	if diff := cmp.Diff(src.shortcuts, ids); diff != "" {
		t.Errorf("shortcuts (-handled +declared):\n%s", diff)
	}
}

// The table of calls agrees with Slack's documentation of each method (a copy of
// its contracts is in testdata).
func TestScopesAreThoseOfTheMethods(t *testing.T) {
	raw, err := os.ReadFile("testdata/contracts.json")
	if err != nil {
		t.Fatal(err)
	}
	var contracts struct {
		Methods map[string]struct {
			BotScopes []string `json:"bot_scopes"`
		} `json:"methods"`
	}
	if err := json.Unmarshal(raw, &contracts); err != nil {
		t.Fatal(err)
	}
	for name, call := range calls {
		for _, method := range call.methods {
			contract, ok := contracts.Methods[method]
			if !ok {
				t.Errorf("%s: Slack documents no method %s", name, method)
				continue
			}
			if len(contract.BotScopes) > 0 && len(call.scopes) == 0 {
				t.Errorf("%s needs one of %v", name, contract.BotScopes)
			}
			for _, s := range call.scopes {
				if !slices.Contains(contract.BotScopes, s) {
					t.Errorf("%s: the scope %s does not permit %s; one of %v does", name, s, method, contract.BotScopes)
				}
			}
		}
	}
}

func sortedKeys(m map[string]bool) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
