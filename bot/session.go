package bot

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/slack-go/slack"
	"github.com/slack-go/slack/socketmode"

	"github.com/roundtable-chat/app/bot/blocks"
	"github.com/roundtable-chat/app/bot/webapi"
	"github.com/roundtable-chat/app/bot/wire"
)

// How a session ends besides being stopped.
var (
	// errRenew: its time is up; another takes its place.
	errRenew = errors.New("the connection is renewed")
	// errShort: its connection ended right after it began.
	errShort = errors.New("the connection ended at once")
	// errSilent: nothing was heard from Slack, not even a ping.
	errSilent = errors.New("nothing was heard from Slack")
)

// Times of a session.
const (
	// shortLife is how long a connection must last not to count as refused.
	shortLife = 10 * time.Second
	// silence is how long nothing, not even a ping, may be heard.
	silence = 90 * time.Second
	// drainWithin is how long handlers may finish when a session ends, and
	// flushWithin how long their acknowledgements may take to leave.
	drainWithin = 5 * time.Second
	flushWithin = time.Second
	// queueWithin is how long an acknowledgement may wait to be queued: the
	// queue is only full where there is no connection, and then Slack delivers
	// again.
	queueWithin = 250 * time.Millisecond
)

// A session is one life of one Socket Mode client: from its start until it is
// renewed, fails or is stopped.
type session struct {
	bot    *Bot
	client *socketmode.Client
	line   *wire.Line
	// base is the context of handlers: they outlive the order to stop, so that
	// what was begun is finished and acknowledged. abandon ends it for those
	// that take too long.
	base     context.Context
	abandon  context.CancelFunc
	handlers sync.WaitGroup
	queued   atomic.Int64

	connected time.Time // when the current connection was made
	greeted   bool
	resent    map[string]bool
	renew     <-chan time.Time
	// share is the part of the life Slack announces after which the session is
	// renewed.
	share float64
}

func (b *Bot) newSession(ctx context.Context, share float64) *session {
	s := &session{bot: b, line: &wire.Line{}, resent: map[string]bool{}, share: share}
	s.base, s.abandon = context.WithCancel(context.WithoutCancel(ctx))
	s.client = socketmode.New(b.sockets, socketmode.OptionLog(noLog{}), socketmode.OptionDialer(s.line.Dialer(b.opts.Transport)), socketmode.OptionReadLimit(readLimit))
	return s
}

// readLimit bounds a frame; Slack's are far below.
const readLimit = 16 << 20

// run holds the connection until ctx ends (nil), the session is to be renewed or
// replaced (errRenew, errShort, errSilent), or Slack refuses us for good.
func (s *session) run(ctx context.Context) error {
	defer s.abandon()
	inner, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	done := make(chan error, 1)
	go func() { done <- s.client.RunContext(inner) }()

	err, ended := s.loop(ctx, done)
	s.drain()
	s.greet(false)
	stop()
	if !ended {
		// ctx has ended; the client's own reason is that it was stopped.
		if stopped := <-done; stopped != nil {
			s.bot.log.Debug("socket client stopped", "error", webapi.Scrub(stopped))
		}
	}
	return err
}

// loop reads what the client reports. It never waits for anything else, because
// a client that is not read stops reading its connection.
func (s *session) loop(ctx context.Context, done <-chan error) (err error, ended bool) {
	watch := time.NewTicker(silence / 6)
	defer watch.Stop()
	s.line.Hear()
	for {
		select {
		case <-ctx.Done():
			return nil, false
		case <-s.renew:
			return errRenew, false
		case <-watch.C:
			if s.greeted && time.Since(s.line.Heard()) > silence {
				return errSilent, false
			}
		case err := <-done:
			return fmt.Errorf("open a Socket Mode connection: %w", webapi.Scrub(err)), true
		case e := <-s.client.Events:
			if err := s.take(e); err != nil {
				return err, false
			}
		}
	}
}

func (s *session) take(e socketmode.Event) error {
	switch e.Type {
	case socketmode.EventTypeConnecting:
		s.greet(false)
		if !s.connected.IsZero() && time.Since(s.connected) < shortLife {
			return errShort
		}
	case socketmode.EventTypeConnected:
		s.connected = time.Now()
	case socketmode.EventTypeHello:
		s.hello(e.Request)
	case socketmode.EventTypeConnectionError:
		return s.refused(e.Data)
	case socketmode.EventTypeErrorWriteFailed:
		s.sendAgain(e.Data)
	case socketmode.EventTypeErrorBadMessage:
		s.unreadable(e.Data)
	case socketmode.EventTypeEventsAPI, socketmode.EventTypeInteractive, socketmode.EventTypeSlashCommand:
		s.dispatch(e)
	case socketmode.EventTypeIncomingError, socketmode.EventTypeInvalidAuth, socketmode.EventTypeDisconnect:
		// The client reconnects, or RunContext returns and says why.
	}
	return nil
}

