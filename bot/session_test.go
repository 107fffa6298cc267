package bot

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/slack-go/slack/socketmode"

	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/persona"
)

// wireSlack is a Slack that does what a test says on each connection, for what
// the local workspace is too well behaved for.
type wireSlack struct {
	t     *testing.T
	serve func(ctx context.Context, c *websocket.Conn, n int)
	mu    sync.Mutex
	opens []time.Time
	acks  chan map[string]any
	ends  chan websocket.StatusCode
	url   string
}

func newWireSlack(t *testing.T, serve func(ctx context.Context, c *websocket.Conn, n int)) *wireSlack {
	t.Helper()
	w := &wireSlack{t: t, serve: serve, acks: make(chan map[string]any, 64), ends: make(chan websocket.StatusCode, 64)}
	mux := http.NewServeMux()
	mux.HandleFunc("/api/auth.test", func(rw http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(rw, `{"ok":true,"team_id":"T1","user_id":"UBOT","bot_id":"BBOT","url":"https://acme.slack.com/"}`)
	})
	mux.HandleFunc("/api/apps.connections.open", func(rw http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(rw, `{"ok":true,"url":"ws://%s/link/?ticket=canary"}`, r.Host)
	})
	mux.HandleFunc("/link/", w.link)
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	w.url = server.URL + "/api/"
	return w
}

func (w *wireSlack) link(rw http.ResponseWriter, r *http.Request) {
	// The library's Origin is Slack's, not this server's.
	c, err := websocket.Accept(rw, r, &websocket.AcceptOptions{InsecureSkipVerify: true})
	if err != nil {
		return
	}
	defer c.CloseNow()
	w.mu.Lock()
	w.opens = append(w.opens, time.Now())
	n := len(w.opens)
	w.mu.Unlock()
	ctx, stop := context.WithCancel(r.Context())
	defer stop()
	go func() {
		defer stop()
		for {
			_, b, err := c.Read(ctx)
			if err != nil {
				w.ends <- websocket.CloseStatus(err)
				return
			}
			var ack map[string]any
			if json.Unmarshal(b, &ack) == nil {
				w.acks <- ack
			}
		}
	}()
	w.serve(ctx, c, n)
}

func (w *wireSlack) opened() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.opens)
}

const hello = `{"type":"hello","num_connections":1,"connection_info":{"app_id":"A1"},"debug_info":{"approximate_connection_time":18060}}`

func send(ctx context.Context, t *testing.T, c *websocket.Conn, frame string) {
	t.Helper()
	if err := c.Write(ctx, websocket.MessageText, []byte(frame)); err != nil && ctx.Err() == nil {
		t.Errorf("send: %v", err)
	}
}

// outside is what a bot needs of the engine and of the store.
type outside interface {
	Inbox
	Threads
	engine.StateReader
}

// gateInbox lets deliveries through one by one.
type gateInbox struct {
	engine.Store
	enter chan string
	leave chan error
}

func (g *gateInbox) Receive(ctx context.Context, d engine.Delivery) (engine.Reception, error) {
	g.enter <- d.Mail.ID
	select {
	case err := <-g.leave:
		return engine.Stored, err
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

func (g *gateInbox) FindThread(_ context.Context, team, channel, _ string) (engine.Ref, bool, error) {
	return engine.Ref{Team: team, Channel: channel, ID: "D"}, true, nil
}

// Missed implements Inbox.
func (*gateInbox) Missed() {}

// MayAsk gives every permit.
func (g *gateInbox) MayAsk(context.Context, string, time.Duration) (time.Duration, error) {
	return 0, nil
}

func wireBot(t *testing.T, w *wireSlack, in outside, logs *strings.Builder) *Bot {
	t.Helper()
	seats := []persona.Persona{{Seat: persona.Seat{Key: "a", Name: "A B"}}, {Seat: persona.Seat{Key: "c", Name: "C D"}}}
	o := Options{APIURL: w.url, BotToken: "xoxb-canary", AppToken: "xapp-canary", Threads: in, Reader: engine.NewReader(in), Slug: strings.ToLower, Roster: persona.Roster{Personas: seats}, Connections: 1, Handlers: 4, Transport: &http.Transport{}}
	if logs != nil {
		var mu sync.Mutex
		o.Logger = slog.New(slog.NewTextHandler(writerFunc(func(p []byte) (int, error) {
			mu.Lock()
			defer mu.Unlock()
			return logs.Write(p)
		}), nil))
	}
	b, err := Connect(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	b.inbox = in // for what handles an envelope without Run
	return b
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// running runs the bot until the returned function is called.
func running(t *testing.T, b *Bot) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- b.Run(ctx, b.inbox) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("Run: got %v, want nil", err)
		}
	})
	t.Cleanup(stop)
	return stop
}

