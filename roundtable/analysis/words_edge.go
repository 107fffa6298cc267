package analysis

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/thread"
)

func rootText(a Analysis) string {
	return "ANALYSIS\n\n" + thread.OneLine(a.ItemTitle) + "\n\nWrite in this thread. I ask one thing at a time; say \"done\" when a step has been said, \"deep\" or \"brief\" for more or less of it."
}

// probeText asks once for what nobody spoke to.
func probeText(open []string) string {
	if len(open) == 1 {
		return "Before I write this down, one thing is still open: " + sentence(open[0]) + " What can you say about it? If nobody knows, say \"done\" and I will note it as open."
	}
	return "Before I write this down, " + numeral(len(open)) + " things are still open:\n\n- " + strings.Join(open, "\n- ") +
		"\n\nWhat can you say about them? If nobody knows, say \"done\" and I will note them as open."
}

func numeral(n int) string {
	if words := []string{"no", "one", "two", "three", "four", "five"}; n < len(words) {
		return words[n]
	}
	return strconv.Itoa(n)
}

func completedText(a Analysis) string {
	return fmt.Sprintf("The analysis of %s is complete. `/roundtable export %s` gives you its documents.", thread.OneLine(a.ItemTitle), a.Item)
}

// pausedText says what stays and how to go on (I10).
func pausedText(a Analysis, by thread.Person) string {
	return thread.OneLine(by.Name) + " paused the analysis." + stays(a) + againText(a)
}

func silenceText(a Analysis) string {
	return "Nobody has written here for a while, so I am pausing the analysis." + stays(a) + againText(a)
}

// stays says what is written and what is not.
func stays(a Analysis) string {
	if a.Step == nil || a.Step.Recorded || a.Step.Answers == 0 {
		return " Every completed step is written down."
	}
	return fmt.Sprintf(" Every completed step is written down; step %s is not, and will be asked again.", a.Step.ID)
}

func againText(a Analysis) string {
	return fmt.Sprintf(" `/roundtable analyze %s` takes it up where it stands.", a.Item)
}

func stillThereText(a Analysis) string {
	if a.State == StateElaborating {
		return "The elaboration has not ended yet. Say \"back\" to go on here without it; otherwise I will wait as long again."
	}
	return "It has been quiet here for " + thread.SaySpan(a.Settings.Silence) + ". Shall we go on? Without an answer I will pause after the same time again."
}

func silentStepText() string { return "I will write down what was said so far." }

// awaitingText leads to the elaboration that is waited for.
func awaitingText(by thread.Person) string {
	return thread.OneLine(by.Name) + " opened an elaboration of this step, in a thread of its own. We go on here when it has ended."
}

// openedText leads to one that is not.
func openedText(by thread.Person, step string) string {
	return fmt.Sprintf("%s opened an elaboration of “%s”, in a thread of its own. What it comes to will be told here.", thread.OneLine(by.Name), thread.OneLine(step))
}

// elaboratedText says what an elaboration came to.
func elaboratedText(e ElaborationEnded) string {
	switch {
	case e.Refused != "":
		return notElaboratedText()
	case e.Turns == 0:
		return fmt.Sprintf("The elaboration of “%s” was closed before it began.", thread.OneLine(e.StepTitle))
	}
	text := fmt.Sprintf("The elaboration of “%s” has ended.", thread.OneLine(e.StepTitle))
	if came := concludedText(e.Conclusion); came != "" {
		text += " " + came
	}
	if e.Unwritten {
		text += " The documents could not be updated with it."
	}
	return text
}

// concludedText says what a discussion came to, or nothing.
func concludedText(c roundtable.Conclusion) string {
	text := sentence(c.Summary)
	if len(c.Decisions) == 0 {
		return text
	}
	var decided []string
	for _, d := range c.Decisions {
		decided = append(decided, strings.TrimRight(thread.OneLine(d), ". "))
	}
	if repeatsOne(text, decided) {
		text = ""
	}
	if c.Untold > 0 {
		decided = append(decided, fmt.Sprintf("and %d more", c.Untold))
	}
	return strings.TrimSpace(text + " Decided: " + strings.Join(decided, "; ") + ".")
}

