package roundtable

import (
	"time"

	"github.com/roundtable-chat/app/roundtable/intent"
	"github.com/roundtable-chat/app/roundtable/persona"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// State is where a discussion stands (ADR-0001).
type State string

// The states, in the order in which they follow each other; Transitions has the ways.
const (
	StateEntry          State = "entry"
	StateTopicFraming   State = "topic_framing"
	StateDiscussionLoop State = "discussion_loop"
	StateSynthesis      State = "synthesis"
	StatePersist        State = "state_persist"
	StateClosed         State = "closed"
)

// States lists all states in order.
func States() []State {
	return []State{StateEntry, StateTopicFraming, StateDiscussionLoop, StateSynthesis, StatePersist, StateClosed}
}

// StepRef names what is being elaborated: a step of the analysis, or "00-00"
// for a free topic.
type StepRef struct {
	ID      string   `json:"id"`
	Title   string   `json:"title"`
	Outputs []string `json:"outputs"`
	// Sections are headings below which the step writes, one for each document that has
	// such.
	Sections []string `json:"sections,omitempty"`
	// Summary is what the step produced so far, one or two sentences, or empty.
	Summary string `json:"summary,omitempty"`
}

// Settings are the limits a discussion is opened with.
type Settings struct {
	// MaxTurns is the turn limit, at least MinTurns (FR-007).
	MaxTurns int `json:"max_turns"`
	// Gather is the window in which consecutive messages of one person count as
	// one contribution; zero counts each.
	Gather time.Duration `json:"gather"`
	// Silence is how long a discussion may wait for people before the lead asks
	// whether to wrap up; after the same time again it is synthesised.
	Silence time.Duration `json:"silence"`
	// Nudge is how long a persona's question to a person stays open before the
	// person is reminded; zero for never.
	Nudge time.Duration `json:"nudge,omitempty"`
	// MayExtend allows the ＋10 button.
	MayExtend bool `json:"may_extend"`
	// Close is who may end the discussion, Choose who may decide: by a button, a ✅ or
	// a message that begins with "Decision:".
	Close  thread.Right `json:"close,omitempty"`
	Choose thread.Right `json:"choose,omitempty"`
	// Kept is how long after its end the discussion is stored, all in all; zero where
	// that is not known. People are told (FR-110).
	Kept time.Duration `json:"kept,omitempty"`
	// Notice says which engine speaks where people should know that it is not a
	// model; empty otherwise.
	Notice string `json:"notice,omitempty"`
}

// MinTurns is the smallest turn limit (AC-007-03): framing, one exchange,
// and a trigger for the synthesis.
const MinTurns = 3

// DefaultMaxTurns is the turn limit when nothing else is configured (FR-007).
const DefaultMaxTurns = 10

// Extension is how many turns the ＋10 button adds.
const Extension = 10

// Discussion is everything the rules remember. It is a value: Step copies what
// it changes. Its size does not grow with the transcript, which is appended to a
// log of its own.
//
// The JSON form is the stored form; its promise is written in thread/form.go.
type Discussion struct {
	ID    string       `json:"id"`
	Place thread.Place `json:"place"`
	State State        `json:"state"`

	// Topic is shown to people; Context is what they pasted along with it.
	Topic     string  `json:"topic"`
	Context   string  `json:"context,omitempty"`
	Item      string  `json:"item"`
	ItemTitle string  `json:"item_title"`
	Step      StepRef `json:"step"`
	// Origin is the analysis whose step is elaborated; nil for none.
	Origin *Origin `json:"origin,omitempty"`
	// Converted is set once it was turned into an analysis.
	Converted *Conversion `json:"converted,omitempty"`
	// Opener asked for the discussion.
	Opener thread.Person `json:"opener"`
	// Invited are to be called once the thread stands.
	Invited []string  `json:"invited,omitempty"`
	Opened  time.Time `json:"opened"`

	Cast     []persona.Seat `json:"cast"`
	Lead     persona.Key    `json:"lead"`
	Settings Settings       `json:"settings"`
	// Focus is the focus question, once framed (FR-004).
	Focus string `json:"focus,omitempty"`

	// Turns counts contributions; it equals the turns in the transcript (I5).
	Turns int `json:"turns"`
	// Spoke counts turns per speaker: persona keys and people's ids.
	Spoke map[string]int `json:"spoke,omitempty"`
	// People are the participants in order of their first turn.
	People []thread.Person `json:"people,omitempty"`
	// LastTurn describes the newest turn, for gathering; LastVoice is the persona
	// who spoke last.
	LastTurn  thread.LastTurn `json:"last_turn,omitzero"`
	LastVoice persona.Key     `json:"last_voice,omitempty"`

	// Extended is by how much people raised this discussion's limit.
	Extended int `json:"extended,omitempty"`
	// Warned is the limit for which the warning was given (AC-007-02); raising
	// the limit calls for another.
	Warned int `json:"warned,omitempty"`
	// RoundsWithoutPeople counts rounds in a row without human input (AC-003-04).
	RoundsWithoutPeople int `json:"alone,omitempty"`
	// Floor says how freely personas speak.
	Floor Floor `json:"floor,omitempty"`

	// Unframed are the messages that people wrote before the framing stood, oldest
	// first; they are taken up right after it. Early is where an older version kept
	// them, words and all (see takeOver).
	Unframed []Spoken `json:"unframed,omitempty"`
	Early    []Early  `json:"early,omitempty"`
	// Waiting are turns that still want an answer; Round is the round under way;
	// Ask is what the panel is being asked for.
	Waiting *Waiting `json:"waiting,omitempty"`
	Round   *Round   `json:"round,omitempty"`
	Ask     *Ask     `json:"ask,omitempty"`
	// Choice is put before the room; Confirming is the open question whether to
	// wrap up. Choices counts choices, for their ids.
	Choice  *Choice `json:"choice,omitempty"`
	Choices int     `json:"choices,omitempty"`
	// Decided are the choices that were made, newest last.
	Decided    []Decided `json:"decided,omitempty"`
	Confirming *Confirm  `json:"confirming,omitempty"`
	// PendingReply is the person whose answer is waited for, if it is one person's.
	PendingReply *PendingReply `json:"awaited,omitempty"`
	// Refused are the ids of those who were told that no more of theirs is kept; an
	// empty one stands for the discussion as a whole.
	Refused []string `json:"refused,omitempty"`

	// Unknown are the people of whom Slack has yet to say who they are, with what they
	// did that needs a right.
	Unknown thread.Unknowns `json:"unknown,omitempty"`

	// Spent is what language models have used for it, as far as is known here.
	Spent thread.Spend `json:"spent,omitzero"`
	// Stalled is set while a failure keeps the personas from going on (I10).
	Stalled *thread.Stall `json:"stalled,omitempty"`
	// Exit says how and by whom the discussion ended.
	Exit *Exit `json:"exit,omitempty"`
	// Outcome is the synthesis, once accepted; Changes what it changed.
	Outcome *thread.Synthesis       `json:"outcome,omitempty"`
	Changes []thread.ArtifactChange `json:"changes,omitempty"`
	// Again are the ids of those who opened a further elaboration from here.
	Again []string `json:"again,omitempty"`
	// Shared is set once the synthesis was posted to the channel.
	Shared bool `json:"shared,omitempty"`
	// Enriching is the key of the effect that writes them; Closed when all was
	// done.
	Enriching string    `json:"enriching,omitempty"`
	Closed    time.Time `json:"closed,omitzero"`

	// LastActivity is when a person last did something; AskedSilence when the lead last
	// asked because nobody did.
	LastActivity time.Time `json:"heard,omitzero"`
	AskedSilence time.Time `json:"asked_silence,omitzero"`
	// WakeAt is when time alone next changes something; zero for never.
	WakeAt time.Time `json:"wake_at,omitzero"`
	// Over is set when nothing is expected any more and the store may forget.
	Over bool `json:"over,omitempty"`

	thread.Upkeep
}

// AskKind is what the panel can be asked for.
type AskKind string

// The kinds of question to the panel.
const (
	AskFrame      AskKind = "frame"
	AskDiscuss    AskKind = "discuss"
	AskSynthesise AskKind = "synthesise"
)

// Ask is the question to the panel that is open. It stands in the state and not
// among the effects to be performed, because it is invisible until it is
// answered: whoever takes over simply asks again. Answers name it by Key; one
// that names another is stale.
type Ask struct {
	Kind AskKind `json:"kind"`
	Key  string  `json:"key"`
	// Attempt counts from 1; Fault names what was wrong with the answer before.
	Attempt int    `json:"attempt,omitempty"`
	Fault   string `json:"fault,omitempty"`
	// Plain asks for no draft: the rules summarise by themselves.
	Plain bool `json:"plain,omitempty"`
}

// Floor says how freely personas speak (FR-112).
type Floor string

// The floors.
const (
	FloorOpen  Floor = ""      // the usual
	FloorQuiet Floor = "quiet" // only when addressed
	FloorMuted Floor = "muted" // not until called
)

// Early is a message that came before the framing, and when, as an older version
// stored it.
type Early struct {
	Said Said      `json:"said"`
	At   time.Time `json:"at"`
}

// Spoken is a message that the rules still have to do with: what it means, without its
// words. Those stand in the log, so that the size of a discussion does not follow from
// how much people write.
type Spoken struct {
	TS string        `json:"ts"`
	By thread.Person `json:"by"`
	At time.Time     `json:"at,omitzero"`
	// BotUser and Zone are as in Said. Filed is set if it has files.
	BotUser string `json:"bot_user,omitempty"`
	Zone    *int   `json:"zone,omitempty"`
	Filed   bool   `json:"filed,omitempty"`
	// Turn is the turn it belongs to, once it has one; Edited the stamp of the edit that
	// it was last read with.
	Turn   int    `json:"turn,omitempty"`
	Edited string `json:"edited,omitempty"`
	Meaning
}

// Meaning is what the rules read in a message's words.
type Meaning struct {
	Intent   intent.Kind   `json:"intent"`
	Personas []persona.Key `json:"personas,omitempty"`
	// Touched are those whose domain the words touch.
	Touched []persona.Key `json:"touched,omitempty"`
	// Floor is what a word about how freely the personas speak asks for, Answer a plain
	// yes or no, Mark what the message marks itself as.
	Floor  *Floor          `json:"floor,omitempty"`
	Answer intent.Answer   `json:"answer,omitempty"`
	Mark   thread.MarkKind `json:"mark,omitempty"`
}

// Waiting is what people said since the last round.
type Waiting struct {
	// Turns are the turns that want an answer, oldest first; Names who spoke them.
	Turns []int    `json:"turns"`
	Names []string `json:"names"`
	// Intent and Personas merge what they ask for.
	Intent   intent.Kind   `json:"intent"`
	Personas []persona.Key `json:"personas,omitempty"`
	// Touched are those whose domain the words touch.
	Touched []persona.Key `json:"touched,omitempty"`
	// Spoken are their messages, for edits: the first of each turn, and others up to
	// spokenLimit.
	Spoken []Spoken `json:"spoken,omitempty"`
	// Said are their messages and Of the turn each belongs to where an older version
	// stored them, words and all.
	Said []Said `json:"said,omitempty"`
	Of   []int  `json:"of,omitempty"`
	// Until is the end of the gathering window.
	Until time.Time `json:"until"`
}

// Choice is a conflict put before the room.
type Choice struct {
	ID       string   `json:"id"`
	Question string   `json:"question"`
	Options  []Option `json:"options"`
	// Turn is the turn after which it was put.
	Turn int `json:"turn"`
}

// Confirm is the question whether to wrap up.
type Confirm struct {
	Why ConfirmKind `json:"why"`
}

// ConfirmKind is why it was asked whether to wrap up.
type ConfirmKind string

// The reasons to ask.
const (
	ConfirmAsked   ConfirmKind = "asked"   // a person wondered
	ConfirmAlone   ConfirmKind = "alone"   // three rounds without people (AC-003-04)
	ConfirmSilence ConfirmKind = "silence" // nobody wrote for Settings.Silence
)

// ExitKind is why a discussion ended.
type ExitKind string

// The exits.
const (
	ExitUser    ExitKind = "user-initiated"
	ExitLimit   ExitKind = "turn-limit"
	ExitSilence ExitKind = "silence"
	ExitRefused ExitKind = "refused"
)

// Exit says how a discussion ended.
type Exit struct {
	Kind   ExitKind       `json:"kind"`
	By     *thread.Person `json:"by,omitempty"`
	Reason thread.Reason  `json:"reason,omitempty"`
}
