package thread

import "time"

// Said is a message of a person in the thread. TS is its Slack timestamp.
type Said struct {
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
type Edited struct {
	TS       string `json:"ts"`
	By       Person `json:"by"`
	Text     string `json:"text"`
	EditedTS string `json:"edited_ts"`
}

// Deleted strikes an earlier message.
type Deleted struct {
	TS string `json:"ts"`
}

// Reacted is an emoji added to a message in the thread, a person's or a
// persona's. Removed is true when it was taken away again.
type Reacted struct {
	TS      string `json:"ts"`
	By      Person `json:"by"`
	Emoji   string `json:"emoji"`
	Removed bool   `json:"removed,omitempty"`
	// Unsure is set when nobody could say whose message it is: the mark counts if
	// it turns out to be the discussion's, and nothing else follows from it.
	Unsure bool `json:"unsure,omitempty"`
}

// Pressed is a button of one of the discussion's messages.
type Pressed struct {
	By     Person     `json:"by"`
	Button ButtonKind `json:"button"`
	// Value is the button's own value, for example the option of a choice.
	Value string `json:"value,omitempty"`
}

// TimerFired lets time pass: whatever is due by the input's time happens.
type TimerFired struct{}

// Failed says that an effect could not be performed and why. Frame, Discuss
// and Synthesise fail with a model's reasons, Post with Slack's, WriteDocuments with
// the store's.
type Failed struct {
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
type Posted struct {
	Effect string `json:"effect"`
	TS     string `json:"ts"`
}

// Identified answers an Identify: who the person is. Where Slack still does not say,
// Until is when it may be asked again; zero is any time.
type Identified struct {
	Effect string    `json:"effect"`
	Person Person    `json:"person"`
	Until  time.Time `json:"until,omitzero"`
}

// Parked says that an input could not be taken in and was put aside, with its
// own reason where dead letters are kept (I1).
type Parked struct{}
