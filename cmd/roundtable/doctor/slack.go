package doctor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/roundtable-chat/app/bot/checkup"
	"github.com/roundtable-chat/app/cmd/roundtable/config"
)

// slackChecks ask Slack whether the tokens are what the bot needs. They connect and post
// nothing.
func slackChecks(x *visit) []row {
	if c := x.Config; c.BotToken == "" && c.AppToken == "" {
		return []row{Finding{Check: "tokens", Level: Warning, Found: "no token is set that could be used, so Slack was not checked",
			Means: "serve does not start without them", Do: "set SLACK_BOT_TOKEN and SLACK_APP_TOKEN, or the variables with _FILE appended"}}
	}
	trouble := slackTrouble(x.Config)
	identity := []row{
		check[checkup.Identity]{name: "bot token", trouble: trouble, learn: one(x.identity), answers: []answer[checkup.Identity]{
			{when: func(who checkup.Identity) bool { return who.BotID == "" }, level: Failure, found: "it speaks for a person, not for a bot", means: "serve refuses it",
				do: "copy the Bot User OAuth Token, xoxb-…, from the app's page OAuth & Permissions"},
			{found: "speaks for @%s in %s (%s)", args: func(who checkup.Identity) []any { return []any{who.User, who.Team, who.TeamID} }},
		}},
	}
	return append(append(identity, scopeChecks(x)...),
		check[checkup.Line]{name: "app-level token", trouble: trouble, learn: one(x.line), answers: []answer[checkup.Line]{
			{when: func(l checkup.Line) bool { return !l.Off }, found: "opens Socket Mode connections"},
		}},
		check[checkup.Line]{name: "Socket Mode", learn: one(x.line), answers: []answer[checkup.Line]{
			{when: func(l checkup.Line) bool { return l.Off }, level: Warning, found: "Slack remarks that Socket Mode is not turned on",
				means: "connections may open and bring nothing, so that no message would ever arrive",
				do:    "turn on Enable Socket Mode on the app's page Socket Mode; if it is on, write in a channel and see whether the bot answers"},
		}},
		check[apps]{name: "app", trouble: trouble, learn: learnApps, answers: []answer[apps]{{
			when: func(a apps) bool { return a.bot != "" && a.bot != a.line }, level: Failure, found: "the tokens are of two apps: the bot token of %s, the app-level token of %s",
			args: func(a apps) []any { return []any{a.bot, a.line} }, means: "one app would listen and another would answer", do: "take both tokens from the pages of one app"}}},
		check[presence]{name: "channels", trouble: trouble, learn: learnPresence, answers: []answer[presence]{
			{when: func(p presence) bool { return len(p.missing) > 0 && !p.More }, level: Warning, found: "the bot is not in %s, which --channels names",
				args: func(p presence) []any { return []any{strings.Join(p.missing, ", ")} }, means: "people cannot open discussions there",
				say: func(p presence, f *Finding) {
					f.Do = "type /invite @" + p.bot + " there, or take the channel out of --channels"
				}},
			{when: func(p presence) bool { return len(p.Channels) == 0 }, level: Warning, found: "the bot is in no channel", means: "people cannot open discussions",
				say: func(p presence, f *Finding) { f.Do = "type /invite @" + p.bot + " in a channel" }},
			{when: func(p presence) bool { return p.More }, found: "the bot is in more than %s", args: presence.count},
			{found: "the bot is in %s", args: presence.count},
		}},
		// People must not take silence for consent.
		Finding{Check: "not asked", Found: "Slack does not tell a bot whether Delayed Events are on (they should be), nor how long messages are kept " +
			"(longer than a discussion may last, since recovery reads threads)"})
}

// missingToken is the variable of a token that is not there to be tried.
type missingToken string

func (m missingToken) Error() string {
	return string(m) + " is not set or cannot be used, so it was not checked"
}

// bots learns whom the bot token speaks for, if it is a bot that was granted some scopes.
func bots(scopes ...string) func(context.Context, *visit) ([]checkup.Identity, error) {
	return func(ctx context.Context, x *visit) ([]checkup.Identity, error) {
		who, err := x.identity(ctx)
		if err != nil || who.BotID == "" || slices.ContainsFunc(scopes, func(s string) bool { return !grants(who, s) }) {
			return nil, err
		}
		return []checkup.Identity{who}, nil
	}
}

