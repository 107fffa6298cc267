package bot_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/roundtable-chat/app/bot"
	"github.com/roundtable-chat/app/bot/slacksim"
	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/document"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/engine/enginetest"
	"github.com/roundtable-chat/app/roundtable/persona"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// The people and the channel of the local workspace.
const (
	priya   = "U0PRIYA01"
	sam     = "U0SAM0001"
	product = "C0PRODUCT"
	botUser = "U0ROUND01"
	team    = "T0ROUND01"
)

// patience bounds every wait for something that has to happen.
const patience = 10 * time.Second

// stage is a workspace with the bot in it.
type stage struct {
	t     *testing.T
	ws    *slacksim.Workspace
	bot   *bot.Bot
	inbox *inbox
	logs  *enginetest.Buffer
	url   string
	stop  func() error
}

func testRoster() persona.Roster {
	seat := func(key, name, role, title string) persona.Seat {
		return persona.Seat{Key: persona.Key(key), Name: name, Role: role, Title: title, Perspective: "a " + title}
	}
	return persona.Roster{Default: "business-analyst", Personas: []persona.Persona{
		{Seat: seat("business-analyst", "Maya Chen", "Business Analyst", "BA"), Icon: ":woman:", Introduction: "Asks what users need."},
		{Seat: seat("solutions-architect", "Alex Rivera", "Solutions Architect", "Architect"), Icon: "https://example.com/alex.png"},
		{Seat: seat("system-designer", "Jordan Park", "System Designer", "Designer")},
	}}
}

// set starts a workspace and connects the bot to it; run decides whether it
// listens.
func set(t *testing.T, sim slacksim.Options, change func(*bot.Options), run bool) *stage {
	t.Helper()
	return setOn(t, sim, func(in *inbox) bot.Inbox { return in }, change, run)
}

// setOn is set with an inbox that stands before the stage's own.
func setOn(t *testing.T, sim slacksim.Options, before func(*inbox) bot.Inbox, change func(*bot.Options), run bool) *stage {
	t.Helper()
	ws, err := slacksim.New(sim)
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	simDone, botDone := make(chan error, 1), make(chan error, 1)
	simCtx, simStop := context.WithCancel(context.Background())
	go func() { simDone <- ws.Run(simCtx, ln) }()
	t.Cleanup(func() {
		simStop()
		if err := <-simDone; err != nil && !errors.Is(err, context.Canceled) {
			t.Errorf("workspace: %v", err)
		}
	})
	s := &stage{t: t, ws: ws, inbox: newInbox(), logs: &enginetest.Buffer{}, url: "http://" + ln.Addr().String()}
	o := bot.Options{
		APIURL: s.url + "/api/", BotToken: "xoxb-local-workspace", AppToken: "xapp-local-workspace",
		Threads: s.inbox, Reader: engine.NewReader(s.inbox), Roster: testRoster(), Slug: document.Slug, Logger: slog.New(slog.NewTextHandler(s.logs, nil)),
		Transport: &http.Transport{},
	}
	in := before(s.inbox)
	if change != nil {
		change(&o)
	}
	if s.bot, err = bot.Connect(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.keepsSecrets)
	if !run {
		return s
	}
	ctx, stop := context.WithCancel(context.Background())
	go func() { botDone <- s.bot.Run(ctx, in) }()
	s.stop = sync.OnceValue(func() error {
		stop()
		return <-botDone
	})
	t.Cleanup(func() {
		if err := s.stop(); err != nil {
			t.Errorf("Run: got %v, want nil", err)
		}
	})
	s.until("the bot is connected", func() bool { return s.bot.Connected() && ws.Connections() == max(o.Connections, 2) })
	return s
}

// keepsSecrets holds the logs of every test to I11.
func (s *stage) keepsSecrets() {
	for _, secret := range []string{"local-workspace", "xoxb-", "xapp-", "canary"} {
		if strings.Contains(s.logs.String(), secret) {
			s.t.Errorf("I11: the log contains %q", secret)
		}
	}
}

// until waits for something that another process, or Slack, has to do.
func (s *stage) until(what string, ok func() bool) {
	s.t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	limit := time.After(patience)
	for !ok() {
		select {
		case <-tick.C:
		case <-limit:
			s.t.Fatalf("waited in vain: %s\nlog:\n%s", what, s.logs)
		}
	}
}

type fields map[string]any

// act does in the workspace what a person does, and returns the answer.
func (s *stage) act(what string, body fields) fields {
	s.t.Helper()
	b, err := json.Marshal(body)
	if err != nil {
		s.t.Fatal(err)
	}
	r, err := http.Post(s.url+"/sim/"+what, "application/json", bytes.NewReader(b))
	if err != nil {
		s.t.Fatal(err)
	}
	defer r.Body.Close()
	var answer fields
	if err := json.NewDecoder(r.Body).Decode(&answer); err != nil {
		s.t.Fatalf("%s: %v", what, err)
	}
	if answer["ok"] != true {
		s.t.Fatalf("%s: %v", what, answer)
	}
	return answer
}

