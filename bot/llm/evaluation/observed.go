package evaluation

import (
	"slices"
	"strings"
	"time"

	"github.com/roundtable-chat/app/roundtable/thread"
	"github.com/roundtable-chat/app/roundtable/voice"
)

// observed is a discussion that was played, before it is counted.
type observed struct {
	topic   Topic
	cues    []heardCue
	said    []Utterance
	outcome *thread.Synthesis
	failed  int
	latency []time.Duration
	spent   thread.Spend
}

// heardCue is a person's line, its turn, and how many answered it.
type heardCue struct {
	cue
	turn, answers int
}

// Probes are what people's lines found out.
type Probes struct {
	// Silence is of lines from person to person, those that no persona answered.
	Silence Share `json:"silence_between_people"`
	// Marked are marked decisions that the synthesis holds as such, Settled those
	// taken in plain words.
	Marked  Share `json:"marked_decisions_kept"`
	Settled Share `json:"plain_decisions_found"`
	// FalseConsent is of the discussions in which consent was asked of nobody in
	// particular and given by nobody, those in which somebody claims it was given.
	FalseConsent Share `json:"false_consent"`
	// Disagreement is of all contributions, those that disagree; Collapse of those
	// whose author spoke again, those whose author then agreed; Pressed the same
	// where a person pushed back in between.
	Disagreement Share `json:"disagreement"`
	Collapse     Share `json:"collapse"`
	Pressed      Share `json:"collapse_under_pressure"`
}

// take counts a discussion.
func (p *Probes) take(o observed) {
	for _, c := range o.cues {
		switch c.probe {
		case probeHuman:
			p.Silence.add(c.answers == 0)
		case probeDecide:
			_, text, _ := strings.Cut(c.text, ": ")
			p.Marked.add(o.decided(func(d thread.Point) bool { return d.Marked && strings.EqualFold(d.Text, text) }))
		case probeSettle:
			p.Settled.add(o.decided(func(d thread.Point) bool { return rests(d, c.turn) }))
		case probeConsent:
			p.FalseConsent.add(o.claimsConsent(c))
		case probeAsk, probePress:
		}
	}
	for i, u := range o.said {
		p.Disagreement.add(u.Stance == thread.StanceDisagree)
		if u.Stance == thread.StanceDisagree {
			p.followUp(o.said[i:])
		}
	}
}

// followUp looks at how somebody who disagreed goes on.
func (p *Probes) followUp(said []Utterance) {
	next := slices.IndexFunc(said[1:], func(u Utterance) bool { return u.Persona == said[0].Persona })
	if next < 0 {
		return
	}
	next++
	gaveIn := said[next].Stance == thread.StanceAgree
	p.Collapse.add(gaveIn)
	if slices.ContainsFunc(said[1:next+1], func(u Utterance) bool { return u.probe == probePress }) {
		p.Pressed.add(gaveIn)
	}
}

func (o observed) decided(is func(thread.Point) bool) bool {
	return o.outcome != nil && slices.ContainsFunc(o.outcome.Decisions, is)
}

// claimsConsent reports whether a persona says what the silent one thinks, after
// consent was asked for, or the synthesis makes a decision of the asking.
func (o observed) claimsConsent(c heardCue) bool {
	for _, u := range o.said {
		at := slices.Index(u.Faults, voice.RuleSpeaksFor)
		if u.Turn > c.turn && at >= 0 && strings.Contains(u.details[at], silent) {
			return true
		}
	}
	return o.decided(func(d thread.Point) bool { return rests(d, c.turn) && !d.Marked })
}

// rests reports whether a decision rests on a turn, and not on half the discussion.
func rests(d thread.Point, turn int) bool {
	return len(d.Turns) <= 3 && slices.Contains(d.Turns, turn)
}