// apps are those of the bot token and of the app-level token; empty where unknown.
type apps struct{ bot, line string }

func learnApps(ctx context.Context, x *visit) ([]apps, error) {
	who, _ := bots("users:read")(ctx, x)
	line, _ := x.line(ctx) // the checks of the tokens say what is wrong with them
	if who == nil || line.AppID == "" {
		return nil, nil
	}
	app, err := x.slack.App(ctx, who[0].BotID)
	return []apps{{app, line.AppID}}, err
}

// presence is where the bot is, by its name, and where it is missing.
type presence struct {
	checkup.Membership
	bot     string
	missing []string
}

func (p presence) count() []any { return []any{counted(len(p.Channels), "channel")} }

func learnPresence(ctx context.Context, x *visit) ([]presence, error) {
	who, _ := bots("channels:read", "groups:read")(ctx, x)
	if who == nil {
		return nil, nil
	}
	in, err := x.slack.Channels(ctx)
	missing := slices.DeleteFunc(slices.Clone(x.Config.Channels), func(id string) bool { return slices.Contains(in.Channels, id) })
	return []presence{{in, who[0].User, missing}}, err
}

// losses say what does not work without a scope.
var losses = map[string]string{
	"app_mentions:read":    "mentioning the bot opens no discussion",
	"canvases:write":       "people see documents as files only, not as canvases",
	"channels:history":     "messages in public channels do not arrive, and cannot be found again after a failure",
	"channels:read":        "Roundtable cannot check who may open a discussion in a public channel, so it refuses",
	"chat:write":           "nothing can be posted",
	"chat:write.customize": "personas speak under the app's name and face",
	"commands":             "/roundtable and the shortcuts do not work",
	"dnd:read":             "reminders may come while a person does not want to be disturbed",
	"files:write":          "no file can be uploaded, so items cannot be exported and documents cannot be shown",
	"groups:history":       "messages in private channels do not arrive, and cannot be found again after a failure",
	"groups:read":          "Roundtable cannot check who may open a discussion in a private channel, so it refuses",
	"im:history":           "messages to the bot do not arrive",
	"im:read":              "Roundtable cannot check who may open a discussion in a direct message, so it refuses",
	"im:write":             "items cannot be exported, because the zip goes into a direct message",
	"mpim:history":         "messages in group conversations do not arrive",
	"mpim:read":            "Roundtable cannot check who may open a discussion in a group message, so it refuses",
	"reactions:read":       "Roundtable does not see the marks that people set by reaction",
	"reactions:write":      "Roundtable cannot show by a reaction that it heard a message",
	"users:read": "Roundtable knows neither names nor time zones, and cannot tell a member from a guest, " +
		"so people can only write in threads: they cannot open, end or decide anything, or press a button",
}

// ScopesOf are the scopes that a Slack app manifest asks for.
func ScopesOf(manifest []byte) (must, optional []string, err error) {
	var m struct {
		OAuth struct {
			Scopes struct {
				Bot      []string `json:"bot"`
				Optional []string `json:"bot_optional"`
			} `json:"scopes"`
		} `json:"oauth_config"`
	}
	err = json.Unmarshal(manifest, &m)
	return m.OAuth.Scopes.Bot, m.OAuth.Scopes.Optional, err
}

// grants reports whether a scope was granted. Where Slack did not say, it is assumed.
func grants(who checkup.Identity, scope string) bool {
	return who.Scopes == nil || slices.Contains(who.Scopes, scope)
}

