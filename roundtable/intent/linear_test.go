//go:build unix

package intent

import (
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestUnderstandIsLinear holds messages of Slack's greatest length against a
// time of the processor that only a super-linear reading would need. How busy the
// machine is does not matter.
func TestUnderstandIsLinear(t *testing.T) {
	const longest = 40_000 // characters of a Slack message
	for _, unit := range []string{
		"we have many merchants and some of them are big. ", "Alex and Maya, ", "Alex's ", "should we ", "done, ", "done. ", "let's wrap ",
		"`", "``", "```", "\"", "“", "<", "<@", "> \n", ">", ":", ":a", "@", "a@", "a.", "you all ", "what do ", "x", "? ", "&", "&gt;", "thanks ",
	} {
		t.Run(unit, func(t *testing.T) {
			text := strings.Repeat(unit, longest/len(unit))
			before := processorTime(t)
			Understand(text, Participants{Cast: theThree(), BotUser: "U0BOT"})
			if took := processorTime(t) - before; took > 2*time.Second {
				t.Errorf("took %s", took)
			}
		})
	}
}

// processorTime is what this process has used so far.
func processorTime(t *testing.T) time.Duration {
	t.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		t.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
