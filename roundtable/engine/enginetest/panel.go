package enginetest

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// Panel is a cast of puppets: what they say follows from the question alone. The
// zero value says one line for everybody who is called.
type Panel struct {
	// Delay passes before every contribution and every other answer.
	Delay time.Duration
	// Answer, if set, is asked first for the nth question (from 1) and may give
	// an error or an ending of its own.
	Answer func(n int, kind roundtable.AskKind) (roundtable.Ending, error)

	mu    sync.Mutex
	asked int
}

// Asked returns how many questions were put.
func (p *Panel) Asked() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.asked
}

func (p *Panel) next(ctx context.Context, kind roundtable.AskKind) (roundtable.Ending, error) {
	p.mu.Lock()
	p.asked++
	n := p.asked
	p.mu.Unlock()
	if err := pass(ctx, p.Delay); err != nil {
		return roundtable.Ending{}, err
	}
	if p.Answer == nil {
		return roundtable.Ending{}, nil
	}
	return p.Answer(n, kind)
}

// Frame implements engine.Panel.
func (p *Panel) Frame(ctx context.Context, s roundtable.Subject) (roundtable.Framing, error) {
	if _, err := p.next(ctx, roundtable.AskFrame); err != nil {
		return roundtable.Framing{}, err
	}
	f := roundtable.Framing{Summary: "We looked at " + s.Topic + ".", Focus: "What breaks first?"}
	for _, c := range s.Cast {
		if c.Key != s.Lead {
			f.Ask = c.Key
			break
		}
	}
	return f, nil
}

// Discuss implements engine.Panel.
func (p *Panel) Discuss(ctx context.Context, r engine.RoundRequest, emit func(roundtable.Contribution) error) (roundtable.Ending, error) {
	ending, err := p.next(ctx, roundtable.AskDiscuss)
	if err != nil {
		return ending, err
	}
	for _, c := range r.Round.Calls {
		if slices.Contains(r.Round.Said, c.Persona) {
			continue
		}
		if err := pass(ctx, p.Delay); err != nil {
			return ending, err
		}
		text := fmt.Sprintf("The %s view after %d turns: the ledger has to balance.", c.Persona, len(r.Transcript.Turns))
		if err := emit(roundtable.Contribution{Persona: c.Persona, Stance: thread.StanceAdd, Text: text}); err != nil {
			return ending, err
		}
	}
	return ending, nil
}

// Synthesise implements engine.Panel.
func (p *Panel) Synthesise(ctx context.Context, s roundtable.Subject, t thread.Transcript, _ string) (*roundtable.Draft, error) {
	if _, err := p.next(ctx, roundtable.AskSynthesise); err != nil {
		return nil, err
	}
	d := &roundtable.Draft{Summary: "The ledger has to balance."}
	for _, turn := range t.Turns {
		d.Insights = append(d.Insights, roundtable.DraftPoint{Text: fmt.Sprintf("Point %d stands on its own.", turn.Number), Turns: []int{turn.Number}})
	}
	return d, nil
}

// Notice implements engine.Panel.
func (p *Panel) Notice() string { return "" }
