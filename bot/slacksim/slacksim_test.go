package slacksim_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/slack-go/slack"
	"github.com/slack-go/slack/slackevents"
	"github.com/slack-go/slack/socketmode"
	"go.uber.org/goleak"

	"github.com/roundtable-chat/app/bot/slacksim"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	priya   = "U0PRIYA01"
	sam     = "U0SAM0001"
	general = "C0GENERAL"
	product = "C0PRODUCT"
)

// running is a workspace that serves, and the tools of a test.
type running struct {
	t   *testing.T
	w   *slacksim.Workspace
	url string
	web *http.Client
	api *slack.Client
}

// start serves a workspace until the test ends.
func start(t *testing.T, opts slacksim.Options) *running {
	t.Helper()
	w, err := slacksim.New(opts)
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- w.Run(ctx, ln) }()
	transport := &http.Transport{}
	r := &running{t: t, w: w, url: "http://" + ln.Addr().String(), web: &http.Client{Transport: transport, Timeout: 20 * time.Second}}
	r.api = slack.New("xoxb-local-workspace", slack.OptionAppLevelToken("xapp-local-workspace"),
		slack.OptionAPIURL(r.url+"/api/"), slack.OptionHTTPClient(r.web))
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("Run: %v", err)
		}
		transport.CloseIdleConnections()
	})
	return r
}

// do is what a person does on the page.
func (r *running) do(endpoint string, body map[string]any) map[string]any {
	r.t.Helper()
	out, status := r.try(endpoint, body)
	if status != http.StatusOK {
		r.t.Fatalf("POST /sim/%s: %d %v", endpoint, status, out)
	}
	return out
}

func (r *running) try(endpoint string, body map[string]any) (map[string]any, int) {
	r.t.Helper()
	raw, err := json.Marshal(body)
	if err != nil {
		r.t.Fatal(err)
	}
	resp, err := r.web.Post(r.url+"/sim/"+endpoint, "application/json", strings.NewReader(string(raw)))
	if err != nil {
		r.t.Fatal(err)
	}
	defer resp.Body.Close()
	var out map[string]any
	if err := json.NewDecoder(resp.Body).Decode(&out); err != nil {
		r.t.Fatalf("decode answer of %s: %v", endpoint, err)
	}
	return out, resp.StatusCode
}

// say posts as a person and gives the timestamp.
func (r *running) say(as, channel, thread, text string) string {
	r.t.Helper()
	return r.do("say", map[string]any{"as": as, "channel": channel, "thread_ts": thread, "text": text})["ts"].(string)
}

// connect opens a Socket Mode client and waits until it was greeted.
func (r *running) connect() *socket {
	r.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	client := socketmode.New(r.api)
	s := &socket{t: r.t, client: client}
	ended := make(chan struct{})
	go func() { defer close(ended); _ = client.RunContext(ctx) }()
	r.t.Cleanup(func() {
		cancel()
		for {
			select {
			case <-client.Events: // RunContext may be blocked on it
			case <-ended:
				return
			}
		}
	})
	s.next(socketmode.EventTypeHello)
	return s
}

type socket struct {
	t      *testing.T
	client *socketmode.Client
}

// next waits for the next event of a type and fails the test if none comes.
func (s *socket) next(kind socketmode.EventType) socketmode.Event {
	s.t.Helper()
	limit := time.After(10 * time.Second)
	for {
		select {
		case e := <-s.client.Events:
			if e.Type == socketmode.EventTypeErrorBadMessage {
				s.t.Fatalf("slack-go cannot read: %+v", e.Data)
			}
			if e.Type == kind {
				return e
			}
		case <-limit:
			s.t.Fatalf("no %s within 10 s", kind)
		}
	}
}

func (s *socket) ack(e socketmode.Event, payload ...any) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	var err error
	if len(payload) > 0 {
		err = s.client.AckCtx(ctx, e.Request.EnvelopeID, payload[0])
	} else {
		err = s.client.AckCtx(ctx, e.Request.EnvelopeID, nil)
	}
	if err != nil {
		s.t.Fatalf("ack: %v", err)
	}
}

// message waits for the next message event, acknowledges and returns it.
func (s *socket) message() (*slackevents.MessageEvent, socketmode.Event) {
	s.t.Helper()
	for {
		e := s.next(socketmode.EventTypeEventsAPI)
		s.ack(e)
		outer := e.Data.(slackevents.EventsAPIEvent)
		if m, ok := outer.InnerEvent.Data.(*slackevents.MessageEvent); ok {
			return m, e
		}
	}
}

