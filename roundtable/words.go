package roundtable

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/roundtable-chat/app/roundtable/persona"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// Every sentence of a discussion that the rules themselves speak stands here.
// The templates in quotes are prescribed to the letter (FR-001, FR-007).

func introductionText(d Discussion) string {
	var b strings.Builder
	b.WriteString("ELABORATION MODE\n\n")
	var others []string
	for _, o := range d.others() {
		others = append(others, o.Identity())
	}
	fmt.Fprintf(&b, "Bringing %s into the discussion.\n\n", thread.Listed(others))
	topic := d.Step.Title
	if d.Step.ID != FreeStep && d.ItemTitle != "" {
		topic += " for " + d.ItemTitle
	}
	fmt.Fprintf(&b, "Topic: %s\n\n", thread.OneLine(topic))
	fmt.Fprintf(&b, "Turn limit: %d exchanges. Type \"done\" to end discussion early.", d.Settings.MaxTurns)
	return b.String()
}

func framingText(d Discussion, f Framing, first persona.Seat) string {
	var b strings.Builder
	summary := thread.AsSentence(f.Summary)
	switch {
	case d.Step.ID == FreeStep && summary == "":
	case d.Step.ID == FreeStep:
		fmt.Fprintf(&b, "%s\n\n", summary)
	case summary == "":
		fmt.Fprintf(&b, "We just covered %s.\n\n", d.Step.Title)
	default:
		fmt.Fprintf(&b, "We just covered %s. Here is where we landed: %s\n\n", d.Step.Title, summary)
	}
	fmt.Fprintf(&b, "I think we could benefit from all our perspectives on this specific question: %s\n\n", d.Focus)
	fmt.Fprintf(&b, "%s, what is your take from %s perspective?", first.First(), first.Perspective)
	return b.String()
}

func warningText() string {
	return "We are nearing the end of our discussion time. Any final points before we synthesize?"
}

func limitText() string {
	return "We have had a thorough discussion. Let me synthesize the key points from our conversation."
}

func exitText(d Discussion) string {
	if d.Turns == 0 {
		return "Closing the discussion before it began."
	}
	return "Wrapping up the discussion. Let me synthesize our key points."
}

func silenceText(d Discussion) string {
	if d.Turns == 0 {
		return "Nobody has written here for a while, so I am closing the discussion before it began."
	}
	return "Nobody has written here for a while, so I am closing the discussion. Let me synthesize our key points."
}

// redirectText leads back to the focus question: politely towards a person, and
// with the drifter's name where the persona who spoke last drifted.
func redirectText(d Discussion, drift Drift, asker string) string {
	focus := strings.TrimRight(d.Focus, "?. ")
	if asker != "" {
		belongs := drift.Belongs
		if belongs == "" {
			belongs = "a discussion of its own"
		}
		return fmt.Sprintf("%s, that is a great question for %s. For now, let us focus on this: %s?", thread.OneLine(asker), belongs, focus)
	}
	who := "That"
	if name := d.seat(d.LastVoice).First(); name != "" && drift.Turn == d.Turns {
		who = name
	}
	later := "We can explore that in a discussion of its own."
	if drift.Belongs != "" {
		later = "We can explore that when we get to " + drift.Belongs + "."
	}
	return fmt.Sprintf("%s raises an interesting point about %s, but let us stay focused on this: %s? %s", who, thread.OneLine(drift.Subject), focus, later)
}

// focusText is the focus question as one line, or one made of the topic.
func focusText(d Discussion, f Framing) string {
	if q := thread.Clip(thread.OneLine(f.Focus), focusLimit); q != "" {
		return q
	}
	return "What matters most about " + thread.OneLine(d.Topic) + "?"
}

// focusLimit bounds the focus question, in characters.
const focusLimit = 400

// unwrittenText closes a discussion whose documents could not be written.
func unwrittenText() string {
	return "The documents still cannot be updated, so I am closing the discussion without them. The synthesis above stands; nothing in the documents was changed."
}

func confirmText(d Discussion, why ConfirmKind) string {
	switch why {
	case ConfirmAsked:
		return "Shall I wrap up and synthesize, or do we go on?"
	case ConfirmAlone:
		return roomName(d) + ", any thoughts on this, or should we wrap up?"
	case ConfirmSilence:
		return roomName(d) + ", it has been quiet here for " + thread.SaySpan(d.Settings.Silence) + ". Any further thoughts, or should we wrap up? Without an answer I will close the discussion after the same time again."
	}
	return ""
}

// roomName addresses the person who wrote last to join, or who opened.
func roomName(d Discussion) string {
	name := d.Opener.Name
	if n := len(d.People); n == 1 {
		name = d.People[0].Name
	} else if n > 1 {
		return "Everyone"
	}
	if name == "" {
		return "Everyone"
	}
	return thread.OneLine(name)
}

func floorText(d Discussion) string {
	var names []string
	for _, c := range d.Cast {
		names = append(names, c.First())
	}
	return fmt.Sprintf("The floor is yours. Write here; address %s by name to hear that one first. Mark what matters: ✅ decision, ❓ open question, 📌 insight.", thread.Either(names))
}

