package slacksim

import (
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

type tokenKind int

const (
	botToken tokenKind = iota
	appToken
	noToken
)

// method is what Slack documents about a Web API method, and how we do it.
type method struct {
	token     tokenKind
	scopes    []string // any one of them suffices
	perMinute int      // 0: special or unlimited
	required  []string
	args      []string // all documented arguments
	absent    map[string]string
	run       func(w *Workspace, c *call) (object, error)
}

// missing refuses a call without its required arguments, in the words of the
// method where it has some, else as Slack's argument check does.
func (m *method) missing(c *call) error {
	for _, name := range m.required {
		_, sent := c.args[name]
		if sent && (c.args[name] != "" || name == "status") {
			continue
		}
		if code := m.absent[name]; code != "" {
			return refuse(code)
		}
		return refuse("invalid_arguments", "[ERROR] missing required field: "+name)
	}
	return nil
}

var (
	readChannels = []string{"channels:read", "groups:read", "im:read", "mpim:read"}
	readHistory  = []string{"channels:history", "groups:history", "im:history", "mpim:history"}
	pageArgs     = []string{"cursor", "limit"}
	spanArgs     = []string{"channel", "cursor", "include_all_metadata", "inclusive", "latest", "limit", "oldest"}
)

func with(list []string, more ...string) []string { return append(slices.Clone(list), more...) }

// methods is the supported part of the Web API. A test compares it with Slack's
// published contracts.
var methods = map[string]*method{
	"api.test":              {token: noToken, perMinute: 100, args: []string{"error"}, run: (*Workspace).apiTest},
	"auth.test":             {run: (*Workspace).authTest},
	"apps.connections.open": {token: appToken, perMinute: 50, run: (*Workspace).openConnection},

	"chat.postMessage": {scopes: []string{"chat:write"}, required: []string{"channel"}, run: (*Workspace).chatPost,
		args: []string{"as_user", "attachments", "blocks", "channel", "current_draft_last_updated_ts", "icon_emoji", "icon_url", "link_names", "markdown_text",
			"metadata", "mrkdwn", "parse", "reply_broadcast", "text", "thread_ts", "unfurl_links", "unfurl_media", "username"}},
	"chat.update": {scopes: []string{"chat:write"}, perMinute: 50, required: []string{"channel", "ts"}, run: (*Workspace).chatUpdate,
		args: []string{"as_user", "attachments", "blocks", "channel", "file_ids", "link_names", "markdown_text", "metadata", "parse", "reply_broadcast", "text", "ts", "unfurled_attachments"}},
	"chat.delete": {scopes: []string{"chat:write"}, perMinute: 50, required: []string{"channel", "ts"}, run: (*Workspace).chatDelete,
		args: []string{"as_user", "channel", "ts"}},
	"chat.postEphemeral": {scopes: []string{"chat:write"}, perMinute: 100, required: []string{"channel", "user"}, run: (*Workspace).chatEphemeral,
		args: []string{"as_user", "attachments", "blocks", "channel", "icon_emoji", "icon_url", "link_names", "markdown_text", "parse", "text", "thread_ts", "user", "username"}},
	"chat.getPermalink": {required: []string{"channel", "message_ts"}, run: (*Workspace).chatPermalink, args: []string{"channel", "message_ts"}},

	"conversations.replies": {scopes: readHistory, perMinute: 50, required: []string{"channel", "ts"}, run: (*Workspace).conversationReplies, args: with(spanArgs, "ts")},
	"conversations.history": {scopes: readHistory, perMinute: 50, required: []string{"channel"}, run: (*Workspace).conversationHistory, args: spanArgs},
	"conversations.info": {scopes: readChannels, perMinute: 50, required: []string{"channel"}, run: (*Workspace).conversationInfo,
		args: []string{"channel", "include_locale", "include_num_members"}},
	"conversations.list": {scopes: readChannels, perMinute: 20, run: (*Workspace).conversationList, args: with(pageArgs, "exclude_archived", "team_id", "types")},
	"conversations.members": {scopes: readChannels, perMinute: 100, required: []string{"channel"}, run: (*Workspace).conversationMembers,
		args: with(pageArgs, "channel")},
	"conversations.join": {scopes: []string{"channels:join"}, perMinute: 50, required: []string{"channel"}, run: (*Workspace).conversationJoin, args: []string{"channel"}},
	"conversations.open": {scopes: []string{"channels:manage", "groups:write", "im:write", "mpim:write"}, perMinute: 50, run: (*Workspace).conversationOpen,
		args: []string{"channel", "prevent_creation", "return_im", "users"}},

	"users.info": {scopes: []string{"users:read"}, perMinute: 100, required: []string{"user"}, run: (*Workspace).userInfo, args: []string{"include_locale", "user"}},
	"users.list": {scopes: []string{"users:read"}, perMinute: 20, run: (*Workspace).userList, args: with(pageArgs, "include_locale", "team_id")},
	"users.conversations": {scopes: readChannels, perMinute: 50, run: (*Workspace).userConversations,
		args: with(pageArgs, "exclude_archived", "team_id", "types", "user")},
	"dnd.info": {scopes: []string{"dnd:read"}, perMinute: 50, run: (*Workspace).dndInfo, args: []string{"team_id", "user"}},
	"dnd.teamInfo": {scopes: []string{"dnd:read"}, perMinute: 20, required: []string{"users"}, absent: map[string]string{"users": "no_users_provided"},
		run: (*Workspace).dndTeamInfo, args: []string{"team_id", "users"}},
	"usergroups.list": {scopes: []string{"usergroups:read"}, perMinute: 20, run: (*Workspace).userGroupList,
		args: []string{"include_count", "include_disabled", "include_users", "team_id"}},
	"bots.info": {scopes: []string{"users:read"}, perMinute: 50, run: (*Workspace).botInfo, args: []string{"bot", "team_id"}},

	"reactions.add": {scopes: []string{"reactions:write"}, perMinute: 50, required: []string{"channel", "name", "timestamp"}, absent: reactionAbsent,
		run: (*Workspace).reactionAdd, args: []string{"channel", "name", "timestamp"}},
	"reactions.remove": {scopes: []string{"reactions:write"}, perMinute: 20, required: []string{"name"}, absent: reactionAbsent,
		run: (*Workspace).reactionRemove, args: []string{"channel", "file", "file_comment", "name", "timestamp"}},
	"reactions.get": {scopes: []string{"reactions:read"}, perMinute: 50, run: (*Workspace).reactionGet,
		args: []string{"channel", "file", "file_comment", "full", "timestamp"}},
	"assistant.threads.setStatus": {scopes: []string{"chat:write"}, required: []string{"channel_id", "status", "thread_ts"}, run: (*Workspace).setStatus,
		args: []string{"channel_id", "icon_emoji", "icon_url", "loading_messages", "status", "thread_ts", "username"}},

	"views.open":    {perMinute: 100, required: []string{"view"}, run: (*Workspace).viewOpen, args: []string{"interactivity_pointer", "trigger_id", "view"}},
	"views.push":    {perMinute: 100, required: []string{"view"}, run: (*Workspace).viewPush, args: []string{"interactivity_pointer", "trigger_id", "view"}},
	"views.update":  {perMinute: 100, required: []string{"view"}, run: (*Workspace).viewUpdate, args: []string{"external_id", "hash", "view", "view_id"}},
	"views.publish": {perMinute: 100, required: []string{"user_id", "view"}, run: (*Workspace).viewPublish, args: []string{"hash", "user_id", "view"}},

	"canvases.create": {scopes: []string{"canvases:write"}, perMinute: 20, run: (*Workspace).canvasCreate, args: []string{"channel_id", "document_content", "title"}},

	"files.getUploadURLExternal": {scopes: []string{"files:write"}, perMinute: 100, required: []string{"filename", "length"}, run: (*Workspace).fileUploadURL,
		args: []string{"alt_txt", "filename", "length", "snippet_type"}},
	"files.completeUploadExternal": {scopes: []string{"files:write"}, perMinute: 100, required: []string{"files"}, run: (*Workspace).fileComplete,
		args: []string{"blocks", "channel_id", "channels", "files", "initial_comment", "thread_ts"}},
}

var reactionAbsent = map[string]string{"channel": "no_item_specified", "timestamp": "no_item_specified", "name": "invalid_name"}

// bodyLimit bounds a Web API request.
const bodyLimit = 2 << 20

// call is one Web API request after decoding. Every argument is text: what came
// as a JSON number, boolean, object or array is kept as its JSON.
type call struct {
	method string
	token  string
	args   map[string]string
	lag    int64 // microseconds by which this reader trails the posts
}

// apiError is a refusal in Slack's words.
type apiError struct {
	Code     string
	Messages []string // response_metadata.messages
	Needed   string   // missing_scope
	Provided string
}

func (e *apiError) Error() string { return e.Code }

func refuse(code string, messages ...string) error {
	return &apiError{Code: code, Messages: messages}
}

// decodeCall reads a request in any of the three encodings Slack takes, with the
// token in the header or among the arguments.
func decodeCall(r *http.Request) (*call, error) {
	c := &call{method: r.PathValue("method"), args: map[string]string{}}
	for k, v := range r.URL.Query() {
		c.args[k] = v[0]
	}
	kind, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil && r.Header.Get("Content-Type") != "" {
		return c, refuse("invalid_post_type")
	}
	if charset := strings.ToLower(params["charset"]); charset != "" && charset != "utf-8" && charset != "iso-8859-1" {
		return c, refuse("invalid_charset")
	}
	switch kind {
	case "application/json":
		err = c.readJSON(r.Body)
	case "multipart/form-data":
		if err = r.ParseMultipartForm(bodyLimit); err != nil {
			err = refuse("invalid_form_data")
			break
		}
		for k, v := range r.MultipartForm.Value {
			c.args[k] = v[0]
		}
	case "application/x-www-form-urlencoded", "":
		if err = r.ParseForm(); err != nil {
			err = refuse("invalid_form_data")
			break
		}
		for k, v := range r.PostForm {
			c.args[k] = v[0]
		}
	default:
		err = refuse("invalid_post_type")
	}
	c.token = c.args["token"]
	delete(c.args, "token")
	if bearer, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
		c.token = bearer
	}
	return c, err
}

