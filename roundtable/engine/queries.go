package engine

import (
	"context"
	"errors"
	"fmt"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/analysis"
)

// listLimit bounds a listing.
const listLimit = 50

// List returns the discussions of a channel that are not over, most recently
// active first. What a newer version wrote is left out.
func (e *Engine) List(ctx context.Context, team, channel string) ([]roundtable.Discussion, error) {
	discussions, _, err := e.ListAll(ctx, team, channel)
	return discussions, err
}

// ListAll returns the discussions and the analyses of a channel that are not over,
// as List does.
func (e *Engine) ListAll(ctx context.Context, team, channel string) ([]roundtable.Discussion, []analysis.Analysis, error) {
	listed, err := e.opt.Store.List(ctx, team, channel, listLimit)
	if err != nil {
		return nil, nil, fmt.Errorf("list discussions of %s: %w", channel, err)
	}
	discussions := make([]roundtable.Discussion, 0, len(listed))
	var analyses []analysis.Analysis
	for _, l := range listed {
		if l.State == nil {
			continue // delivered, but nobody has opened it yet
		}
		if isAnalysis(l.State) {
			var a analysis.Analysis
			if a, err = analysis.Decode(l.State); err == nil {
				analyses = append(analyses, a)
			}
		} else {
			var d roundtable.Discussion
			if d, err = roundtable.Decode(l.State); err == nil {
				discussions = append(discussions, d)
			}
		}
		if err != nil && !errors.Is(err, roundtable.ErrNewer) {
			return nil, nil, fmt.Errorf("list discussions of %s: %s: %w", channel, l.Ref.ID, err)
		}
	}
	return discussions, analyses, nil
}

// Discussion returns a discussion as it was last committed; ErrNotFound if there
// is none.
func (e *Engine) Discussion(ctx context.Context, ref Ref) (roundtable.Discussion, error) {
	d, _, err := e.readDiscussion(ctx, ref)
	return d, err
}

// Analysis returns an analysis as it was last committed; ErrNotFound if there is
// none.
func (e *Engine) Analysis(ctx context.Context, ref Ref) (analysis.Analysis, error) {
	m, _, err := e.read(ctx, ref)
	if err != nil {
		return analysis.Analysis{}, err
	}
	a, ok := m.(*analysisMatter)
	if !ok {
		return analysis.Analysis{}, fmt.Errorf("read analysis %s: it is a discussion: %w", ref.ID, ErrNotFound)
	}
	return a.a, nil
}

// Transcript returns a discussion with what was said in it.
func (e *Engine) Transcript(ctx context.Context, ref Ref) (roundtable.Discussion, roundtable.Transcript, error) {
	d, lines, err := e.readDiscussion(ctx, ref)
	if err != nil {
		return d, roundtable.Transcript{}, err
	}
	entries, err := roundtable.DecodeLog(ref.ID, lines)
	if err != nil {
		return d, roundtable.Transcript{}, fmt.Errorf("read discussion %s: %w", ref.ID, err)
	}
	return d, roundtable.ReadTranscript(entries), nil
}

func (e *Engine) readDiscussion(ctx context.Context, ref Ref) (roundtable.Discussion, [][]byte, error) {
	m, lines, err := e.read(ctx, ref)
	if err != nil {
		return roundtable.Discussion{}, nil, err
	}
	d, ok := m.(*discussionMatter)
	if !ok {
		return roundtable.Discussion{}, nil, fmt.Errorf("read discussion %s: it is an analysis: %w", ref.ID, ErrNotFound)
	}
	return d.d, lines, nil
}

// read returns what is stored under a reference, and its log.
func (e *Engine) read(ctx context.Context, ref Ref) (matter, [][]byte, error) {
	state, lines, err := e.opt.Store.Read(ctx, ref)
	if err == nil && state == nil {
		err = ErrNotFound // delivered, but nobody has opened it yet
	}
	var m matter
	if err == nil {
		m, err = e.decode(state)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("read discussion %s: %w", ref.ID, err)
	}
	return m, lines, nil
}
