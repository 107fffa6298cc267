package roundtable

import (
	"time"

	"github.com/roundtable-chat/app/roundtable/persona"
	"github.com/roundtable-chat/app/roundtable/thread"
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
	Excess thread.Excess
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
		Place      thread.Place   `json:"place"`
		By         thread.Person  `json:"by"`
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
		Effect     string            `json:"effect"`
		Draft      *Draft            `json:"draft"` // nil: the result could not be read
		Transcript thread.Transcript `json:"transcript"`
	}

	// DNDChecked answers a CheckDND: until when the person wants not to be disturbed. Zero
	// is not at all, or nobody knows.
	DNDChecked struct {
		Effect string    `json:"effect"`
		Until  time.Time `json:"until,omitzero"`
	}

	// Analysed says in which thread the analysis stands that the discussion was
	// turned into, and whether it was under way before.
	Analysed struct {
		Thread   string `json:"thread"`
		UnderWay bool   `json:"under_way,omitempty"`
	}

	// DocumentsWritten says which artifacts took the synthesis and that the record
	// stands in meta.json.
	DocumentsWritten struct {
		Effect  string                  `json:"effect"`
		Changes []thread.ArtifactChange `json:"changes"`
	}

	// What every thread knows.
	Said       thread.Said
	Edited     thread.Edited
	Deleted    thread.Deleted
	Reacted    thread.Reacted
	Pressed    thread.Pressed
	TimerFired thread.TimerFired
	Posted     thread.Posted
	Failed     thread.Failed
	Parked     thread.Parked
	Identified thread.Identified
)

func (Opened) event()           {}
func (Analysed) event()         {}
func (DNDChecked) event()       {}
func (Identified) event()       {}
func (Parked) event()           {}
func (Said) event()             {}
func (Edited) event()           {}
func (Deleted) event()          {}
func (Reacted) event()          {}
func (Pressed) event()          {}
func (TimerFired) event()       {}
func (Framed) event()           {}
func (Contributed) event()      {}
func (RoundEnded) event()       {}
func (Drafted) event()          {}
func (Failed) event()           {}
func (Posted) event()           {}
func (DocumentsWritten) event() {}

// Actor is the person who did what an event says; ok is false for what nobody did in the
// thread.
func Actor(e Event) (by thread.Person, ok bool) {
	switch e := e.(type) {
	case Said:
		return e.By, true
	case Edited:
		return e.By, true
	case Reacted:
		return e.By, true
	case Pressed:
		return e.By, true
	case Opened, Deleted, TimerFired, Framed, Contributed, RoundEnded, Drafted, Failed, Posted, DNDChecked, Identified, Analysed, Parked, DocumentsWritten:
	}
	return thread.Person{}, false
}

// The buttons.
const (
	ButtonContinue  thread.ButtonKind = "continue"   // let them continue
	ButtonExtend    thread.ButtonKind = "extend"     // ＋10 turns
	ButtonWrapUp    thread.ButtonKind = "wrap_up"    // end and synthesise
	ButtonKeepOn    thread.ButtonKind = "keep_on"    // not yet
	ButtonChoose    thread.ButtonKind = "choose"     // an option of a choice; Value is "choice/option"
	ButtonRetry     thread.ButtonKind = "retry"      // after a failure
	ButtonQuiet     thread.ButtonKind = "quiet"      // personas speak only when addressed
	ButtonMute      thread.ButtonKind = "mute"       // personas do not speak until called
	ButtonOpenFloor thread.ButtonKind = "open_floor" // back to normal
	ButtonShare     thread.ButtonKind = "share"      // share the summary to the channel
	ButtonCatchUp   thread.ButtonKind = "catch_up"   // a private summary since one's last turn
	ButtonAgain     thread.ButtonKind = "again"      // [E]: a further elaboration of the same step
	ButtonAnalyse   thread.ButtonKind = "analyse"    // [C]: a free topic becomes an analysis
)