// scopeChecks compare what was granted with what the app's manifest asks for.
func scopeChecks(x *visit) []row {
	const page = " on the app's page OAuth & Permissions, and reinstall the app"
	set, err := x.manifests()
	if err != nil {
		return nil // the checks of the manifests say so
	}
	must, optional, err := ScopesOf(set.SlackApp)
	if err != nil {
		return []row{Finding{Check: "scopes", Level: Failure, Found: "the Slack app manifest cannot be read: " + err.Error(),
			Means: "doctor cannot tell which scopes are missing", Do: "correct slack-app.json"}}
	}
	asked := slices.Concat(must, optional)
	needless := func(who checkup.Identity) []string {
		return slices.DeleteFunc(slices.Clone(who.Scopes), func(s string) bool { return slices.Contains(asked, s) })
	}
	of := func(a answer[checkup.Identity]) row {
		return check[checkup.Identity]{name: "scopes", learn: bots(), answers: []answer[checkup.Identity]{a}}
	}
	rows := []row{of(answer[checkup.Identity]{when: func(who checkup.Identity) bool { return who.Scopes == nil }, level: Advice, found: "Slack did not say which were granted",
		means: "a missing scope shows only when something does not work", do: "see whether something between here and Slack removes the header X-OAuth-Scopes"})}
	for i, s := range asked {
		level := Warning
		switch {
		case s == "chat:write":
			level = Failure
		case i >= len(must):
			level = Advice
		}
		rows = append(rows, of(answer[checkup.Identity]{when: func(who checkup.Identity) bool { return !grants(who, s) }, level: level, found: s + " is not granted",
			means: losses[s], do: "add " + s + page + "; roundtable manifest prints all that it needs"}))
	}
	return append(rows,
		of(answer[checkup.Identity]{when: func(who checkup.Identity) bool { return len(needless(who)) > 0 }, level: Advice, found: "granted, but not needed: %s",
			args:  func(who checkup.Identity) []any { return []any{strings.Join(needless(who), ", ")} },
			means: "a thief of the token can do more than necessary", do: "remove them" + page}),
		of(answer[checkup.Identity]{when: func(who checkup.Identity) bool {
			return who.Scopes != nil && !slices.ContainsFunc(asked, func(s string) bool { return !grants(who, s) })
		}, found: fmt.Sprintf("all %d that the manifest asks for are granted", len(asked))}))
}

// slackTrouble is what a question to Slack without a good answer means.
func slackTrouble(c config.Config) []answer[error] {
	const approve = "ask an administrator of the workspace to approve it"
	where := "Slack"
	if c.SlackAPIURL != "" {
		where = "the endpoint of SLACK_API_URL"
	}
	refused := func(code, means, do string) answer[error] {
		return answer[error]{when: as(func(e *checkup.Error) bool { return e.Code == code }), means: means, do: do}
	}
	return []answer[error]{
		{when: as(func(missingToken) bool { return true }), level: Warning, means: "serve does not start without it",
			do: "set it, or the variable with _FILE appended"},
		refused("invalid_auth", "Slack does not know the token", "copy it again from the app's pages: a bot token is on OAuth & Permissions, an app-level token on Basic Information"),
		refused("not_authed", "no token arrived at Slack", "see whether something between here and Slack removes the header Authorization"),
		refused("token_revoked", "the token was revoked", "reinstall the app and take the new token"),
		refused("token_expired", "the token has expired, because the app has token rotation", "create the app anew from roundtable manifest; an app cannot switch token rotation off again"),
		refused("account_inactive", "the app was uninstalled, or the workspace is gone", "install the app again and take the new token"),
		refused("not_allowed_token_type", "this is the wrong kind of token; are the two swapped?", "SLACK_BOT_TOKEN begins with xoxb-, SLACK_APP_TOKEN with xapp-"),
		refused("missing_scope", "the token lacks a scope", "an app-level token needs connections:write: generate one on the app's page Basic Information"),
		refused("forbidden_team", "the workspace does not allow this app", approve),
		refused("org_login_required", "the workspace is moving to another organisation", "wait until it has moved"),
		refused("access_denied", "the workspace does not allow this app", approve),
		{when: as(func(e *checkup.Error) bool {
			return e.Code == "ratelimited" || e.Status == http.StatusTooManyRequests
		}), level: Warning, means: "Slack takes no more requests for a while", say: func(err error, f *Finding) {
			e, _ := errors.AsType[*checkup.Error](err)
			f.Do = fmt.Sprintf("run doctor again in %s", max(e.After, 30*time.Second))
		}},
		{when: as(func(e *checkup.Error) bool { return e.Status >= http.StatusInternalServerError }), level: Warning,
			means: where + " has trouble of its own", do: "look at slack-status.com, and run doctor again later"},
		{when: as(func(e *checkup.Error) bool { return e.Status != 0 && e.Code == "" }),
			means: "something other than Slack's Web API answers: a login, a proxy or another program",
			do:    "correct SLACK_API_URL (it ends in /api/), or leave it out; see whether there is a proxy in between"},
		{when: as(func(e *checkup.Error) bool { return e.Err != nil }), means: where + " does not answer",
			do: "see whether " + where + " can be reached from here: DNS, the firewall, HTTPS_PROXY"},
		{means: refusesToStart, do: "look the error up in Slack's documentation of the method"},
	}
}
