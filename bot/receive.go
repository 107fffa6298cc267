package bot

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/slack-go/slack"
	"github.com/slack-go/slack/slackevents"
	"github.com/slack-go/slack/socketmode"

	"github.com/roundtable-chat/app/roundtable/say"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// dispatch hands an envelope to a handler of its own, so that the connection is
// read on. What concerns nobody, as our own posts that come back, takes no place
// among the handlers. Beyond their bound nothing waits: an event stays
// unacknowledged and is delivered again; who clicked or typed a command is told,
// because Slack never repeats those.
func (s *session) dispatch(e socketmode.Event) {
	defer s.survive(e.Type)
	if e.Request == nil {
		return
	}
	arrived := time.Now()
	places := s.bot.requests
	if event, ok := e.Data.(slackevents.EventsAPIEvent); ok {
		places = s.bot.events
		var why skipReason
		if e.Data, why = s.bot.read(event); e.Data == nil {
			s.handlers.Go(func() { s.finish(e, nil, string(why), arrived) })
			return
		}
	}
	select {
	case places <- struct{}{}:
	default:
		s.overflow(e)
		return
	}
	s.handlers.Go(func() {
		later := s.handle(e, arrived)
		if later == nil {
			<-places
			return
		}
		s.bot.errands.send(func(ctx context.Context) {
			defer s.survive(e.Type)
			later(ctx)
		}, func() { <-places })
	})
}

// errLateAck ends the work on an envelope that Slack does not wait for any longer.
var errLateAck = fmt.Errorf("an envelope took more than %s", ackWithin)

// survive keeps one envelope from taking the others down. It stays
// unacknowledged.
func (s *session) survive(kind socketmode.EventType) {
	if v := recover(); v != nil {
		s.bot.metrics.ended(kind, endPanicked)
		s.bot.log.Error("handler panicked", "envelope_type", string(kind), "panic_type", fmt.Sprintf("%T", v), "stack", string(debug.Stack()))
	}
}

func (s *session) overflow(e socketmode.Event) {
	s.bot.metrics.ended(e.Type, endOverflow)
	s.bot.log.Warn("too much at once, left to be delivered again", "envelope_type", string(e.Type))
	switch e.Type {
	case socketmode.EventTypeSlashCommand:
		call, _ := e.Data.(slack.SlashCommand)
		s.ack(e.Request.EnvelopeID, s.bot.ephemeral(call.ChannelID, say.Busy()))
	case socketmode.EventTypeInteractive:
		if call, ok := e.Data.(slack.InteractionCallback); ok && call.Type == slack.InteractionTypeViewSubmission {
			s.ack(e.Request.EnvelopeID, formErrors(map[string]string{fieldTopic: say.Busy()}))
			return
		}
		// Not acknowledged: Slack shows on the button that it did not work.
	}
}

// handle does what an envelope asks for, acknowledges it, and returns what is left to
// be done.
func (s *session) handle(e socketmode.Event, arrived time.Time) (later task) {
	defer s.survive(e.Type)
	ctx, cancel := context.WithTimeoutCause(s.base, ackWithin, errLateAck)
	defer cancel()
	var r reply
	end := endHandled
	switch data := e.Data.(type) {
	case happening:
		if end, r.later = s.bot.event(ctx, data); end == endUnacknowledged {
			s.bot.metrics.ended(e.Type, end)
			return r.later
		}
	case *slackevents.AppHomeOpenedEvent:
		r.later = s.bot.home(data)
	case slack.SlashCommand:
		r = s.bot.command(ctx, data)
	case slack.InteractionCallback:
		r = s.bot.interaction(ctx, data)
	}
	s.finish(e, r.payload, end, arrived)
	return r.later
}

// finish acknowledges an envelope.
func (s *session) finish(e socketmode.Event, payload any, end string, arrived time.Time) {
	s.ack(e.Request.EnvelopeID, payload)
	s.bot.metrics.acknowledged(e.Type, end, arrived)
}

// A reply is the payload of an acknowledgement, and what is to be done once Slack
// has it because it takes longer than Slack waits.
type reply struct {
	payload any
	later   task
}

// ephemeral is the answer to a command in a channel, for the person who typed it.
func (b *Bot) ephemeral(channel, text string) any {
	if text == "" {
		return nil
	}
	place := thread.Place{Team: b.self.team, Channel: channel}
	return map[string]any{"response_type": slack.ResponseTypeEphemeral, "text": b.workplace.draw.Private(place, text), "parse": "none", "link_names": false}
}
