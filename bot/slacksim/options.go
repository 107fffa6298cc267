package slacksim

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/roundtable-chat/app/bot/slacksim/page"
)

// Options describe a workspace. The zero value is useful.
type Options struct {
	TeamID     string // "T0ROUND01"
	TeamName   string // "Local workspace"
	TeamDomain string // "local"

	AppID     string   // "A0ROUND01"
	AppName   string   // "Roundtable": the bot user's display name
	AppIcon   string   // URL of the app's face, may be relative to the page
	BotUserID string   // "U0ROUND01"
	BotID     string   // "B0ROUND01"
	BotToken  string   // "xoxb-local-workspace"
	AppToken  string   // "xapp-local-workspace"
	Scopes    []string // granted to the bot token; nil: everything a thread bot may ask for

	People     []Person
	Channels   []Channel
	Commands   []Command
	Shortcuts  []Shortcut
	UserGroups []UserGroup

	Page    fs.FS            // the page's files, served at /; nil: the built-in page
	BaseURL string           // how clients reach the workspace; "": the listener's address
	Exposed bool             // for other machines: answer to every IP address as Host, not to loopback only
	Now     func() time.Time // nil: time.Now
	Logger  *slog.Logger     // nil: discards
	Timing  Timing
	Pace    Pace
	Seed    uint64  // of the dice that faults with a probability throw
	Faults  []Fault // armed from the start

	// Before, when set, judges every Web API call before it is performed. It is
	// called without locks and may block.
	Before func(method string, args map[string]string) Verdict

	// After, when set, is told of every Web API call once it is decided, before its
	// answer leaves. Acked is told of every acknowledgement. Both are called without
	// locks, from several goroutines at once, and what they wait for waits too.
	After func(CallRecord)
	Acked func(Ack)

	// StateFile keeps channels, threads and undelivered events over a restart.
	// "" keeps nothing.
	StateFile string

	// UpdateHonoursIdentity makes chat.update accept username and icons. Slack does
	// not document them there and drops the identity of an edited post.
	UpdateHonoursIdentity bool

	// SocketModeOff is Socket Mode switched off in the app's settings. By people's
	// accounts Slack then still hands out addresses, with a remark, and greets
	// connections, but delivers nothing over them.
	SocketModeOff bool
}

// Person is a member of the workspace.
type Person struct {
	ID           string `json:"id"`
	Name         string `json:"name"` // handle, without @
	RealName     string `json:"real_name"`
	TZ           string `json:"tz"` // IANA
	TZLabel      string `json:"tz_label"`
	TZOffset     int    `json:"tz_offset"` // seconds east of UTC
	Color        string `json:"color"`     // six hex digits
	Initials     string `json:"initials"`
	IsRestricted bool   `json:"is_restricted"`
	IsStranger   bool   `json:"is_stranger"`
	IsBot        bool   `json:"is_bot"`
	Deleted      bool   `json:"deleted"`
	DND          *DND   `json:"dnd,omitempty"`
	// TeamID is the person's own workspace; "" is this one. Somebody of another is
	// here through a shared channel, and Slack says so in what they do with words
	// (user_team), never of a reaction.
	TeamID string `json:"team_id"`
}

// DND is a daily do-not-disturb window in the person's own time zone.
type DND struct {
	Enabled bool   `json:"enabled"`
	From    string `json:"from"` // "22:00"
	To      string `json:"to"`   // "08:00", of the next day if before From
}

// Channel is a channel at the start of a workspace.
type Channel struct {
	ID          string   `json:"id"`
	Name        string   `json:"name"`
	Private     bool     `json:"private"`
	Topic       string   `json:"topic"`
	Purpose     string   `json:"purpose"`
	Members     []string `json:"members"`      // person ids; nil: everybody
	WithoutBot  bool     `json:"without_bot"`  // the app has not been invited
	IsExtShared bool     `json:"is_extshared"` // shared with another organisation
}

// Command is a slash command of the app.
type Command struct {
	Command     string `json:"command"`
	Description string `json:"description"`
	UsageHint   string `json:"usage_hint"`
}

// Shortcut is a global or a message shortcut of the app.
type Shortcut struct {
	Type       string `json:"type"` // "global" or "message"
	CallbackID string `json:"callback_id"`
	Name       string `json:"name"`
}

// UserGroup is a group that can be mentioned.
type UserGroup struct {
	ID     string
	Handle string
	Name   string
	Users  []string
}

// Timing holds Slack's own waits; a zero field is Slack's value, a negative
// one means never (or, for gaps, at once).
type Timing struct {
	AckWait        time.Duration   // before an envelope counts as unacknowledged: 3 s
	Retry          []time.Duration // gaps before the retries of an event: 0, 1 min, 5 min
	TriggerLife    time.Duration   // of a trigger_id: 3 s
	StatusLife     time.Duration   // of a thread status: 2 min
	Ping           time.Duration   // between WebSocket pings: 10 s
	Refresh        time.Duration   // life of a connection: 3 h
	RefreshWarning time.Duration   // warning before the refresh: 10 s
	HookLife       time.Duration   // of a response_url: 30 min
	SaveEvery      time.Duration   // least time between writes of the state file: 300 ms; negative: before every answer
}

// Pace switches on Slack's rate limits. The zero value has none.
type Pace struct {
	// Tiers enforces the documented calls per minute of each method.
	Tiers bool
	// PerMinute overrides or adds a method's calls per minute.
	PerMinute map[string]int
	// PostEvery is the least mean time between posts to one channel (Slack: about a
	// second); PostBurst is how many may come at once (at least one).
	PostEvery time.Duration
	PostBurst int
}

