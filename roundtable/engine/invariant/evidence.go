package invariant

import (
	"strings"
	"time"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// Evidence is what is left of a discussion once everything has come to rest; or, if the
// Discussion has no ID, of what all discussions of a run have in common. A part that is
// not known is left empty and not judged.
type Evidence struct {
	// Discussion has its ID even if it was never opened.
	Discussion roundtable.Discussion
	Entries    []thread.Entry
	// States are all states that were committed.
	States []roundtable.Discussion

	// Sent are the inputs that were acknowledged; Unacknowledged names those that Slack
	// never got rid of.
	Sent           []Sent
	Unacknowledged []string
	// Consumed are the ids of the inputs that were committed as taken in, as often
	// as they were.
	Consumed []string
	// Parked are the dead letters; Harmless those with which nothing was wrong.
	Parked, Harmless []engine.DeadLetter
	// Unfound are the timestamps of messages in the log by which the store does not find
	// the discussion although it is open.
	Unfound []string

	// Slack are the posts that stand in the channel, in Slack's order; Refused those that
	// Slack refused, by key.
	Slack   []Message
	Refused map[string]Refusal
	// Receipted is set where every receipt has come in: whatever stands has one.
	Receipted bool
	// Doubled is how many posts stood twice for a while though Slack had kept its word.
	Doubled int
	// Rendered is what Slack was given for a post, by timestamp. Channel are the
	// times of all posts to the channel, whose pace is Pace.
	Rendered map[string]string
	Channel  []time.Time
	Pace     Pace
	// Overlaps is how often two posts were under way in one thread; Intrusions how often
	// a replica committed or posted what another had taken over.
	Overlaps, Intrusions int

	// Writes are changes of items, each between two moments at which one was seen. Ended are
	// the closed discussions of the item that was written last, where those are all there
	// are. Apart is set where no two of them end at one step in one second.
	Writes []ItemChange
	Ended  []roundtable.Discussion
	Apart  bool

	// Restless says what still goes on though all should have come to rest.
	Restless string
	// Unhindered is set where nothing befell that may stop a discussion or keep it from its
	// synthesis.
	Unhindered bool
	// Skew is how far the store's clock, by which timers fire, was ahead of Slack's.
	Skew time.Duration

	// Acts are the lines of the audit record about the discussion; Recorded is set where
	// they are known.
	Acts     []engine.Act
	Recorded bool
	Rights

	// Logs is everything logged, in which none of Canaries may stand.
	Logs     string
	Canaries []string

	// Excuse reports whether what is broken was not promised in this run; Check leaves
	// that out. Nil excuses nothing.
	Excuse func(Violation) bool
}

// Rights is what a run knows of people's rights besides what is stored of them.
type Rights struct {
	// Entitled reports who may open, end and decide; nil: whoever has the right by their
	// stored standing.
	Entitled func(thread.Person) bool
	// Undeciding are words that only people without the right wrote: no decision of the
	// synthesis holds any. Unheard are words of those whom the app does not hear at all.
	Undeciding, Unheard []string
	// Untouched is set where nobody who may raised the limit or quietened the panel.
	Untouched bool
	// Unbidden names what was begun, and by nobody who may; TurnedAway the people who may,
	// and were told that they may not.
	Unbidden, TurnedAway []string
}

// Sent is an input that was acknowledged to Slack.
type Sent struct {
	// Input has no id where it may have been lost, or its id is not known: then it is not
	// looked for among what was taken in.
	Input roundtable.Input
	// Unlogged is set for messages that leave no entry: words about the
	// procedure, and what comes after the end.
	Unlogged bool
	// Reads is how the log tells a message that was edited; empty: as it may.
	Reads string
	// Struck is set for a message that was taken back: the log may not tell it any more.
	Struck bool
	// Decides is set for a message that is a decision of the synthesis, Marks for a
	// reaction that is a mark in the log.
	Decides, Marks bool
}

// Message is a post that Slack performed.
type Message struct {
	Channel, Thread string
	Key             string
	TS              string
	At              time.Time
	Message         thread.Message
	Retracted       bool
}

// Refusal is a post that Slack refused for good.
type Refusal struct {
	Kind   thread.MessageKind
	Reason thread.Reason
}

// ItemChange is one change of an item.
type ItemChange struct{ Before, After engine.Item }

// Of is the evidence that a discussion's stored form is, and those of posts that are its
// own. Stored may be nothing: then it was never opened.
func Of(ref engine.Ref, state []byte, log [][]byte, posts []Message) (e Evidence, err error) {
	e.Discussion.ID = ref.ID
	if state != nil {
		if e.Discussion, err = roundtable.Decode(state); err != nil {
			return e, err
		}
	}
	if e.Entries, err = thread.DecodeLog(ref.ID, log); err != nil {
		return e, err
	}
	for _, m := range posts {
		if strings.HasPrefix(m.Key, ref.ID+"/") {
			e.Slack = append(e.Slack, m)
		}
	}
	return e, nil
}
