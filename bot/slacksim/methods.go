package slacksim

import "slices"

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
