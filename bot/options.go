package bot

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/slack-go/slack"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/engine"
)

// Inbox is where inputs go and discussions are found. Receive returns only when
// the input is safe, or an error: then Slack is not told that it was received.
type Inbox interface {
	Receive(ctx context.Context, d engine.Delivery) (engine.Reception, error)
	// FindThread returns the discussion of a thread.
	FindThread(ctx context.Context, team, channel, thread string) (engine.Ref, bool, error)
	// List returns a channel's discussions and analyses, most recently active first,
	// also those that have ended and still answer.
	List(ctx context.Context, team, channel string, limit int) ([]engine.Listed, error)
	// ListOpen returns those of all channels in the same way.
	ListOpen(ctx context.Context, limit int) ([]engine.Listed, error)
	// Read returns a discussion's state and log, or engine.ErrNotFound.
	Read(ctx context.Context, ref engine.Ref) (state []byte, log [][]byte, err error)
}

// Items is where the documents are that can be exported.
type Items interface {
	ReadItem(ctx context.Context, ref engine.ItemRef) (engine.Item, error)
	ListItems(ctx context.Context, team, channel string) ([]string, error)
}

// Forgetter removes for good. It refuses, with an error, while somebody works on what is
// to go.
type Forgetter interface {
	// ForgetItem removes an item with the discussions it came from, and says how many
	// those were.
	ForgetItem(ctx context.Context, ref engine.ItemRef) (discussions int, err error)
	// ForgetDiscussion removes one discussion or analysis, and nothing of what it
	// wrote into documents.
	ForgetDiscussion(ctx context.Context, ref engine.Ref) error
}

// Policy is who may do what (SPEC §8). The zero value refuses people of other
// organisations, guests and shared channels, and allows every other channel.
type Policy struct {
	// Channels are the ids of the channels in which discussions may be opened;
	// empty allows all.
	Channels []string
	// AllowShared lets discussions take place in channels shared with other
	// organisations, and their people take part. AllowGuests lets guests do what
	// members may; without it they take part in what is said, and nothing more.
	AllowShared bool
	AllowGuests bool
	// LinkHosts are hosts to which models may link, besides those that people
	// wrote in the thread.
	LinkHosts []string
	// Settings are those that discussions are opened with; zero MaxTurns means
	// roundtable.DefaultMaxTurns.
	Settings roundtable.Settings
	// MaxOpen is how many discussions may be open in a channel at once; zero means
	// 100, a negative number any.
	MaxOpen int
	// MaxTurns is the highest limit a person may ask for; zero means 50, or what
	// Settings begin with if that is more.
	MaxTurns int
}

func (p Policy) admits(channel string) bool {
	return len(p.Channels) == 0 || slices.Contains(p.Channels, channel)
}

// Options say how to reach Slack and whom to serve.
type Options struct {
	// APIURL is the address of the Web API; empty means Slack's own.
	APIURL string
	// BotToken ("xoxb-…") speaks to the Web API, AppToken ("xapp-…") opens
	// Socket Mode connections.
	BotToken string
	AppToken string

	Inbox  Inbox
	Items  Items     // nil: nothing can be exported
	Forget Forgetter // nil: nothing can be forgotten
	Roster roundtable.Roster
	Policy Policy
	// Slug is the name of the item that a topic or a title speaks of.
	Slug func(title string) string
	// TurnLimit is an item's own turn limit (elaboration_config.max_turns,
	// AC-007-03), or 0 where it has none; nil means that no item has one.
	TurnLimit func(ctx context.Context, item engine.ItemRef) int

	// Budgets tells how the budgets of language models stand; nil where there are
	// no models.
	Budgets func(ctx context.Context) ([]roundtable.Budget, error)

	// Missed, if set, is told when a connection stands again after none stood,
	// and when the first one does: events may have been lost meanwhile. It must
	// return at once.
	Missed func()

	// Connections is how many Socket Mode connections are kept; zero means two,
	// so that one stands while the other is renewed.
	Connections int
	// Handlers bounds the envelopes that are handled at once; zero means 512. What is
	// beyond is left to be delivered again, which takes Slack a minute.
	Handlers int

	Logger  *slog.Logger          // nil: discards
	Metrics prometheus.Registerer // nil: kept to itself
	// Transport is the base of all requests, for proxies and certificates; nil
	// means the default. It is copied, not used.
	Transport *http.Transport
}

// Times that this package allows itself.
const (
	// apiTimeout bounds a request to the Web API.
	apiTimeout = 10 * time.Second
	// ackWithin bounds the work before an acknowledgement; Slack waits 3 s.
	ackWithin = 2500 * time.Millisecond
	// lookupWithin bounds what may be asked of Slack before one.
	lookupWithin = 900 * time.Millisecond
	// topicLimit bounds a topic, in characters; contextLimit what is pasted
	// along with it, Slack's limit of an input.
	topicLimit   = 300
	contextLimit = 3000
)

// mostTurns is the highest turn limit a person may ask for if nothing is said of it.
const mostTurns = 50

func (o *Options) check() error {
	var errs []error
	if !strings.HasPrefix(o.BotToken, "xoxb-") {
		errs = append(errs, errors.New("the bot token is missing or is not one (it begins with xoxb-)"))
	}
	if !strings.HasPrefix(o.AppToken, "xapp-") {
		errs = append(errs, errors.New("the app-level token is missing or is not one (it begins with xapp-)"))
	}
	if o.Inbox == nil || o.Slug == nil {
		errs = append(errs, errors.New("an inbox, or what names items, is missing"))
	}
	if len(o.Roster.Personas) < 2 {
		errs = append(errs, errors.New("the roster needs at least two personas"))
	}
	if o.APIURL == "" {
		o.APIURL = slack.APIURL
	} else if !strings.HasSuffix(o.APIURL, "/") {
		o.APIURL += "/"
	}
	if o.Connections <= 0 {
		o.Connections = 2
	}
	if o.Handlers <= 0 {
		o.Handlers = 512
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Policy.Settings.MaxTurns < roundtable.MinTurns {
		o.Policy.Settings.MaxTurns = roundtable.DefaultMaxTurns
	}
	switch most := o.Policy.Settings.MaxTurns; {
	case o.Policy.MaxTurns == 0:
		o.Policy.MaxTurns = max(mostTurns, most)
	case o.Policy.MaxTurns < most:
		errs = append(errs, fmt.Errorf("discussions begin with %d turns, but nobody may ask for more than %d", most, o.Policy.MaxTurns))
	}
	return errors.Join(errs...)
}
