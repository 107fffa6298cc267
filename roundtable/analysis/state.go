package analysis

import (
	"time"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/persona"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// State is where an analysis stands.
type State string

// The states.
const (
	// StateGreeting looks up how the item stands, to greet and take up what is next.
	StateGreeting State = "greeting"
	// StateAsking is the conversation of a step.
	StateAsking State = "asking"
	// StateValidating drafts what goes into the artifacts, and checks it and the
	// answers against the step's form and criteria.
	StateValidating State = "validating"
	// StateWriting writes: the artifacts first, then what is recorded of it.
	StateWriting State = "writing"
	// StateMenu waits for a choice.
	StateMenu State = "menu"
	// StateElaborating waits for an elaboration in a thread of its own.
	StateElaborating State = "elaborating"
	StateClosed      State = "closed"
)

// States lists all states in the order of a step's life.
func States() []State {
	return []State{StateGreeting, StateAsking, StateValidating, StateWriting, StateMenu, StateElaborating, StateClosed}
}

// Settings are the limits an analysis is opened with.
type Settings struct {
	// Gather is the window in which consecutive messages are answered together.
	Gather time.Duration `json:"gather"`
	// Silence is how long an analysis may wait for people before the lead asks;
	// after the same time again it is paused. Zero waits for ever.
	Silence time.Duration `json:"silence"`
	// Close is who may end a step or the analysis, Choose who may decide, at the menu and
	// with a mark, and say how deep it goes.
	Close  thread.Right `json:"close,omitempty"`
	Choose thread.Right `json:"choose,omitempty"`
	// Kept is how long after its end the analysis is stored, all in all; zero where that
	// is not known. People are told (FR-110).
	Kept time.Duration `json:"kept,omitempty"`
	// Elaboration are the settings with which [E] opens a discussion.
	Elaboration roundtable.Settings `json:"elaboration"`
	// Notice says which engine speaks where people should know that it is not a
	// model; empty otherwise.
	Notice string `json:"notice,omitempty"`
}

// SettingsLike are the settings of an analysis where discussions have s.
func SettingsLike(s roundtable.Settings) Settings {
	return Settings{Gather: s.Gather, Silence: s.Silence, Close: s.Close, Choose: s.Choose, Kept: s.Kept, Elaboration: s, Notice: s.Notice}
}

// Analysis is everything the rules remember of a guided walk. It is a value: Step
// copies what it changes, and its size does not grow with the transcript.
//
// The JSON form is the stored form; its promise is written in thread/form.go.
type Analysis struct {
	ID    string       `json:"id"`
	Place thread.Place `json:"place"`
	State State        `json:"state"`

	Item      string        `json:"item"`
	ItemTitle string        `json:"item_title"`
	Opener    thread.Person `json:"opener"`
	// Asked is the id of the input that opened it, Origins the discussions that were
	// turned into it.
	Asked    string         `json:"asked,omitempty"`
	Origins  []Origin       `json:"origins,omitempty"`
	Opened   time.Time      `json:"opened"`
	Cast     []persona.Seat `json:"cast"`
	Settings Settings       `json:"settings"`

	// Phase and Step are what is gone through; Rest are the steps that follow in
	// the phase, as long as the menu offers to skip them.
	Phase *PhaseView `json:"phase,omitempty"`
	Step  *Sitting   `json:"step,omitempty"`
	Rest  []StepView `json:"rest,omitempty"`
	// Entered is the phase that was greeted last in this thread, Greeted who has
	// introduced themself in it.
	Entered string        `json:"entered,omitempty"`
	Greeted []persona.Key `json:"greeted,omitempty"`
	// HandOver is the phase whose outcome the new lead has yet to sum up; Opening
	// is what is said right after that.
	HandOver *PhaseView `json:"hand_over,omitempty"`
	Opening  string     `json:"opening,omitempty"`
	// MaxTurns is the item's own limit for elaborations, or 0.
	MaxTurns int `json:"max_turns,omitempty"`

	// Turns counts questions and people's messages; it equals the turns in the
	// transcript (I5).
	Turns    int             `json:"turns"`
	People   []thread.Person `json:"people,omitempty"`
	LastTurn thread.LastTurn `json:"last_turn"`
	// Spoke is the key of the lead's last message.
	Spoke string `json:"spoke,omitempty"`
	// Waiting is set while people's words want an answer.
	Waiting *Waiting `json:"waiting,omitempty"`
	// Refused are the ids of those who were told that no more of theirs is kept; an
	// empty one stands for the analysis as a whole.
	Refused []string `json:"refused,omitempty"`

	// Ask is what is being asked for, Purpose what a draft is for, Writing what is
	// being written.
	Ask     *Ask     `json:"ask,omitempty"`
	Purpose Purpose  `json:"purpose,omitempty"`
	Writing *Writing `json:"writing,omitempty"`

	// Noted are the marks that stand in the documents (markID); Marked is set while
	// there may be others.
	Noted  []string `json:"noted,omitempty"`
	Marked bool     `json:"marked,omitempty"`

	// Menu is the menu that is, or was last, shown; Menus counts them. Taken is the
	// choice that was made last.
	Menu  Menu   `json:"menu,omitzero"`
	Menus int    `json:"menus,omitempty"`
	Taken *Taken `json:"taken,omitempty"`
	// Elaborations are the discussions that were opened from here and have not
	// ended; the last one is waited for in StateElaborating.
	Elaborations []Elaboration `json:"elaborations,omitempty"`

	// Unknown are the people of whom Slack has yet to say who they are, with what they
	// did that needs a right.
	Unknown thread.Unknowns `json:"unknown,omitempty"`

	Spent   thread.Spend  `json:"spent,omitzero"`
	Stalled *thread.Stall `json:"stalled,omitempty"`
	Exit    *Exit         `json:"exit,omitempty"`
	Closed  time.Time     `json:"closed"`

	// LastActivity is when a person last did something; AskedSilence when the lead last
	// asked because nobody did; WakeAt when time alone next changes something.
	LastActivity time.Time `json:"heard"`
	AskedSilence time.Time `json:"asked_silence"`
	WakeAt       time.Time `json:"wake_at"`
	// Over is set when nothing is expected any more and the store may forget.
	Over bool `json:"over,omitempty"`

	thread.Upkeep
}

// Waiting is what people said and nobody has taken up yet: from the turn From on,
// to be gathered until Until.
type Waiting struct {
	From  int       `json:"from"`
	Until time.Time `json:"until"`
}

// Sitting is a step being gone through.
type Sitting struct {
	StepView
	// Number is which of the phase's Of steps it is, from 1; steps that are passed over
	// count in neither. Both are 0 where an older version took it up.
	Number int `json:"number,omitempty"`
	Of     int `json:"of,omitempty"`
	// From is the number of the first turn that belongs to it.
	From int `json:"from"`
	// Asked are the numbers of the prompts that were asked, from 1; Questions
	// counts questions, those of the persona's own among them.
	Asked     []int `json:"asked,omitempty"`
	Questions int   `json:"questions,omitempty"`
	// Answers counts people's turns.
	Answers int `json:"answers,omitempty"`
	// Unmet are the criteria that were asked for a second time; Probed is set then,
	// because nobody is asked a third time.
	Unmet  []int `json:"unmet,omitempty"`
	Probed bool  `json:"probed,omitempty"`
	// Summary is where the step landed, for an elaboration.
	Summary string `json:"summary,omitempty"`
	// Recorded is set once the step stands in meta.json.
	Recorded bool `json:"recorded,omitempty"`
}

// AskKind is what can be asked for.
type AskKind string

// The kinds of question.
const (
	AskInspect AskKind = "inspect" // how the item stands
	AskInquire AskKind = "inquire" // the lead's next question
	AskCompose AskKind = "compose" // what goes into the artifacts
)

// Ask is the question that is open. As in a discussion it stands in the state:
// whoever takes over asks again, and an answer that names another is stale.
type Ask struct {
	Kind AskKind `json:"kind"`
	Key  string  `json:"key"`
	// Attempt counts from 1; Fault names what was wrong with the answer before.
	Attempt int    `json:"attempt,omitempty"`
	Fault   string `json:"fault,omitempty"`
	// Plain asks for no draft: the rules write down what was said.
	Plain bool `json:"plain,omitempty"`
}

// Purpose is what is drafted and written for.
type Purpose string

// The purposes.
const (
	ForStep     Purpose = "step"     // the step was talked through
	ForFeedback Purpose = "feedback" // words at the menu (AC-007-04)
	ForMarks    Purpose = "marks"    // what people marked at the menu (NFR-003)
	ForSkip     Purpose = "skip"     // drafts for the steps that are skipped (AC-007-06)
	ForPhase    Purpose = "phase"    // nothing but that the phase is complete
)

// Writing is a change on its way: first Parts into artifacts, then what is
// recorded of it.
type Writing struct {
	// Key is the key of the effect whose receipt is awaited, and under which the item
	// remembers it; Time is when it was put first.
	Key   string    `json:"key"`
	Time  time.Time `json:"time,omitzero"`
	Parts []Part    `json:"parts,omitempty"`
	// Engine names who wrote the parts where it was not the primary model.
	Engine string `json:"engine,omitempty"`
	// Marks are the marks among the parts.
	Marks []string `json:"marks,omitempty"`
	// Recording is set once the parts stand; Failed when the effect was given up and
	// waits to be put again.
	Recording bool `json:"recording,omitempty"`
	Failed    bool `json:"failed,omitempty"`
}

// Taken is a choice, and by whom and at which menu it was made.
type Taken struct {
	Menu   string        `json:"menu"`
	Choice Choice        `json:"choice"`
	By     thread.Person `json:"by"`
}

// Elaboration is a discussion that was opened from the menu.
type Elaboration struct {
	// Discussion is its id; Key that of the effect that opened it.
	Discussion string `json:"discussion"`
	Key        string `json:"key"`
	// Thread is where it stands, once it does.
	Thread string `json:"thread,omitempty"`
}

// ExitKind is why an analysis ended.
type ExitKind string

// The exits.
const (
	ExitCompleted ExitKind = "completed"
	ExitPaused    ExitKind = "paused"
	ExitSilence   ExitKind = "silence"
	ExitRefused   ExitKind = "refused"
)

// Exit says how an analysis ended.
type Exit struct {
	Kind   ExitKind       `json:"kind"`
	By     *thread.Person `json:"by,omitempty"`
	Reason thread.Reason  `json:"reason,omitempty"`
}
