package enginetest

import (
	"errors"
	"time"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// Scenario is a conversation as data.
type Scenario struct {
	Name     string
	Settings roundtable.Settings
	Acts     []Act
	// Answer scripts the panel, as Panel.Answer; Fault Slack, as Slack.Fault.
	Answer func(n int, kind roundtable.AskKind) (roundtable.Ending, error)
	Fault  func(n int) Fault
	// Opened replaces what the discussion is opened with; Refused makes Slack
	// refuse its introduction for that reason.
	Opened  *roundtable.Opened
	Refused thread.Reason
	// Scripted makes the panel wait for the cues among the acts; once they are
	// over it improvises.
	Scripted bool
	// Posts are the posts that a script says stand in Slack at its end, in order, as
	// "who: first line".
	Posts []string
	// BrokenItem gives the item a meta.json that nothing can be merged into, until
	// an act mends it.
	BrokenItem bool
}

// Act is one thing that happens, mostly that a person does something. It happens once everything has come to
// rest, or, if AtOnce is set, right after the act before.
type Act struct {
	AtOnce bool
	// After lets time pass first.
	After time.Duration
	Who   string
	// Say is a message; Name a name for it by which later acts refer to it.
	Say, Name string
	// Edit, Delete and React refer to a message by its name, to the nth
	// contribution as "#n", or to the nth turn as "@n". Text is the new text or
	// the emoji, which is Removed rather than added. Unsure is a mark of which nobody
	// could say whose message it is on.
	Edit, Delete, React string
	Text                string
	Removed, Unsure     bool
	Press               thread.ButtonKind
	Value               string
	// As is who Slack says the person is.
	As thread.Standing
	// Known makes Slack say from now on that the person is As.
	Known bool
	// Unlogged: see Sent.
	Unlogged bool
	// Lost: Slack never tells of it, though it stands there.
	Lost bool
	// Instead of a person's doing: what the panel says next; the reason for which
	// Slack refuses the next post; that the item is mended; that
	// the connection to Slack, which was gone for a while, stands again.
	Cue       *Cue
	Refuse    thread.Reason
	Mend      bool
	Reconnect bool
	// Do is anything else that a test wants to happen.
	Do func() error
}

// settings are what most scenarios are opened with. Gathering is short so that
// real time can play them too.
func settings(turns int) roundtable.Settings {
	return roundtable.Settings{MaxTurns: turns, Gather: 200 * time.Millisecond, MayExtend: true}
}

// Scenarios are conversations that between them reach every part of the engine.
func Scenarios() []Scenario {
	return []Scenario{
		{Name: "opening only", Settings: settings(10)},
		{Name: "one person, one question, done", Settings: settings(10), Acts: []Act{
			{Who: "Priya", Say: "What about refunds?"},
			{Who: "Priya", Say: "Done, thanks!"},
		}},
		{Name: "two people write while the personas think", Settings: settings(20), Acts: []Act{
			{Who: "Priya", Say: "Alex, how does this scale?"},
			{Who: "Sam", Say: "And who pays for it?", AtOnce: true},
			{Who: "Priya", Say: "I mean the ledger.", AtOnce: true, After: 250 * time.Millisecond},
			{Who: "Sam", Say: "done"},
		}},
		{Name: "edits, deletions, marks", Settings: settings(20), Acts: []Act{
			{Who: "Priya", Say: "We should use two ledgers.", Name: "idea"},
			{Who: "Priya", Edit: "idea", Text: "We should use one ledger."},
			{Who: "Sam", Say: "Forget this.", Name: "slip", AtOnce: true},
			{Who: "Sam", Delete: "slip", AtOnce: true},
			{Who: "Sam", React: "#1", Text: "white_check_mark"},
			{Who: "Priya", Edit: "idea", Text: "We should use one ledger, for now."},
			{Who: "Sam", React: "#1", Text: "white_check_mark", Removed: true, AtOnce: true},
			{Who: "Sam", React: "#1", Text: "white_check_mark"},
			{Who: "Priya", Say: "Decision: one ledger."},
			{Who: "Priya", Say: "let's wrap up"},
			{Who: "Priya", Edit: "idea", Text: "Too late.", AtOnce: true},
		}},
		{Name: "the turn limit", Settings: settings(5), Acts: []Act{
			{Who: "Priya", Say: "What do you all think?"},
		}},
		{Name: "buttons", Settings: settings(12), Acts: []Act{
			{Who: "Priya", Press: roundtable.ButtonContinue},
			{Who: "Sam", Press: roundtable.ButtonQuiet},
			{Who: "Sam", Say: "Everyone, what would you cut?"},
			{Who: "Sam", Press: roundtable.ButtonExtend, Value: "12"},
			{Who: "Sam", Press: roundtable.ButtonExtend, Value: "12", AtOnce: true},
			{Who: "Priya", Press: roundtable.ButtonWrapUp},
			{Who: "Priya", Press: roundtable.ButtonAgain},
		}},
		{
			Name: "a conflict and a choice", Settings: settings(20),
			Answer: func(n int, kind roundtable.AskKind) (roundtable.Ending, error) {
				if n != 3 || kind != roundtable.AskDiscuss {
					return roundtable.Ending{}, nil
				}
				return roundtable.Ending{Conflict: &roundtable.Conflict{Question: "One ledger or two?", Options: []roundtable.Option{
					{Label: "One", Reason: "it balances", By: "solutions-architect"}, {Label: "Two", Reason: "it isolates", By: "system-designer"},
				}}}, nil
			},
			Acts: []Act{
				{Who: "Priya", Say: "Everyone, one ledger or two?"},
				{Who: "Priya", Press: roundtable.ButtonChoose, Value: "c1/0"},
				{Who: "Sam", Say: "done"},
				{Who: "Sam", Say: "One more thing", Unlogged: true},
			},
		},
		{
			Name: "silence", Settings: roundtable.Settings{MaxTurns: 10, Silence: 10 * time.Minute},
			Acts: []Act{
				{Who: "Priya", Say: "What about refunds?"},
				{Who: "Priya", Say: "still here", After: 15 * time.Minute},
				{Who: "Priya", Say: "hello?", After: 45 * time.Minute, Unlogged: true},
			},
		},
		{Name: "people of whom Slack does not say who they are", Settings: settings(20), Acts: []Act{
			{Who: "Una", As: thread.StandingUnknown, Say: "Decision: one ledger."},
			{Who: "Gus", As: thread.StandingUnknown, Say: "Decision: two ledgers.", AtOnce: true},
			{Who: "Gus", As: thread.StandingUnknown, Press: roundtable.ButtonWrapUp, AtOnce: true},
			{Who: "Una", As: thread.StandingUnknown, React: "#1", Text: "white_check_mark", AtOnce: true},
			{Who: "Una", As: thread.StandingUnknown, Say: "done"},
			{Who: "Gus", As: thread.StandingGuest, Known: true},
			{After: 10 * time.Minute},
			{Who: "Una", Known: true},
			{After: longestPause},
		}},
		{Name: "events that never come", Settings: settings(20), Acts: []Act{
			{Who: "Priya", Say: "We should use two ledgers.", Name: "idea", Lost: true},
			{Who: "Sam", Say: "Alex, how does this scale?", Lost: true, AtOnce: true, After: 300 * time.Millisecond},
			{Who: "Priya", Edit: "idea", Text: "We should use one ledger.", Lost: true, AtOnce: true, After: 300 * time.Millisecond},
			{Reconnect: true},
			{Who: "Priya", Say: "Who pays for it?", Lost: true},
			{Who: "Sam", Say: "And when?"},
			{Reconnect: true, AtOnce: true},
			{Who: "Sam", Say: "done"},
		}},
		{
			Name: "Slack performs and fails", Settings: settings(10), Fault: everyThird,
			Acts: []Act{
				{Who: "Priya", Say: "What do you all think?"},
				{Who: "Priya", Say: "done"},
			},
		},
	}
}

// everyThird makes every third post performed but failed, as a connection that
// is cut does, and every seventh refused for a while.
func everyThird(n int) Fault {
	cut := errors.New("connection cut")
	switch {
	case n%7 == 0:
		return Fault{Err: &engine.SendError{Outcome: engine.Unsent, After: 2 * time.Second, Err: errors.New("ratelimited")}}
	case n%6 == 0:
		return Fault{Err: &engine.SendError{Outcome: engine.InDoubt, Err: cut}}
	case n%3 == 0:
		return Fault{Err: &engine.SendError{Outcome: engine.InDoubt, Err: cut}, Performed: true}
	default:
		return Fault{}
	}
}
