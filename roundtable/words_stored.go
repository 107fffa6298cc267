package roundtable

import (
	"fmt"
	"strconv"
	"strings"
)

// The sentences in this file are about what was, or could not be, stored.

// parkedText says that a message was put aside (I1, I10).
func parkedText() string {
	return "Something that was done here could not be taken in and was put aside; whoever runs Roundtable has the details in the log. If it was a message, please write it again in other words."
}

// SayChange announces a change of an artifact (AC-008-04).
func SayChange(c ArtifactChange) string {
	verb := "Updated"
	if c.Created {
		verb = "Created"
	}
	return fmt.Sprintf("%s %s, section \"%s\": added %s.", verb, c.File, c.Section, strings.TrimSuffix(c.Added, "."))
}

// SayAdded says in a few words what a synthesis added (AC-008-04).
func SayAdded(s *Synthesis) string {
	if s == nil {
		return "the summary"
	}
	var parts []string
	for _, p := range []struct {
		points    []Point
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
func noRoomText(by Person, x Excess, ends bool) string {
	what := "This thread holds as much as I keep of one discussion. From here on I keep nothing of what is written or marked."
	if x == ExcessPerson {
		what = fmt.Sprintf("%s, this is as much as I keep of one person here. I keep no more of what you write or mark in this thread.", by.PlainName())
	}
	if ends {
		return what + " What came before is kept. Write “done” to wrap up, or start another roundtable to go on."
	}
	return what + " What came before is kept. Start another roundtable to go on."
}

// SayNoRoomToAnalyse is noRoomText for an analysis.
func SayNoRoomToAnalyse(by Person, x Excess) string {
	what := "This thread holds as much as I keep of one part of an analysis. From here on I keep nothing of what is written or marked."
	if x == ExcessPerson {
		what = fmt.Sprintf("%s, this is as much as I keep of one person here. I keep no more of what you write or mark in this thread.", by.PlainName())
	}
	return what + " What came before is kept. Write “done” to have it written down, then type /roundtable analyze to go on in a new thread."
}

// cutText stands where a person's message had to be cut to be kept.
func cutText(characters int) string {
	return fmt.Sprintf("[%d more characters of this message are in Slack and were not kept. Links, decisions and actions in them do not count.]", characters)
}

// muchEarlyText is said to a person whose messages fill what waits for the framing.
func muchEarlyText(d Discussion) string {
	return fmt.Sprintf("That is as much as can wait until %s has framed the topic. What you write until then is kept and counts for the synthesis, but is not answered.", d.seat(d.Lead).First())
}
