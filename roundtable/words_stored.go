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
