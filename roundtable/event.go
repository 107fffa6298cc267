package roundtable

import (
	"time"

	"github.com/roundtable-chat/app/roundtable/persona"
)

// Input is one thing that happened to a discussion. ID is unique within the
// discussion and survives whatever the store forgets: it is derived from what
// happened (a message's timestamp, a button press, the effect that is being
// answered), so that the same happening always has the same id and the effects
// that follow from it always have the same keys. An input with an id that was
// consumed before is never given to Step again (I2).
type Input struct {
	ID    string
	At    time.Time
	Event Event
	// Excess is set where the log has no room for what the event would add to it. It
	// follows from the log as it stands and is not stored.
	Excess Excess
	// Overtaken is set where the log has newer words of the message that the event brings
	// (the function of that name). It follows from the log, too.
	Overtaken bool
}

// Event is the sealed sum of what can happen. Events are past participles.
//
//sumtype:decl
type Event interface{ event() }

type (
	// Opened starts a discussion: somebody asked for it.
	Opened struct {
		Discussion string         `json:"discussion"`
		Place      Place          `json:"place"`
		By         Person         `json:"by"`
		Topic      string         `json:"topic"`
		Context    string         `json:"context,omitempty"`
		Item       string         `json:"item"`
		ItemTitle  string         `json:"item_title"`
		Step       StepRef        `json:"step"`
		Cast       []persona.Seat `json:"cast"`
		Lead       persona.Key    `json:"lead"`
		Settings   Settings       `json:"settings"`
		// Invited are the ids of people whom the opener wants at the table.
		Invited []string `json:"invited,omitempty"`
		// Origin is the analysis it was opened from; nil for none.
		Origin *Origin `json:"origin,omitempty"`
	}

	// Said is a message of a person in the thread. TS is its Slack timestamp.
	Said struct {
		TS   string `json:"ts"`
		By   Person `json:"by"`
		Text string `json:"text"`
		// BotUser is the user id whose mention means the bot itself.
		BotUser string `json:"bot_user,omitempty"`
		// Zone is the person's clock, in seconds east of UTC; nil if not known.
		Zone *int `json:"zone,omitempty"`
		// Files are the names of attached files: noted, not read.
		Files []string `json:"files,omitempty"`
	}

	// Edited replaces the text of an earlier message.
	Edited struct {
		TS       string `json:"ts"`
		By       Person `json:"by"`
		Text     string `json:"text"`
		EditedTS string `json:"edited_ts"`
	}

	// Deleted strikes an earlier message.
	Deleted struct {
		TS string `json:"ts"`
	}

	// Reacted is an emoji added to a message in the thread, a person's or a
	// persona's. Removed is true when it was taken away again.
	Reacted struct {
		TS      string `json:"ts"`
		By      Person `json:"by"`
		Emoji   string `json:"emoji"`
		Removed bool   `json:"removed,omitempty"`
		// Unsure is set when nobody could say whose message it is: the mark counts if
		// it turns out to be the discussion's, and nothing else follows from it.
		Unsure bool `json:"unsure,omitempty"`
	}

	// Pressed is a button of one of the discussion's messages.
	Pressed struct {
		By     Person     `json:"by"`
		Button ButtonKind `json:"button"`
		// Value is the button's own value, for example the option of a choice.
		Value string `json:"value,omitempty"`
	}

	// Woken lets time pass: whatever is due by the input's time happens.
	Woken struct{}

	// Framed answers a Frame effect.
	Framed struct {
		Effect  string  `json:"effect"`
		Framing Framing `json:"framing"`
	}

	// Contributed is one contribution of the round asked for by a Discuss
	// effect, in the order in which they are to be posted. Its input's id is
	// ContributionID.
	Contributed struct {
		Effect       string       `json:"effect"`
		Contribution Contribution `json:"contribution"`
	}

	// RoundEnded says that the panel has nothing more to say in this round.
	RoundEnded struct {
		Effect string `json:"effect"`
		Ending Ending `json:"ending"`
	}

	// Drafted answers a Synthesise effect. The engine attaches the transcript as
	// it stands, against which Step checks the draft.
	Drafted struct {
		Effect     string     `json:"effect"`
		Draft      *Draft     `json:"draft"` // nil: the result could not be read
		Transcript Transcript `json:"transcript"`
	}

	// Failed says that an effect could not be performed and why. Frame, Discuss
	// and Synthesise fail with a model's reasons, Post with Slack's, Enrich with
	// the store's.
	Failed struct {
		Effect string `json:"effect"`
		Reason Reason `json:"reason"`
		// Kind is the message's, for a Post.
		Kind MessageKind `json:"kind,omitempty"`
		// Spent is what the discussion has cost up to here, in total; Budget the
		// one that is used up, for ReasonOverBudget.
		Spent  Spend   `json:"spent,omitzero"`
		Budget *Budget `json:"budget,omitempty"`
	}

	// Posted says that a post stands in Slack.
	Posted struct {
		Effect string `json:"effect"`
		TS     string `json:"ts"`
	}

	// Knocked answers a Knock: until when the person wants not to be disturbed. Zero
	// is not at all, or nobody knows.
	Knocked struct {
		Effect string    `json:"effect"`
		Until  time.Time `json:"until,omitzero"`
	}

	// Identified answers an Identify: who the person is. Where Slack still does not say,
	// Until is when it may be asked again; zero is any time.
	Identified struct {
		Effect string    `json:"effect"`
		Person Person    `json:"person"`
		Until  time.Time `json:"until,omitzero"`
	}

	// Analysed says in which thread the analysis stands that the discussion was
	// turned into, and whether it was under way before.
	Analysed struct {
		Thread   string `json:"thread"`
		UnderWay bool   `json:"under_way,omitempty"`
	}

	// Parked says that an input could not be taken in and was put aside, with its
	// own reason where dead letters are kept (I1).
	Parked struct{}

	// Enriched says which artifacts took the synthesis and that the record
	// stands in meta.json.
	Enriched struct {
		Effect  string           `json:"effect"`
		Changes []ArtifactChange `json:"changes"`
	}
)

