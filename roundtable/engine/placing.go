package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/analysis"
)

// AnalysisPlace is where the analysis of an item goes on, or is to begin.
type AnalysisPlace struct {
	Ref Ref
	// Open is the analysis that is under way; nil if there is none, or, with Taken, if
	// it was only just asked for or is a newer version's.
	Open  *analysis.Analysis
	Taken bool
}

// AnalysisReader is what finding an analysis needs of a store.
type AnalysisReader interface {
	List(ctx context.Context, team, channel string, limit int) ([]Listed, error)
	Read(ctx context.Context, ref Ref) (state []byte, log [][]byte, err error)
}

const (
	// searched bounds how many discussions of a channel are looked at for an open
	// analysis.
	searched = 400
	// mostRestarts bounds how often an item's analysis is taken up again while its
	// earlier ones are still kept.
	mostRestarts = 1000
)

// FindAnalysis finds the place of an item's analysis. Its id follows from the item
// and from how many analyses of it have ended and are still kept, so that two who
// ask at once are led to one place, and the store lets only one of them open it.
// One that discussion was turned into already counts as open even if it has ended;
// discussion may be empty.
func FindAnalysis(ctx context.Context, r AnalysisReader, item ItemRef, discussion string) (AnalysisPlace, error) {
	listed, err := r.List(ctx, item.Team, item.Channel, searched)
	if err != nil {
		return AnalysisPlace{}, fmt.Errorf("find the analysis of %s: %w", item.Slug, err)
	}
	for _, l := range listed {
		if a, ok := analysisOf(l.State); ok && a.Item == item.Slug && isPlace(a, discussion) {
			return AnalysisPlace{Ref: l.Ref, Open: &a, Taken: true}, nil
		}
	}
	for n := range mostRestarts {
		ref := Ref{Team: item.Team, Channel: item.Channel, ID: roundtable.NewID(item.Team, item.Channel, "analysis:"+item.Slug+":"+strconv.Itoa(n))}
		state, _, err := r.Read(ctx, ref)
		switch {
		case errors.Is(err, ErrNotFound):
			return AnalysisPlace{Ref: ref}, nil
		case err != nil:
			return AnalysisPlace{}, fmt.Errorf("find the analysis of %s: %w", item.Slug, err)
		}
		a, ok := analysisOf(state)
		switch {
		case !ok: // nobody has opened it yet, or a newer version has
			return AnalysisPlace{Ref: ref, Taken: true}, nil
		case isPlace(a, discussion):
			return AnalysisPlace{Ref: ref, Open: &a, Taken: true}, nil
		}
	}
	return AnalysisPlace{}, fmt.Errorf("find the analysis of %s: it was begun %d times", item.Slug, mostRestarts)
}

// analysisOf reads the state of an analysis that this version can read.
func analysisOf(state []byte) (analysis.Analysis, bool) {
	if !isAnalysis(state) {
		return analysis.Analysis{}, false
	}
	a, err := analysis.Decode(state)
	return a, err == nil
}

func isPlace(a analysis.Analysis, discussion string) bool {
	return a.State != analysis.StateClosed ||
		discussion != "" && slices.ContainsFunc(a.Origins, func(o analysis.Origin) bool { return o.Discussion == discussion })
}
