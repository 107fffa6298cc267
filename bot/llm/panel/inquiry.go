package panel

import (
	"slices"
	"strings"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/analysis"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/persona"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// inquiry is what is asked about one step of an analysis.
type inquiry struct {
	panel      *Panel
	id         string
	briefing   analysis.Briefing
	cast       []persona.Persona
	lead       persona.Persona
	transcript *transcript
	documents  []engine.Document
}

// newInquiry reads what is asked, telling at most limit bytes of the thread.
func (p *Panel) newInquiry(q engine.Inquiry, limit int) *inquiry {
	in := &inquiry{
		panel: p, id: q.Analysis, briefing: q.Briefing, documents: q.Documents,
		transcript: newTranscript(nonce(p.secret, q.Analysis), q.Transcript, limit),
	}
	for _, seat := range q.Briefing.Cast {
		persona, _ := q.Roster.Persona(seat.Key)
		persona.Seat = seat
		in.cast = append(in.cast, persona)
		if seat.Key == q.Briefing.Step.Lead {
			in.lead = persona
		}
	}
	return in
}

// rules are the words with which questions of a kind begin: the same in every step,
// whoever leads it.
func (in *inquiry) rules(name string) (string, error) {
	return in.panel.rules(name, roundtable.Subject{Cast: in.cast})
}

// facts are what the analysis is about, as data.
func (in *inquiry) facts() string {
	return in.transcript.data("analysis", line(struct {
		Item string `json:"item"`
	}{excerpt(thread.OneLine(readable(in.briefing.ItemTitle, nil)), factLimit)}))
}

// written is what stands in the item's documents, as data, or nothing. People wrote in
// them, too.
func (in *inquiry) written() string {
	type document struct {
		File string `json:"file"`
		Text string `json:"text"`
	}
	var lines []string
	for _, d := range in.documents {
		lines = append(lines, line(document{thread.OneLine(readable(d.File, nil)), excerpt(readable(d.Text, nil), materialLimit/len(in.documents))}))
	}
	if len(lines) == 0 {
		return ""
	}
	return in.transcript.data("documents", lines...)
}

// numbered is a text of a step's file that answers refer to by its number.
type numbered struct {
	Number int    `json:"number"`
	Text   string `json:"text"`
}

// enumerate numbers the texts from 1.
func enumerate[T any](list []T, text func(T) string) []numbered {
	var out []numbered
	for i, e := range list {
		out = append(out, numbered{i + 1, excerpt(readable(text(e), nil), factLimit)})
	}
	return out
}

func (in *inquiry) criteria() []numbered {
	return enumerate(in.briefing.Step.Criteria, func(c analysis.Criterion) string { return c.Text })
}

// stepName is "01-02 User Needs Discovery".
func (in *inquiry) stepName() string {
	return in.briefing.Step.ID + " " + thread.OneLine(readable(in.briefing.Step.Title, nil))
}

// evident is something of a step by its number, and the turns that speak to it, as a
// model reports it.
type evident struct {
	Number number   `json:"number"`
	Turns  []number `json:"turns"`
}

// shown are the numbers from 1 to n that a report supports: each by a turn of a
// person that stands.
func (in *inquiry) shown(report []evident, n int) []int {
	var out []int
	for _, e := range report {
		if k := int(e.Number); k >= 1 && k <= n && !slices.Contains(out, k) && len(in.sources(e.Turns)) > 0 {
			out = append(out, k)
		}
	}
	return out
}

// sources are the cited turns that stand and that people spoke, each once.
func (in *inquiry) sources(cited []number) []thread.Turn {
	var out []thread.Turn
	for _, n := range cited {
		for _, t := range in.transcript.turns {
			if t.Number == int(n) && n > 0 && t.Persona == "" && !slices.ContainsFunc(out, func(o thread.Turn) bool { return o.Number == t.Number }) {
				out = append(out, t)
			}
		}
	}
	return out
}

// answers are the numbers of people's turns from a number on.
func (in *inquiry) answers(from int) []int {
	var out []int
	for _, t := range in.transcript.turns {
		if t.Persona == "" && t.Number >= from {
			out = append(out, t.Number)
		}
	}
	return out
}

// fresh are the numbers of people's turns of this step since the lead last spoke.
func (in *inquiry) fresh() []int {
	from := in.briefing.Step.From
	for _, t := range in.transcript.turns {
		if t.Persona != "" {
			from = max(from, t.Number+1)
		}
	}
	return in.answers(from)
}

func (in *inquiry) guard() guard {
	return guard{in.cast, in.transcript.names, in.panel.length, in.panel.counts}
}

// lacking names numbers of something in words for a model: "criteria 2, 3".
func lacking(what string, n int, shown ...[]int) string {
	var missing []int
	for i := 1; i <= n; i++ {
		if !slices.ContainsFunc(shown, func(list []int) bool { return slices.Contains(list, i) }) {
			missing = append(missing, i)
		}
	}
	if len(missing) == 0 {
		return ""
	}
	return what + " " + numbers(missing)
}

// joined leaves out what is empty.
func joined(sep string, texts ...string) string {
	return strings.Join(slices.DeleteFunc(texts, func(t string) bool { return t == "" }), sep)
}
