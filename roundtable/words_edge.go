package roundtable

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// The sentences in this file are said at the edge, by the app itself and to one
// person only: answers to commands and refusals. A refusal says what happened
// and what to do. None of them is shown with a mention or a link in it; whoever
// sends them escapes the whole.

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

// SayOutsider refuses somebody of another organisation or a guest.
func SayOutsider() string {
	return "Only full members of this workspace can do that here. Ask a colleague who is one."
}

// SayNotMember refuses somebody who is not in the channel asked about.
func SayNotMember() string {
	return "Only members of this channel can see what was discussed in it. Join the channel, then try again."
}

// SayPersonUnknown refuses because Slack did not say who somebody is.
func SayPersonUnknown() string {
	return "Slack did not tell me who you are, so I cannot see whether you may do that. Nothing was changed. Please try again in a moment; if it goes on, whoever runs Roundtable here can see why with: roundtable doctor"
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

// SayThreadTaken refuses a second discussion in one thread.
func SayThreadTaken() string {
	return "There is a roundtable in this thread already. Write in the thread to join it."
}

// SayFormNotOpened answers when the form could not be shown.
func SayFormNotOpened() string {
	return "Slack did not open the form. Try again, or type /roundtable followed by a topic."
}

// SayUnknownShortcut answers a shortcut or button this version does not know.
func SayUnknownShortcut() string {
	return "This version of Roundtable does not know that control. Type /roundtable help to see what it can do."
}

// SayHelp lists the commands.
func SayHelp() string {
	return strings.Join([]string{
		"Roundtable brings a few colleagues with different points of view into a thread to discuss a topic with you.",
		"• `/roundtable <topic>`: discuss a topic in this channel",
		"• `/roundtable`: a form with topic, context, personas and turn limit",
		"• `/roundtable analyze <item>`: the analysis of an item in five phases, from a quick scan to the design, each in a few steps; a step is a talk that ends in the item's documents. The same again takes it up where it was left",
		"• `/roundtable list`: the roundtables and analyses under way in this channel",
		"• `/roundtable status`: whether everything is connected",
		"• `/roundtable export <item>`: the documents of an item as a zip file, sent to you only",
		"• `/roundtable forget <item>`: remove what Roundtable keeps of an item",
		"• `/roundtable personas`: who sits at the table",
		"In a thread of a roundtable just write. Name a persona to ask it directly, and type “done” to end. Slash commands do not work in threads: mention @Roundtable or use the buttons.",
		"In an analysis answer as much as you know, in any order, together or hours apart. “done” ends a step, “deep” and “brief” change how thorough the rest of the phase is. At the menu after a step press a button or type its letter: *E* discusses the step with everybody in a thread of its own, *C* goes on, *S* skips the rest of the phase. Anything else you write there is worked into the documents.",
	}, "\n")
}

// HomeWords are what stands in the app's Home tab.
type HomeWords struct {
	Title, About, Start, Analyze string
	// Nothing stands where there are no threads; the others are headings.
	Nothing, Waiting, Open, Ended string
}

// Home returns the words of the Home tab.
func Home() HomeWords {
	return HomeWords{
		Title: "Roundtable",
		About: "A few colleagues with different points of view discuss a topic with you in a thread, or lead you through the analysis of an item step by step. You decide; what was decided is written down with names.",
		Start: "Start a roundtable", Analyze: "Analyse an item",
		Nothing: "You take part in no roundtable yet. Start one here, or in a channel: /roundtable and a topic, or /roundtable analyze and the name of an item.",
		Waiting: "Waiting for you", Open: "Under way", Ended: "Ended lately",
	}
}

// SayStanding says how far a discussion is and whom it waits for.
func SayStanding(d Discussion) string {
	return fmt.Sprintf("turn %d of %d · %s", d.Turns, d.Settings.MaxTurns, standing(d))
}

// SayPersonas introduces the cast.
func SayPersonas(r Roster) string {
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

// SayList lists the discussions of a channel that are under way.
func SayList(discussions []Discussion) string {
	if len(discussions) == 0 {
		return "No roundtable is under way in this channel. Start one with /roundtable and a topic."
	}
	lines := []string{"Under way in this channel:"}
	for _, d := range discussions {
		lines = append(lines, fmt.Sprintf("• %s: %d of %d turns, %s", d.Topic, d.Turns, d.Settings.MaxTurns, sayState(d)))
	}
	return strings.Join(lines, "\n")
}

// SayMore stands below a list that was cut.
func SayMore(n int) string { return fmt.Sprintf("… and %d more", n) }

func sayState(d Discussion) string {
	if d.Withheld != nil {
		return "waiting until messages can be posted in its thread again"
	}
	switch d.State {
	case StateEntry, StateTopicFraming:
		return "just starting"
	case StateDiscussionLoop:
		if d.Stalled != nil {
			return "stopped, see its thread"
		}
		return "in discussion"
	case StateSynthesis, StatePersist:
		return "summing up"
	case StateClosed:
		return "ended"
	}
	return string(d.State)
}

// SayStatus says how the service is; open is the number of roundtables under way
// in the channel.
func SayStatus(connected bool, open int) string {
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

// SayExportWhich asks for an item and names those there are.
func SayExportWhich(slugs []string) string {
	if len(slugs) == 0 {
		return "This channel has no items to export yet. An item appears when a roundtable ends."
	}
	return "Which item? Type /roundtable export and one of: " + strings.Join(slugs, ", ")
}

// SayExporting says where the file goes.
func SayExporting(slug string) string {
	return fmt.Sprintf("I am sending you the documents of %s in a direct message.", slug)
}

// SayExportInline introduces documents that are shown because no file could be
// sent.
func SayExportInline(slug string) string {
	return fmt.Sprintf("I may not send files here, so this is what %s holds, for you only:", slug)
}

// SayExportTooLarge refuses an export that cannot be shown.
func SayExportTooLarge(slug string) string {
	return fmt.Sprintf("The documents of %s could not be sent as a file and are too long to show here. Ask whoever runs Roundtable here to allow it to upload files.", slug)
}

// SayForgetWhich asks for an item to forget and names those there are.
func SayForgetWhich(slugs []string) string {
	if len(slugs) == 0 {
		return "Nothing of this channel is kept that could be forgotten: it has no items."
	}
	return "Which item? Type /roundtable forget and one of: " + strings.Join(slugs, ", ")
}

// SayForgetSure says what would go, and how to confirm it.
func SayForgetSure(slug string) string {
	return fmt.Sprintf("This removes everything that Roundtable keeps of %s: its documents, its record, and the transcripts of its discussions. It cannot be undone. "+
		"The messages in Slack stay where they are. To keep a copy, type /roundtable export %s first. To remove it, type /roundtable forget %s for good", slug, slug, slug)
}

// SayForgetOpen refuses to forget what is still being discussed.
func SayForgetOpen(slug, topic string) string {
	return fmt.Sprintf("%s is still being discussed (“%s”). End that discussion with “done” in its thread, then ask again.", slug, oneLine(topic))
}

// SayForgetLater says that forgetting was not completed.
func SayForgetLater(slug string) string {
	return fmt.Sprintf("I could not remove all of %s: something about it is being worked on right now. Ask again in a minute.", slug)
}

// SayForgotten confirms that an item is gone.
func SayForgotten(slug string) string {
	return fmt.Sprintf("Done: Roundtable keeps nothing of %s any more. What was written in Slack is still there.", slug)
}

// SayMoreInTranscript stands where a message had to be cut.
func SayMoreInTranscript(characters int) string {
	return fmt.Sprintf("… (%d characters more in the transcript)", characters)
}

// SayEngine names the engine that spoke in place of the primary model.
func SayEngine(engine string) string { return "Answered by " + engine }

// SayThinking is shown while a persona makes up its mind. It holds no comma,
// because Slack's client takes one for the end of a phrase.
func SayThinking(seats []Seat) string {
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

// catchUpLimit bounds a summary of what was said, in characters: less than what one
// private message shows.
const catchUpLimit = 3_500

// SayCatchUp tells a person what was said since their last turn; of very much the
// newest, and how much more there is.
func SayCatchUp(t Transcript, cast []Seat, person string) string {
	from := 0
	for i, turn := range t.Turns {
		if turn.Person.ID == person {
			from = i + 1
		}
	}
	names := t.Names()
	var lines []string
	room, earlier := catchUpLimit, 0
	for _, turn := range slices.Backward(t.Turns[from:]) {
		text := firstSentence(Legible(turn.Text, names, SpelledLink))
		if text == "" {
			continue
		}
		line := "• " + speaker(turn, cast) + ": " + text
		if room -= utf8.RuneCountInString(line) + 1; room < 0 {
			earlier++
			continue
		}
		lines = append(lines, line)
	}
	if earlier > 0 {
		lines = append(lines, fmt.Sprintf("… %d more before that, in the thread", earlier))
	}
	slices.Reverse(lines)
	switch {
	case len(lines) == 0 && from > 0:
		return "Nothing was said since you last spoke."
	case len(lines) == 0:
		return "Nothing was said yet."
	case from > 0:
		return "Since you last spoke:\n" + strings.Join(lines, "\n")
	}
	return "So far:\n" + strings.Join(lines, "\n")
}

func speaker(t Turn, cast []Seat) string {
	for _, s := range cast {
		if s.Key == t.Persona {
			return s.First()
		}
	}
	if t.Person.Name != "" {
		return t.Person.Name
	}
	return string(t.Persona)
}

// firstSentence returns at most 200 characters, up to the end of the first
// sentence.
func firstSentence(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	for _, end := range []string{". ", "? ", "! "} {
		if i := strings.Index(text, end); i > 0 {
			text = text[:i+1]
		}
	}
	if r := []rune(text); len(r) > 200 {
		text = string(r[:199]) + "…"
	}
	return text
}

// FormWords are the words of the form behind /roundtable alone.
type FormWords struct {
	Title, Submit, Cancel                                  string
	Topic, TopicHint, Context, ContextHint, Lead, Personas string
	Turns, TurnsHint, Invite, Channel                      string
	TwoPersonas, LeadOutside, TurnsRange                   string
}

// Form returns the words of the form. Title, Submit and Cancel are at most 24
// characters, Slack's limit.
func Form(minTurns, maxTurns int) FormWords {
	return FormWords{
		Title: "Start a roundtable", Submit: "Start", Cancel: "Cancel",
		Topic: "Topic", TopicHint: "What should the table discuss?",
		Context: "Context", ContextHint: "Anything the table should know. Paste freely.",
		Lead: "Lead", Personas: "Personas", Turns: "Turn limit",
		TurnsHint: fmt.Sprintf("Between %d and %d; everyone's contributions count.", minTurns, maxTurns),
		Invite:    "People to invite", Channel: "Channel",
		TwoPersonas: "Choose at least two personas, so that there is somebody to discuss with.",
		LeadOutside: "The lead has to be one of the chosen personas.",
		TurnsRange:  fmt.Sprintf("Give a whole number between %d and %d.", minTurns, maxTurns),
	}
}

// SayInvited tells the people somebody wants at the table. It follows their
// mention.
func SayInvited(by, topic string) string {
	return fmt.Sprintf("%s would like you at the roundtable on “%s”. It opens in this channel in a moment.", by, topic)
}