// allScopes is what the default app was granted.
var allScopes = []string{
	"app_mentions:read", "chat:write", "chat:write.customize", "commands", "channels:history", "groups:history",
	"im:history", "mpim:history", "channels:read", "groups:read", "im:read", "mpim:read", "users:read",
	"reactions:read", "reactions:write", "canvases:write", "files:write", "files:read", "dnd:read", "usergroups:read",
	"channels:join", "im:write",
}

// withDefaults fills the blanks and refuses what cannot work.
func (o Options) withDefaults() (Options, error) {
	fill := func(field *string, value string) {
		if *field == "" {
			*field = value
		}
	}
	fill(&o.TeamID, "T0ROUND01")
	fill(&o.TeamName, "Local workspace")
	fill(&o.TeamDomain, "local")
	fill(&o.AppID, "A0ROUND01")
	fill(&o.AppName, "Roundtable")
	fill(&o.BotUserID, "U0ROUND01")
	fill(&o.BotID, "B0ROUND01")
	fill(&o.BotToken, "xoxb-local-workspace")
	fill(&o.AppToken, "xapp-local-workspace")
	if o.Scopes == nil {
		o.Scopes = allScopes
	}
	if o.Page == nil {
		o.Page = page.FS()
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.People == nil {
		o.People = defaultPeople()
	}
	o.People = slices.Clone(o.People)
	for i := range o.People {
		fill(&o.People[i].Initials, initials(o.People[i].RealName))
		fill(&o.People[i].Color, "5b6470")
		fill(&o.People[i].TZ, "UTC")
		fill(&o.People[i].TeamID, o.TeamID)
	}
	if o.Channels == nil {
		o.Channels = defaultChannels()
	}
	if o.Commands == nil {
		o.Commands = []Command{{Command: "/roundtable", Description: "Start or manage a roundtable discussion", UsageHint: "[topic] | list | help"}}
	}
	if o.Shortcuts == nil {
		o.Shortcuts = []Shortcut{
			{Type: "global", CallbackID: "rt_start_global", Name: "Start a roundtable"},
			{Type: "message", CallbackID: "rt_ask_message", Name: "Ask the roundtable"},
			{Type: "message", CallbackID: "rt_controls_message", Name: "Roundtable controls"},
		}
	}
	o.BaseURL = strings.TrimSuffix(o.BaseURL, "/")
	o.Timing = o.Timing.withDefaults()
	return o, o.check()
}

// check refuses ids that clash and names that cannot be told apart.
func (o Options) check() error {
	var problems []error
	seen := map[string]bool{o.BotUserID: true}
	for _, p := range o.People {
		if p.ID == "" || seen[p.ID] {
			problems = append(problems, fmt.Errorf("person %q: id %q is empty or taken", p.Name, p.ID))
		}
		seen[p.ID] = true
	}
	for _, c := range o.Channels {
		if c.ID == "" || c.Name == "" || seen[c.ID] {
			problems = append(problems, fmt.Errorf("channel %q: id %q is empty or taken, or it has no name", c.Name, c.ID))
		}
		seen[c.ID] = true
	}
	return errors.Join(problems...)
}

func (t Timing) withDefaults() Timing {
	fill := func(field *time.Duration, value time.Duration) {
		if *field == 0 {
			*field = value
		}
	}
	fill(&t.AckWait, 3*time.Second)
	fill(&t.TriggerLife, 3*time.Second)
	fill(&t.StatusLife, 2*time.Minute)
	fill(&t.Ping, 10*time.Second)
	fill(&t.Refresh, 3*time.Hour)
	fill(&t.RefreshWarning, 10*time.Second)
	fill(&t.HookLife, 30*time.Minute)
	fill(&t.SaveEvery, 300*time.Millisecond)
	if t.Retry == nil {
		t.Retry = []time.Duration{0, time.Minute, 5 * time.Minute}
	}
	return t
}

// botPerson is the app's user in the people list.
func (o Options) botPerson() Person {
	return Person{
		ID: o.BotUserID, Name: strings.ToLower(strings.ReplaceAll(o.AppName, " ", "")), RealName: o.AppName,
		TZ: "UTC", TZLabel: "Coordinated Universal Time", Color: "1f2a44", Initials: initials(o.AppName), IsBot: true, TeamID: o.TeamID,
	}
}

func defaultPeople() []Person {
	return []Person{
		{ID: "U0PRIYA01", Name: "priya", RealName: "Priya Nair", TZ: "Asia/Kolkata", TZLabel: "India Standard Time", TZOffset: 19800, Color: "8a4fff", Initials: "PN",
			DND: &DND{Enabled: true, From: "22:00", To: "08:00"}},
		{ID: "U0SAM0001", Name: "sam", RealName: "Sam Okafor", TZ: "Europe/Berlin", TZLabel: "Central European Time", TZOffset: 3600, Color: "1d7a5f", Initials: "SO"},
		{ID: "U0LENA001", Name: "lena", RealName: "Lena Fischer", TZ: "America/New_York", TZLabel: "Eastern Standard Time", TZOffset: -18000, Color: "b8541a", Initials: "LF"},
	}
}

func defaultChannels() []Channel {
	return []Channel{
		{ID: "C0GENERAL", Name: "general", Purpose: "Everything for everybody"},
		{ID: "C0PRODUCT", Name: "product", Topic: "What we build next", Purpose: "Product decisions"},
		{ID: "C0RANDOM1", Name: "random", Purpose: "The rest"},
	}
}

// initials are the first letters of the first and the last word.
func initials(name string) string {
	words := strings.Fields(name)
	if len(words) == 0 {
		return "?"
	}
	first := []rune(words[0])[:1]
	if len(words) == 1 {
		return strings.ToUpper(string(first))
	}
	return strings.ToUpper(string(first) + string([]rune(words[len(words)-1])[:1]))
}
