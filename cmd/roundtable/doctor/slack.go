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

	"github.com/roundtable-chat/app/bot"
	"github.com/roundtable-chat/app/cmd/roundtable/config"
	"github.com/roundtable-chat/app/manifests"
)

// askLimit bounds one question to Slack.
const askLimit = 8 * time.Second

// examineSlack asks Slack whether the tokens are what the bot needs. Nothing is
// connected or posted.
func examineSlack(ctx context.Context, e Subject) []Finding {
	c := e.Config
	if c.BotToken == "" && c.AppToken == "" {
		return []Finding{{Check: "tokens", Level: Warning, Found: "no token is set that could be used; nothing was checked",
			Means: "serve does not start without them", Do: "set SLACK_BOT_TOKEN and SLACK_APP_TOKEN, or the variables with _FILE appended"}}
	}
	checkup := bot.NewCheckup(bot.CheckupOptions{APIURL: c.SlackAPIURL, BotToken: c.BotToken, AppToken: c.AppToken})
	defer checkup.Close()
	x := slackExam{c: c, manifests: e.Manifests, ask: checkup}
	x.botToken(ctx)
	x.appToken(ctx)
	x.sameApp(ctx)
	x.channels(ctx)
	x.unasked()
	return x.found
}

// slackExam gathers what Slack says.
type slackExam struct {
	c         config.Config
	manifests func(dir string) (manifests.Set, error)
	ask       *bot.Checkup
	found     []Finding
	// who is set once Slack has said whom the bot token speaks for, app once it has
	// said which app the app-level token is of.
	who bot.Identity
	app string
}

func (x *slackExam) say(f Finding) { x.found = append(x.found, f) }

// bounded gives a question its time.
func bounded(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, askLimit, fmt.Errorf("no answer within %s", askLimit))
}

func (x *slackExam) botToken(ctx context.Context) {
	const check = "bot token"
	if x.c.BotToken == "" {
		x.say(missingToken(check, "SLACK_BOT_TOKEN"))
		return
	}
	ctx, cancel := bounded(ctx)
	defer cancel()
	who, err := x.ask.Identity(ctx)
	switch {
	case err != nil:
		x.say(x.trouble(check, err))
	case who.BotID == "":
		x.say(Finding{Check: check, Level: Failure, Found: "it speaks for a person, not for a bot", Means: "serve refuses it", Do: "take the Bot User OAuth Token, xoxb-…, from the app's page OAuth & Permissions"})
	default:
		x.who = who
		x.say(Finding{Check: check, Found: fmt.Sprintf("speaks for @%s in %s (%s)", who.User, who.Team, who.TeamID)})
		x.scopes()
	}
}

func (x *slackExam) appToken(ctx context.Context) {
	const check = "app-level token"
	if x.c.AppToken == "" {
		x.say(missingToken(check, "SLACK_APP_TOKEN"))
		return
	}
	ctx, cancel := bounded(ctx)
	defer cancel()
	line, err := x.ask.Line(ctx)
	switch {
	case err != nil:
		x.say(x.trouble(check, err))
	case line.Off:
		x.app = line.AppID
		x.say(Finding{Check: "Socket Mode", Level: Warning, Found: "Slack remarks that Socket Mode is not turned on",
			Means: "connections may stand and bring nothing: no message would ever arrive",
			Do:    "on the app's page Socket Mode: Enable Socket Mode. If it is enabled there, write in a channel and see whether the bot answers"})
	default:
		x.app = line.AppID
		x.say(Finding{Check: check, Found: "opens Socket Mode connections"})
	}
}

func missingToken(check, variable string) Finding {
	return Finding{Check: check, Level: Warning, Found: variable + " is not set, or cannot be used; it was not checked", Means: "serve does not start without it", Do: "set " + variable + ", or " + variable + "_FILE"}
}

// sameApp compares the apps of the two tokens.
func (x *slackExam) sameApp(ctx context.Context) {
	if x.who.BotID == "" || x.app == "" || !x.granted("users:read") {
		return
	}
	ctx, cancel := bounded(ctx)
	defer cancel()
	app, err := x.ask.App(ctx, x.who.BotID)
	switch {
	case err != nil:
		x.say(x.trouble("app", err))
	case app != "" && app != x.app:
		x.say(Finding{Check: "app", Level: Failure, Found: fmt.Sprintf("the tokens are of two apps: the bot token of %s, the app-level token of %s", app, x.app),
			Means: "one app would listen and another answer", Do: "take both tokens from the pages of one app"})
	}
}

