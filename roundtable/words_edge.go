package roundtable

import (
	"fmt"
	"strings"

	"github.com/roundtable-chat/app/roundtable/persona"
)

// The sentences in this file are said at the edge, by the app itself and to one
// person only: what was taken in, and refusals. A refusal says what happened and what
// to do. None of them is shown with a mention or a link in it; whoever sends them
// escapes the whole. Answers to commands stand in words_answer.go.

// SayOpening confirms that a discussion was asked for.
func SayOpening(topic string) string {
	return fmt.Sprintf("Opening a roundtable on “%s”. It appears in this channel in a moment.", topic)
}

// SayTopicMissing asks for a topic.
func SayTopicMissing() string {
	return "A roundtable needs a topic. Name it in a few words, for example: how should we roll out single sign-on?"
}

// SayTopicTooLong refuses a topic of more than limit characters.
func SayTopicTooLong(limit int) string {
	return fmt.Sprintf("That topic is too long: at most %d characters. Type /roundtable alone to get a form with room for context.", limit)
}

// SayNotInvited refuses a channel the app cannot read.
func SayNotInvited() string {
	return "I am not in this channel yet. Type /invite @Roundtable here, then try again."
}

// SayChannelNotAllowed refuses a channel outside the configured list.
func SayChannelNotAllowed() string {
	return "Roundtables are not switched on for this channel. Try one where they are, or ask whoever runs Roundtable here to allow it."
}

// SayChannelArchived refuses an archived channel.
func SayChannelArchived() string {
	return "This channel is archived, so nothing can be discussed in it. Choose another channel."
}

// SayChannelShared refuses a channel shared with another organisation.
func SayChannelShared() string {
	return "This channel is shared with another organisation, and roundtables are kept inside this one. Choose an internal channel."
}

// SayUnconfirmed says in a thread that n people marked decisions which do not count,
// because Slack has not said who they are.
func SayUnconfirmed(n int) string {
	who := "one of you is, so what they"
	if n > 1 {
		who = fmt.Sprintf("%d of you are, so what they", n)
	}
	return "Slack has not told me who " + who + " marked as decided is not among the decisions above. It stands in the transcript."
}

// SayNotMember refuses somebody who is not in the channel asked about.
func SayNotMember() string {
	return "Only members of this channel can see what was discussed in it. Join the channel, then try again."
}

// SayOpenInside refuses somebody who wants something opened in a channel that they are not in.
func SayOpenInside() string {
	return "You are not in that channel. Join it first, or choose one that you are in."
}

// SayPressInside refuses somebody who pressed a button in a channel that they are not in.
func SayPressInside() string {
	return "Only members of this channel can use its buttons. Join the channel, then try again."
}

// SayInviteMembers refuses to call people into a thread of a channel that they are not in.
func SayInviteMembers(names []string) string {
	return "Not in that channel: " + strings.Join(names, ", ") + ". Invite them to the channel first, or take them off this list."
}

// SayCannotCheck refuses because Slack did not answer a question about the
// channel.
func SayCannotCheck() string {
	return "Slack did not answer when I looked up this channel. Nothing was changed. Please try again in a moment."
}

// SayNotKept refuses because the store did not take the request.
func SayNotKept() string {
	return "I could not save that just now, so nothing was changed. Please try again in a minute."
}

// SayNotRead refuses because the store did not give what was asked for.
func SayNotRead() string {
	return "I could not look that up just now. Nothing was changed. Please try again in a minute."
}

// SayBusy refuses because too much is going on at once.
func SayBusy() string {
	return "I am getting more requests than I can take right now. Nothing was changed. Please try again in a minute."
}

// SayBacklog refuses because one discussion has too much waiting.
func SayBacklog() string {
	return "This roundtable still has a lot to work through. Please try again in a minute."
}

// SayTakenUpLater tells somebody whose message found no room yet that nothing is
// lost.
func SayTakenUpLater() string {
	return "This roundtable still has a lot to work through. Your message stands in the thread and is taken up as soon as there is room, in about ten minutes at the latest; you need not write it again."
}

// SayTooManyOpen refuses because of the number of discussions open in a channel.
func SayTooManyOpen(most int) string {
	return fmt.Sprintf("%d roundtables are open in this channel, which is as many as it may have. End one of them first (write “done” in its thread); /roundtable list shows them.", most)
}

// SayNewer answers for a discussion that a newer version of roundtable stored.
func SayNewer() string {
	return "This roundtable is carried on by a newer version of Roundtable, which is being rolled out. Please try again in a few minutes."
}

// SayGone answers a button of a discussion that is no longer kept.
func SayGone() string {
	return "That roundtable is no longer kept. Start a new one with /roundtable and a topic."
}

// SayEnded answers a button of a discussion that has ended.
func SayEnded() string {
	return "That roundtable has ended. Start a new one with /roundtable and a topic."
}

// SayThreadTaken refuses a second discussion in one thread, whose address may be empty.
func SayThreadTaken(address string) string {
	text := "That thread has a roundtable already. Write in the thread to join it; if it has ended, start a new one with /roundtable and a topic."
	if address != "" {
		text += " " + address
	}
	return text
}

// SayFormNotOpened answers when the form could not be shown.
func SayFormNotOpened() string {
	return "Slack did not open the form. Try again, or type /roundtable followed by a topic."
}

// SayUnknownShortcut answers a shortcut or button this version does not know.
func SayUnknownShortcut() string {
	return "This version of Roundtable does not know that control. Type /roundtable help to see what it can do."
}

// SayMoreInTranscript stands where a message had to be cut.
func SayMoreInTranscript(characters int) string {
	return fmt.Sprintf("… (%d characters more in the transcript)", characters)
}

// SayEngine names the engine that spoke in place of the primary model.
func SayEngine(engine string) string { return "Answered by " + engine }

// SayThinking is shown while a persona makes up its mind. It holds no comma,
// because Slack's client takes one for the end of a phrase.
func SayThinking(seats []persona.Seat) string {
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
