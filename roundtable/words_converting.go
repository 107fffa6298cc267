package roundtable

import (
	"fmt"

	"github.com/roundtable-chat/app/roundtable/thread"
)

// The sentences in this file are about the analysis that a discussion becomes.

// convertedText leads to the analysis that a discussion became.
func convertedText(d Discussion, c Conversion, underWay bool) string {
	if underWay {
		return fmt.Sprintf("%s took this along into the analysis of “%s”, which is under way in a thread of its own.", thread.OneLine(c.By.Name), thread.OneLine(d.ItemTitle))
	}
	return fmt.Sprintf("%s turned this into the analysis of “%s”, which goes on in a thread of its own.", thread.OneLine(c.By.Name), thread.OneLine(d.ItemTitle))
}

func convertedAlreadyText(c Conversion) string {
	return thread.OneLine(c.By.Name) + " has turned this discussion into an analysis already; it goes on in a thread of its own."
}

func notConvertedText() string {
	return "The analysis could not be opened. Try [C] again later."
}

func notConvertibleText() string {
	return "This discussion belongs to an analysis already; it goes on there."
}
