package say

import (
	"fmt"
	"strings"

	"github.com/roundtable-chat/app/roundtable/persona"
)

// Opening confirms that a discussion was asked for.
func Opening(topic string) string {
	return fmt.Sprintf("Opening a roundtable on “%s”. It appears in this channel in a moment.", topic)
}

// TopicMissing asks for a topic.
func TopicMissing() string {
	return "A roundtable needs a topic. Name it in a few words, for example: how should we roll out single sign-on?"
}

// TopicTooLong refuses a topic of more than limit characters.
func TopicTooLong(limit int) string {
	return fmt.Sprintf("That topic is too long: at most %d characters. Type /roundtable alone to get a form with room for context.", limit)
}

// NotInvited refuses a channel the app cannot read.
func NotInvited() string {
	return "I am not in this channel yet. Type /invite @Roundtable here, then try again."
}

// ChannelNotAllowed refuses a channel outside the configured list.
func ChannelNotAllowed() string {
	return "Roundtables are not switched on for this channel. Try one where they are, or ask whoever runs Roundtable here to allow it."
}

// ChannelArchived refuses an archived channel.
func ChannelArchived() string {
	return "This channel is archived, so nothing can be discussed in it. Choose another channel."
}

// ChannelShared refuses a channel shared with another organisation.
func ChannelShared() string {
	return "This channel is shared with another organisation, and roundtables are kept inside this one. Choose an internal channel."
}

// NotMember refuses somebody who is not in the channel asked about.
func NotMember() string {
	return "Only members of this channel can see what was discussed in it. Join the channel, then try again."
}

// OpenInside refuses somebody who wants something opened in a channel that they are not in.
func OpenInside() string {
	return "You are not in that channel. Join it first, or choose one that you are in."
}

// PressInside refuses somebody who pressed a button in a channel that they are not in.
func PressInside() string {
	return "Only members of this channel can use its buttons. Join the channel, then try again."
}

// InviteMembers refuses to call people into a thread of a channel that they are not in.
func InviteMembers(names []string) string {
	return "Not in that channel: " + strings.Join(names, ", ") + ". Invite them to the channel first, or take them off this list."
}

// CannotCheck refuses because Slack did not answer a question about the
// channel.
func CannotCheck() string {
	return "Slack did not answer when I looked up this channel. Nothing was changed. Please try again in a moment."
}

// NotKept refuses because the store did not take the request.
func NotKept() string {
	return "I could not save that just now, so nothing was changed. Please try again in a minute."
}

// NotRead refuses because the store did not give what was asked for.
func NotRead() string {
	return "I could not look that up just now. Nothing was changed. Please try again in a minute."
}

// Busy refuses because too much is going on at once.
func Busy() string {
	return "I am getting more requests than I can take right now. Nothing was changed. Please try again in a minute."
}

// Backlog refuses because one discussion has too much waiting.
func Backlog() string {
	return "This roundtable still has a lot to work through. Please try again in a minute."
}

// TakenUpLater tells somebody whose message found no room yet that nothing is
// lost.
func TakenUpLater() string {
	return "This roundtable still has a lot to work through. Your message stands in the thread and is taken up as soon as there is room, in about ten minutes at the latest; you need not write it again."
}

// TooManyOpen refuses because of the number of discussions open in a channel.
func TooManyOpen(most int) string {
	return fmt.Sprintf("%d roundtables are open in this channel, which is as many as it may have. End one of them first (write “done” in its thread); /roundtable list shows them.", most)
}

// Newer answers for a discussion that a newer version of roundtable stored.
func Newer() string {
	return "This roundtable is carried on by a newer version of Roundtable, which is being rolled out. Please try again in a few minutes."
}

// Gone answers a button of a discussion that is no longer kept.
func Gone() string {
	return "That roundtable is no longer kept. Start a new one with /roundtable and a topic."
}

// Ended answers a button of a discussion that has ended.
func Ended() string {
	return "That roundtable has ended. Start a new one with /roundtable and a topic."
}

// ThreadTaken refuses a second discussion in one thread, whose address may be empty.
func ThreadTaken(address string) string {
	text := "That thread has a roundtable already. Write in the thread to join it; if it has ended, start a new one with /roundtable and a topic."
	if address != "" {
		text += " " + address
	}
	return text
}

// FormNotOpened answers when the form could not be shown.
func FormNotOpened() string {
	return "Slack did not open the form. Try again, or type /roundtable followed by a topic."
}

// UnknownShortcut answers a shortcut or button this version does not know.
func UnknownShortcut() string {
	return "This version of Roundtable does not know that control. Type /roundtable help to see what it can do."
}

// MoreInTranscript stands where a message had to be cut.
func MoreInTranscript(characters int) string {
	return fmt.Sprintf("… (%d characters more in the transcript)", characters)
}

// Engine names the engine that spoke in place of the primary model.
func Engine(engine string) string { return "Answered by " + engine }

// Thinking is shown while a persona makes up its mind. It holds no comma,
// because Slack's client takes one for the end of a phrase.
func Thinking(seats []persona.Seat) string {
	names := make([]string, len(seats))
	for i, s := range seats {
		names[i] = strings.ReplaceAll(s.First(), ",", "")
	}
	switch len(names) {
	case 0:
		return ""
	case 1:
		return names[0] + " is thinking…"
	}
	return strings.Join(names[:len(names)-1], " and ") + " and " + names[len(names)-1] + " are thinking…"
}
