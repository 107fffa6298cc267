package thread

import "github.com/roundtable-chat/app/roundtable/persona"

// Message is something the bot says, in domain terms; package bot renders it.
type Message struct {
	// Kind decides how it is drawn.
	Kind MessageKind `json:"kind"`
	// Speaker is the persona who says it; empty means the app itself.
	Speaker persona.Key `json:"speaker,omitempty"`
	// Identity is the speaker's "Name (Role)", kept with the message so that
	// it can be posted after the roster changed.
	Identity string `json:"identity,omitempty"`
	// Text is Markdown (CommonMark). Text of people and models in it is raw:
	// the renderer neutralises mentions and broadcasts (I12).
	Text string `json:"text"`
	// Status is a short line about how things stand, drawn small below Text.
	Status string `json:"status,omitempty"`
	// Mention is a person to be notified by this message, or empty, and Invited are
	// people who are called to the discussion by it. They are the only way a mention
	// can come about.
	Mention string   `json:"mention,omitempty"`
	Invited []string `json:"invited,omitempty"`
	Buttons []Button `json:"buttons,omitempty"`
	// Threads lead to other threads of the channel, drawn as links below Text.
	Threads []ThreadLink `json:"threads,omitempty"`
	// Engine names the engine that spoke when it was not the primary model.
	Engine string `json:"engine,omitempty"`
	// Synthesis is drawn with links to the messages that support it; Text holds
	// the same as Markdown.
	Synthesis *Synthesis `json:"synthesis,omitempty"`
	// ToChannel also shows the message in the channel.
	ToChannel bool `json:"to_channel,omitempty"`
}

// Notified are the people whom a message notifies.
func (m Message) Notified() []string {
	if m.Mention == "" {
		return m.Invited
	}
	return append([]string{m.Mention}, m.Invited...)
}

// ThreadLink leads to a thread, by the timestamp of its first message.
type ThreadLink struct {
	Label  string `json:"label"`
	Thread string `json:"thread"`
}

// MessageKind is how a message is drawn.
type MessageKind string

// The kinds of message.
const (
	KindRoot         MessageKind = "root"         // the introduction, later the state
	KindContribution MessageKind = "contribution" // a persona's turn
	KindProcedure    MessageKind = "procedure"    // warning, limit, redirect, prompts: not turns
	KindNotice       MessageKind = "notice"       // the app itself: why things stop, what was changed
	KindChoice       MessageKind = "choice"       // options put before the room
	KindSynthesis    MessageKind = "synthesis"    // the structured result
	KindMenu         MessageKind = "menu"         // the menu that comes back afterwards
)

// Button is a control under a message. Value is opaque to Slack and at most
// 2,000 bytes.
type Button struct {
	Kind  ButtonKind `json:"kind"`
	Label string     `json:"label"`
	Value string     `json:"value,omitempty"`
	// Style is "primary", "danger" or empty.
	Style string `json:"style,omitempty"`
}

// ButtonKind names the buttons of a discussion's messages.
type ButtonKind string
