package evaluation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/roundtable-chat/app/bot/llm"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/persona"
	"github.com/roundtable-chat/app/roundtable/thread"
	"github.com/roundtable-chat/app/roundtable/voice"
)

// Options say what is evaluated, and how thoroughly.
type Options struct {
	// Roster is the cast; Panel speaks for it, under the name Engine.
	Roster persona.Roster
	Panel  engine.Panel
	Engine string
	// Judge, if set, attributes contributions, too. It answers for the model
	// JudgeName, which is of another vendor than Engine, whose manner it might
	// share.
	Judge     llm.Asker
	JudgeName string
	// Topics are how many of the built-in topics are discussed; Rounds how many
	// lines of people want an answer in each. Zero is all there are.
	Topics, Rounds int
	// Length is how long the panel was told to make contributions.
	Length voice.Length
	// Now, if set, measures latency. Without it a report follows from the panel
	// alone.
	Now func() time.Time
}

// Report holds the figures of an evaluation.
type Report struct {
	Engine        string `json:"engine"`
	Discussions   int    `json:"discussions"`
	Rounds        int    `json:"rounds"`
	Contributions int    `json:"contributions"`
	// Failed are questions that the panel could not answer.
	Failed int `json:"failed"`
	// Gold attributes by what was learnt of lines of known origin, HeldOut by what
	// was learnt of the other topics.
	Gold    Attribution `json:"attribution_from_gold"`
	HeldOut Attribution `json:"attribution_from_other_topics"`
	// Judge is nil if nobody judged.
	Judge *Judgement `json:"judge,omitempty"`
	// Faults counts contributions that break a voice rule, by rule and persona.
	Faults map[voice.Rule]map[persona.Key]int `json:"faults"`
	// Faulty are contributions with any fault; Echo those that repeat what was
	// just said, or the persona itself.
	Faulty Share  `json:"faulty"`
	Echo   Share  `json:"echo"`
	Probes Probes `json:"probes"`
	// Spent is what the panel used; the two latencies are to the first contribution
	// of a round, 0 if not measured.
	Spent      thread.Spend  `json:"spent"`
	MedianWait time.Duration `json:"median_wait_ns"`
	P95Wait    time.Duration `json:"p95_wait_ns"`

	// Said is everything that was said, for people to read.
	Said []Utterance `json:"-"`
	// cast names the personas in tables, in roster order.
	cast []persona.Persona
}

// Run plays the discussions and counts. It fails if the panel or the judge cannot
// be asked at all; a question that one of them could not answer is counted.
func Run(ctx context.Context, o Options) (*Report, error) {
	if o.Panel == nil || len(o.Roster.Personas) == 0 {
		return nil, errors.New("evaluate: a roster and a panel are needed")
	}
	if o.Judge != nil && Vendor(o.JudgeName) == Vendor(o.Engine) {
		return nil, fmt.Errorf("evaluate: the judge %s is of the same vendor as %s, whose manner it might share", o.JudgeName, o.Engine)
	}
	if o.Topics < 0 || o.Rounds < 0 {
		return nil, errors.New("evaluate: neither topics nor rounds can be fewer than none")
	}
	topics, err := Topics()
	if err != nil {
		return nil, fmt.Errorf("evaluate: %w", err)
	}
	gold, err := Gold()
	if err != nil {
		return nil, fmt.Errorf("evaluate: %w", err)
	}
	topics = topics[:cmp.Or(min(o.Topics, len(topics)), len(topics))]
	cast := o.Roster.Personas
	r := &Report{Engine: o.Engine, Discussions: len(topics), Faults: map[voice.Rule]map[persona.Key]int{}, cast: cast}
	var waits []time.Duration
	for i, topic := range topics {
		cues, err := script(topic, o.Rounds)
		if err != nil {
			return nil, fmt.Errorf("evaluate: %w", err)
		}
		p := &play{panel: o.Panel, cast: cast, topic: topic, length: o.Length, now: o.Now}
		seen, err := p.run(ctx, cues, cast[i%len(cast)].Key)
		if err != nil {
			return nil, err
		}
		r.take(seen)
		waits = append(waits, seen.latency...)
	}
	hidden := newMask(cast)
	r.Gold, r.HeldOut = mechanical(gold, r.Said, hidden), heldOut(r.Said, hidden)
	r.MedianWait, r.P95Wait = quantile(waits, 0.5), quantile(waits, 0.95)
	if o.Judge != nil {
		if r.Judge, err = judged(ctx, o.Judge, o.JudgeName, cast, gold, r.Said, hidden); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// take counts a discussion.
func (r *Report) take(o observed) {
	r.Said = append(r.Said, o.said...)
	r.Contributions += len(o.said)
	r.Failed += o.failed
	r.Spent = r.Spent.Plus(o.spent)
	for _, c := range o.cues {
		if c.probe != probeHuman {
			r.Rounds++
		}
	}
	for _, u := range o.said {
		r.Faulty.add(len(u.Faults) > 0)
		r.Echo.add(slices.Contains(u.Faults, voice.RuleEcho) || slices.Contains(u.Faults, voice.RuleRepetition))
		for _, rule := range u.Faults {
			if r.Faults[rule] == nil {
				r.Faults[rule] = map[persona.Key]int{}
			}
			r.Faults[rule][u.Persona]++
		}
	}
	r.Probes.take(o)
}

// quantile is the value below which a part of the values lies.
func quantile(values []time.Duration, part float64) time.Duration {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	return sorted[min(int(part*float64(len(sorted))), len(sorted)-1)]
}
