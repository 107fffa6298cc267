package engine

import (
	"context"
	"errors"
	"fmt"

	"github.com/roundtable-chat/app/roundtable"
)

// listLimit bounds a listing.
const listLimit = 50

// List returns the discussions of a channel that are not over, most recently
// active first. What a newer version wrote is left out.
func (e *Engine) List(ctx context.Context, team, channel string) ([]roundtable.Discussion, error) {
	listed, err := e.opt.Store.List(ctx, team, channel, listLimit)
	if err != nil {
		return nil, fmt.Errorf("list discussions of %s: %w", channel, err)
	}
	discussions := make([]roundtable.Discussion, 0, len(listed))
	for _, l := range listed {
		if l.State == nil {
			continue // delivered, but nobody has opened it yet
		}
		d, err := roundtable.Decode(l.State)
		if errors.Is(err, roundtable.ErrNewer) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("list discussions of %s: %s: %w", channel, l.Ref.ID, err)
		}
		discussions = append(discussions, d)
	}
	return discussions, nil
}

// Discussion returns a discussion as it was last committed; ErrNotFound if there
// is none.
func (e *Engine) Discussion(ctx context.Context, ref Ref) (roundtable.Discussion, error) {
	d, _, err := e.read(ctx, ref)
	return d, err
}

// Transcript returns a discussion with what was said in it.
func (e *Engine) Transcript(ctx context.Context, ref Ref) (roundtable.Discussion, roundtable.Transcript, error) {
	d, lines, err := e.read(ctx, ref)
	if err != nil {
		return d, roundtable.Transcript{}, err
	}
	entries := make([]roundtable.Entry, 0, len(lines))
	for _, line := range lines {
		entry, err := roundtable.DecodeEntry(line)
		if err != nil {
			return d, roundtable.Transcript{}, fmt.Errorf("read discussion %s: %w", ref.ID, err)
		}
		entries = append(entries, entry)
	}
	return d, roundtable.ReadTranscript(entries), nil
}

func (e *Engine) read(ctx context.Context, ref Ref) (roundtable.Discussion, [][]byte, error) {
	state, lines, err := e.opt.Store.Read(ctx, ref)
	if err == nil && state == nil {
		err = ErrNotFound // delivered, but nobody has opened it yet
	}
	var d roundtable.Discussion
	if err == nil {
		d, err = roundtable.Decode(state)
	}
	if err != nil {
		return d, nil, fmt.Errorf("read discussion %s: %w", ref.ID, err)
	}
	return d, lines, nil
}
