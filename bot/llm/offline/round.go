package offline

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/persona"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// round is one round under way.
type round struct {
	*scene
	roundtable.Round
	// spoken are those who spoke in this round, in order.
	spoken []persona.Key
	// picks are the sides taken in a choice, with the reasons given.
	picks map[persona.Key]roundtable.Option
	// compared are the last turns as lately takes them apart, when there were
	// comparedAt turns.
	compared   []grams
	comparedAt int
	// asked is true once somebody asked back: one question a round is enough.
	asked bool
}

// Discuss plays a round. Those who must speak speak first, in the order called;
// the others bid, and stay silent unless they have something of their own to add.
// Whoever has spoken in the round already is passed over, so that a round that
// was broken off goes on where it stopped.
func (p *Panel) Discuss(ctx context.Context, r engine.RoundRequest, emit func(roundtable.Contribution) error) (roundtable.Ending, error) {
	rd := &round{scene: p.newScene(r.Subject, r.Transcript, r.Round.Answers, memory), Round: r.Round,
		picks: map[persona.Key]roundtable.Option{}}
	if rd.Drifted {
		return roundtable.Ending{}, nil
	}
	if drift := rd.drift(); drift != nil {
		err := emit(roundtable.Contribution{Persona: r.Subject.Lead, Stance: thread.StanceAdd, ReplyTo: drift.Turn, Drift: drift})
		return roundtable.Ending{}, err
	}
	for _, call := range order(r.Round.Calls) {
		persona, ok := rd.persona(call.Persona)
		if !ok {
			continue
		}
		if slices.Contains(r.Round.Said, call.Persona) {
			rd.recall(persona)
			continue
		}
		if !call.Must && !rd.bids(persona) {
			continue
		}
		c, ok := rd.speak(persona)
		if !ok {
			continue
		}
		if err := p.sleep(ctx, p.pace); err != nil {
			return roundtable.Ending{Incomplete: true}, fmt.Errorf("discuss %s: %w", r.Subject.Discussion, err)
		}
		if err := emit(c); err != nil {
			return roundtable.Ending{Incomplete: true}, err
		}
		rd.turns = append(rd.turns, thread.Turn{Persona: c.Persona, Text: c.Text, Stance: c.Stance})
	}
	return roundtable.Ending{Conflict: rd.conflict()}, nil
}

// order puts those who must speak before the others and keeps the order of each.
func order(calls []roundtable.Call) []roundtable.Call {
	calls = slices.Clone(calls)
	slices.SortStableFunc(calls, func(a, b roundtable.Call) int {
		switch {
		case a.Must == b.Must:
			return 0
		case a.Must:
			return -1
		}
		return 1
	})
	return calls
}

// recall takes in what a persona said in this round before it was broken off.
func (r *round) recall(p persona.Persona) {
	for _, t := range slices.Backward(r.turns) {
		if t.Persona == p.Key {
			r.asked = r.asked || strings.HasSuffix(t.Text, "?")
			if r.heard.act == actChoice {
				pick, _ := r.side(p)
				r.picks[p.Key] = roundtable.Option{Label: pick, Reason: r.reasonIn(p, t.Text), By: p.Key}
			}
			break
		}
	}
	r.spoken = append(r.spoken, p.Key)
}

// The bids. Whoever reaches the floor price speaks.
const (
	floorPrice  = 3
	bidDomain   = 2 // for a word of its own ground, up to twice
	bidRested   = 1 // not among the last voices
	bidWeighty  = 1 // a choice or a worry deserves a second view
	bidGoingOn  = 3 // people asked to hear the personas among themselves
	bidPerVoice = 1 // taken off for everybody who spoke in this round
)

// bids reports whether one who may stay silent speaks. Silence is better than an
// echo (anti-blending), and small talk and decisions need no second voice.
func (r *round) bids(p persona.Persona) bool {
	if r.heard.act == actSmall || r.Kind == roundtable.RoundAnswer && (r.heard.act == actUnclear || r.heard.act == actDecision) {
		return false
	}
	text := r.heard.text
	if r.Kind != roundtable.RoundAnswer {
		text = r.subject.Focus + " " + r.subject.Topic
	}
	bid := bidDomain*min(domainHits(p, text), 2) - bidPerVoice*len(r.spoken)
	voices := r.turns[max(len(r.turns)-3, 0):]
	if !slices.ContainsFunc(voices, func(t thread.Turn) bool { return t.Persona == p.Key }) {
		bid += bidRested
	}
	if r.heard.act == actChoice || r.heard.act == actConcern {
		bid += bidWeighty
	}
	if r.Kind == roundtable.RoundContinue {
		bid += bidGoingOn
	}
	return bid >= floorPrice
}

// speak makes the persona's contribution; ok is false if it has nothing to say.
func (r *round) speak(p persona.Persona) (roundtable.Contribution, bool) {
	v := r.voices[p.Key]
	values := r.values(p, v)
	name := r.family(p, values)
	guard(values, p.Vocabulary.Forbidden)
	chosen, ok := r.choose(p, v, name, values)
	if !ok {
		return roundtable.Contribution{}, false
	}
	if name == familyChoice || name == familyCounter {
		pick, _ := r.side(p)
		r.picks[p.Key] = roundtable.Option{Label: pick, Reason: chosen.gist, By: p.Key}
	}
	text := r.withQuestion(p, v, name, chosen.text, values)
	r.asked = r.asked || strings.HasSuffix(text, "?")
	r.spoken = append(r.spoken, p.Key)
	return roundtable.Contribution{Persona: p.Key, Stance: stance(name, text), ReplyTo: r.answered, Text: text}, true
}

