package enginetest

import (
	"context"
	"fmt"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/analysis"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/engine/invariant"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// Discussion reads a whole discussion as it was last committed; engine.ErrNotFound if there
// is none, or no replica has opened it yet. Products read what engine.Reader shows.
func Discussion(ctx context.Context, s engine.StateReader, ref engine.Ref) (roundtable.Discussion, error) {
	d, _, err := Transcript(ctx, s, ref)
	return d, err
}

// Transcript reads a discussion as Discussion does, with what was said in it.
func Transcript(ctx context.Context, s engine.StateReader, ref engine.Ref) (roundtable.Discussion, thread.Transcript, error) {
	state, lines, err := s.Read(ctx, ref)
	if err == nil && state == nil {
		err = engine.ErrNotFound
	}
	var e invariant.Evidence
	if err == nil {
		e, err = invariant.Of(ref, state, lines, nil)
	}
	if err != nil {
		return e.Discussion, thread.Transcript{}, fmt.Errorf("read discussion %s: %w", ref.ID, err)
	}
	return roundtable.Seated(e.Discussion, Roster()), thread.ReadTranscript(e.Entries), nil
}

// Analysis reads a whole analysis as Discussion does.
func Analysis(ctx context.Context, s engine.StateReader, ref engine.Ref) (analysis.Analysis, error) {
	state, _, err := s.Read(ctx, ref)
	if err == nil && state == nil {
		err = engine.ErrNotFound
	}
	var a analysis.Analysis
	if err == nil {
		a, err = analysis.Decode(state)
	}
	if err != nil {
		return a, fmt.Errorf("read analysis %s: %w", ref.ID, err)
	}
	return a, nil
}
