package simulation

import (
	"slices"
	"time"
)

// Shrink makes a plan that fails as small as it gets and still fails: fewer faults,
// fewer acts, fewer replicas and discussions, and the calmest schedule. r is the
// result of the plan; fails runs another and reports whether it fails alike.
//
// It works because no choice depends on the choices before it: what remains of a
// plan that lost a fault or an act goes as it went before, as far as it can.
func Shrink(p Plan, r Result, fails func(Plan) bool) Plan {
	whole := p
	p.Faults, p.Hazards = slices.Clone(r.Faults), Hazards{}
	if p.Faults == nil {
		p.Faults = []Fault{}
	}
	if !fails(p) {
		return whole // it does not fail twice in the same way
	}
	for smaller := true; smaller; {
		before := size(p)
		p.Faults = fewer(p.Faults, func(kept []Fault) bool {
			q := p
			q.Faults = kept
			return fails(q)
		})
		acts := numbered(p.Acts)
		acts = fewer(acts, func(kept []numberedAct) bool { return fails(p.with(kept)) })
		p = p.with(acts)
		for _, calmer := range calmings() {
			if q := calmer(p); size(q) < size(p) && fails(q) {
				p = q
			}
		}
		smaller = size(p) < before
	}
	return p
}

// fewer drops elements while what is left still fails: by halves, by quarters, and
// so on down to one by one.
func fewer[T any](all []T, fails func([]T) bool) []T {
	for chunk := max(1, len(all)/2); ; chunk /= 2 {
		for at := 0; at < len(all); {
			left := slices.Delete(slices.Clone(all), at, min(at+chunk, len(all)))
			if fails(left) {
				all = left
			} else {
				at += chunk
			}
		}
		if chunk <= 1 {
			return all
		}
	}
}

// numberedAct is an act with its number, by which later acts refer to it.
type numberedAct struct {
	Act
	n int
}

// numbered are the acts that somebody does.
func numbered(acts []Act) []numberedAct {
	var all []numberedAct
	for i, a := range acts {
		if a.Who != 0 {
			all = append(all, numberedAct{a, i})
		}
	}
	return all
}

// with is the plan with those acts alone. In place of the others time passes.
func (p Plan) with(kept []numberedAct) Plan {
	acts := make([]Act, len(p.Acts))
	for i, a := range p.Acts {
		acts[i] = Act{After: a.After}
	}
	for _, k := range kept {
		acts[k.n] = k.Act
	}
	p.Acts = acts
	return p
}

// size is how much there is to read in a plan.
func size(p Plan) int {
	n := 10*len(p.Faults) + 10*len(numbered(p.Acts)) + 20*p.Replicas + 20*p.Discussions
	for _, odd := range []bool{!p.Prompt, p.Skew != 0, p.Over, p.Guest, p.Settings.Silence > 0, p.Settings.Gather > 0, p.Linger != 5*time.Second} {
		if odd {
			n++
		}
	}
	return n
}

// calmings make a plan calmer, each in one way.
func calmings() []func(Plan) Plan {
	return []func(Plan) Plan{
		func(p Plan) Plan { p.Prompt = true; return p },
		func(p Plan) Plan { p.Discussions = max(1, p.Discussions-1); return p },
		func(p Plan) Plan { p.Replicas = max(1, p.Replicas-1); return p },
		func(p Plan) Plan { p.Skew = 0; return p },
		func(p Plan) Plan { p.Over = false; return p },
		func(p Plan) Plan { p.Guest = false; return p },
		func(p Plan) Plan { p.Settings.Silence = 0; return p },
		func(p Plan) Plan { p.Settings.Gather = 0; return p },
		func(p Plan) Plan { p.Linger = 5 * time.Second; return p },
	}
}