// repeatsOne reports whether a summary, which may have been cut, is one of the
// decisions that follow it and nothing else.
func repeatsOne(summary string, decided []string) bool {
	label, rest, _ := strings.Cut(summary, ": ")
	rest = strings.TrimRight(rest, ".… ")
	return (label == "Decided" || label == "Decision") && slices.ContainsFunc(decided, func(d string) bool { return strings.HasPrefix(d, rest) })
}

// broughtText names the discussions that an analysis goes on from.
func broughtText(origins []Origin) string {
	var came []string
	for _, o := range origins {
		if text := concludedText(o.Conclusion); text != "" {
			came = append(came, text)
		}
	}
	if len(came) == 0 {
		return ""
	}
	return "We take along what your roundtable discussion came to: " + strings.Join(came, " ")
}

// joinedText says what somebody brings along into an analysis that is under way.
func joinedText(by thread.Person, c roundtable.Conclusion) string {
	text := thread.OneLine(by.Name) + " took a roundtable discussion along into this analysis."
	if came := concludedText(c); came != "" {
		text += " It came to this: " + came
	}
	return text
}

func notElaboratedText() string { return "The elaboration could not be opened. Try [E] again later." }

func notAwaitedText() string {
	return "The elaboration has not ended, so I am not waiting for it any longer. What it comes to will still be told here."
}

func elsewhereText() string {
	return "The elaboration is going on in its own thread. What you wrote here is kept and worked in afterwards; \"back\" brings the menu back now."
}

func choiceName(c Choice) string {
	switch c {
	case ChooseElaborate:
		return "to elaborate"
	case ChooseContinue:
		return "to continue"
	case ChooseSkip:
		return "to skip the rest of the phase"
	}
	return ""
}

func chosenText(t Taken) string {
	return thread.OneLine(t.By.Name) + " chose " + choiceName(t.Choice) + "."
}

func takenText(t Taken) string {
	return thread.OneLine(t.By.Name) + " had chosen " + choiceName(t.Choice) + " already; that is what happens."
}

func goneText() string { return "That belongs to something that is over; the thread has moved on." }

// unconfirmedText says that n people marked decisions which stand in no document, because
// Slack has not said who they are.
func unconfirmedText(n int) string {
	who := "one of you is, so what they"
	if n > 1 {
		who = fmt.Sprintf("%d of you are, so what they", n)
	}
	return "Slack has not told me who " + who + " marked as decided stands in no document. It is kept in the transcript."
}

// lateDecisionText tells a person who marked a decision and was known too late.
func lateDecisionText() string {
	return "Slack told me who you are only after this analysis had ended, so what you marked as decided stands in no document. Say it again when the analysis is taken up."
}

func nothingToSkipText() string {
	return "This is the last step of the phase, so there is nothing to skip."
}
func nothingSaidText() string { return "Nothing has been said about this step yet." }

func busyText() string {
	return "What was said is just being written down. Try again in a moment."
}

func nothingToRetryText() string { return "There is nothing to retry: the analysis is going on." }

func feedbackFirstText() string {
	return "What was written last is being worked in first; the menu comes back in a moment."
}

func parkedText() string {
	return "Something that was done here could not be taken in and was put aside; the rest goes on. Whoever runs Roundtable can look at it."
}

func unrecordedText() string {
	return "A note about the analysis could not be recorded in meta.json; it goes on all the same. Whoever runs Roundtable has the details in the log."
}

func closedText(a Analysis) string {
	switch {
	case a.Exit != nil && a.Exit.Kind == ExitCompleted:
		return "This analysis is complete."
	case a.Exit != nil && a.Exit.Kind == ExitRefused:
		return refusedText(a.Exit.Reason)
	}
	return "This analysis is paused." + againText(a)
}