// granted reports whether a scope was granted. Where Slack did not say, it is
// assumed.
func (x *slackExam) granted(scope string) bool {
	return x.who.Scopes == nil || slices.Contains(x.who.Scopes, scope)
}

// channels says where the bot is.
func (x *slackExam) channels(ctx context.Context) {
	if x.who.BotID == "" || !x.granted("channels:read") || !x.granted("groups:read") {
		return
	}
	const check = "channels"
	ctx, cancel := bounded(ctx)
	defer cancel()
	in, err := x.ask.Channels(ctx)
	if err != nil {
		x.say(x.trouble(check, err))
		return
	}
	var missing []string
	for _, id := range x.c.Channels {
		if !slices.Contains(in.Channels, id) {
			missing = append(missing, id)
		}
	}
	switch {
	case len(missing) > 0 && !in.More:
		x.say(Finding{Check: check, Level: Warning, Found: "the bot is not in " + strings.Join(missing, ", ") + ", which --channels names",
			Means: "nothing can be discussed there", Do: "/invite @" + x.who.User + " there, or take it out of --channels"})
	case len(in.Channels) == 0:
		x.say(Finding{Check: check, Level: Warning, Found: "the bot is in no channel", Means: "nobody can open a discussion", Do: "type /invite @" + x.who.User + " in a channel"})
	default:
		found := "the bot is in " + counted(len(in.Channels), "channel")
		if in.More {
			found += " and more"
		}
		x.say(Finding{Check: check, Found: found})
	}
}

// unasked names what Slack tells no bot, so that nobody takes silence for consent.
func (x *slackExam) unasked() {
	x.say(Finding{Check: "not asked", Found: "Slack tells no bot whether Delayed Events are on (they should be), nor how long messages are kept " +
		"(longer than a discussion may last: recovery reads threads)"})
}

