package bot

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/slack-go/slack"

	"github.com/roundtable-chat/app/bot/blocks"
	"github.com/roundtable-chat/app/bot/webapi"
	"github.com/roundtable-chat/app/bot/wire"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/persona"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// The metadata by which a post of ours is recognised. Everybody in the workspace
// can read it, so it names the post and nothing else.
const (
	turnEvent = "roundtable_turn"
	turnKey   = "key"
)

// Workplace is Slack as the engine sees it.
type Workplace struct {
	api     *slack.Client
	log     *slog.Logger
	self    self
	draw    blocks.Renderer
	icon    func(persona.Key) string
	threads *threads
	metrics *metrics
	// again takes in what is read back; see Bot.hearAgain.
	again func(context.Context, happening) (engine.Heard, bool)
	who   func(ctx context.Context, user string, strictly bool) (thread.Person, time.Duration)
}

var _ engine.Workplace = (*Workplace)(nil)

func newWorkplace(b *Bot) *Workplace {
	return &Workplace{
		api: b.api, log: b.log, self: b.self, threads: b.threads, metrics: b.metrics, again: b.hearAgain, who: b.identify,
		draw: blocks.Renderer{Site: b.self.site, Name: b.people.Known, Links: b.heard.allows, Names: b.self.may("chat:write.customize")},
		icon: func(key persona.Key) string {
			p, _ := b.opts.Roster.Persona(key)
			return p.Icon
		},
	}
}

// Post says something once (chat.postMessage). A post that Slack put elsewhere
// than into the thread asked for, because the thread is gone, is taken back and
// refused.
func (w *Workplace) Post(ctx context.Context, p engine.Posting) (string, error) {
	discussion, _, _ := strings.Cut(p.Key, "/")
	d, err := w.drawn(ctx, p.Place, discussion, p.Message)
	if err != nil {
		w.metrics.requests.WithLabelValues(string(engine.Unmade)).Observe(0)
		return "", &engine.SendError{Outcome: engine.Unmade, Err: fmt.Errorf("draw %s: %w", p.Key, err)}
	}
	ctx, pass, cancel := w.request(ctx)
	defer cancel()
	started := time.Now()
	opts := append(plainly(d), w.identity(p.Message.Speaker, p.Message.Identity)...)
	opts = append(opts,
		slack.MsgOptionMetadata(slack.SlackMetadata{EventType: turnEvent, EventPayload: map[string]any{turnKey: p.Key}}),
		slack.MsgOptionDisableLinkUnfurl(), slack.MsgOptionDisableMediaUnfurl())
	if p.Place.Thread != "" {
		opts = append(opts, slack.MsgOptionTS(p.Place.Thread))
		if p.Message.ToChannel {
			opts = append(opts, slack.MsgOptionBroadcast())
		}
	}
	_, ts, answer, err := w.api.PostMessageWithResponseContext(ctx, p.Place.Channel, opts...)
	if err == nil && ts == "" {
		err = errors.New("the answer names no message")
	}
	if err != nil {
		e := webapi.SendError(fmt.Errorf("post %s: %w", p.Key, err), pass.Left())
		w.metrics.requests.WithLabelValues(string(e.Outcome)).Observe(time.Since(started).Seconds())
		return "", e
	}
	if p.Place.Thread != "" && answer.ThreadTimestamp != p.Place.Thread {
		return "", w.misplaced(ctx, p, ts)
	}
	w.metrics.requests.WithLabelValues("posted").Observe(time.Since(started).Seconds())
	root := p.Place.Thread
	if root == "" {
		root = ts
	}
	w.threads.keepMessage(p.Place.Channel, ts, root)
	return ts, nil
}

func (w *Workplace) misplaced(ctx context.Context, p engine.Posting, ts string) error {
	if err := w.Retract(ctx, p.Place, ts); err != nil {
		w.log.Warn("misplaced post left standing", "key", p.Key, "error", err)
	}
	w.metrics.requests.WithLabelValues(string(engine.Refused)).Observe(0)
	return &engine.SendError{
		Outcome: engine.Refused, Reason: thread.ReasonThreadGone,
		Err: fmt.Errorf("post %s: Slack did not put it into its thread", p.Key),
	}
}

// errDrawing means that the time for a message had passed when it was drawn.
var errDrawing = errors.New("drawing took until the deadline")

// drawn draws a message before its request's clock starts: what takes too long here, or
// cannot be drawn at all, is no failure of Slack's and would go the same way again.
func (w *Workplace) drawn(ctx context.Context, place thread.Place, discussion string, m thread.Message) (d blocks.Drawing, err error) {
	late := ctx.Err() != nil
	defer func() {
		if v := recover(); v != nil {
			// The value may quote a person's text, so only its type is told (I11).
			err = fmt.Errorf("drawing panicked (%T)", v)
		}
	}()
	d = w.draw.Draw(place, discussion, m)
	if !late && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return d, errDrawing
	}
	return d, nil
}

// plainly are the options that keep Slack from reading anything into a message:
// no names are linked, nothing is parsed (I12).
func plainly(d blocks.Drawing) []slack.MsgOption {
	return []slack.MsgOption{
		slack.MsgOptionText(d.Text, false),
		slack.MsgOptionBlocks(d.Blocks...),
		slack.MsgOptionParse(false),
		slack.MsgOptionLinkNames(false),
	}
}

// identity lets a persona speak under its own name and face (AC-002-04).
func (w *Workplace) identity(speaker persona.Key, name string) []slack.MsgOption {
	if name == "" || !w.draw.Names {
		return nil
	}
	opts := []slack.MsgOption{slack.MsgOptionUsername(name)}
	switch emoji, url := face(w.icon(speaker)); {
	case emoji != "":
		opts = append(opts, slack.MsgOptionIconEmoji(emoji))
	case url != "":
		opts = append(opts, slack.MsgOptionIconURL(url))
	}
	return opts
}

// face tells an icon's two forms apart.
func face(icon string) (emoji, url string) {
	switch {
	case strings.HasPrefix(icon, "https://"), strings.HasPrefix(icon, "http://"):
		return "", icon
	case strings.HasPrefix(icon, ":") && strings.HasSuffix(icon, ":") && len(icon) > 2:
		return icon, ""
	}
	return "", ""
}

// request bounds a request and follows its bytes.
func (w *Workplace) request(ctx context.Context) (context.Context, *wire.Passage, context.CancelFunc) {
	ctx, cancel := context.WithTimeoutCause(ctx, webapi.Timeout, fmt.Errorf("Slack took more than %s", webapi.Timeout))
	ctx, pass := wire.WithPassage(ctx)
	return ctx, pass, cancel
}

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
		Text: b.workplace.draw.Private(thread.Place{Team: b.self.team, Channel: channel}, text), ResponseType: slack.ResponseTypeEphemeral, Parse: "none",
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
func (b *Bot) answer(ctx context.Context, channel, threadTS, user, text string) {
	if text == "" {
		return
	}
	if err := b.workplace.Tell(ctx, thread.Place{Team: b.self.team, Channel: channel, Thread: threadTS}, user, text); err != nil {
		b.log.Warn("answer not shown", "channel", channel, "error", err)
	}
}
