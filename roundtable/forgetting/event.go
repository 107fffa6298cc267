package forgetting

import (
	"time"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// Input is one thing that happened to a forgetting; see [roundtable.Input].
type Input struct {
	ID    string
	At    time.Time
	Event Event
}

// Event is the sealed sum of what can happen. Those that a discussion has, too, are its
// types and have its stored form.
//
//sumtype:decl
type Event interface{ event() }

type (
	// Opened begins: somebody who may asked that something be forgotten.
	Opened struct {
		Forgetting string        `json:"forgetting"`
		Place      thread.Place  `json:"place"`
		By         thread.Person `json:"by"`
		Target     Target        `json:"target"`
	}

	// Hidden answers Hide: it is out of sight.
	Hidden struct {
		Effect      string `json:"effect"`
		Documents   int    `json:"documents,omitempty"`
		Discussions int    `json:"discussions,omitempty"`
	}

	// Barred answers Hide where it cannot be put out of sight. With WhyOpen, Open is the
	// title of what people still talk in.
	Barred struct {
		Effect string `json:"effect"`
		Why    Why    `json:"why"`
		Open   string `json:"open,omitempty"`
	}

	// Restored answers Restore.
	Restored struct {
		Effect string `json:"effect"`
	}

	// Removed answers Remove; Back is set where nothing was removed because somebody had
	// written into it.
	Removed struct {
		Effect string `json:"effect"`
		Back   bool   `json:"back,omitempty"`
	}

	// Kept is somebody's wish, in words, that it stay.
	Kept struct {
		By thread.Person `json:"by"`
	}

	// What a discussion knows, too. Of what people write below the notice nothing
	// follows.
	Said       roundtable.Said
	Edited     roundtable.Edited
	Deleted    roundtable.Deleted
	Reacted    roundtable.Reacted
	Pressed    roundtable.Pressed
	TimerFired roundtable.TimerFired
	Posted     roundtable.Posted
	Failed     roundtable.Failed
	Parked     roundtable.Parked

	Identified roundtable.Identified
)

func (Opened) event()     {}
func (Hidden) event()     {}
func (Barred) event()     {}
func (Restored) event()   {}
func (Removed) event()    {}
func (Kept) event()       {}
func (Said) event()       {}
func (Edited) event()     {}
func (Deleted) event()    {}
func (Reacted) event()    {}
func (Pressed) event()    {}
func (TimerFired) event() {}
func (Posted) event()     {}
func (Failed) event()     {}
func (Parked) event()     {}

func (Identified) event() {}

// Effect is the sealed sum of what Step asks the world to do.
//
//sumtype:decl
type Effect interface {
	effect()
	EffectKey() string
}

type (
	// Hide puts the target out of sight; Hidden or Barred answers.
	Hide struct {
		Key    string `json:"key"`
		Target Target `json:"target"`
	}

	// Restore brings it back as it was; Restored answers.
	Restore struct {
		Key    string `json:"key"`
		Target Target `json:"target"`
	}

	// Remove removes it for good; Removed answers.
	Remove struct {
		Key    string `json:"key"`
		Target Target `json:"target"`
	}

	// What a discussion does, too.
	Post roundtable.Post
	Tell roundtable.Tell

	Identify roundtable.Identify
)

func (Hide) effect()    {}
func (Restore) effect() {}
func (Remove) effect()  {}
func (Post) effect()    {}
func (Tell) effect()    {}

func (Identify) effect() {}

func (e Hide) EffectKey() string    { return e.Key }
func (e Restore) EffectKey() string { return e.Key }
func (e Remove) EffectKey() string  { return e.Key }
func (e Post) EffectKey() string    { return e.Key }
func (e Tell) EffectKey() string    { return e.Key }

func (e Identify) EffectKey() string { return e.Key }

// ButtonKeep takes back what is to be forgotten.
const ButtonKeep thread.ButtonKind = "keep"

// Buttons lists all buttons that a forgetting takes.
func Buttons() []thread.ButtonKind { return []thread.ButtonKind{ButtonKeep} }
