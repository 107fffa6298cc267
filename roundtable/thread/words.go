package thread

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// SaySpan says how long something is, roughly.
func SaySpan(t time.Duration) string {
	h := int(t.Hours())
	switch {
	case h >= 48:
		return strconv.Itoa(h/24) + " days"
	case h >= 2:
		return strconv.Itoa(h) + " hours"
	case h == 1:
		return "an hour"
	case t >= 2*time.Minute:
		return strconv.Itoa(int(t.Minutes())) + " minutes"
	default:
		return "a moment"
	}
}

// SayLimit names the parts of a limit that there are.
func SayLimit(l Spend) string {
	var parts []string
	if l.Tokens > 0 {
		parts = append(parts, grouped(l.Tokens)+" tokens")
	}
	if l.Micros > 0 {
		parts = append(parts, dollars(l.Micros))
	}
	if len(parts) == 0 {
		return "no limit"
	}
	return strings.Join(parts, ", ")
}

// grouped writes a number with commas between its thousands.
func grouped(n int64) string {
	digits := strconv.FormatInt(n, 10)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// dollars writes an amount of millionths of a dollar to the cent, or to a
// hundredth of a cent below ten cents, rounded up: nothing that was used looks
// free.
func dollars(micros int64) string {
	if micros < 100_000 {
		parts := (micros + 99) / 100
		return fmt.Sprintf("$%d.%04d", parts/10_000, parts%10_000)
	}
	cents := (micros + 9_999) / 10_000
	return fmt.Sprintf("$%s.%02d", grouped(cents/100), cents%100)
}

// SayOutsider refuses somebody of another organisation or a guest.
func SayOutsider() string {
	return "Only full members of this workspace can do that here. Ask a colleague who is one."
}

// SayBarred refuses somebody who has no right to what they did in a thread that opener
// opened.
func SayBarred(p, opener Person) string {
	switch p.Is() {
	case StandingGuest, StandingOutsider:
		return SayOutsider()
	case StandingMember, StandingUnknown:
	}
	return fmt.Sprintf("In this roundtable only %s may do that, who opened it. What you write counts all the same.", OneLine(opener.Name))
}

// SayActKept tells somebody of whom Slack does not say who they are that what they did waits
// for that.
func SayActKept() string {
	return "Slack has not told me yet who you are, so I cannot see whether you may do that. It is kept, and done as soon as Slack tells me; you need not do it again. If that takes long, whoever runs Roundtable here can see why with: roundtable doctor"
}

// SayNeverKnown tells somebody that what was kept is not done any more.
func SayNeverKnown() string {
	return "Slack never told me who you are, so what you did last in this roundtable was not done. It is over now; start a new one with /roundtable and a topic."
}

// SayPersonUnknown refuses because Slack did not say who somebody is.
func SayPersonUnknown() string {
	return "Slack did not tell me who you are, so I cannot see whether you may do that. Nothing was changed. Please try again in a moment; if it goes on, whoever runs Roundtable here can see why with: roundtable doctor"
}

// SayChange announces a change of an artifact (AC-008-04).
func SayChange(c ArtifactChange) string {
	verb := "Updated"
	if c.Created {
		verb = "Created"
	}
	return fmt.Sprintf("%s %s, section \"%s\": added %s.", verb, c.File, c.Section, strings.TrimSuffix(c.Added, "."))
}

// SayNoRoomToAnalyse is noRoomText for an analysis.
func SayNoRoomToAnalyse(by Person, x Excess) string {
	what := "This thread holds as much as I keep of one part of an analysis. From here on I keep nothing of what is written or marked."
	if x == ExcessPerson {
		what = fmt.Sprintf("%s, this is as much as I keep of one person here. I keep no more of what you write or mark in this thread.", by.PlainName())
	}
	return what + " What came before is kept. Write “done” to have it written down, then type /roundtable analyze to go on in a new thread."
}

// SayKeptUntil ends the status of a thread that was closed at a time and is stored for so
// long after; it is empty where that is not known (FR-110).
func SayKeptUntil(closed time.Time, kept time.Duration) string {
	if closed.IsZero() || kept <= 0 {
		return ""
	}
	return " · transcript kept until " + closed.Add(kept).UTC().Format("2 January 2006")
}
