package analysis

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/persona"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// Every sentence of an analysis that the rules themselves speak stands here and
// in words_edge.go. The templates in quotes are prescribed to the letter (FR-011, AC-007-05).

// headerText stands before a step (FR-011).
func headerText(lead persona.Seat, s StepView) string {
	return fmt.Sprintf("%s -- Step %s: %s", lead.Identity(), s.ID, s.Title)
}

// greetingText opens a phase that is new to the item (AC-011-01). A lead who has
// greeted in this thread already does not introduce themself again.
func greetingText(lead persona.Seat, p PhaseView, known bool) string {
	if known {
		return fmt.Sprintf("On to %s.", lowered(p.Description))
	}
	return fmt.Sprintf("Hi, I'm %s, your %s. I'll be guiding you through %s. Let's get started.", lead.Name, lead.Role, lowered(p.Description))
}

// resumedText opens a phase that was begun before (AC-011-02, AC-009-03).
func resumedText(s Survey) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Welcome back. Last time we completed %s.", listed(s.Done))
	for _, p := range s.Past {
		about := "step " + p.Step
		if p.Step == roundtable.FreeStep {
			about = "the topic as a whole"
		}
		fmt.Fprintf(&b, " We also had a roundtable discussion on %s where %s.", about, recalled(p.Summary))
	}
	fmt.Fprintf(&b, " Let's pick up from %s.", s.Step.Title)
	return b.String()
}

// recalled makes a clause of a summary: "Identified two deciders" is what "we"
// did, "Conflicts keep both copies" stands by itself.
func recalled(summary string) string {
	clause := strings.TrimRight(lowered(thread.OneLine(summary)), ". ")
	if first, _, _ := strings.Cut(clause, " "); strings.HasSuffix(first, "ed") {
		return "we " + clause
	}
	return clause
}

// handOverText passes from one lead to the next (AC-011-03).
func handOverText(from, to persona.Seat, before, next PhaseView) string {
	return fmt.Sprintf("%s has finished %s. Handing off to %s who will guide us through %s.",
		from.Name, lowered(before.Description), to.Identity(), lowered(next.Description))
}

// reviewedText says what the new lead works with.
func reviewedText(from persona.Seat, before PhaseView, summary string) string {
	return fmt.Sprintf("I've reviewed %s's %s. Here's what I'm working with: %s", from.First(), listed(before.Documents), sentence(summary))
}

// announcementText says how deep a phase goes where the quick scan decided it, and
// how to change that (AC-006-06). Standard needs no announcement.
func announcementText(c Chosen) string {
	switch {
	case c.Source == FromQuickScan && c.Depth == Brief:
		return "This looks straightforward. I'll keep the analysis brief -- say 'deep' if you want the full treatment."
	case c.Source == FromQuickScan && c.Depth == Deep:
		return "This is a substantial change. I'll do a thorough analysis -- say 'brief' if you want to speed things up."
	default:
		return ""
	}
}

func switchedText(d Depth) string { return fmt.Sprintf("Got it, switching to %s mode.", d) }

func alreadyText(d Depth) string { return fmt.Sprintf("We are in %s mode already.", d) }

// menuText is the menu in the form of its place (AC-004-06, AC-007-05).
func menuText(m Menu) string {
	lines := []string{"**[E]** Elaboration Mode -- bring all perspectives to discuss this topic"}
	if m.within() {
		lines = append(lines, "**[C]** Continue -- move to the next step", "**[S]** Skip remaining steps in this phase")
	} else {
		lines = append(lines, "**[C]** "+continueLabel(m))
	}
	return strings.Join(append(lines, "Or type naturally to provide feedback."), "\n")
}

func continueLabel(m Menu) string {
	switch {
	case m.Last:
		return "Complete analysis"
	case m.Next != nil && m.Next.Number != "":
		return fmt.Sprintf("Continue to Phase %s (%s)", m.Next.Number, m.Next.Name)
	case m.Next != nil:
		return fmt.Sprintf("Continue to %s", m.Next.Name)
	default:
		return "Continue"
	}
}

func skippedText() string {
	return "Skipping remaining steps in this phase. I'll produce draft artifacts based on what we've discussed so far."
}

// acknowledgedText takes up feedback in the persona's manner (AC-007-04).
func acknowledgedText(template, point string) string {
	point = strings.TrimRight(lowered(thread.OneLine(point)), ".!? ")
	if point == "" {
		point = "what you just said"
	}
	if !strings.Contains(template, "{point}") {
		return "Noted: " + point + "."
	}
	return strings.ReplaceAll(template, "{point}", point)
}

// Sentences for the log.

// EmptyPhaseWarning says that a phase has no steps (AC-004-04).
func EmptyPhaseWarning(key string) string {
	return fmt.Sprintf("No step files found for phase %s.", key)
}

func unmetWarning(x Passed) string {
	return fmt.Sprintf("Step %s waits for step %s, which is not completed. Skipping.", x.Step.ID, x.WaitsFor)
}

func unknownPhaseWarning(key string, lead persona.Seat) string {
	return fmt.Sprintf("Unknown phase key '%s'. Falling back to %s.", key, lead.Identity())
}

// lowered begins a text with a small letter, unless its first word is a name or
// an abbreviation.
func lowered(s string) string {
	first, size := utf8.DecodeRuneInString(s)
	second, _ := utf8.DecodeRuneInString(s[size:])
	if !unicode.IsUpper(first) || unicode.IsUpper(second) || second == '\'' || second == ' ' {
		return s
	}
	return string(unicode.ToLower(first)) + s[size:]
}

// sentence is a text on one line with an end.
func sentence(s string) string {
	s = thread.OneLine(s)
	if s == "" || strings.ContainsAny(s[len(s)-1:], ".?!") {
		return s
	}
	return s + "."
}

// listed joins names as a person would: "A", "A and B", "A, B, and C" (the
// comma is prescribed).
func listed(names []string) string {
	switch n := len(names); n {
	case 0:
		return "nothing yet"
	case 1:
		return names[0]
	case 2:
		return names[0] + " and " + names[1]
	default:
		return strings.Join(names[:n-1], ", ") + ", and " + names[n-1]
	}
}