func (s *stage) say(as, thread, text string) (ts string) {
	s.t.Helper()
	return fmt.Sprint(s.act("say", fields{"as": as, "channel": product, "thread_ts": thread, "text": text})["ts"])
}

// command types /roundtable and a text.
func (s *stage) command(as, channel, text string) {
	s.t.Helper()
	s.act("command", fields{"as": as, "channel": channel, "command": "/roundtable", "text": text})
}

// press presses the first button that stands in the channel with this action.
func (s *stage) press(as, action string) {
	s.t.Helper()
	for _, m := range s.ws.Messages(product) {
		for _, block := range m.Blocks {
			b, _ := block.(map[string]any)
			elements, _ := b["elements"].([]any)
			for _, e := range elements {
				if button, _ := e.(map[string]any); b["type"] == "actions" && strings.HasPrefix(fmt.Sprint(button["action_id"]), action) {
					s.act("act", fields{"as": as, "channel": product, "message_ts": m.TS, "block_id": b["block_id"], "action_id": button["action_id"]})
					return
				}
			}
		}
	}
	s.t.Fatalf("no button %s", action)
}

// refused does something and waits for one more private message to a person, which
// contains text.
func (s *stage) refused(as, text string, do func()) {
	s.t.Helper()
	before := len(s.private(as))
	do()
	s.until("a refusal", func() bool { return len(s.private(as)) > before })
	if got := s.private(as)[before]; !strings.Contains(got, text) {
		s.t.Errorf("got %q, want %q in it", got, text)
	}
}

// private are the texts of the private messages to a person, oldest first.
func (s *stage) private(as string) []string {
	s.t.Helper()
	list, _ := s.state(as)["ephemerals"].([]any)
	var texts []string
	for _, e := range list {
		m, _ := e.(map[string]any)
		texts = append(texts, fmt.Sprint(m["text"]))
	}
	return texts
}

// counted adds up a metric's samples that have a label's value.
func counted(t *testing.T, r *prometheus.Registry, metric, label, value string) (n float64) {
	t.Helper()
	families, err := r.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			for _, l := range m.GetLabel() {
				if f.GetName() == metric && l.GetName() == label && l.GetValue() == value {
					n += m.GetCounter().GetValue() + float64(m.GetHistogram().GetSampleCount())
				}
			}
		}
	}
	return n
}

// state is what a person sees.
func (s *stage) state(as string) fields {
	s.t.Helper()
	r, err := http.Get(s.url + "/sim/state?as=" + as)
	if err != nil {
		s.t.Fatal(err)
	}
	defer r.Body.Close()
	var answer fields
	if err := json.NewDecoder(r.Body).Decode(&answer); err != nil {
		s.t.Fatal(err)
	}
	return answer
}

// told waits for a private message to a person that contains text.
func (s *stage) told(as, text string) {
	s.t.Helper()
	s.until("ephemeral message with "+text, func() bool {
		return slices.ContainsFunc(s.private(as), func(said string) bool { return strings.Contains(said, text) })
	})
}

// seated posts an introduction of ours and makes its discussion known.
func (s *stage) seated() (ref engine.Ref, place thread.Place) {
	s.t.Helper()
	ref = engine.Ref{Team: team, Channel: product, ID: "DTEST"}
	place = thread.Place{Team: team, Channel: product}
	ts, err := s.bot.Workplace().Post(s.t.Context(), engine.Posting{Place: place, Key: "DTEST/root", Message: thread.Message{
		Kind: thread.KindRoot, Text: "ELABORATION MODE\n\nTopic: tests",
		Buttons: []thread.Button{{Kind: roundtable.ButtonContinue, Label: "Let them continue"}},
	}})
	if err != nil {
		s.t.Fatal(err)
	}
	place.Thread, place.Root = ts, ts
	s.inbox.open(ref, ts)
	return ref, place
}

// set2 runs a second bot, which remembers nothing, in the same workspace, with
// an inbox that knows the same discussions.
func set2(t *testing.T, s *stage) *inbox {
	t.Helper()
	s.listens(nil)
	return s.inbox
}

// listens runs a second bot, which remembers nothing, on the stage's inbox.
func (s *stage) listens(counts prometheus.Registerer) *bot.Bot {
	t := s.t
	t.Helper()
	b, err := bot.Connect(t.Context(), bot.Options{
		APIURL: s.url + "/api/", BotToken: "xoxb-local-workspace", AppToken: "xapp-local-workspace",
		Threads: s.inbox, Reader: engine.NewReader(s.inbox), Roster: testRoster(), Slug: document.Slug, Logger: slog.New(slog.NewTextHandler(s.logs, nil)), Transport: &http.Transport{},
		Metrics: counts,
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- b.Run(ctx, s.inbox) }()
	t.Cleanup(func() {
		stop()
		<-done
	})
	s.until("the second bot is connected", b.Connected)
	return b
}