// hello notes that Slack greeted us, and when to renew the connection before
// Slack does: connections that were opened together must not end together.
func (s *session) hello(r *socketmode.Request) {
	s.greet(true)
	s.bot.metrics.registered.Set(float64(r.NumConnections))
	if ours := s.bot.opts.Connections; r.NumConnections > ours {
		s.bot.log.Info("more connections registered than are ours", "registered", r.NumConnections, "ours", ours)
	}
	life := time.Duration(r.DebugInfo.ApproximateConnectionTime) * time.Second
	if at := time.Duration(float64(life) * s.share); at > shortLife {
		s.renew = time.After(at)
	}
}

func (s *session) greet(up bool) {
	if s.greeted == up {
		return
	}
	s.greeted = up
	n := int32(1)
	if !up {
		n = -1
	}
	open := s.bot.open.Add(n)
	s.bot.metrics.connections.Set(float64(open))
	if up && open == 1 {
		s.bot.inbox.Missed()
	}
}

// refused logs a failed attempt. The library tries again for ever; where no
// attempt can help, the session ends with the error.
func (s *session) refused(data any) error {
	e, ok := data.(*slack.ConnectionErrorEvent)
	if !ok {
		return nil
	}
	err := webapi.Scrub(e.ErrorObj)
	if webapi.Answered(e.ErrorObj, "missing_scope", "not_allowed_token_type", "token_expired", "forbidden_team", "app_missing_action_url", "invalid_app_id") {
		return fmt.Errorf("open a Socket Mode connection: %w", err)
	}
	s.bot.log.Warn("connection not opened", "attempt", e.Attempt, "retry_in", e.Backoff, "error", err)
	return nil
}

// sendAgain repeats an acknowledgement that could not be written, once: on a
// connection that is gone the next would fail as well, and Slack delivers again.
func (s *session) sendAgain(data any) {
	failed, ok := data.(*socketmode.ErrorWriteFailed)
	if !ok || failed.Response == nil || s.resent[failed.Response.EnvelopeID] {
		return
	}
	if len(s.resent) > 256 {
		clear(s.resent)
	}
	s.resent[failed.Response.EnvelopeID] = true
	ctx, cancel := context.WithTimeout(s.base, queueWithin)
	defer cancel()
	if err := s.client.SendCtx(ctx, *failed.Response); err != nil {
		s.bot.log.Warn("acknowledgement lost", "envelope", failed.Response.EnvelopeID, "error", err)
	}
}

// unreadable acknowledges what the library cannot decode: Slack would deliver it
// again, just as unreadable. Only its kinds are logged, never its content.
func (s *session) unreadable(data any) {
	bad, ok := data.(*socketmode.ErrorBadMessage)
	if !ok {
		return
	}
	var e struct {
		Type     string `json:"type"`
		Envelope string `json:"envelope_id"`
		Payload  struct {
			Type  string `json:"type"`
			Event struct {
				Type    string `json:"type"`
				Subtype string `json:"subtype"`
			} `json:"event"`
		} `json:"payload"`
	}
	// What could be read before the error is enough.
	_ = json.Unmarshal(bad.Message, &e)
	s.bot.metrics.envelopes.WithLabelValues("unreadable", "dropped").Inc()
	s.bot.log.Warn("envelope not understood", "envelope_type", blocks.Clip(e.Type, 40), "payload_type", blocks.Clip(e.Payload.Type, 40),
		"event_type", blocks.Clip(e.Payload.Event.Type, 60), "subtype", blocks.Clip(e.Payload.Event.Subtype, 60), "bytes", len(bad.Message))
	if e.Envelope != "" {
		s.ack(e.Envelope, nil)
	}
}

// ack queues an acknowledgement, with a payload where Slack accepts one.
func (s *session) ack(envelope string, payload any) {
	ctx, cancel := context.WithTimeout(s.base, queueWithin)
	defer cancel()
	if err := s.client.AckCtx(ctx, envelope, payload); err != nil {
		s.bot.log.Warn("not acknowledged", "envelope", envelope, "error", err)
		return
	}
	s.queued.Add(1)
}

// drain lets handlers finish and their acknowledgements leave. Events that
// nobody took stay unacknowledged and are delivered to another connection.
func (s *session) drain() {
	if !waited(&s.handlers, drainWithin) {
		s.bot.log.Warn("handlers abandoned")
		s.abandon()
		s.handlers.Wait()
	}
	flush := flushWithin
	if s.line.Blind() {
		flush /= 4
	}
	limit := time.NewTimer(flush)
	defer limit.Stop()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for s.line.Written() < s.queued.Load() {
		select {
		case <-tick.C:
		case <-limit.C:
			return
		}
	}
}