func choiceText(d Discussion, c Conflict) string {
	var b strings.Builder
	b.WriteString("We see this differently.\n\n")
	for _, o := range c.Options {
		by := d.seat(o.By).First()
		if by == "" {
			by = "One view"
		}
		fmt.Fprintf(&b, "- **%s** (%s): %s\n", thread.OneLine(o.Label), by, thread.AsSentence(o.Reason))
	}
	fmt.Fprintf(&b, "\n%s Please choose; I will record it as your decision.", thread.AsSentence(c.Question))
	return b.String()
}

// decisionText is a choice as the synthesis records it, with the chooser's name.
func decisionText(c Choice, chosen Option, by thread.Person) string {
	text := thread.OneLine(chosen.Label)
	if q := thread.OneLine(c.Question); q != "" && !strings.Contains(strings.ToLower(q), strings.ToLower(text)) {
		text += " (" + q + ")"
	}
	return text + ", chosen by " + thread.OneLine(by.Name)
}

func chosenText(chosen Option, by thread.Person) string {
	return fmt.Sprintf("%s chose **%s**. Recorded as a decision.", thread.OneLine(by.Name), thread.OneLine(chosen.Label))
}

func choiceGoneText() string {
	return "That choice is no longer open: somebody has decided it, or the discussion has moved on."
}

func extendedText(d Discussion, by thread.Person) string {
	return fmt.Sprintf("%s added %d turns. The limit is now %d.", thread.OneLine(by.Name), Extension, d.Settings.MaxTurns)
}

func alreadyExtendedText(d Discussion) string {
	return fmt.Sprintf("The limit has been raised already; it is %d turns now.", d.Settings.MaxTurns)
}

func keepOnText(by thread.Person) string {
	return thread.OneLine(by.Name) + " would like to go on. The floor is yours."
}

func floorChangedText(f Floor, by thread.Person) string {
	name := thread.OneLine(by.Name)
	switch f {
	case FloorQuiet:
		return name + " asked for quiet: personas now speak only when they are addressed. Write \"unmute\" to change that."
	case FloorMuted:
		return name + " muted the personas. Call one by name, or write \"unmute\", to bring them back."
	case FloorOpen:
		return name + " opened the floor: personas speak freely again."
	}
	return ""
}

func floorAlreadyText(f Floor) string {
	switch f {
	case FloorQuiet:
		return "It is quiet already: personas speak only when they are addressed."
	case FloorMuted:
		return "The personas are muted already. Call one by name, or write \"unmute\", to bring them back."
	case FloorOpen:
		return "The floor is open already: personas speak freely."
	}
	return ""
}

func alreadyTalkingText() string {
	return "They are already at it; their contributions will appear in a moment."
}

func notTalkingText(d Discussion) string {
	switch d.State {
	case StateEntry, StateTopicFraming:
		return "The discussion is just being opened. Try again in a moment."
	case StateDiscussionLoop:
		return "That is not possible in this discussion."
	case StateSynthesis, StatePersist:
		return "The discussion is being wrapped up already."
	case StateClosed:
		return closedText(d)
	}
	return ""
}

func closedText(d Discussion) string {
	if d.Outcome == nil {
		return "This discussion is closed. Press [E] below to start it again."
	}
	return "This discussion is closed. Press [E] at its end to discuss the same topic again."
}

func notEndedText() string {
	return "This discussion has not ended yet. Its menu comes at the end."
}

func goesOnText() string { return "Nobody is about to wrap up; the discussion goes on." }

func againAlreadyText() string {
	return "You opened a further elaboration of this topic already; it is in a thread of its own in this channel."
}

func lateText() string {
	return "Your message came after the synthesis and is not part of it. It is kept in the transcript; press [E] below the synthesis to go on discussing."
}

func lateMarkText() string {
	return "The synthesis is written already, so this mark is not part of it."
}

func nothingToRetryText() string { return "There is nothing to retry: the discussion is going on." }
func nothingToShareText() string { return "There is no synthesis to share." }
func sharedAlreadyText() string  { return "The synthesis was shared to the channel already." }
func incompleteText() string {
	return "The round broke off before everybody had spoken. What was said stands; let them continue, or write on."
}

func againText(by thread.Person) string {
	return thread.OneLine(by.Name) + " opened a further elaboration of this topic, in a thread of its own."
}

// reminderText reminds a person of a question, whom the message mentions.
func reminderText(d Discussion, a PendingReply) string {
	return d.seat(a.By).First() + " asked you something above, and the discussion waits for your answer. Write it here whenever it suits you, or let the others go on without it."
}

func menuText(d Discussion) string {
	text := "**[E]** Elaboration Mode -- bring all perspectives to discuss this topic"
	if d.convertible() {
		text += "\n**[C]** Continue -- analyse this topic step by step, with what was decided here"
	}
	return text
}

// analysisLabel names the analysis that a discussion belongs to.
func analysisLabel(d Discussion) string { return "The analysis of " + thread.OneLine(d.ItemTitle) }

func choiceID(n int) string { return "c" + strconv.Itoa(n) }

// invitedText calls people to the table; their mentions stand before it.
func invitedText(d Discussion) string {
	return fmt.Sprintf("%s would like you at this roundtable on “%s”. Write in this thread to join in.", thread.OneLine(d.Opener.Name), thread.OneLine(d.Topic))
}