func receive[T any](t *testing.T, c <-chan T, what string) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(10 * time.Second):
		t.Fatalf("waited in vain: %s", what)
		panic("unreachable")
	}
}

func said(envelope, ts string) string {
	return fmt.Sprintf(`{"type":"events_api","envelope_id":%q,"payload":{"type":"event_callback","team_id":"T1","event_id":"Ev%s","event":{"type":"message","channel":"C1","channel_type":"channel","user":"U1","text":"canary","ts":%q,"thread_ts":"1.000001"}}}`, envelope, ts, ts)
}

func TestUnreadableEnvelopesAreAcknowledged_I11(t *testing.T) {
	var logs strings.Builder
	w := newWireSlack(t, func(ctx context.Context, c *websocket.Conn, _ int) {
		send(ctx, t, c, hello)
		send(ctx, t, c, `{"type":"events_api","envelope_id":"E1","payload":{"type":"event_callback","team_id":"T1","event":{"type":"event_of_tomorrow","text":"canary"}}}`)
		<-ctx.Done()
	})
	stop := running(t, wireBot(t, w, &gateInbox{}, &logs))
	if ack := receive(t, w.acks, "the acknowledgement"); ack["envelope_id"] != "E1" {
		t.Errorf("got %v", ack)
	}
	stop()
	if s := logs.String(); strings.Contains(s, "canary") || !strings.Contains(s, "event_of_tomorrow") {
		t.Errorf("log: got %q", s)
	}
}

func TestInstantDisconnectsBackOff(t *testing.T) {
	w := newWireSlack(t, func(ctx context.Context, c *websocket.Conn, _ int) {
		// The bot may hang up in between.
		_ = c.Write(ctx, websocket.MessageText, []byte(hello))
		_ = c.Write(ctx, websocket.MessageText, []byte(`{"type":"disconnect","reason":"link_disabled"}`))
		<-ctx.Done()
	})
	var logs strings.Builder
	b := wireBot(t, w, &gateInbox{}, &logs)
	ctx, cancel := context.WithTimeout(t.Context(), 1500*time.Millisecond)
	defer cancel()
	if err := b.Run(ctx, b.inbox); err != nil {
		t.Errorf("Run: got %v, want nil", err)
	}
	// The library may connect several times before it is heard that the first ended,
	// so what is counted are the sessions: the pauses are at least half a second, then
	// a second.
	if n := strings.Count(logs.String(), "connection given up"); n < 1 || n > 2 {
		t.Errorf("sessions given up in 1.5 s: got %d after %d connections, want 1 or 2", n, w.opened())
	}
}

func TestDrainFinishesWhatWasBegun_I1(t *testing.T) {
	w := newWireSlack(t, func(ctx context.Context, c *websocket.Conn, _ int) {
		send(ctx, t, c, hello)
		send(ctx, t, c, said("E1", "2.000001"))
		<-ctx.Done()
	})
	in := &gateInbox{enter: make(chan string, 4), leave: make(chan error)}
	b := wireBot(t, w, in, nil)
	stop := running(t, b)
	if id := receive(t, in.enter, "the delivery"); id != "m:2.000001" {
		t.Errorf("got %q", id)
	}
	stopped := make(chan struct{})
	go func() {
		stop()
		close(stopped)
	}()
	in.leave <- nil
	if ack := receive(t, w.acks, "the acknowledgement"); ack["envelope_id"] != "E1" {
		t.Errorf("got %v", ack)
	}
	receive(t, stopped, "the end of Run")
	if code := receive(t, w.ends, "the close frame"); code != websocket.StatusNormalClosure {
		t.Errorf("close: got %d, want a close frame with %d", code, websocket.StatusNormalClosure)
	}
}

