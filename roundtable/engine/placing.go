package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/roundtable-chat/app/roundtable/analysis"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// AnalysisPlace is where the analysis of an item goes on, or is to begin.
type AnalysisPlace struct {
	Ref Ref
	// Open is the analysis that is under way; nil if there is none, or, with Taken, if
	// it was only just asked for or is a newer version's.
	Open  *View
	Taken bool
}

const (
	// searched bounds how many discussions of a channel are looked at for an open
	// analysis.
	searched = 400
	// firstSearched is how many of an item's earlier analyses are looked at in the first
	// round trip; each further one looks at twice as many. Nearly every item has fewer.
	firstSearched = 8
	// mostRestarts bounds how often an item's analysis is taken up again while its
	// earlier ones are still kept: what seven round trips look at.
	mostRestarts = firstSearched * (1<<7 - 1)
)

// FindAnalysis finds the place of an item's analysis. Its id follows from the item
// and from how many analyses of it have ended and are still kept, so that two who
// ask at once are led to one place, and the store lets only one of them open it.
// One that discussion was turned into already counts as open even if it has ended;
// discussion may be empty.
func (r *Reader) FindAnalysis(ctx context.Context, item ItemRef, discussion string) (AnalysisPlace, error) {
	listed, err := r.store.List(ctx, item.Team, item.Channel, searched)
	if err != nil {
		return AnalysisPlace{}, item.Discreet(fmt.Errorf("find the analysis of %s: %w", item.Slug, err))
	}
	for _, l := range listed {
		if a, ok := analysisOf(l.State); ok && a.Item == item.Slug && isPlace(a, discussion) {
			return openPlace(l.Ref, a), nil
		}
	}
	for from, n := 0, firstSearched; from < mostRestarts; from, n = from+n, 2*n {
		place, found, err := r.findAmong(ctx, earlier(item, from, n), discussion)
		if err != nil {
			return AnalysisPlace{}, item.Discreet(fmt.Errorf("find the analysis of %s: %w", item.Slug, err))
		}
		if found {
			return place, nil
		}
	}
	return AnalysisPlace{}, item.Discreet(fmt.Errorf("find the analysis of %s: it was begun %d times", item.Slug, mostRestarts))
}

// earlier are the places of an item's analyses from the from-th on, n of them.
func earlier(item ItemRef, from, n int) []Ref {
	refs := make([]Ref, n)
	for i := range refs {
		id := thread.NewID(item.Team, item.Channel, "analysis:"+item.Slug+":"+strconv.Itoa(from+i))
		refs[i] = Ref{Team: item.Team, Channel: item.Channel, ID: id}
	}
	return refs
}

// findAmong returns the first place that is free or open; found is false if analyses that
// have ended stand in all of them.
func (r *Reader) findAmong(ctx context.Context, refs []Ref, discussion string) (_ AnalysisPlace, found bool, err error) {
	states, err := r.store.States(ctx, refs)
	if err != nil {
		return AnalysisPlace{}, false, err
	}
	for i, s := range states {
		switch {
		case errors.Is(s.Err, ErrForgotten): // it has ended, and may come back
			continue
		case errors.Is(s.Err, ErrNotFound):
			return AnalysisPlace{Ref: refs[i]}, true, nil
		case s.Err != nil:
			return AnalysisPlace{}, false, s.Err
		}
		a, ok := analysisOf(s.State)
		switch {
		case !ok: // it is not opened yet, or a newer version opened it
			return AnalysisPlace{Ref: refs[i], Taken: true}, true, nil
		case isPlace(a, discussion):
			return openPlace(refs[i], a), true, nil
		}
	}
	return AnalysisPlace{}, false, nil
}

func openPlace(ref Ref, a analysis.Analysis) AnalysisPlace {
	v := analysisView(a).of(ref, KindAnalysis)
	return AnalysisPlace{Ref: ref, Open: &v, Taken: true}
}

// analysisOf reads the state of an analysis that this version can read.
func analysisOf(state []byte) (analysis.Analysis, bool) {
	if KindOf(state) != KindAnalysis {
		return analysis.Analysis{}, false
	}
	a, err := analysis.Decode(state)
	return a, err == nil
}

func isPlace(a analysis.Analysis, discussion string) bool {
	return a.State != analysis.StateClosed ||
		discussion != "" && slices.ContainsFunc(a.Origins, func(o analysis.Origin) bool { return o.Discussion == discussion })
}
