package roundtable

import (
	"fmt"
	"strconv"
	"strings"

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

// The sentences in this file are about what was, or could not be, stored.

// parkedText says that a message was put aside (I1, I10).
func parkedText() string {
	return "Something that was done here could not be taken in and was put aside; whoever runs Roundtable has the details in the log. If it was a message, please write it again in other words."
}

// SayAdded says in a few words what a synthesis added (AC-008-04).
func SayAdded(s *thread.Synthesis) string {
	if s == nil {
		return "the summary"
	}
	var parts []string
	for _, p := range []struct {
		points    []thread.Point
		one, many string
	}{
		{s.Insights, "insight", "insights"},
		{s.Decisions, "decision", "decisions"},
		{s.Questions, "open question", "open questions"},
		{s.Actions, "action item", "action items"},
	} {
		switch n := len(p.points); n {
		case 0:
		case 1:
			parts = append(parts, "1 "+p.one)
		default:
			parts = append(parts, strconv.Itoa(n)+" "+p.many)
		}
	}
	if len(parts) == 0 {
		return "the summary"
	}
	return strings.Join(parts, ", ")
}

// noRoomText says that no more is kept of what a person writes, or of what anybody does,
// and how to go on; ends is set while there is something to wrap up.
func noRoomText(by thread.Person, x thread.Excess, ends bool) string {
	what := "This thread holds as much as I keep of one discussion. From here on I keep nothing of what is written or marked."
	if x == thread.ExcessPerson {
		what = fmt.Sprintf("%s, this is as much as I keep of one person here. I keep no more of what you write or mark in this thread.", by.PlainName())
	}
	if ends {
		return what + " What came before is kept. Write “done” to wrap up, or start another roundtable to go on."
	}
	return what + " What came before is kept. Start another roundtable to go on."
}

// muchEarlyText is said to a person whose messages fill what waits for the framing.
func muchEarlyText(d Discussion) string {
	return fmt.Sprintf("That is as much as can wait until %s has framed the topic. What you write until then is kept and counts for the synthesis, but is not answered.", d.seat(d.Lead).First())
}

// stallText says why nothing goes on and how it may (I10).
func stallText(stall thread.Stall) string {
	if stall.Reason == thread.ReasonOverBudget && stall.Budget != nil {
		return thread.SayOverBudget("discussion", *stall.Budget, "Wrap up now for a summary without a model")
	}
	return thread.SayFailure(stall.Reason)
}

// SayBudgets says how the deployment's budgets stand, a line each.
func SayBudgets(budgets []thread.Budget) string {
	var lines []string
	for _, b := range budgets {
		name := "All in all"
		switch b.Scope {
		case thread.BudgetDiscussion:
			name = "This discussion"
		case thread.BudgetDay:
			name = "Today (UTC)"
		case thread.BudgetDeployment:
		}
		line := fmt.Sprintf("• %s: %s", name, thread.SaySpend(b.Spent))
		if !b.Limit.IsZero() {
			line += " of " + thread.SayLimit(b.Limit)
		}
		lines = append(lines, line)
	}
	if len(lines) == 0 {
		return ""
	}
	return "Language models have used:\n" + strings.Join(lines, "\n")
}

// The sentences in this file are said at the edge, by the app itself and to one
// person only: what was taken in, and refusals. A refusal says what happened and what
// to do. None of them is shown with a mention or a link in it; whoever sends them
// escapes the whole. Answers to commands stand in words_answer.go.

// SayUnconfirmed says in a thread that n people marked decisions which do not count,
// because Slack has not said who they are.
func SayUnconfirmed(n int) string {
	who := "one of you is, so what they"
	if n > 1 {
		who = fmt.Sprintf("%d of you are, so what they", n)
	}
	return "Slack has not told me who " + who + " marked as decided is not among the decisions above. It stands in the transcript."
}

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