func TestOverflowLeavesEventsAndAnswersCommands_I1(t *testing.T) {
	w := newWireSlack(t, func(ctx context.Context, c *websocket.Conn, _ int) {
		send(ctx, t, c, hello)
		for i := range 6 {
			send(ctx, t, c, said(fmt.Sprintf("E%d", i), fmt.Sprintf("2.00000%d", i)))
		}
		// Our own post comes back: it needs no place.
		send(ctx, t, c, strings.Replace(said("OWN", "2.000009"), `"user":"U1"`, `"bot_id":"BBOT"`, 1))
		send(ctx, t, c, `{"type":"slash_commands","envelope_id":"CMD","accepts_response_payload":true,"payload":{"command":"/roundtable","text":"help","channel_id":"C1","user_id":"U1","team_id":"T1"}}`)
		<-ctx.Done()
	})
	in := &gateInbox{enter: make(chan string, 16), leave: make(chan error, 16)}
	stop := running(t, wireBot(t, w, in, nil))
	first := map[any]map[string]any{}
	for range 2 {
		ack := receive(t, w.acks, "the answer to the command, and to our own post")
		first[ack["envelope_id"]] = ack
	}
	ack := first["CMD"]
	payload, _ := ack["payload"].(map[string]any)
	if first["OWN"] == nil || !strings.Contains(fmt.Sprint(payload["text"]), "/roundtable") {
		t.Errorf("got %v", ack)
	}
	for range 4 {
		receive(t, in.enter, "a delivery")
		in.leave <- nil
	}
	acked := map[any]bool{}
	for range 4 {
		acked[receive(t, w.acks, "an acknowledgement")["envelope_id"]] = true
	}
	if acked["E4"] || acked["E5"] {
		t.Errorf("beyond the bound: got %v acknowledged", acked)
	}
	stop()
}

func TestPanicTouchesOneEnvelope_I1(t *testing.T) {
	var logs strings.Builder
	w := newWireSlack(t, func(ctx context.Context, c *websocket.Conn, _ int) {
		send(ctx, t, c, hello)
		send(ctx, t, c, said("E1", "2.000001"))
		send(ctx, t, c, `{"type":"slash_commands","envelope_id":"CMD","accepts_response_payload":true,"payload":{"command":"/roundtable","text":"help","channel_id":"C1","user_id":"U1","team_id":"T1"}}`)
		<-ctx.Done()
	})
	stop := running(t, wireBot(t, w, &brokenInbox{}, &logs))
	if ack := receive(t, w.acks, "the answer to the command"); ack["envelope_id"] != "CMD" {
		t.Errorf("got %v", ack)
	}
	stop()
	if !strings.Contains(logs.String(), "handler panicked") || strings.Contains(logs.String(), "canary") {
		t.Errorf("log: got %q", logs.String())
	}
}

type brokenInbox struct{ gateInbox }

func (*brokenInbox) Receive(context.Context, engine.Delivery) (engine.Reception, error) {
	panic("canary")
}

func TestPauseGrowsAndEnds(t *testing.T) {
	for failures := range 40 {
		if d := pause(failures); d < firstPause/2 || d > longPause {
			t.Errorf("after %d failures: got %s", failures, d)
		}
	}
}

func TestRenewalComesBeforeSlacks(t *testing.T) {
	w := newWireSlack(t, func(context.Context, *websocket.Conn, int) {})
	for _, c := range []struct {
		name    string
		seconds int
		want    bool
	}{{"an announced life", 18060, true}, {"none announced", 0, false}, {"too short to matter", 5, false}} {
		t.Run(c.name, func(t *testing.T) {
			s := wireBot(t, w, &gateInbox{}, nil).newSession(t.Context(), renewAt)
			r := &socketmode.Request{}
			r.DebugInfo.ApproximateConnectionTime = c.seconds
			s.hello(r)
			if got := s.renew != nil; got != c.want {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}
