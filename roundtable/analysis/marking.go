package analysis

import (
	"slices"
	"strings"

	"github.com/roundtable-chat/app/roundtable"
)

// reacted marks a message, or takes the mark back.
func (s *step) reacted(e Reacted) {
	kind, ok := roundtable.MarkOf(e.Emoji)
	if !ok || s.a.State == StateClosed {
		return
	}
	s.hear()
	entry := roundtable.Entry{Kind: roundtable.EntryMark, Mark: &roundtable.Mark{Kind: kind, By: e.By, TS: e.TS}}
	if e.Removed {
		entry.Kind = roundtable.EntryUnmark
	}
	s.record(entry)
}

// markedLines are what people marked since a turn, in the words of its marker, to
// be kept whatever a panel drafts (NFR-003). A persona's words lead only where people
// pointed.
func markedLines(t roundtable.Transcript, from int, given roundtable.Links) []string {
	names := map[roundtable.MarkKind]string{
		roundtable.MarkDecision: "Decided", roundtable.MarkQuestion: "Open question", roundtable.MarkInsight: "Insight", roundtable.MarkAction: "Action",
	}
	var lines []string
	for _, m := range t.Marks {
		body := oneLine(m.Body)
		if spokenByPersona(t, m.Turn) {
			body = given.Tame(body)
		}
		if m.Turn >= from && body != "" {
			lines = append(lines, names[m.Kind]+" ("+plainName(m.By.Name)+"): "+strings.TrimSuffix(body, "."))
		}
	}
	return lines
}

func spokenByPersona(t roundtable.Transcript, turn int) bool {
	return slices.ContainsFunc(t.Turns, func(x roundtable.Turn) bool { return x.Number == turn && x.Persona != "" })
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
