package say

import (
	"fmt"
	"strings"
	"time"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/persona"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// The sentences in this file answer commands: shown to whoever typed it alone, and
// escaped whole by whoever sends them.

// Help lists the commands.
func Help() string {
	return strings.Join([]string{
		"Roundtable brings a few colleagues with different points of view into a thread to discuss a topic with you.",
		"• `/roundtable <topic>`: discuss a topic in this channel",
		"• `/roundtable`: a form with topic, context, personas and turn limit",
		"• `/roundtable analyze <item>`: the analysis of an item in five phases, from a quick scan to the design, each in a few steps; a step is a talk that ends in the item's documents. The same again takes it up where it was left",
		"• `/roundtable list`: the roundtables and analyses under way in this channel",
		"• `/roundtable status`: whether everything is connected",
		"• `/roundtable show <item> [document]`: which documents an item has, or one of them as a file for everybody here (add “as canvas” for a canvas); in a thread: @Roundtable show, and the document's name",
		"• `/roundtable export <item>`: the documents of an item as a zip file, sent to you only",
		"• `/roundtable forget <item>`: remove what Roundtable keeps of an item; with the link to a message, what it keeps of that thread. For seven days it can be taken back: `/roundtable keep <item>`",
		"• `/roundtable personas`: who sits at the table",
		"In a thread of a roundtable just write. Name a persona to ask it directly, and type “done” to end. Slash commands do not work in threads: mention @Roundtable or use the buttons.",
		"In an analysis answer as much as you know, in any order, together or hours apart. “done” ends a step, “deep” and “brief” change how thorough the rest of the phase is. At the menu after a step press a button or type its letter: *E* discusses the step with everybody in a thread of its own, *C* goes on, *S* skips the rest of the phase. Anything else you write there is worked into the documents.",
	}, "\n")
}

// Standing says how far a discussion is and whom it waits for.
func Standing(d roundtable.Discussion) string {
	return fmt.Sprintf("turn %d of %d · %s", d.Turns, d.Settings.MaxTurns, roundtable.Standing(d))
}

// Personas introduces the cast.
func Personas(r persona.Roster) string {
	lines := []string{"At the table:"}
	for _, p := range r.Personas {
		line := "• *" + p.Identity() + "*"
		if intro := strings.TrimSpace(p.Introduction); intro != "" {
			line += ": " + intro
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// List lists the discussions of a channel that are under way, each as SayListed words it.
func List(discussions []string) string {
	if len(discussions) == 0 {
		return "No roundtable is under way in this channel. Start one with /roundtable and a topic."
	}
	return "Under way in this channel:\n• " + strings.Join(discussions, "\n• ")
}

// Listed is a discussion in one line of a list.
func Listed(d roundtable.Discussion) string {
	return fmt.Sprintf("%s: %d of %d turns, %s", d.Topic, d.Turns, d.Settings.MaxTurns, sayState(d))
}

// More stands below a list that was cut.
func More(n int) string { return fmt.Sprintf("… and %d more", n) }

func sayState(d roundtable.Discussion) string {
	if d.Withheld != nil {
		return "waiting until messages can be posted in its thread again"
	}
	switch d.State {
	case roundtable.StateEntry, roundtable.StateTopicFraming:
		return "just starting"
	case roundtable.StateDiscussionLoop:
		if d.Stalled != nil {
			return "stopped, see its thread"
		}
		return "in discussion"
	case roundtable.StateSynthesis, roundtable.StatePersist:
		return "summing up"
	case roundtable.StateClosed:
		return "ended"
	}
	return string(d.State)
}

// Status says how the service is; open is the number of roundtables under way
// in the channel.
func Status(connected bool, open int) string {
	state := "Slack is connected and everything is stored."
	if !connected {
		state = "The connection to Slack is being renewed; what you write is not lost."
	}
	switch open {
	case 0:
		return state + " No roundtable is under way in this channel."
	case 1:
		return state + " One roundtable is under way in this channel."
	}
	return fmt.Sprintf("%s %d roundtables are under way in this channel.", state, open)
}

// ExportWhich asks for an item and names those there are. asked is what the person
// called it, or empty.
func ExportWhich(asked string, slugs []string) string {
	if len(slugs) == 0 {
		return "This channel has no items to export yet. An item appears when a roundtable ends." + sayTopicInstead(asked, "export")
	}
	return sayNoItem(asked) + "Which item? Type /roundtable export and one of: " + strings.Join(slugs, ", ") + sayTopicInstead(asked, "export")
}

func sayNoItem(asked string) string {
	if asked == "" {
		return ""
	}
	return fmt.Sprintf("This channel has no item “%s”. ", thread.OneLine(asked))
}

// sayTopicInstead helps somebody whose topic begins with a word of ours.
func sayTopicInstead(asked, word string) string {
	if len(strings.Fields(asked)) < 2 {
		return ""
	}
	return fmt.Sprintf("\nTo discuss a topic that begins with “%s”, type /roundtable alone and put it into the form.", word)
}

// Exporting says where the file goes.
func Exporting(slug string) string {
	return fmt.Sprintf("I am sending you the documents of %s in a direct message.", slug)
}

// ExportInline introduces documents that are shown because no file could be
// sent.
func ExportInline(slug string) string {
	return fmt.Sprintf("I may not send files here, so this is what %s holds, for you only:", slug)
}

// ExportTooLarge refuses an export that cannot be shown.
func ExportTooLarge(slug string) string {
	return fmt.Sprintf("The documents of %s could not be sent as a file and are too long to show here. Ask whoever runs Roundtable here to allow it to upload files.", slug)
}

// ForgetWhich asks for an item to forget and names those there are. asked is what
// the person called it, or empty.
func ForgetWhich(asked string, slugs []string) string {
	if len(slugs) == 0 {
		return "Nothing of this channel is kept that could be forgotten: it has no items." + sayTopicInstead(asked, "forget")
	}
	return sayNoItem(asked) + "Which item? Type /roundtable forget and one of: " + strings.Join(slugs, ", ") + sayTopicInstead(asked, "forget")
}

// ForgetSure says what would go, and how to confirm it.
func ForgetSure(slug string) string {
	return fmt.Sprintf("This removes everything that Roundtable keeps of %s: its documents, its record, and the transcripts of its discussions. "+
		"The channel is told; for seven days any full member of it can take it back, then it is gone. "+
		"The messages in Slack stay where they are. To keep a copy, type /roundtable export %s first. To remove it, type /roundtable forget %s for good", slug, slug, slug)
}

// ForgetOpener refuses to forget what the person did not open.
func ForgetOpener() string {
	return "Only somebody who opened a discussion or an analysis of it can have it forgotten. Ask one of them, or whoever runs Roundtable here."
}

// ForgetNobody refuses to forget where nobody in the workspace may.
func ForgetNobody() string {
	return "Only whoever runs Roundtable here can have something forgotten."
}

// ForgetOpen refuses to forget what is still being discussed.
func ForgetOpen(slug, topic string) string {
	return fmt.Sprintf("%s is still being discussed (“%s”). End that discussion with “done” in its thread, then ask again.", slug, thread.OneLine(topic))
}

// Offer asks in a direct message whether a topic is to be discussed; label is the
// button's.
func Offer(topic string) (text, label string) {
	return fmt.Sprintf("Shall the table discuss “%s” here, with you alone? For a roundtable with others, type /roundtable and a topic in a channel.", topic), "Discuss it here"
}

// ForgetNoThread answers for a thread without a discussion that is kept.
func ForgetNoThread() string {
	return "Roundtable keeps nothing of that thread."
}

// ForgetThreadSure says what would go of one discussion, and how to confirm it.
func ForgetThreadSure(title, item string) string {
	return fmt.Sprintf("This removes the transcript that Roundtable keeps of “%s” and who said what in it. The channel is told; for seven days any full member of it can take it back, then it is gone. The messages in Slack stay where they are, and so does what was written into the documents of %s; /roundtable forget %s removes those. "+
		"To remove it, type /roundtable forget, the link once more, and: for good", thread.OneLine(title), item, item)
}

// Kept says how long things are kept (FR-110).
func Kept(kept time.Duration) string {
	return fmt.Sprintf("What is said in a roundtable is kept for %s after it has ended; documents stay until somebody removes them with /roundtable forget.", thread.SaySpan(kept))
}
