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

	"github.com/roundtable-chat/app/bot/webapi"
	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/persona"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// Inbox is where inputs go: the engine.
type Inbox interface {
	// Receive returns only when the input is safe, or an error: then Slack is not told
	// that it was received.
	Receive(ctx context.Context, d engine.Delivery) (engine.Reception, error)
	// Missed is told when a connection stands again after none stood, and when the first
	// one does: events may have been lost meanwhile. It returns at once.
	Missed()
}

// Threads is by what the discussion of a thread, or of a message, is found.
type Threads interface {
	// FindThread returns the discussion of a thread.
	FindThread(ctx context.Context, team, channel, thread string) (engine.Ref, bool, error)
	// FindMessage returns the discussion that a message belongs to, or those that it may
	// belong to.
	FindMessage(ctx context.Context, team, channel, ts string) (engine.Sighting, error)
	// MayAsk takes a permit to ask Slack in which thread of a workspace a message stands,
	// after which the next is given only when every has passed. All replicas share it.
	// With wait > 0 it was not given.
	MayAsk(ctx context.Context, team string, every time.Duration) (wait time.Duration, err error)
}

// Reader shows how discussions, analyses and forgettings stand; see [engine.Reader].
type Reader interface {
	View(ctx context.Context, ref engine.Ref) (engine.View, error)
	Views(ctx context.Context, team, channel string, limit int) ([]engine.View, error)
	AllViews(ctx context.Context, limit int) ([]engine.View, error)
	Transcript(ctx context.Context, ref engine.Ref) (engine.View, thread.Transcript, error)
	FindAnalysis(ctx context.Context, item engine.ItemRef, discussion string) (engine.AnalysisPlace, error)
}

// Items is where the documents are that can be exported.
type Items interface {
	ReadItem(ctx context.Context, ref engine.ItemRef) (engine.Item, error)
	ListItems(ctx context.Context, team, channel string) ([]string, error)
}

// Acts is where what people do beside the rules of a discussion is recorded.
type Acts interface {
	NoteAct(ctx context.Context, a engine.Act) error
}

// Policy is who may do what (FR-108). The zero value refuses people of other
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
	// Forget is who may have what is stored forgotten.
	Forget ForgetRight
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

	Threads Threads
	Reader  Reader
	Items   Items // nil: nothing can be exported or forgotten
	Acts    Acts  // nil: nothing is recorded but what the rules decide
	// Backoffs is shared by the replicas; nil where there is one only.
	Backoffs webapi.Shared
	Roster   persona.Roster
	Policy   Policy
	// Slug is the name of the item that a topic or a title speaks of.
	Slug func(title string) string
	// TurnLimit is an item's own turn limit (elaboration_config.max_turns,
	// AC-007-03), or 0 where it has none; nil means that no item has one.
	TurnLimit func(ctx context.Context, item engine.ItemRef) int

	// Budgets tells how the budgets of language models stand; nil where there are
	// no models.
	Budgets func(ctx context.Context) ([]thread.Budget, error)

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

	// ackWithin bounds the work before an acknowledgement; Slack waits 3 s.
	ackWithin = 2500 * time.Millisecond

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
	if o.Threads == nil || o.Reader == nil || o.Slug == nil {
		errs = append(errs, errors.New("what finds threads, what reads discussions, or what names items is missing"))
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
