package bot

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"sync"
	"time"

	"github.com/slack-go/slack"

	"github.com/roundtable-chat/app/bot/webapi"
	"github.com/roundtable-chat/app/roundtable"
)

// A task is work that nobody waits for. It may be lost if the process ends.
type task func(context.Context)

// laterWithin bounds a task.
const laterWithin = 30 * time.Second

// errands are the tasks under way. They are the bot's and not a connection's: one that
// is renewed, which happens every few hours, must not cut an upload short.
type errands struct {
	base    context.Context
	abandon context.CancelFunc
	running sync.WaitGroup
}

func newErrands(ctx context.Context) *errands {
	e := &errands{}
	e.base, e.abandon = context.WithCancel(context.WithoutCancel(ctx))
	return e
}

// send does a task, and then done, without waiting for it.
func (e *errands) send(t task, done func()) {
	e.running.Go(func() {
		defer done()
		ctx, cancel := context.WithTimeoutCause(e.base, laterWithin, fmt.Errorf("a task took more than %s", laterWithin))
		defer cancel()
		t(ctx)
	})
}

// finish waits for the tasks under way, as long as for handlers, and then ends them.
// Nothing may be sent any more but by a task that is under way.
func (e *errands) finish() {
	waited(&e.running, drainWithin)
	e.abandon()
	e.running.Wait()
}

// answering is the task of saying something to one person: it has a time of its own,
// for the handler's may be used up by what went wrong. There is none for no text.
func (b *Bot) answering(channel, thread, user, text string) task {
	if text == "" {
		return nil
	}
	return func(ctx context.Context) { b.answer(ctx, channel, thread, user, text) }
}

// responding is the task of saying something to the person of a click or a shortcut who is
// not in its channel, where no other answer reaches them: Slack's response_url does.
func (b *Bot) responding(c slack.InteractionCallback, channel, text string) task {
	if c.ResponseURL == "" {
		return b.answering(channel, "", c.User.ID, text)
	}
	answer := slack.WebhookMessage{
		Text: b.workplace.draw.Private(roundtable.Place{Team: b.self.team, Channel: channel}, text), ResponseType: slack.ResponseTypeEphemeral, Parse: "none",
	}
	return func(ctx context.Context) {
		err := slack.PostWebhookCustomHTTPContext(ctx, c.ResponseURL, b.http, &answer)
		if address := (*url.Error)(nil); errors.As(err, &address) {
			err = address.Err // the address is the right to answer (I11)
		}
		if err != nil {
			b.log.Warn("answer not shown", "channel", channel, "error", webapi.Scrub(err))
		}
	}
}

// inTurn does two tasks one after the other, where there are two.
func inTurn(first, second task) task {
	switch {
	case first == nil:
		return second
	case second == nil:
		return first
	}
	return func(ctx context.Context) {
		first(ctx)
		second(ctx)
	}
}

// answer says something to one person. It is a courtesy and may be lost.
func (b *Bot) answer(ctx context.Context, channel, thread, user, text string) {
	if text == "" {
		return
	}
	if err := b.workplace.Tell(ctx, roundtable.Place{Team: b.self.team, Channel: channel, Thread: thread}, user, text); err != nil {
		b.log.Warn("answer not shown", "channel", channel, "error", err)
	}
}