// stallText says why nothing goes on and how it may (I10).
func stallText(stall thread.Stall) string {
	if stall.Reason == thread.ReasonOverBudget && stall.Budget != nil {
		return thread.SayOverBudget("analysis", *stall.Budget, "say \"done\" to have what was said written down without a model")
	}
	return failureText(stall.Reason)
}

// failureText says what happened and what to do (I10): as in a discussion, but for
// what an analysis does differently then.
func failureText(r thread.Reason) string {
	switch r {
	case thread.ReasonOverBudget:
		return "The budget for the personas' model is used up. Say \"done\" to have what was said written down without it, or press Try again once there is more."
	case thread.ReasonArtifactRefused:
		return "The documents could not be updated; nothing was recorded. Whoever runs Roundtable has the details in the log. Press Try again once it is mended."
	case thread.ReasonMessageRefused:
		return "A message could not be shown here: Slack refused it. Write on, and I will ask anew."
	case thread.ReasonUndrawn:
		return "A message could not be shown here: I could not draw it. Write on, and I will ask anew."
	case thread.ReasonModelUnavailable, thread.ReasonModelRefused, thread.ReasonModelConfig, thread.ReasonTooLarge,
		thread.ReasonArchived, thread.ReasonNotInChannel, thread.ReasonNoPermission, thread.ReasonThreadGone:
	}
	return thread.SayFailure(r)
}

// refusedText tells the person who asked why nothing could be opened.
func refusedText(r thread.Reason) string { return thread.SayRefused("analysis", r) }

// The sentences in this file answer commands, outside any analysis.

// SayOpening confirms that the analysis of an item was asked for.
func SayOpening(title string) string {
	return fmt.Sprintf("Opening the analysis of “%s”. It appears in this channel in a moment, where it was left if it was begun before.", thread.OneLine(title))
}

// SayItemMissing asks for the item.
func SayItemMissing() string {
	return "What is to be analysed? Type /roundtable analyze and the name of the item, for example: /roundtable analyze Offline mode"
}

// SayItemTooLong refuses the name of an item of more than limit characters.
func SayItemTooLong(limit int) string {
	return fmt.Sprintf("That name is too long for an item: at most %d characters. A few words are best; what it is about belongs into the first answers.", limit)
}

// SayUnderWay leads to the analysis of an item that is open already. The address of
// its thread may be empty.
func SayUnderWay(title, address string) string {
	text := fmt.Sprintf("The analysis of “%s” is under way in this channel already; it goes on in its thread.", thread.OneLine(title))
	if address != "" {
		text += " " + address
	}
	return text
}

// SayTitle names an analysis where discussions stand beside it.
func SayTitle(a Analysis) string { return "Analysis of " + thread.OneLine(a.ItemTitle) }

// SayStanding says how far an analysis is and whom it waits for.
func SayStanding(a Analysis) string {
	if a.Step == nil || a.Phase == nil || a.State == StateClosed {
		return standing(a)
	}
	return fmt.Sprintf("%s%s, step %s: %s · %s", a.Phase.Name, a.Step.progress(), a.Step.ID, a.Step.Title, standing(a))
}

// FormWords are the words of the form that asks for an item.
type FormWords struct{ Title, Submit, Cancel, Item, ItemHint, Resumed, Channel string }

// Form returns the words of the form. Title, Submit and Cancel are at most 24
// characters, Slack's limit.
func Form() FormWords {
	return FormWords{
		Title: "Analyse an item", Submit: "Start", Cancel: "Cancel", Item: "Item", ItemHint: "Its name in a few words",
		Resumed: "One that was begun before goes on where it was left.", Channel: "Channel",
	}
}

// SayListed is an analysis in one line of a list.
func SayListed(a Analysis) string { return SayTitle(a) + ": " + SayStanding(a) }

// SayList lists analyses of a channel that are under way, of which there is at least one,
// each as SayListed words it.
func SayList(analyses []string) string { return "• " + strings.Join(analyses, "\n• ") }
