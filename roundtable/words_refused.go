package roundtable

import "fmt"

// unshownText stands in place of a message that Slack refused to show.
func unshownText(d Discussion, kind MessageKind) string {
	switch kind {
	case KindContribution:
		return "A contribution could not be shown here: Slack refused it. It is in the transcript."
	case KindProcedure:
		return fmt.Sprintf("A message of %s could not be shown here: Slack refused it. It is in the transcript.", d.seat(d.Lead).First())
	case KindChoice:
		if d.Choice == nil {
			return "A choice could not be shown here: Slack refused it. It is in the transcript."
		}
		return fmt.Sprintf("The table sees something differently, and Slack refused to show the reasons; they are in the transcript. %s Please choose; I will record it as your decision.", asSentence(d.Choice.Question))
	case KindSynthesis:
		if d.Outcome != nil && !d.Outcome.Simple && len(d.Step.Outputs) > 0 {
			return fmt.Sprintf("The synthesis could not be shown here: Slack refused it. It is in the transcript and goes into the documents; /roundtable export %s sends them to you.", d.Item)
		}
		return "The synthesis could not be shown here: Slack refused it. It is in the transcript."
	case KindMenu:
		return "The menu could not be shown here: Slack refused it. This takes its place."
	case KindRoot, KindNotice:
	}
	return ""
}

// missingText is said once a channel takes messages again, after so long that some
// were given up.
func missingText() string {
	return "For a long time no messages could be posted here, so some of what was said is missing above. It is in the transcript."
}
