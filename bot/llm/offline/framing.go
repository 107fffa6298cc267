package offline

import (
	"context"
	"fmt"
	"strings"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/persona"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// summaryLimit is how much of a step's summary or of pasted text the lead
// repeats, in characters.
const summaryLimit = 240

// Frame opens the discussion for the lead (FR-004, AC-004-03): where the step
// landed in the step's own words, a question that joins the topic with something
// that the lead's own lens does not cover, and the colleague whose ground the
// subject touches most.
func (p *Panel) Frame(ctx context.Context, s roundtable.Subject) (roundtable.Framing, error) {
	sc := p.newScene(s, thread.Transcript{}, nil, memory)
	lead, ok := sc.persona(s.Lead)
	if !ok {
		return roundtable.Framing{}, fmt.Errorf("frame %s: the lead %q is not in the cast", s.Discussion, s.Lead)
	}
	if err := p.sleep(ctx, p.pace); err != nil {
		return roundtable.Framing{}, fmt.Errorf("frame %s: %w", s.Discussion, err)
	}
	ask, ok := sc.askFirst()
	if !ok {
		return roundtable.Framing{}, fmt.Errorf("frame %s: the cast has nobody but the lead", s.Discussion)
	}
	return roundtable.Framing{Summary: sc.summary(), Focus: sc.focus(lead, ask), Ask: ask.Key}, nil
}

// askFirst is the non-lead on whose ground the subject lies most, the first in
// roster order if there is none.
func (sc *scene) askFirst() (persona.Persona, bool) {
	var best persona.Persona
	most, found := -1, false
	for _, c := range sc.subject.Cast {
		if c.Key == sc.subject.Lead {
			continue
		}
		if hits := domainHits(c, sc.background.text); hits > most {
			best, most, found = c, hits, true
		}
	}
	return best, found
}

// summary is where things stand, in words that somebody wrote.
func (sc *scene) summary() string {
	s := sc.subject
	if text := plain(s.Step.Summary); text != "" {
		return clip(text, summaryLimit)
	}
	if rd := sc.panel.reader.read(s.Written, sc.names); rd.text != "" {
		return clip(strings.Join(rd.sentences[:min(2, len(rd.sentences))], " "), summaryLimit)
	}
	if rd := sc.panel.reader.read(s.Context, sc.names); rd.text != "" {
		return "This is what was brought along: " + clip(strings.Join(rd.sentences[:min(2, len(rd.sentences))], " "), summaryLimit)
	}
	return ""
}

// focus is the focus question: the topic, seen from where the colleague looks.
func (sc *scene) focus(lead, ask persona.Persona) string {
	v := sc.voices[lead.Key]
	values := sc.values(lead, v)
	values[slotAspect] = sc.aspect(sc.voices[ask.Key].permitted(lead.Vocabulary.Forbidden))
	guard(values, lead.Vocabulary.Forbidden)
	chosen, ok := sc.lottery.pick(v.frames[familyFocus], values, sc.used(lead.Key, frame.made), func(string) bool { return true })
	if !ok {
		return capitalise(fmt.Sprintf("what would have to be true of %s for all of us to stand behind it?", sc.topic))
	}
	return chosen.text
}