func TestBotAnswersInThread(t *testing.T) {
	r := start(t, slacksim.Options{})
	ctx := t.Context()
	auth, err := r.api.AuthTestContext(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if got := auth.Header.Get("X-OAuth-Scopes"); !strings.Contains(got, "chat:write.customize") {
		t.Errorf("X-OAuth-Scopes: got %q", got)
	}
	s := r.connect()
	ts := r.say(priya, product, "", "hello @Roundtable & friends, see <b>")
	m, _ := s.message()
	if want := "hello <@U0ROUND01> &amp; friends, see &lt;b&gt;"; m.Text != want || m.TimeStamp != ts || m.User != priya {
		t.Errorf("message: got %q at %s by %s, want %q", m.Text, m.TimeStamp, m.User, want)
	}
	mention := s.next(socketmode.EventTypeEventsAPI)
	s.ack(mention)
	if got := mention.Data.(slackevents.EventsAPIEvent).InnerEvent.Type; got != "app_mention" {
		t.Errorf("second delivery: got %s, want app_mention", got)
	}
	_, reply, err := r.api.PostMessageContext(ctx, product, slack.MsgOptionTS(ts), slack.MsgOptionText("Here I am.", true),
		slack.MsgOptionUsername("Maya Chen (Business Analyst)"), slack.MsgOptionIconEmoji(":woman:"),
		slack.MsgOptionMetadata(slack.SlackMetadata{EventType: "roundtable_turn", EventPayload: map[string]any{"key": "k1"}}))
	if err != nil {
		t.Fatal(err)
	}
	own, _ := s.message()
	if own.SubType != "bot_message" || own.BotID != auth.BotID || own.User != "" || own.Username != "Maya Chen (Business Analyst)" {
		t.Errorf("own post: got subtype %q bot %q user %q name %q", own.SubType, own.BotID, own.User, own.Username)
	}
	thread, _, _, err := r.api.GetConversationRepliesContext(ctx, &slack.GetConversationRepliesParameters{ChannelID: product, Timestamp: ts, IncludeAllMetadata: true})
	if err != nil {
		t.Fatal(err)
	}
	if len(thread) != 2 || thread[1].Timestamp != reply || thread[1].Metadata.EventPayload["key"] != "k1" || thread[0].ReplyCount != 1 {
		t.Errorf("thread: got %+v", thread)
	}
	text, _ := r.w.Transcript(product, ts)
	want := fmt.Sprintf("[%s] Priya Nair: hello <@U0ROUND01> &amp; friends, see &lt;b&gt;\n[%s] Maya Chen (Business Analyst): Here I am.\n", ts, reply)
	if text != want {
		t.Errorf("transcript: got %q, want %q", text, want)
	}
}

func TestSlashCommand(t *testing.T) {
	r := start(t, slacksim.Options{})
	s := r.connect()
	answered := make(chan map[string]any, 1)
	go func() {
		out, _ := r.try("say", map[string]any{"as": priya, "channel": general, "text": "/roundtable Offline mode for @Sam Okafor in #product"})
		answered <- out
	}()
	e := s.next(socketmode.EventTypeSlashCommand)
	cmd := e.Data.(slack.SlashCommand)
	if want := "Offline mode for <@U0SAM0001|sam> in <#C0PRODUCT|product>"; cmd.Text != want || cmd.Command != "/roundtable" || cmd.ChannelID != general {
		t.Errorf("command: got %q %q in %s, want %q", cmd.Command, cmd.Text, cmd.ChannelID, want)
	}
	s.ack(e, map[string]any{"response_type": "ephemeral", "text": "Opening."})
	if out := <-answered; out["ok"] != true {
		t.Errorf("page: got %v", out)
	}
	if err := slack.PostWebhookContext(t.Context(), cmd.ResponseURL, &slack.WebhookMessage{Text: "Opened.", ResponseType: "in_channel"}); err != nil {
		t.Errorf("response_url: %v", err)
	}
	root := r.say(priya, general, "", "a thread")
	out, status := r.try("say", map[string]any{"as": priya, "channel": general, "thread_ts": root, "text": "/roundtable pause"})
	if status != http.StatusBadRequest || out["message"] != "/roundtable is not supported in threads. Sorry!" {
		t.Errorf("in a thread: got %d %v", status, out)
	}
}
