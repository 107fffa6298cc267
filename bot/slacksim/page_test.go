package slacksim_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/slack-go/slack"
	"github.com/slack-go/slack/socketmode"

	"github.com/roundtable-chat/app/bot/slacksim"
)

// stream is one person's page event stream.
type stream struct {
	t      *testing.T
	events chan streamed
}

type streamed struct {
	id, name string
	data     map[string]any
}

// stream follows the page events of a person from now on.
func (r *running) stream(as string) *stream {
	r.t.Helper()
	return r.resume(as, "")
}

func (r *running) resume(as, after string) *stream {
	r.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, r.url+"/sim/events?as="+as+"&after="+after, nil)
	if err != nil {
		r.t.Fatal(err)
	}
	resp, err := (&http.Client{Transport: r.web.Transport}).Do(req)
	if err != nil {
		r.t.Fatal(err)
	}
	s := &stream{t: r.t, events: make(chan streamed, 1000)}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer close(s.events)
		defer resp.Body.Close()
		lines := bufio.NewScanner(resp.Body)
		lines.Buffer(nil, 1<<20)
		var e streamed
		for lines.Scan() {
			key, value, _ := strings.Cut(lines.Text(), ": ")
			switch key {
			case "id":
				e.id = value
			case "event":
				e.name = value
			case "data":
				_ = json.Unmarshal([]byte(value), &e.data)
			case "":
				if e.name != "" {
					s.events <- e
				}
				e = streamed{}
			}
		}
	}()
	r.t.Cleanup(func() { cancel(); <-ended })
	return s
}

// any waits for the next event.
func (s *stream) any() streamed {
	s.t.Helper()
	select {
	case e := <-s.events:
		return e
	case <-time.After(10 * time.Second):
		s.t.Fatal("no page event within 10 s")
		return streamed{}
	}
}

// next waits for the next event of a name and gives its data.
func (s *stream) next(name string) map[string]any {
	s.t.Helper()
	for {
		e := s.any()
		if e.name == "" {
			s.t.Fatalf("stream ended before %s", name)
		}
		if e.name == name {
			return e.data
		}
	}
}

func (r *running) state(as string) map[string]any {
	r.t.Helper()
	resp, err := r.web.Get(r.url + "/sim/state?as=" + as)
	if err != nil {
		r.t.Fatal(err)
	}
	defer resp.Body.Close()
	var out map[string]any
	if err := json.NewDecoder(resp.Body).Decode(&out); err != nil {
		r.t.Fatal(err)
	}
	return out
}

// The stream resumes where the state was loaded, without gap or repeat.
func TestStreamResumes(t *testing.T) {
	r := start(t, slacksim.Options{})
	r.say(priya, general, "", "before")
	version := r.state(priya)["version"].(string)
	want := r.say(priya, general, "", "after")
	s := r.resume(priya, version)
	if e := s.any(); e.name != "hello" {
		t.Errorf("first: got %s", e.name)
	}
	e := s.any()
	if got := e.data["message"].(map[string]any)["ts"]; e.name != "message" || got != want {
		t.Errorf("got %s %v, want the message %s", e.name, got, want)
	}
	again := r.resume(priya, e.id)
	again.any()
	next := r.say(priya, general, "", "later")
	if got := again.next("message")["message"].(map[string]any)["ts"]; got != next {
		t.Errorf("after resuming: got %v, want %s", got, next)
	}
	if e := r.resume(priya, "elsewhere-5").any(); e.name != "reset" {
		t.Errorf("another workspace's version: got %s, want reset", e.name)
	}
}

func TestOnlyOwnMessagesChange(t *testing.T) {
	r := start(t, slacksim.Options{})
	ts := r.say(priya, general, "", "mine")
	for _, endpoint := range []string{"edit", "delete"} {
		out, status := r.try(endpoint, map[string]any{"as": sam, "channel": general, "ts": ts, "text": "not yours"})
		if status != http.StatusForbidden || out["error"] != "cant_update_message" {
			t.Errorf("%s: got %d %v", endpoint, status, out)
		}
	}
}

// An ephemeral message is seen by one person, and changed only through the
// response_url of an act on it, five times at most.
func TestEphemeralAndResponseURL(t *testing.T) {
	r := start(t, slacksim.Options{})
	s := r.connect()
	mine, theirs := r.stream(priya), r.stream(sam)
	ts, err := r.api.PostEphemeralContext(t.Context(), general, priya, slack.MsgOptionText("for you", false),
		slack.MsgOptionBlocks(slack.NewActionBlock("b", slack.NewButtonBlockElement("go", "v", slack.NewTextBlockObject("plain_text", "Go", false, false)))))
	if err != nil {
		t.Fatal(err)
	}
	if e := mine.next("ephemeral"); e["message"].(map[string]any)["ts"] != ts {
		t.Errorf("got %v", e)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		r.try("act", map[string]any{"as": priya, "channel": general, "message_ts": ts, "block_id": "b", "action_id": "go"})
	}()
	e := s.next(socketmode.EventTypeInteractive)
	s.ack(e)
	<-done
	act := e.Data.(slack.InteractionCallback)
	if !act.Container.IsEphemeral || act.ActionCallback.BlockActions[0].Value != "v" || act.User.ID != priya {
		t.Errorf("act: got %+v", act.Container)
	}
	for i := range 6 {
		err := slack.PostWebhookContext(t.Context(), act.ResponseURL, &slack.WebhookMessage{Text: fmt.Sprint("changed ", i), ReplaceOriginal: true})
		if (err == nil) != (i < 5) {
			t.Errorf("use %d of the response_url: %v", i+1, err)
		}
	}
	if e := mine.next("ephemeral"); e["message"].(map[string]any)["text"] != "changed 0" {
		t.Errorf("got %v", e)
	}
	r.say(sam, general, "", "visible")
	for {
		e := theirs.any()
		if e.name == "ephemeral" {
			t.Error("another person saw it")
		}
		if e.name == "message" {
			return
		}
	}
}

// A trigger opens one modal, for the one who acted, within its life.
func TestTriggers(t *testing.T) {
	now := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	passed := make(chan time.Duration, 1)
	passed <- 0
	r := start(t, slacksim.Options{Now: func() time.Time { d := <-passed; passed <- d; return now.Add(d) }})
	s := r.dial()
	trigger := func() string {
		done := make(chan struct{})
		go func() {
			defer close(done)
			r.try("shortcut", map[string]any{"as": priya, "callback_id": "rt_start_global"})
		}()
		f := s.next()
		s.ack(f)
		<-done
		return f.Payload["trigger_id"].(string)
	}
	view := `{"type":"modal","title":{"type":"plain_text","text":"T"},"blocks":[]}`
	open := func(method, id string) any {
		return r.method(method, map[string]string{"trigger_id": id, "view": view})["error"]
	}
	first := trigger()
	if got := open("views.open", first); got != nil {
		t.Errorf("first use: got %v", got)
	}
	if got := open("views.open", first); got != "exchanged_trigger_id" {
		t.Errorf("second use: got %v", got)
	}
	for i, want := range []any{nil, nil, "push_limit_reached"} {
		if got := open("views.push", trigger()); got != want {
			t.Errorf("push %d: got %v, want %v", i+1, got, want)
		}
	}
	if got := len(r.state(priya)["views"].([]any)); got != 3 {
		t.Errorf("stack: got %d views, want 3", got)
	}
	late := trigger()
	<-passed
	passed <- 4 * time.Second
	if got := open("views.open", late); got != "expired_trigger_id" {
		t.Errorf("late: got %v", got)
	}
}
