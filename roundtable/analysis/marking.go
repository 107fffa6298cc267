package analysis

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"

	"github.com/roundtable-chat/app/roundtable/persona"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// reacted marks a message, or takes the mark back.
func (s *step) reacted(e Reacted) {
	kind, ok := thread.MarkOf(e.Emoji)
	if !ok || s.a.State == StateClosed {
		return
	}
	counts := !e.Removed
	if kind == thread.MarkDecision && !e.Removed {
		switch s.Verdict(s.a.Settings.Choose, e.By) {
		case thread.VerdictGranted:
		case thread.VerdictOpen:
			counts = false // not yet
			s.keepMark(e)
		case thread.VerdictRefused:
			if !e.Unsure {
				s.Tell(e.By.ID, thread.SayBarred(e.By, s.a.Opener))
			}
			return
		}
	}
	if !e.Unsure { // else it may be said elsewhere, and nobody is here
		s.touch()
	}
	entry := thread.Entry{Kind: thread.EntryMark, Mark: &thread.Mark{Kind: kind, By: e.By, TS: e.TS, Emoji: e.Emoji}, Unsure: e.Unsure}
	if e.Removed {
		entry.Kind = thread.EntryUnmark
	}
	s.record(entry)
	s.a.Marked = s.a.Marked || counts
}

// keepMark keeps the ✅ of somebody unknown until Slack says who they are. Where it may be
// on somebody else's message, they are not told of it.
func (s *step) keepMark(e Reacted) {
	a := thread.Act{Kind: thread.ActMark, Value: e.Emoji, TS: e.TS, Unsure: e.Unsure}
	if e.Unsure {
		s.a.Unknown.Keep(e.By, a, s.in.At)
		return
	}
	s.Keep(e.By, a)
}

// unnoted are the marks that stand in no document yet, as lines in the words of their
// marker, to be kept whatever a panel drafts (NFR-003), and their ids. It does not
// matter when the marked thing was said: people often mark what they read later. A
// persona's words lead only where people pointed.
func (s *step) unnoted(t thread.Transcript, given thread.Links) (lines, ids []string) {
	names := map[thread.MarkKind]string{
		thread.MarkDecision: "Decided", thread.MarkQuestion: "Open question", thread.MarkInsight: "Insight", thread.MarkAction: "Action",
	}
	for _, m := range t.Marks {
		body, id := thread.OneLine(m.Body), markID(m)
		if m.Turn == 0 || body == "" || slices.Contains(s.a.Noted, id) || slices.Contains(ids, id) {
			continue // procedure is nothing to keep
		}
		by := m.By.NameAmong(s.a.Cast)
		if who := spokenBy(t, m.Turn); who != "" {
			body, by = given.Tame(body), by+", in "+s.seat(who).First()+"'s words"
		}
		lines = append(lines, names[m.Kind]+" ("+by+"): "+strings.TrimSuffix(body, ".")+m.Remark())
		ids = append(ids, id)
	}
	return lines, ids
}

// markID tells a mark by who marked what as what, so that what was marked and then
// edited is marked anew.
func markID(m thread.Marked) string {
	h := fnv.New64a()
	for _, s := range []string{string(m.Kind), m.By.ID, cmp.Or(m.Whole, m.Body)} {
		fmt.Fprintf(h, "%d %s", len(s), s)
	}
	return strconv.FormatUint(h.Sum64(), 36)
}

// noteMarks writes down what was marked since the step was: at the menu nothing else
// may come that would.
func (s *step) noteMarks() {
	if s.a.Marked && s.a.State == StateMenu && s.a.Ask == nil && s.a.Stalled == nil {
		s.compose(ForMarks)
	}
}

// spokenBy is the persona who spoke a turn; empty for a person.
func spokenBy(t thread.Transcript, number int) persona.Key {
	for _, turn := range t.Turns {
		if turn.Number == number {
			return turn.Persona
		}
	}
	return ""
}

// withLines adds a titled list to the first section among the parts or, where there is
// none, as a section of its own: a list of objects or rows hold no sentences, and
// their artifact takes them as it takes any section (document.Enrich).
func withLines(parts []Part, of StepView, title string, lines []string) []Part {
	if len(lines) == 0 {
		return parts
	}
	list := "**" + title + "**:\n\n- " + strings.Join(lines, "\n- ") + "\n"
	out := slices.Clone(parts)
	for i, p := range out {
		if p.Part == PartSection {
			out[i].Content = strings.TrimRight(p.Content, "\n") + "\n\n" + list
			return out
		}
	}
	for _, t := range of.Targets {
		if !isFolder(t.File) {
			return append(out, t.section(of.Title, list))
		}
	}
	return out
}
