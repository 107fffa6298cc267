package panel

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/roundtable-chat/app/roundtable/persona"
	"github.com/roundtable-chat/app/roundtable/thread"
	"github.com/roundtable-chat/app/roundtable/voice"
)

// textLimit bounds a contribution, in characters. What is longer than its length
// allows is a fault and is written again; this is what may be posted at worst.
const textLimit = 2400

// guard looks at what a model wrote for personas before anybody else does.
type guard struct {
	cast   []persona.Persona
	people names
	length voice.Length
	counts *counters
}

// ownWords is what a persona says of a text that a model wrote for it: without its
// own name in front, and only up to where the text goes on as somebody else.
func (g guard) ownWords(text string, p persona.Persona) string {
	text = visible(text)
	for {
		rest, ok := withoutLabel(text, labels(p))
		if !ok {
			break
		}
		text = rest
	}
	var others []string
	for _, c := range g.cast {
		if c.Key != p.Key {
			others = append(others, labels(c)...)
		}
	}
	for _, name := range g.people {
		others = append(others, name)
	}
	end := 0
	for l := range strings.Lines(text) {
		if _, script := withoutLabel(l, others); script && end > 0 {
			g.counts.drop("script")
			break
		}
		end += len(l)
	}
	return bounded(strings.TrimSpace(text[:end]), textLimit)
}

// labels are what a text may call a persona in front of its words.
func labels(p persona.Persona) []string {
	return []string{p.Identity(), p.Name, p.First(), string(p.Key)}
}

// withoutLabel takes a name and a colon, as in a script, from the beginning of a
// text.
func withoutLabel(text string, names []string) (rest string, ok bool) {
	const marks = "*_# \t>"
	bare := strings.TrimLeft(text, marks)
	for _, name := range names {
		if name == "" || len(bare) < len(name) || !strings.EqualFold(bare[:len(name)], name) {
			continue
		}
		after := strings.TrimLeft(bare[len(name):], marks)
		if rest, ok := strings.CutPrefix(after, ":"); ok {
			return strings.TrimLeft(rest, marks), true
		}
	}
	return text, false
}

// bounded is a text of at most n characters, to the end of a sentence where there
// is one.
func bounded(text string, n int) string {
	if utf8.RuneCountInString(text) <= n {
		return text
	}
	head := string([]rune(text)[:n-1])
	if i := strings.LastIndexAny(head, ".?!\n"); i > len(head)/2 {
		return strings.TrimSpace(head[:i+1])
	}
	return beginning(head, len(head)-1)
}

// faults are the voice rules that a text breaks, said after these turns (FR-010).
func (g guard) faults(p persona.Persona, text string, before []thread.Turn) []voice.Fault {
	u := voice.After(before, p, g.cast, text)
	u.Length = g.length
	return voice.Check(p, g.cast, u)
}

// finding is what is wrong with words of a lead: why they cannot be used, or what the
// lead would not say, both in words for a model.
type finding struct {
	wrong  string
	faults []voice.Fault
}

func (f finding) found() finding { return f }

// why is what should be better, or nothing.
func (f finding) why() string {
	if f.wrong != "" {
		return f.wrong + "."
	}
	return sentences(f.faults)
}

func (f finding) betterThan(o finding) bool {
	if (f.wrong == "") != (o.wrong == "") {
		return f.wrong == ""
	}
	return len(f.faults) < len(o.faults)
}

// leadFaults are what a lead would not say where the turns of a discussion are no
// measure: what people said is to be taken up, and a sentence of the rules' stands
// around some of it.
func (g guard) leadFaults(p persona.Persona, text string, before []thread.Turn, measured bool) []voice.Fault {
	if text == "" {
		return nil
	}
	return slices.DeleteFunc(g.faults(p, text, before), func(f voice.Fault) bool {
		return f.Rule == voice.RuleEcho || f.Rule == voice.RuleLength && !measured
	})
}

// lengthWords say to a model how long contributions are.
func lengthWords(l voice.Length) string {
	switch l {
	case voice.Terse:
		return "One or two short sentences each, forty words at most."
	case voice.Full:
		return "Up to ten sentences or bullets each, where the matter needs them."
	case voice.Normal:
	}
	return "Two to four sentences or bullets each, seventy words at most."
}
