package analysis

import (
	"fmt"
	"strings"
)

// The sentences in this file answer commands, outside any analysis.

// SayOpening confirms that the analysis of an item was asked for.
func SayOpening(title string) string {
	return fmt.Sprintf("Opening the analysis of “%s”. It appears in this channel in a moment, where it was left if it was begun before.", oneLine(title))
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
	text := fmt.Sprintf("The analysis of “%s” is under way in this channel already; it goes on in its thread.", oneLine(title))
	if address != "" {
		text += " " + address
	}
	return text
}

// SayTitle names an analysis where discussions stand beside it.
func SayTitle(a Analysis) string { return "Analysis of " + oneLine(a.ItemTitle) }

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
