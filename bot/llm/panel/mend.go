package panel

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"

	"github.com/roundtable-chat/app/bot/llm"
	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// mend asks once more, and once only, for what the answer lacks: a contribution
// with a fault, words of somebody who must speak, or anything that could be read.
// One call for all of it, after the answer has ended: to interrupt a stream for
// each would cost the whole prompt again every time. Of two versions the better
// one is kept and its faults are counted; a failure here leaves the first.
func (rd *round) mend(ctx context.Context, q llm.Question, l *listener) error {
	calls, faults := l.lacking()
	if rd.over || len(calls) == 0 {
		return nil
	}
	unread := !l.scanner.understood
	words, err := rd.panel.prompts.write("repair.txt", struct {
		Unread bool
		Faults []string
	}{unread, faults})
	if err != nil {
		return err
	}
	asked := func(err error) {
		rd.panel.counts.mended(unread, err)
		rd.panel.log.LogAttrs(ctx, slog.LevelInfo, "round_mended",
			slog.String("discussion", rd.subject.Discussion), slog.Int("asked_for", len(calls)), slog.Bool("unread", unread), slog.Any("error", err))
	}
	if unread { // the second answer takes the place of the first and is heard like it
		err = l.listen(ctx, followed(q, excerpt(visible(string(l.scanner.buf)), 2000), words))
		asked(err)
		return err
	}
	again := newListener(rd, group{calls: calls})
	again.mute = true
	err = again.listen(ctx, followed(q, answered(l.said()), words))
	asked(err)
	l.merge(again)
	if _, models := errors.AsType[*llm.Error](err); models && ctx.Err() == nil && (l.taken || len(l.order.waiting) > 0) {
		return nil // the first answer stands as it is
	}
	return err
}

// lacking are the calls that want another answer, and why, in words for a model.
func (l *listener) lacking() (calls []roundtable.Call, why []string) {
	owed := l.order.owed()
	for _, c := range l.calls {
		switch i := l.order.find(c.Persona); {
		case i >= 0 && len(l.order.waiting[i].faults) > 0:
			calls = append(calls, c)
			why = append(why, fmt.Sprintf("%s: %s", c.Persona, sentences(l.order.waiting[i].faults)))
		case slices.Contains(owed, c.Persona):
			calls = append(calls, c)
			why = append(why, fmt.Sprintf("%s: has to speak and did not", c.Persona))
		case !l.scanner.understood:
			calls = append(calls, c)
		}
	}
	return calls, why
}

// said is what the answer held, as turns.
func (l *listener) said() []thread.Turn {
	var turns []thread.Turn
	for _, t := range l.rd.spoken {
		if slices.Contains(l.order.handed, t.Persona) {
			turns = append(turns, t)
		}
	}
	for _, p := range l.order.waiting {
		turns = append(turns, thread.Turn{Persona: p.Persona, Text: p.Text, Stance: p.Stance, ReplyTo: p.ReplyTo})
	}
	return turns
}

// merge takes what a second answer made better. One who need not speak and would
// now rather be silent than at fault is silent.
func (l *listener) merge(again *listener) {
	for _, k := range again.order.silent {
		if i := l.order.find(k); i >= 0 {
			l.order.waiting = slices.Delete(l.order.waiting, i, i+1)
			l.order.silent = append(l.order.silent, k)
		}
	}
	for _, p := range again.order.waiting {
		if i := l.order.find(p.Persona); i >= 0 {
			l.order.waiting[i] = better(l.order.waiting[i], p)
		} else {
			l.order.add(p)
		}
	}
}

// followed is the question after an answer to it that has to be mended. It begins
// with everything that the first began with, so it is read from the cache.
func followed(q llm.Question, answer, words string) llm.Question {
	q.Request.Messages = slices.Clone(q.Request.Messages)
	if answer != "" {
		q.Request.Messages = append(q.Request.Messages, llm.Message{Role: llm.Assistant, Blocks: []llm.Block{{Text: answer}}})
	} else {
		// addToUser grows the last message; the first question keeps its own.
		last := &q.Request.Messages[len(q.Request.Messages)-1]
		last.Blocks = slices.Clone(last.Blocks)
	}
	q.Request.Messages = addToUser(q.Request.Messages, llm.Block{Text: words})
	return q
}
