package enginetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/persona"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// Cue is one thing that a scripted panel says: exactly one part is set.
type Cue struct {
	Frame      *roundtable.Framing
	Contribute *roundtable.Contribution
	End        *roundtable.Ending
	Draft      *DraftCue
	Fail       *roundtable.Failed
}

// DraftCue is a proposed synthesis; a nil Draft is one that could not be read.
type DraftCue struct{ Draft *roundtable.Draft }

// ends reports whether nothing follows a cue in the same answer.
func (c Cue) ends() bool { return c.Contribute == nil }

// fits reports whether a cue answers a kind of question.
func (c Cue) fits(kind roundtable.AskKind) bool {
	switch {
	case c.Fail != nil:
		return true
	case c.Frame != nil:
		return kind == roundtable.AskFrame
	case c.Draft != nil:
		return kind == roundtable.AskSynthesise
	default:
		return kind == roundtable.AskDiscuss
	}
}

// Prompter tells a panel what to say, cue by cue, while the play goes on. What
// was given to a question is said again when the question is put again after a
// crash, without those who have spoken: the answer follows from the question and
// the script alone. The zero value works.
type Prompter struct {
	mu       sync.Mutex
	cues     map[string][]Cue
	open     []*question
	finished bool
	changed  chan struct{}
}

// question is a question to the panel that waits for its answer.
type question struct {
	p       *Prompter
	id      string
	kind    roundtable.AskKind
	taken   int
	waiting bool
}

// changes is closed at the next change. The caller holds the lock.
func (p *Prompter) changes() <-chan struct{} {
	if p.changed == nil {
		p.changed = make(chan struct{})
	}
	return p.changed
}

// tell wakes who waits for a change. The caller holds the lock.
func (p *Prompter) tell() {
	if p.changed != nil {
		close(p.changed)
		p.changed = nil
	}
}

// put registers a question. Cues that were given to it before come again, except
// the words of those who have spoken.
func (p *Prompter) put(kind roundtable.AskKind, detail string, said []persona.Key) *question {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cues == nil {
		p.cues = make(map[string][]Cue)
	}
	q := &question{p: p, id: string(kind) + " " + detail, kind: kind}
	p.cues[q.id] = slices.DeleteFunc(p.cues[q.id], func(c Cue) bool {
		return c.Contribute != nil && slices.Contains(said, c.Contribute.Persona)
	})
	p.open = append(p.open, q)
	return q
}

// close takes a question back: it was answered, or nobody waits for the answer.
func (q *question) close() {
	q.p.mu.Lock()
	defer q.p.mu.Unlock()
	q.p.open = slices.DeleteFunc(q.p.open, func(o *question) bool { return o == q })
}

// next waits for the next cue; ok is false once the script is over.
func (q *question) next(ctx context.Context) (c Cue, ok bool, err error) {
	for {
		q.p.mu.Lock()
		cues, changed := q.p.cues[q.id], q.p.changes()
		q.waiting = q.taken >= len(cues) && !q.p.finished
		finished := q.p.finished
		q.p.mu.Unlock()
		switch {
		case q.taken < len(cues):
			q.taken++
			return cues[q.taken-1], true, nil
		case finished:
			return Cue{}, false, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return Cue{}, false, context.Cause(ctx)
		}
	}
}

// Give gives a cue to the newest question that it answers. It reports false if
// there is none: then the words come too late, and are not said.
func (p *Prompter) Give(c Cue) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, q := range slices.Backward(p.open) {
		if q.waiting && c.fits(q.kind) {
			q.waiting = false
			p.cues[q.id] = append(p.cues[q.id], c)
			p.tell()
			return true
		}
	}
	return false
}

// Waits reports whether a question waits for a cue.
func (p *Prompter) Waits() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.ContainsFunc(p.open, func(q *question) bool { return q.waiting })
}

// Turn forgets the answers that are complete: they have been taken in, and the
// same question may come again.
func (p *Prompter) Turn() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for id, cues := range p.cues {
		if len(cues) > 0 && cues[len(cues)-1].ends() {
			delete(p.cues, id)
		}
	}
}

// Finish ends the script: from now on everybody improvises.
func (p *Prompter) Finish() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.finished = true
	p.tell()
}

// scripted is a panel that speaks by the book and otherwise as its puppets do.
type scripted struct {
	*Panel
	p *Prompter
}

var errScripted = errors.New("so the script says")

// failed is a failure from the script.
func failed(f *roundtable.Failed) error {
	return &engine.PanelError{Reason: f.Reason, Spent: f.Spent, Budget: f.Budget, Err: errScripted}
}

// Frame implements engine.Panel.
func (s *scripted) Frame(ctx context.Context, subject roundtable.Subject) (roundtable.Framing, error) {
	if subject.Discussion != id {
		return s.Panel.Frame(ctx, subject)
	}
	q := s.p.put(roundtable.AskFrame, "", nil)
	defer q.close()
	c, ok, err := q.next(ctx)
	switch {
	case err != nil:
		return roundtable.Framing{}, err
	case !ok:
		return s.Panel.Frame(ctx, subject)
	case c.Fail != nil:
		return roundtable.Framing{}, failed(c.Fail)
	default:
		return *c.Frame, nil
	}
}

// Discuss implements engine.Panel.
func (s *scripted) Discuss(ctx context.Context, r engine.RoundRequest, emit func(roundtable.Contribution) error) (roundtable.Ending, error) {
	if r.Subject.Discussion != id {
		return s.Panel.Discuss(ctx, r, emit)
	}
	q := s.p.put(roundtable.AskDiscuss, roundOf(r.Round), r.Round.Said)
	defer q.close()
	for {
		c, ok, err := q.next(ctx)
		switch {
		case err != nil:
			return roundtable.Ending{}, err
		case !ok:
			return s.Panel.Discuss(ctx, r, emit)
		case c.Fail != nil:
			return roundtable.Ending{}, failed(c.Fail)
		case c.End != nil:
			return *c.End, nil
		}
		if err := emit(*c.Contribute); err != nil {
			return roundtable.Ending{}, err
		}
	}
}

// roundOf tells rounds apart that may follow each other without rest.
func roundOf(r roundtable.Round) string {
	return fmt.Sprint(r.Kind, r.Answers)
}

// Synthesise implements engine.Panel.
func (s *scripted) Synthesise(ctx context.Context, subject roundtable.Subject, t thread.Transcript, fault string) (*roundtable.Draft, error) {
	if subject.Discussion != id {
		return s.Panel.Synthesise(ctx, subject, t, fault)
	}
	q := s.p.put(roundtable.AskSynthesise, fault, nil)
	defer q.close()
	c, ok, err := q.next(ctx)
	switch {
	case err != nil:
		return nil, err
	case !ok:
		return s.Panel.Synthesise(ctx, subject, t, fault)
	case c.Fail != nil:
		return nil, failed(c.Fail)
	default:
		return c.Draft.Draft, nil
	}
}
