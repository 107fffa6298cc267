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

// SayUnderWay leads to the analysis of an item that is open already. The address of
// its thread may be empty.
func SayUnderWay(a Analysis, address string) string {
	text := fmt.Sprintf("The analysis of “%s” is under way in this channel already; it goes on in its thread.", oneLine(a.ItemTitle))
	if address != "" {
		text += " " + address
	}
	return text
}

// SayList lists the analyses of a channel that are under way; empty if there are
// none.
func SayList(analyses []Analysis) string {
	lines := make([]string, 0, len(analyses))
	for _, a := range analyses {
		line := "• Analysis of " + oneLine(a.ItemTitle)
		if a.Step != nil && a.State != StateClosed {
			line += fmt.Sprintf(", step %s: %s", a.Step.ID, a.Step.Title)
		}
		lines = append(lines, line+". "+standing(a)+".")
	}
	return strings.Join(lines, "\n")
}