// losses say what does not work without a scope.
var losses = map[string]string{
	"app_mentions:read":    "a mention of the bot opens no discussion",
	"canvases:write":       "documents are shown as files only, not as canvases",
	"channels:history":     "nothing that is written in public channels arrives, and nothing can be found again there after a failure",
	"channels:read":        "who may open a discussion in a public channel cannot be checked, so it is refused",
	"chat:write":           "nothing can be posted",
	"chat:write.customize": "personas speak under the app's name and face",
	"commands":             "/roundtable and the shortcuts do not work",
	"files:write":          "items cannot be exported and documents not shown: no file can be uploaded",
	"groups:history":       "nothing that is written in private channels arrives, and nothing can be found again there after a failure",
	"groups:read":          "who may open a discussion in a private channel cannot be checked, so it is refused",
	"im:history":           "nothing that is written in direct messages arrives",
	"im:read":              "who may open a discussion in a direct message cannot be checked, so it is refused",
	"im:write":             "items cannot be exported: the zip goes into a direct message",
	"mpim:history":         "nothing that is written in group messages arrives",
	"mpim:read":            "who may open a discussion in a group message cannot be checked, so it is refused",
	"reactions:read":       "marks by reaction are not seen",
	"reactions:write":      "what was heard is not shown by a reaction",
	"users:read":           "people have no names and no time zone, and may do nothing but write in threads: nobody can be told from a guest, so nobody opens, ends, decides or presses anything",
	"dnd:read":             "reminders may come while somebody does not want to be disturbed",
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

// scopes compares what was granted with what the app's manifest asks for.
func (x *slackExam) scopes() {
	const check = "scopes"
	if x.who.Scopes == nil {
		x.say(Finding{Check: check, Level: Advice, Found: "Slack did not say which were granted", Means: "missing ones show only when something does not work", Do: "see whether something between here and Slack removes the header X-OAuth-Scopes"})
		return
	}
	set, err := x.manifests(x.c.Manifests)
	if err != nil {
		return // examineFiles says so
	}
	must, optional, err := ScopesOf(set.SlackApp)
	if err != nil {
		x.say(Finding{Check: check, Level: Failure, Found: "the Slack app manifest cannot be read: " + err.Error(), Do: "correct slack-app.json"})
		return
	}
	const reinstall = "add %s on the app's page OAuth & Permissions, and reinstall the app; roundtable manifest prints all it needs"
	well := true
	missing := func(scopes []string, l Level) {
		for _, s := range scopes {
			if slices.Contains(x.who.Scopes, s) {
				continue
			}
			f := Finding{Check: check, Level: l, Found: s + " is not granted", Means: losses[s], Do: fmt.Sprintf(reinstall, s)}
			if s == "chat:write" {
				f.Level = Failure
			}
			x.say(f)
			well = false
		}
	}
	missing(must, Warning)
	missing(optional, Advice)
	if more := slices.DeleteFunc(slices.Clone(x.who.Scopes), func(s string) bool { return slices.Contains(must, s) || slices.Contains(optional, s) }); len(more) > 0 {
		x.say(Finding{Check: check, Level: Advice, Found: "granted, but not needed: " + strings.Join(more, ", "), Means: "whoever gets hold of the token may do more than necessary", Do: "take them away on the app's page OAuth & Permissions, and reinstall the app"})
	}
	if well {
		x.say(Finding{Check: check, Found: fmt.Sprintf("all %d that the manifest asks for are granted", len(must)+len(optional))})
	}
}

// slackAnswers say what a refusal of Slack means, by its code.
var slackAnswers = map[string]struct{ means, do string }{
	"invalid_auth":           {"Slack does not know the token", "copy it again from the app's page; a bot token stands on OAuth & Permissions, an app-level token on Basic Information"},
	"not_authed":             {"no token arrived at Slack", "see whether something between here and Slack removes the header Authorization"},
	"token_revoked":          {"the token was revoked", "reinstall the app and take the new token"},
	"token_expired":          {"the token has expired: the app has token rotation", "switch token rotation off, which cannot be undone for an app: create it anew from roundtable manifest"},
	"account_inactive":       {"the app was uninstalled, or the workspace is gone", "install the app again and take the new token"},
	"not_allowed_token_type": {"the token is of another kind than this needs; are the two swapped?", "SLACK_BOT_TOKEN begins with xoxb-, SLACK_APP_TOKEN with xapp-"},
	"missing_scope":          {"the token lacks a scope", "an app-level token needs connections:write: generate one on the app's page Basic Information"},
	"forbidden_team":         {"the workspace does not allow this app", "ask an administrator of the workspace to approve it"},
	"org_login_required":     {"the workspace is moving to another organisation", "wait until it has moved"},
	"access_denied":          {"the workspace does not allow this app", "ask an administrator of the workspace to approve it"},
}

// trouble is a question without an answer in words.
func (x *slackExam) trouble(check string, err error) Finding {
	f := Finding{Check: check, Level: Failure, Found: err.Error(), Means: "serve does not start like this", Do: "look the word up in Slack's documentation of the method"}
	var e *bot.CheckupError
	if !errors.As(err, &e) {
		return f
	}
	where := "Slack"
	if x.c.SlackAPIURL != "" {
		where = "the endpoint of SLACK_API_URL"
	}
	known, ok := slackAnswers[e.Code]
	switch {
	case ok:
		f.Means, f.Do = known.means, known.do
		if e.Needed != "" {
			f.Found += ": needs " + e.Needed
		}
	case e.Code == "ratelimited" || e.Status == http.StatusTooManyRequests:
		f.Level, f.Means, f.Do = Warning, "Slack wants to be left alone for a while", fmt.Sprintf("run doctor again in %s", max(e.After, 30*time.Second))
	case e.Status >= http.StatusInternalServerError:
		f.Level, f.Means, f.Do = Warning, where+" has trouble of its own", "look at slack-status.com, and run doctor again later"
	case e.Status != 0 && e.Code == "":
		f.Means, f.Do = "something else than Slack's Web API answers: a login, a proxy or another program", "correct SLACK_API_URL (it ends in /api/), or leave it out; see whether a proxy stands between"
	case e.Err != nil:
		f.Means, f.Do = "nobody answers", "see whether "+where+" can be reached from here: DNS, the firewall, HTTPS_PROXY"
	}
	return f
}
