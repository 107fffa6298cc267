package forgetting

import (
	"time"

	"github.com/roundtable-chat/app/roundtable/thread"
)

// Grace is how long after the notice what is forgotten can be taken back.
const Grace = 7 * 24 * time.Hour

// afterlife is how long a forgetting that has come to its end still answers.
const afterlife = 24 * time.Hour

// again is when something that was given up is tried once more.
const again = time.Hour

// patience is how much longer than [Grace] something waits for Slack to say who wants to take
// it back: a removal cannot be undone, and Slack is asked at least once an hour.
const patience = 24 * time.Hour

// State is where a forgetting stands.
type State string

// The states.
const (
	// StateAsked waits for Slack to say who asked; nothing is out of sight.
	StateAsked State = "asked"
	// StateHiding has it put out of sight.
	StateHiding State = "hiding"
	// StateHidden waits for somebody to take it back.
	StateHidden State = "hidden"
	// StateRestoring has it brought back.
	StateRestoring State = "restoring"
	// StateRemoving has it removed.
	StateRemoving State = "removing"
	// StateKept is the end where it is there again, StateGone where it is not.
	StateKept State = "kept"
	StateGone State = "gone"
)

// States lists all states.
func States() []State {
	return []State{StateAsked, StateHiding, StateHidden, StateRestoring, StateRemoving, StateKept, StateGone}
}

// Move is one transition of the state machine.
type Move struct{ From, To State }

// Transitions lists every transition there is.
func Transitions() []Move {
	return []Move{
		{StateAsked, StateHiding},
		{StateAsked, StateKept}, // whoever asked may not, or Slack never said who they are
		{StateHiding, StateHidden},
		{StateHiding, StateRestoring}, // it could not be hidden, or was taken back at once
		{StateHidden, StateRestoring}, // taken back, or nobody could be told
		{StateHidden, StateRemoving},  // the time is over
		{StateRemoving, StateGone},
		{StateRemoving, StateKept}, // somebody had written into it
		{StateRestoring, StateKept},
	}
}

// Target is what is forgotten: an item with the discussions that it came from, or one
// discussion or analysis.
type Target struct {
	// Item is the item's slug. Of a single discussion it is the item that it wrote into,
	// which stays.
	Item string `json:"item,omitempty"`
	// Discussion is the discussion's id, Thread its thread's timestamp, and Title what it
	// was about; all are empty where an item is forgotten.
	Discussion string `json:"discussion,omitempty"`
	Thread     string `json:"thread,omitempty"`
	Title      string `json:"title,omitempty"`
}

// Forgetting is everything the rules remember. The JSON form is the stored form, under
// the promise above [thread.SealState].
type Forgetting struct {
	ID    string       `json:"id"`
	Place thread.Place `json:"place"`
	State State        `json:"state"`
	// Target is what is forgotten. Once it is gone, or a day after it was taken back,
	// nothing names it any more but Mark, the item's mark.
	Target Target `json:"target,omitzero"`
	Mark   string `json:"mark,omitempty"`
	// By asked for it; the id is empty for an operator.
	By    thread.Person `json:"by"`
	Asked time.Time     `json:"asked"`
	// Documents and Discussions count what is out of sight.
	Documents   int `json:"documents,omitempty"`
	Discussions int `json:"discussions,omitempty"`
	// Until is when it is removed; zero until it is hidden.
	Until time.Time `json:"until,omitzero"`
	// Doing is the key of the effect under way; Again when it is put once more, because
	// it was given up.
	Doing string    `json:"doing,omitempty"`
	Again time.Time `json:"again,omitzero"`
	// KeptBy took it back; nil where nobody did. Why says why it came back or stayed
	// without that.
	KeptBy *thread.Person `json:"kept_by,omitempty"`
	Why    Why            `json:"why,omitempty"`
	// Open is the title of what people still talk in, with WhyOpen; it goes with Target.
	Open string `json:"open,omitempty"`
	// Unknown are people who asked for it, or want to take it back, and of whom Slack has not
	// said who they are.
	Unknown thread.Unknowns `json:"unknown,omitempty"`

	Ended time.Time `json:"ended,omitzero"`

	WakeAt time.Time `json:"wake_at,omitzero"`
	// Over is set when nothing is expected any more and the store may forget.
	Over bool `json:"over,omitempty"`

	thread.Upkeep
}

// Why is why something was not forgotten though nobody took it back.
type Why string

// The reasons.
const (
	WhyBusy      Why = "busy"       // somebody works on it
	WhyOpen      Why = "open"       // people still talk in it, or in what works on it
	WhyMissing   Why = "missing"    // there is nothing of that name, or it is forgotten already
	WhyUntold    Why = "untold"     // the channel takes no notice
	WhyWrittenTo Why = "written_to" // somebody wrote into it
	WhyFailed    Why = "failed"     // it could not be done
	WhyNoMember  Why = "no_member"  // whoever asked turned out to be no full member
	WhyNameless  Why = "nameless"   // Slack never said who asked
)

// Pending reports whether it can still be taken back.
func (f Forgetting) Pending() bool { return f.State == StateHiding || f.State == StateHidden }
