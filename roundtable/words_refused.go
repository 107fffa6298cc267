package roundtable

import (
	"fmt"

	"github.com/roundtable-chat/app/roundtable/thread"
)

// unshownText stands in place of a message that Slack refused to show.
func unshownText(d Discussion, kind thread.MessageKind, reason thread.Reason) string {
	why, whyNot := "Slack refused it", "Slack refused to show"
	if reason == thread.ReasonUndrawn {
		why, whyNot = "I could not draw it", "I could not draw"
	}
	switch kind {
	case thread.KindContribution:
		return fmt.Sprintf("A contribution could not be shown here: %s. It is in the transcript.", why)
	case thread.KindProcedure:
		return fmt.Sprintf("A message of %s could not be shown here: %s. It is in the transcript.", d.seat(d.Lead).First(), why)
	case thread.KindChoice:
		if d.Choice == nil {
			return fmt.Sprintf("A choice could not be shown here: %s. It is in the transcript.", why)
		}
		return fmt.Sprintf("The table sees something differently, and %s the reasons; they are in the transcript. %s Please choose; I will record it as your decision.", whyNot, thread.AsSentence(d.Choice.Question))
	case thread.KindSynthesis:
		if d.Outcome != nil && !d.Outcome.Simple && len(d.Step.Outputs) > 0 {
			return fmt.Sprintf("The synthesis could not be shown here: %s. It is in the transcript and goes into the documents; /roundtable export %s sends them to you.", why, d.Item)
		}
		return fmt.Sprintf("The synthesis could not be shown here: %s. It is in the transcript.", why)
	case thread.KindMenu:
		return fmt.Sprintf("The menu could not be shown here: %s. This takes its place.", why)
	case thread.KindRoot, thread.KindNotice:
	}
	return ""
}

// missingText is said once a channel takes messages again, after so long that some
// were given up.
func missingText() string {
	return "For a long time no messages could be posted here, so some of what was said is missing above. It is in the transcript."
}