func (c *call) readJSON(body io.Reader) error {
	raw, err := io.ReadAll(body)
	if err != nil {
		return refuse("request_timeout")
	}
	if len(raw) == 0 {
		return nil
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(raw, &fields); err != nil {
		return refuse("invalid_arguments", "[ERROR] the body is not a JSON object")
	}
	for k, v := range fields {
		var text string
		switch {
		case string(v) == "null":
			continue
		case json.Unmarshal(v, &text) == nil:
			c.args[k] = text
		default:
			c.args[k] = string(v)
		}
	}
	return nil
}

// flag reads a boolean argument as loosely as Slack does.
func (c *call) flag(name string) bool {
	v := strings.ToLower(c.args[name])
	return v == "true" || v == "1"
}

// number reads an integer argument; absent gives fallback.
func (c *call) number(name string, fallback int) int {
	n, err := strconv.Atoi(c.args[name])
	if err != nil {
		return fallback
	}
	return n
}

// list reads ids given with commas or as a JSON array.
func (c *call) list(name string) []string {
	v := c.args[name]
	var out []string
	if strings.HasPrefix(v, "[") && json.Unmarshal([]byte(v), &out) == nil {
		return out
	}
	for part := range strings.SplitSeq(v, ",") {
		if part = strings.TrimSpace(part); part != "" {
			out = append(out, part)
		}
	}
	return out
}

// decode reads a JSON argument into target; absent leaves it alone.
func (c *call) decode(name string, target any) error {
	if c.args[name] == "" {
		return nil
	}
	if err := json.Unmarshal([]byte(c.args[name]), target); err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	return nil
}
