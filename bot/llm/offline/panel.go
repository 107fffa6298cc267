package offline

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/persona"
)

// Engine is the name by which a deployment chooses this panel. What the panel
// thinks up is not signed with it: an engine is named only where it stands in
// for the one that was chosen, which whoever puts it there does.
const Engine = "offline"

var _ engine.Panel = (*Panel)(nil)

// Options configure a panel.
type Options struct {
	// Roster is the deployment's cast. New checks that each of it has something
	// to say; a discussion brings its own cast.
	Roster persona.Roster
	// Pace is how long a persona thinks before each contribution, so that a
	// thread reads as a conversation. Zero answers at once.
	Pace time.Duration
	// Sleep waits for the pace; nil waits for real. It returns early with the
	// context's error.
	Sleep func(ctx context.Context, d time.Duration) error
}

// Panel thinks up contributions by rule. It is safe for concurrent use.
type Panel struct {
	reader *reader
	// voices are as written; ready are those of the roster's personas, without
	// what each must not say.
	voices map[persona.Key]*voice
	ready  map[persona.Key]ready
	themes []theme
	pace   time.Duration
	sleep  func(ctx context.Context, d time.Duration) error
}

// New reads the voices and checks that every persona of the roster can speak
// in every situation without breaking its own vocabulary.
func New(o Options) (*Panel, error) {
	reader, err := newReader()
	if err != nil {
		return nil, fmt.Errorf("set up offline personas: %w", err)
	}
	voices, themes, err := readVoices()
	if err != nil {
		return nil, fmt.Errorf("set up offline personas: %w", err)
	}
	p := &Panel{reader: reader, voices: voices, ready: map[persona.Key]ready{}, themes: themes, pace: o.Pace, sleep: o.Sleep}
	if p.sleep == nil {
		p.sleep = pause
	}
	var mute []error
	for _, persona := range o.Roster.Personas {
		v := p.voice(persona)
		if _, own := voices[persona.Key]; own {
			p.ready[persona.Key] = ready{v, slices.Clone(persona.Vocabulary.Forbidden)}
		}
		for _, f := range families {
			if len(v.frames[f]) == 0 {
				mute = append(mute, fmt.Errorf("the vocabulary of %s forbids every %s frame", persona.Name, f))
			}
		}
	}
	if err := errors.Join(mute...); err != nil {
		return nil, fmt.Errorf("set up offline personas: %w", err)
	}
	return p, nil
}

// Notice says that no model speaks. It stands in the root message of every
// discussion.
func (*Panel) Notice() string {
	return "Rule-based stand-in voices (English only): no language model is connected"
}

// pause waits for real.
func pause(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

// ready is a voice for a persona as the roster has it.
type ready struct {
	voice     *voice
	forbidden []string
}

// voice returns the persona's own voice, or one made of its lens.
func (p *Panel) voice(persona persona.Persona) *voice {
	// A discussion may have been opened under an older roster.
	if r, ok := p.ready[persona.Key]; ok && slices.Equal(r.forbidden, persona.Vocabulary.Forbidden) {
		return r.voice
	}
	v, ok := p.voices[persona.Key]
	if !ok {
		v = p.voices[generalVoice].lend(persona)
	}
	return v.permitted(persona.Vocabulary.Forbidden)
}
