package roundtable

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/roundtable-chat/app/roundtable/thread"
)

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
