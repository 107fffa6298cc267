package bot

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/slack-go/slack"
	"github.com/slack-go/slack/slackevents"
	"github.com/slack-go/slack/socketmode"

	"github.com/roundtable-chat/app/roundtable"
)

// dispatch hands an envelope to a handler of its own, so that the connection is
// read on. Beyond the bound nothing waits: an event stays unacknowledged and is
// delivered again; who clicked or typed a command is told, because Slack never
// repeats those.
func (s *session) dispatch(e socketmode.Event) {
	if e.Request == nil {
		return
	}
	arrived := time.Now()
	slots := s.bot.requests
	if e.Type == socketmode.EventTypeEventsAPI {
		slots = s.bot.events
	}
	select {
	case slots <- struct{}{}:
	default:
		s.overflow(e)
		return
	}
	s.handlers.Go(func() {
		defer func() { <-slots }()
		defer s.survive(e.Type)
		ctx, cancel := context.WithTimeoutCause(s.base, ackWithin, fmt.Errorf("an envelope took more than %s", ackWithin))
		defer cancel()
		s.handle(ctx, e, arrived)
	})
}

// survive keeps one envelope from taking the others down. It stays
// unacknowledged.
func (s *session) survive(kind socketmode.EventType) {
	if v := recover(); v != nil {
		s.bot.metrics.envelopes.WithLabelValues(string(kind), "panicked").Inc()
		s.bot.log.Error("handler panicked", "envelope_type", string(kind), "panic_type", fmt.Sprintf("%T", v), "stack", string(debug.Stack()))
	}
}

func (s *session) overflow(e socketmode.Event) {
	s.bot.metrics.envelopes.WithLabelValues(string(e.Type), "overflow").Inc()
	s.bot.log.Warn("too much at once, left to be delivered again", "envelope_type", string(e.Type))
	switch e.Type {
	case socketmode.EventTypeSlashCommand:
		s.ack(e.Request.EnvelopeID, ephemeral(roundtable.SayBusy()))
	case socketmode.EventTypeInteractive:
		if call, ok := e.Data.(slack.InteractionCallback); ok && call.Type == slack.InteractionTypeViewSubmission {
			s.ack(e.Request.EnvelopeID, formErrors(map[string]string{fieldTopic: roundtable.SayBusy()}))
			return
		}
		// Not acknowledged: Slack shows on the button that it did not work.
	}
}

func (s *session) handle(ctx context.Context, e socketmode.Event, arrived time.Time) {
	end := "handled"
	switch data := e.Data.(type) {
	case slackevents.EventsAPIEvent:
		ok, later := s.bot.event(ctx, data)
		if !ok {
			end = "unacknowledged"
			break
		}
		s.ack(e.Request.EnvelopeID, nil)
		defer s.after(later)
	case slack.SlashCommand:
		r := s.bot.command(ctx, data)
		s.ack(e.Request.EnvelopeID, r.payload)
		defer s.after(r.later)
	case slack.InteractionCallback:
		r := s.bot.interaction(ctx, data)
		s.ack(e.Request.EnvelopeID, r.payload)
		defer s.after(r.later)
	}
	s.bot.metrics.envelopes.WithLabelValues(string(e.Type), end).Inc()
	s.bot.metrics.acked(string(e.Type), arrived)
}

// A reply is the payload of an acknowledgement, and what is to be done once Slack
// has it because it takes longer than Slack waits.
type reply struct {
	payload any
	later   task
}

// A task is work that nobody waits for. It may be lost if the process ends.
type task func(context.Context)

// laterWithin bounds a task.
const laterWithin = 30 * time.Second

// after does a task, if there is one.
func (s *session) after(t task) {
	if t == nil {
		return
	}
	ctx, cancel := context.WithTimeoutCause(s.base, laterWithin, fmt.Errorf("a task took more than %s", laterWithin))
	defer cancel()
	t(ctx)
}

// ephemeral is the answer to a command, for the person who typed it.
func ephemeral(text string) any {
	if text == "" {
		return nil
	}
	return map[string]any{"response_type": slack.ResponseTypeEphemeral, "text": fallback(readable(text))}
}
