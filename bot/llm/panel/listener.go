package panel

import (
	"context"
	"errors"
	"strings"

	"github.com/roundtable-chat/app/bot/llm"
	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/persona"
	"github.com/roundtable-chat/app/roundtable/thread"
	"github.com/roundtable-chat/app/roundtable/voice"
)

// listener takes in a round's answer while it arrives and hands on each
// contribution as soon as it is complete, sound, and its turn has come.
type listener struct {
	rd      *round
	calls   []roundtable.Call
	order   order
	scanner scanner
	// mute keeps everything back: it is to be compared first.
	mute   bool
	engine string
	taken  bool
	// conflict is the newest that was reported, whatever it is worth.
	conflict *reported
	// broken is why what was said could not be handed on.
	broken error
}

func newListener(rd *round, g group) *listener {
	l := &listener{rd: rd, calls: g.calls}
	l.Begin("")
	return l
}

// listen puts a question and hears the answer out.
func (l *listener) listen(ctx context.Context, q llm.Question) error {
	result, err := l.rd.panel.asker.Ask(ctx, q, l)
	l.rd.model = result.Asked
	if !result.Spent.IsZero() {
		l.rd.spent = result.Spent
	}
	if errors.Is(err, errEndless) {
		err = &llm.Error{Kind: llm.Malformed, Model: result.Asked, RequestID: result.RequestID, Detail: "endless"}
	}
	return err
}

// Begin implements Sink. What an attempt left behind that was cut off is
// forgotten, unless some of it was handed on: then what follows goes on from it.
func (l *listener) Begin(engine string) {
	l.engine = engine
	l.scanner = scanner{found: l.found}
	if !l.taken {
		l.order = order{calls: l.calls}
		l.conflict = nil
	}
}

// Text implements Sink.
func (l *listener) Text(piece string) error { return l.scanner.feed(piece) }

// Taken implements Sink.
func (l *listener) Taken() bool { return l.taken }

// found takes in an object of the answer.
func (l *listener) found(raw []byte) (understood bool, err error) {
	var o reported
	if !readObject(raw, &o) {
		return false, nil
	}
	switch {
	case o.Speaker != nil:
		return true, l.contribution(o)
	case o.Verdict != "":
		return true, l.relevance(o)
	case len(o.Options) > 0:
		l.conflict = &o
		return true, nil
	}
	return o.Contributions != nil, nil
}

func (l *listener) relevance(o reported) error {
	if l.mute || !strings.EqualFold(o.Verdict, "off") {
		return nil
	}
	before := l.rd.drifted
	l.broken = l.rd.redirect(o, l.engine)
	l.taken = l.taken || l.rd.drifted != before
	return l.broken
}

func (l *listener) contribution(o reported) error {
	persona, known := speaker(*o.Speaker, l.rd.subject.Cast)
	if !known || l.rd.over || !l.order.expects(persona.Key) {
		l.rd.panel.counts.drop("contribution")
		return nil
	}
	c := roundtable.Contribution{Persona: persona.Key, Stance: stance(o.Stance), Engine: l.engine}
	if o.Text != nil {
		c.Text = l.rd.guard().ownWords(*o.Text, persona)
	}
	if c.Text == "" || strings.EqualFold(strings.TrimSpace(o.Stance), "silent") {
		l.order.pass(persona.Key)
		return l.release() // others may have waited for this one
	}
	if t, stands := l.rd.standing(int(o.ReplyTo)); stands {
		c.ReplyTo = t.Number
	}
	l.order.add(proposal{Contribution: c, faults: l.rd.guard().faults(persona, c.Text, l.before())})
	return l.release()
}

// before is what was said before the next contribution, by whom it may be.
func (l *listener) before() []thread.Turn {
	turns := append([]thread.Turn(nil), l.rd.transcript.turns...)
	turns = append(turns, l.rd.spoken...)
	for _, p := range l.order.waiting {
		turns = append(turns, thread.Turn{Persona: p.Persona, Text: p.Text})
	}
	return turns
}

// release hands on whatever may go.
func (l *listener) release() error {
	for !l.mute && l.broken == nil {
		p, ok := l.order.next()
		if !ok {
			break
		}
		l.taken = true
		l.broken = l.rd.say(p)
	}
	return l.broken
}

// speaker finds the persona that a model names, by key or by name.
func speaker(name string, cast []persona.Persona) (persona.Persona, bool) {
	name = strings.TrimSpace(name)
	for _, p := range cast {
		for _, known := range []string{string(p.Key), p.First(), p.Name, p.Identity()} {
			if strings.EqualFold(name, known) {
				return p, true
			}
		}
	}
	return persona.Persona{}, false
}

// stance reads a stance; one that is none adds something.
func stance(s string) thread.Stance {
	s = strings.ToLower(strings.TrimSpace(s))
	switch st := thread.Stance(s); st {
	case thread.StanceAgree, thread.StanceDisagree, thread.StanceQuestion, thread.StanceAdd:
		return st
	}
	return thread.StanceAdd
}

// better is the version of a contribution with fewer faults; the first, to which
// others may have replied, if neither is.
func better(first, again proposal) proposal {
	if len(again.faults) < len(first.faults) {
		return again
	}
	return first
}

// sentences are faults in words that a model can act on.
func sentences(faults []voice.Fault) string {
	words := make([]string, len(faults))
	for i, f := range faults {
		words[i] = f.Detail
	}
	return strings.Join(words, " ")
}
