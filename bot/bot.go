package bot

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/slack-go/slack"
	"golang.org/x/sync/singleflight"

	"github.com/roundtable-chat/app/bot/people"
	"github.com/roundtable-chat/app/bot/recent"
	"github.com/roundtable-chat/app/bot/webapi"
	"github.com/roundtable-chat/app/bot/wire"
)

// Bot is the app's presence in one workspace.
type Bot struct {
	opts Options
	log  *slog.Logger
	// api makes every request of ours; sockets opens connections. They share a
	// transport, which leaves alone what Slack wants left alone.
	api     *slack.Client
	sockets *slack.Client
	http    *http.Client
	paced   *webapi.Backoff
	self    self

	people    *people.Directory
	rooms     *people.Rooms
	threads   *threads
	heard     *heard
	told      *lru.Cache[writer, time.Time] // who was told lately of a full mailbox
	performed *lru.Cache[spot, struct{}]    // mentions whose words were performed
	asks      singleflight.Group            // about whose thread Slack is asked
	metrics   *metrics
	workplace *Workplace
	errands   *errands // since Run
	inbox     Inbox    // since Run

	// events and requests bound what is handled at once: what Slack repeats,
	// and what it does not.
	events   chan struct{}
	requests chan struct{}
	// leads bounds those who are waited for to be led to an analysis.
	leads chan struct{}
	// open counts connections that Slack has greeted.
	open atomic.Int32
}

// self is who we are in the workspace (auth.test).
type self struct {
	team, user, bot, site string
	// scopes are those granted; nil means that Slack did not say.
	scopes map[string]bool
}

// may reports whether a scope was granted. Where Slack does not say, it is
// assumed.
func (s self) may(scope string) bool { return s.scopes == nil || s.scopes[scope] }

// Connect checks the options, asks Slack who we are and what we may do
// (auth.test), and returns a Bot that is ready to run. It opens no connection.
func Connect(ctx context.Context, o Options) (*Bot, error) {
	if err := o.check(); err != nil {
		return nil, fmt.Errorf("connect to Slack: %w", err)
	}
	m, err := newMetrics(o.Metrics)
	if err != nil {
		return nil, err
	}
	readMessages()
	paced, err := webapi.NewBackoff(wire.NewGate(o.Transport, webapi.Timeout), o.APIURL, o.Backoffs, m.held, o.Logger)
	if err != nil {
		return nil, fmt.Errorf("connect to Slack: %w", err)
	}
	client := &http.Client{Transport: paced, Timeout: webapi.Timeout + webapi.Timeout/2}
	quiet := slack.OptionLog(noLog{})
	b := &Bot{
		opts: o, log: o.Logger, http: client, paced: paced, metrics: m,
		api:      slack.New(o.BotToken, slack.OptionAPIURL(o.APIURL), slack.OptionHTTPClient(client), quiet),
		sockets:  slack.New(o.BotToken, slack.OptionAppLevelToken(o.AppToken), slack.OptionAPIURL(o.APIURL), slack.OptionHTTPClient(client), quiet),
		events:   make(chan struct{}, o.Handlers),
		requests: make(chan struct{}, max(o.Handlers/4, 8)),
		leads:    make(chan struct{}, leadsMost),
	}
	if b.self, err = b.whoAmI(ctx); err != nil {
		client.CloseIdleConnections()
		return nil, err
	}
	paced.Serve(b.self.team)
	b.people = people.NewDirectory(b.api, b.self.team, !b.self.may("users:read"))
	b.rooms = people.NewRooms(b.api)
	b.threads = newThreads()
	b.heard = newHeard(o.Policy.LinkHosts)
	b.told = recent.New[writer, time.Time](2_000)
	b.performed = recent.New[spot, struct{}](2_000)
	b.workplace = newWorkplace(b)
	return b, nil
}

func (b *Bot) whoAmI(ctx context.Context) (self, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, webapi.Timeout, fmt.Errorf("auth.test took more than %s", webapi.Timeout))
	defer cancel()
	who, err := b.api.AuthTestContext(ctx)
	if err != nil {
		return self{}, fmt.Errorf("ask Slack who we are: %w", webapi.Scrub(err))
	}
	s := self{team: who.TeamID, user: who.UserID, bot: who.BotID, site: who.URL}
	if s.site != "" && !strings.HasSuffix(s.site, "/") {
		s.site += "/"
	}
	if granted := who.Header.Get("X-OAuth-Scopes"); granted != "" {
		s.scopes = map[string]bool{}
		for scope := range strings.SplitSeq(granted, ",") {
			s.scopes[strings.TrimSpace(scope)] = true
		}
	}
	if s.bot == "" {
		return self{}, fmt.Errorf("ask Slack who we are: the token is not a bot's")
	}
	for _, scope := range []string{"chat:write.customize", "files:write", "users:read", "reactions:write", "dnd:read"} {
		if !s.may(scope) {
			b.log.Warn("scope not granted", "scope", scope)
		}
	}
	return s, nil
}

// Workplace is where the engine speaks.
func (b *Bot) Workplace() *Workplace { return b.workplace }

// Team is the id of the workspace that the bot token is of.
func (b *Bot) Team() string { return b.self.team }

// Connected reports whether at least one connection stands that Slack greeted.
func (b *Bot) Connected() bool { return b.open.Load() > 0 }

// noLog swallows what the library would print.
type noLog struct{}

// Output implements the library's logger.
func (noLog) Output(int, string) error { return nil }
