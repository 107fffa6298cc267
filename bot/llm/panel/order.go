package panel

import (
	"slices"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/persona"
	"github.com/roundtable-chat/app/roundtable/voice"
)

// proposal is a contribution that is complete and has not been handed on yet, and
// what is wrong with it.
type proposal struct {
	roundtable.Contribution
	faults []voice.Fault
}

// order decides when a contribution may be handed on. What is handed on is posted
// and cannot be taken back, so two things may hold it up.
//
// Those who must speak are heard in the order in which they were called, before
// those who may: whoever was addressed answers first, also if the model lets
// another begin.
//
// A contribution with a fault waits until it was written again, and so does
// everything that came after it: it may answer to it, and a reply must not stand
// before what it replies to (I4). Both are rare; a model that keeps to its
// instructions is never held up.
type order struct {
	calls   []roundtable.Call
	handed  []persona.Key
	silent  []persona.Key
	waiting []proposal
	// settled is set when nothing better will come.
	settled bool
}

// expects reports whether a persona is called and has not been heard.
func (o *order) expects(k persona.Key) bool {
	called := slices.ContainsFunc(o.calls, func(c roundtable.Call) bool { return c.Persona == k })
	return called && !slices.Contains(o.handed, k) && !slices.Contains(o.silent, k) && o.find(k) < 0
}

func (o *order) find(k persona.Key) int {
	return slices.IndexFunc(o.waiting, func(p proposal) bool { return p.Persona == k })
}

// add takes in a contribution.
func (o *order) add(p proposal) { o.waiting = append(o.waiting, p) }

// pass notes that a persona stays silent. Of one who must speak it counts for
// nothing.
func (o *order) pass(k persona.Key) {
	if !slices.Contains(o.owed(), k) {
		o.silent = append(o.silent, k)
	}
}

// owed are those who must speak and of whom nothing has come.
func (o *order) owed() []persona.Key {
	var owed []persona.Key
	for _, c := range o.calls {
		if c.Must && !slices.Contains(o.handed, c.Persona) && o.find(c.Persona) < 0 {
			owed = append(owed, c.Persona)
		}
	}
	return owed
}

// next hands on the contribution whose turn it is, if there is one.
func (o *order) next() (p proposal, ok bool) {
	at := 0
	for _, c := range o.calls {
		if !c.Must || slices.Contains(o.handed, c.Persona) {
			continue
		}
		if i := o.find(c.Persona); i >= 0 {
			at = i
			break
		}
		if !o.settled {
			return proposal{}, false
		}
	}
	if at >= len(o.waiting) {
		return proposal{}, false
	}
	if !o.settled && len(o.waiting[at].faults) > 0 {
		return proposal{}, false
	}
	p = o.waiting[at]
	o.waiting = slices.Delete(o.waiting, at, at+1)
	o.handed = append(o.handed, p.Persona)
	return p, true
}