// choose picks a frame of the family, or of the nearest family that has one that
// fits.
func (r *round) choose(p persona.Persona, v *voice, name family, values map[string]string) (line, bool) {
	accept := func(text string) bool { return r.sound(p, text) }
	for _, f := range []family{name, familyContinue, familyOpening, familyUnclear} {
		if chosen, ok := r.lottery.pick(v.frames[f], values, r.used(p.Key, frame.made), accept); ok {
			return chosen, true
		}
	}
	return line{}, false
}

// The length of a contribution, in words, and how much of it may repeat what was
// just said, in shares of three-word sequences.
const (
	minWords = 8
	maxWords = 85
	maxEcho  = 0.25
)

// sound reports whether the text keeps the rules that hold for every voice.
func (r *round) sound(p persona.Persona, text string) bool {
	if n := len(strings.Fields(text)); n < minWords || n > maxWords || uses(text, p.Vocabulary.Forbidden) {
		return false
	}
	own := gramsOf(text)
	for _, said := range r.lately() {
		if own.echo(said) > maxEcho {
			return false
		}
	}
	return true
}

// lately are the last things that were said, taken apart once for all that is
// compared with them.
func (r *round) lately() []grams {
	if last := r.turns[max(len(r.turns)-4, 0):]; r.comparedAt != len(r.turns) || r.compared == nil {
		r.compared, r.comparedAt = make([]grams, len(last)), len(r.turns)
		for i, t := range last {
			r.compared[i] = gramsOf(t.Text)
		}
	}
	return r.compared
}

// family decides what kind of contribution this is, and fills in whom it
// answers.
func (r *round) family(p persona.Persona, values map[string]string) family {
	if r.Kind == roundtable.RoundAnswer && r.heard.act == actChoice {
		if name, ok := r.takeSide(p, values); ok {
			return name
		}
	}
	if len(r.spoken) > 0 || r.Kind == roundtable.RoundContinue {
		if colleague, turn, ok := r.lastColleague(p); ok {
			if point := r.pointOf(turn); point != "" {
				values[slotColleague], values[slotPoint] = colleague.First(), point
				return r.reply(p)
			}
		}
		return familyContinue
	}
	if r.Kind == roundtable.RoundOpening {
		return familyOpening
	}
	return answerFamily[r.heard.act]
}

// answerFamily is how the first voice answers what people say.
var answerFamily = map[act]family{
	actUnclear: familyUnclear, actDecision: familyDecision, actChoice: familyAnswer, actConcern: familyConcern,
	actQuestion: familyAnswer, actSmall: familyContinue, actStatement: familyStatement,
}

// reply decides between building on a colleague and disagreeing.
func (r *round) reply(p persona.Persona) family {
	if r.lottery.draw(string(p.Key), "reply")%3 == 0 {
		return familyDisagree
	}
	return familyBuild
}

// lastColleague is the persona who spoke last, in this round or before it.
func (r *round) lastColleague(p persona.Persona) (persona.Persona, thread.Turn, bool) {
	for _, t := range slices.Backward(r.turns) {
		if t.Persona == "" && len(r.spoken) == 0 && r.Kind != roundtable.RoundContinue {
			break
		}
		if t.Persona == "" || t.Persona == p.Key {
			continue
		}
		if colleague, ok := r.persona(t.Persona); ok {
			return colleague, t, true
		}
	}
	return persona.Persona{}, thread.Turn{}, false
}

// withQuestion closes some contributions with a question back, where a person
// is there to answer it.
func (r *round) withQuestion(p persona.Persona, v *voice, name family, text string, values map[string]string) string {
	if slices.Contains([]family{familyDecision, familyUnclear, familyAsk, familyFocus}, name) {
		return text
	}
	if r.Kind != roundtable.RoundAnswer || r.asked || strings.Contains(text, "?") || r.lottery.draw(string(p.Key), "ask")%2 == 0 {
		return text
	}
	question, ok := r.lottery.pick(v.frames[familyAsk], values, r.used(p.Key, frame.within), func(q string) bool {
		// A person is addressed once in a contribution, and a key named once.
		return len(strings.Fields(text+" "+q)) <= maxWords && !uses(q, p.Vocabulary.Forbidden) && !repeats(text, q, values)
	})
	if !ok {
		return text
	}
	return text + " " + question.text
}

// repeats reports whether the question would name what the text has named.
func repeats(text, question string, values map[string]string) bool {
	for _, slot := range []string{slotPerson, slotKey, slotAspect, slotTopic} {
		if v := values[slot]; v != "" && strings.Contains(strings.ToLower(text), strings.ToLower(v)) && strings.Contains(strings.ToLower(question), strings.ToLower(v)) {
			return true
		}
	}
	return false
}

// stance is how a contribution of the family stands to what it answers.
func stance(name family, text string) thread.Stance {
	switch {
	case name == familyDisagree || name == familyCounter:
		return thread.StanceDisagree
	case strings.HasSuffix(text, "?"):
		return thread.StanceQuestion
	case name == familyBuild:
		return thread.StanceAgree
	}
	return thread.StanceAdd
}