func (Opened) event()      {}
func (Analysed) event()    {}
func (Knocked) event()     {}
func (Identified) event()  {}
func (Parked) event()      {}
func (Said) event()        {}
func (Edited) event()      {}
func (Deleted) event()     {}
func (Reacted) event()     {}
func (Pressed) event()     {}
func (Woken) event()       {}
func (Framed) event()      {}
func (Contributed) event() {}
func (RoundEnded) event()  {}
func (Drafted) event()     {}
func (Failed) event()      {}
func (Posted) event()      {}
func (Enriched) event()    {}

// Actor is the person who did what an event says; ok is false for what nobody did in the
// thread.
func Actor(e Event) (by Person, ok bool) {
	switch e := e.(type) {
	case Said:
		return e.By, true
	case Edited:
		return e.By, true
	case Reacted:
		return e.By, true
	case Pressed:
		return e.By, true
	case Opened, Deleted, Woken, Framed, Contributed, RoundEnded, Drafted, Failed, Posted, Knocked, Identified, Analysed, Parked, Enriched:
	}
	return Person{}, false
}

// Reason is a kind of failure, from which words.go makes a sentence (I10).
type Reason string

// The reasons for which a discussion stops or an effect is given up.
const (
	ReasonModelUnavailable Reason = "model_unavailable"
	ReasonModelRefused     Reason = "model_refused"
	ReasonModelConfig      Reason = "model_config"
	ReasonOverBudget       Reason = "over_budget"
	ReasonArchived         Reason = "archived"
	ReasonNotInChannel     Reason = "not_in_channel"
	ReasonNoPermission     Reason = "no_permission"
	ReasonThreadGone       Reason = "thread_gone"
	ReasonMessageRefused   Reason = "message_refused"
	ReasonArtifactRefused  Reason = "artifact_refused"
	// ReasonUndrawn means that a message could not be drawn here, so that Slack never
	// saw it.
	ReasonUndrawn Reason = "undrawn"
	// ReasonTooLarge means that what the panel answered cannot be kept for its size.
	ReasonTooLarge Reason = "too_large"
)

// ButtonKind names the buttons of a discussion's messages.
type ButtonKind string

// The buttons.
const (
	ButtonContinue  ButtonKind = "continue"   // let them continue
	ButtonExtend    ButtonKind = "extend"     // ＋10 turns
	ButtonWrapUp    ButtonKind = "wrap_up"    // end and synthesise
	ButtonKeepOn    ButtonKind = "keep_on"    // not yet
	ButtonChoose    ButtonKind = "choose"     // an option of a choice; Value is "choice/option"
	ButtonRetry     ButtonKind = "retry"      // after a failure
	ButtonQuiet     ButtonKind = "quiet"      // personas speak only when addressed
	ButtonMute      ButtonKind = "mute"       // personas do not speak until called
	ButtonOpenFloor ButtonKind = "open_floor" // back to normal
	ButtonShare     ButtonKind = "share"      // share the summary to the channel
	ButtonCatchUp   ButtonKind = "catch_up"   // a private summary since one's last turn
	ButtonAgain     ButtonKind = "again"      // [E]: a further elaboration of the same step
	ButtonAnalyse   ButtonKind = "analyse"    // [C]: a free topic becomes an analysis
)
