// Package checkup asks Slack whether an app and its tokens are set up as they should be.
package checkup

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/slack-go/slack"

	"github.com/roundtable-chat/app/bot/webapi"
	"github.com/roundtable-chat/app/bot/wire"
)

// Client asks Slack whether two tokens are what the app needs. It connects
// nothing and changes nothing. It speaks to the Web API itself: the library keeps
// from us what a diagnosis needs, which is what answered where Slack did not, and
// the remarks that come along with an answer.
type Client struct {
	opts Options
	http *http.Client
}

// Options say what to check. Tokens of any kind are taken: that they are of
// the wrong one is a finding.
type Options struct {
	// APIURL is the address of the Web API; empty means Slack's own.
	APIURL             string
	BotToken, AppToken string
	// Transport is the base of all requests; nil means the default. It is copied.
	Transport *http.Transport
}

// New returns a Client. Close it after use.
func New(o Options) *Client {
	if o.APIURL == "" {
		o.APIURL = slack.APIURL
	}
	o.APIURL = strings.TrimSuffix(o.APIURL, "/") + "/"
	return &Client{opts: o, http: &http.Client{
		Transport: wire.NewGate(o.Transport, webapi.Timeout), Timeout: webapi.Timeout,
		// A token must not follow a redirect, and Slack sends none.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// Close lets go of idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// TokenKind is what a Slack token is for, by how it begins.
type TokenKind string

// The kinds that matter to us; NoToken is anything else.
const (
	BotToken      TokenKind = "bot token"
	AppLevelToken TokenKind = "app-level token"
	UserToken     TokenKind = "user token"
	RotatingToken TokenKind = "token of an app with token rotation"
	BrowserToken  TokenKind = "token of a browser session"
	NoToken       TokenKind = "no Slack token"
)

// KindOf tells a token's kind.
func KindOf(token string) TokenKind {
	for prefix, kind := range map[string]TokenKind{
		"xoxb-": BotToken, "xapp-": AppLevelToken, "xoxp-": UserToken, "xoxe-": RotatingToken, "xoxe.": RotatingToken,
		"xoxc-": BrowserToken, "xoxs-": BrowserToken, "xoxd-": BrowserToken,
	} {
		if strings.HasPrefix(token, prefix) {
			return kind
		}
	}
	return NoToken
}

// Identity is who a bot token speaks for.
type Identity struct {
	TeamID, Team, UserID, User string
	// BotID is empty for a token that is not a bot's.
	BotID string
	// Scopes are those granted; nil means that Slack did not say.
	Scopes []string
}

// Identity asks who the bot token speaks for (auth.test).
func (c *Client) Identity(ctx context.Context) (Identity, error) {
	var who struct {
		TeamID string `json:"team_id"`
		Team   string `json:"team"`
		UserID string `json:"user_id"`
		User   string `json:"user"`
		BotID  string `json:"bot_id"`
	}
	header, err := c.ask(ctx, "auth.test", c.opts.BotToken, nil, &who)
	if err != nil {
		return Identity{}, err
	}
	i := Identity{TeamID: who.TeamID, Team: who.Team, UserID: who.UserID, User: who.User, BotID: who.BotID}
	for scope := range strings.SplitSeq(header.Get("X-OAuth-Scopes"), ",") {
		if scope = strings.TrimSpace(scope); scope != "" {
			i.Scopes = append(i.Scopes, scope)
		}
	}
	return i, nil
}

// App asks which app a bot belongs to (bots.info, users:read).
func (c *Client) App(ctx context.Context, botID string) (string, error) {
	var answer struct {
		Bot struct {
			AppID string `json:"app_id"`
		} `json:"bot"`
	}
	_, err := c.ask(ctx, "bots.info", c.opts.BotToken, url.Values{"bot": {botID}}, &answer)
	return answer.Bot.AppID, err
}

// channelPages bounds how many pages of channels are read, of channelPage each.
const (
	channelPages = 10
	channelPage  = 200
)

// Membership is where the bot is.
type Membership struct {
	// Channels are the ids of public and private channels with the bot in them.
	Channels []string
	// More is set if there are more than were read.
	More bool
}

// Channels asks which channels the bot was invited to (users.conversations,
// channels:read and groups:read).
func (c *Client) Channels(ctx context.Context) (Membership, error) {
	var m Membership
	cursor := ""
	for range channelPages {
		args := url.Values{"types": {"public_channel,private_channel"}, "exclude_archived": {"true"}, "limit": {strconv.Itoa(channelPage)}}
		if cursor != "" {
			args.Set("cursor", cursor)
		}
		var page struct {
			Channels []struct {
				ID string `json:"id"`
			} `json:"channels"`
			Metadata struct {
				Next string `json:"next_cursor"`
			} `json:"response_metadata"`
		}
		if _, err := c.ask(ctx, "users.conversations", c.opts.BotToken, args, &page); err != nil {
			return m, err
		}
		for _, ch := range page.Channels {
			m.Channels = append(m.Channels, ch.ID)
		}
		if cursor = page.Metadata.Next; cursor == "" {
			return m, nil
		}
	}
	m.More = true
	return m, nil
}

// Line is what Slack says about opening a Socket Mode connection.
type Line struct {
	// AppID is the app that the app-level token belongs to; empty if unknown.
	AppID string
	// Off is set if Slack remarks that Socket Mode is not turned on. It hands out
	// an address all the same; the connection that it opens brings nothing.
	Off bool
}

// Line asks for the address of a Socket Mode connection and does not use it, so
// that it lapses (apps.connections.open, connections:write).
func (c *Client) Line(ctx context.Context) (Line, error) {
	var answer struct {
		URL      string `json:"url"`
		Metadata struct {
			Messages []string `json:"messages"`
		} `json:"response_metadata"`
	}
	if _, err := c.ask(ctx, "apps.connections.open", c.opts.AppToken, nil, &answer); err != nil {
		return Line{}, err
	}
	var l Line
	if u, err := url.Parse(answer.URL); err == nil {
		l.AppID = u.Query().Get("app_id")
	}
	for _, m := range answer.Metadata.Messages {
		l.Off = l.Off || strings.Contains(strings.ToLower(m), "socket mode is not turned on")
	}
	return l, nil
}

// Error is why a question got no answer. Its text holds no credential.
type Error struct {
	Method string
	// Code is Slack's word for its refusal; with missing_scope, Needed are the scopes
	// that the token lacks.
	Code, Needed string
	// Status is set where an answer was not Slack's: a page, a redirect, a 5xx.
	Status int
	// After is how long Slack asked to be left alone (429).
	After time.Duration
	// Err is set where nobody answered.
	Err error
}

// Error implements error.
func (e *Error) Error() string {
	switch {
	case e.Needed != "":
		return e.Method + ": " + e.Code + ": needs " + e.Needed
	case e.Code != "":
		return e.Method + ": " + e.Code
	case e.Status == http.StatusOK:
		return e.Method + ": the answer is not Slack's"
	case e.Status != 0:
		return fmt.Sprintf("%s: status %d", e.Method, e.Status)
	}
	return fmt.Sprintf("%s: %v", e.Method, webapi.Scrub(e.Err))
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// answerLimit bounds what is read of an answer.
const answerLimit = 4 << 20

// ask calls a method with a token and fills answer.
func (c *Client) ask(ctx context.Context, method, token string, args url.Values, answer any) (http.Header, error) {
	failed := &Error{Method: method}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.opts.APIURL+method, strings.NewReader(args.Encode()))
	if err != nil {
		failed.Err = err
		return nil, failed
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Authorization", "Bearer "+token)
	resp, err := c.http.Do(req)
	if err != nil {
		failed.Err = plainCause(ctx, err)
		return nil, failed
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(resp.Body, answerLimit))
	if err != nil {
		failed.Err = plainCause(ctx, err)
		return nil, failed
	}
	if s, err := strconv.Atoi(resp.Header.Get("Retry-After")); err == nil {
		failed.After = time.Duration(s) * time.Second
	}
	failed.Status = resp.StatusCode
	var outcome struct {
		OK     *bool  `json:"ok"`
		Error  string `json:"error"`
		Needed string `json:"needed"`
	}
	media, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if resp.StatusCode != http.StatusOK || media == "text/html" || json.Unmarshal(body, &outcome) != nil || outcome.OK == nil {
		return nil, failed
	}
	if !*outcome.OK {
		failed.Code, failed.Needed = outcome.Error, outcome.Needed
		return nil, failed
	}
	if err := json.Unmarshal(body, answer); err != nil {
		return nil, failed
	}
	return resp.Header, nil
}

// plainCause takes the address off an error of the HTTP client, and names the time
// limit that ended it.
func plainCause(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		return wrapped.Err
	}
	return err
}
