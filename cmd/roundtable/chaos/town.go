package chaos

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/roundtable-chat/app/bot/slacksim"
)

// The workspace's id, and the tokens of its app.
const (
	team     = "T0CHAOS01"
	botToken = "xoxb-chaos-workspace"
	appToken = "xapp-chaos-workspace"
)

// town is the local workspace, with rooms enough for every table to move on, and
// the people in it.
type town struct {
	*slacksim.Workspace
	base    string
	weather *weather
	people  []slacksim.Person
	rooms   []string
	gauge   *gauge // nil unless rogues are about

	mu   sync.Mutex
	next int // the first room that nobody has used
	late int // how many newcomers have come
}

// ackWait is how long the workspace waits for an acknowledgement.
const ackWait = 2700 * time.Millisecond

// retries is how often, once a second, an event is delivered again: for as long
// as any campaign's patience lasts.
const retries = 900

func newTown(t testing.TB, p Plan, j *journal) *town {
	t.Helper()
	w := &town{people: residents(), weather: newWeather(p, j)}
	opts := slacksim.Options{TeamID: team, BotToken: botToken, AppToken: appToken, People: w.people, Seed: p.Seed,
		Before: func(method string, args map[string]string) slacksim.Verdict {
			return w.weather.judge(method, args, w.perform)
		},
		After:  w.weather.performed,
		Timing: slacksim.Timing{AckWait: ackWait, Ping: 2 * time.Second}}
	for i := range retries {
		opts.Timing.Retry = append(opts.Timing.Retry, min(time.Duration(i)*300*time.Millisecond, time.Second))
	}
	for i := range p.Tables * (2 + int(p.For/(5*time.Second))) {
		room := slacksim.Channel{ID: fmt.Sprintf("C0ROOM%04d", i), Name: fmt.Sprintf("room-%04d", i)}
		opts.Channels = append(opts.Channels, room)
		w.rooms = append(w.rooms, room.ID)
	}
	if p.Mode == Hostile {
		w.invite(&opts)
	}
	var err error
	if w.Workspace, err = slacksim.New(opts); err != nil {
		t.Fatal(err)
	}
	l, err := new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w.base = "http://" + l.Addr().String()
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- w.Run(ctx, l) }()
	t.Cleanup(func() {
		w.weather.flying.Wait()
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return w
}

// invite lets the rogues and the colleagues in, gives each their rooms, and makes Slack
// enforce its rates.
func (w *town) invite(opts *slacksim.Options) {
	opts.People = slices.Concat(w.people, []slacksim.Person{mallory, nell, gina, gus, otto}, colleagues())
	var inside []string
	for _, p := range opts.People {
		if p.ID != nell.ID {
			inside = append(inside, p.ID)
		}
	}
	for i := range opts.Channels {
		opts.Channels[i].Members = inside
	}
	for i := range alleys {
		opts.Channels = append(opts.Channels, slacksim.Channel{ID: alley(i), Name: fmt.Sprintf("alley-%d", i), Members: inside})
	}
	var team []string
	for _, p := range w.people {
		team = append(team, p.ID)
	}
	opts.Channels = append(opts.Channels, slacksim.Channel{ID: elsewhere, Name: "elsewhere"}, slacksim.Channel{ID: vault, Name: "vault", Private: true, Members: team})
	opts.Pace = slacksim.Pace{Tiers: true, PostEvery: time.Second, PostBurst: 3}
	w.gauge = newGauge(w.honest)
	opts.Acked = w.gauge.acked
	opts.After = func(c slacksim.CallRecord) {
		w.gauge.called(c)
		w.weather.performed(c)
	}
	// Slack's three attempts, within seconds instead of minutes: what is not
	// acknowledged by then is given up.
	opts.Timing.Retry = []time.Duration{-1, 2 * time.Second, 6 * time.Second}
}

// team are the people whom rogues must not trouble.
func (w *town) team() []slacksim.Person {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Concat(w.people, colleagues()[:w.late])
}

// newcomer is a colleague who has done nothing yet, where there are any.
func (w *town) newcomer() (slacksim.Person, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.gauge == nil || w.late == staffed {
		return slacksim.Person{}, false
	}
	w.late++
	return colleagues()[w.late-1], true
}

// honest reports whether somebody is of the team.
func (w *town) honest(user string) bool {
	return slices.ContainsFunc(w.team(), func(p slacksim.Person) bool { return p.ID == user })
}

// entitled reports whether somebody may open, end and decide in a room: a member of
// the workspace who is in it.
func (w *town) entitled(user, room string) bool {
	if slices.ContainsFunc(w.people, func(p slacksim.Person) bool { return p.ID == user }) {
		return true
	}
	member := user == mallory.ID || slices.ContainsFunc(colleagues(), func(p slacksim.Person) bool { return p.ID == user })
	return member && room != vault
}

// everywhere are the rooms in which the app may have posted.
func (w *town) everywhere() []string {
	rooms := slices.Clone(w.used())
	if w.gauge != nil {
		for i := range alleys {
			rooms = append(rooms, alley(i))
		}
		rooms = append(rooms, elsewhere, vault)
	}
	return rooms
}

// perform makes a post in the app's name, as Slack does with one that it had laid
// aside. What Slack then refuses is none.
func (w *town) perform(args map[string]string) {
	form := url.Values{"token": {botToken}}
	for name, value := range args {
		form.Set(name, value)
	}
	resp, err := http.PostForm(w.base+"/api/chat.postMessage", form) //nolint:noctx // bounded by the workspace's life
	if err != nil {
		w.weather.log.violation("campaign", "a late post was not performed: %v", err)
		return
	}
	_ = resp.Body.Close()
}

// residents are the people who hold discussions.
func residents() []slacksim.Person {
	var people []slacksim.Person
	for i, name := range []string{"Priya Nair", "Sam Okafor", "Lena Fischer", "Tomas Vega", "Aiko Mori", "Ruth Adler"} {
		handle := strings.ToLower(strings.Fields(name)[0])
		people = append(people, slacksim.Person{ID: "U0CHAOS" + strconv.Itoa(i+1), Name: handle, RealName: name, TZ: "UTC"})
	}
	return people
}

// room gives a room that nobody has used, or nothing when there is none left.
func (w *town) room() (string, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.next == len(w.rooms) {
		return "", false
	}
	w.next++
	return w.rooms[w.next-1], true
}

// used are the rooms that somebody has used.
func (w *town) used() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.rooms[:w.next]
}

// clear ends all faults.
func (w *town) clear() {
	w.weather.clear()
	w.weather.settle(w.Workspace)
}

// act does what a person does, through the page's endpoints. A refusal, as when the
// app does not answer, is an error.
func (w *town) act(ctx context.Context, name string, what map[string]any) (ts string, err error) {
	body, err := json.Marshal(what)
	if err != nil {
		return "", err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, w.base+"/sim/"+name, bytes.NewReader(body))
	if err != nil {
		return "", err
	}
	r.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	defer func() { err = errors.Join(err, resp.Body.Close()) }()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	var answer struct {
		OK    bool   `json:"ok"`
		Error string `json:"error"`
		TS    string `json:"ts"`
	}
	if err := json.Unmarshal(raw, &answer); err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	if !answer.OK {
		return "", fmt.Errorf("%s: %s", name, answer.Error)
	}
	return answer.TS, nil
}

// whispers are the ephemeral messages that a person has got.
func (w *town) whispers(person string) (texts []string) {
	for _, m := range w.Ephemerals(person) {
		texts = append(texts, m.Text)
	}
	return texts
}

// key is the key under which the app posted a message, or empty.
func key(m *slacksim.Message) string {
	if m.Metadata == nil {
		return ""
	}
	var payload struct {
		Key string `json:"key"`
	}
	if json.Unmarshal(m.Metadata.EventPayload, &payload) != nil {
		return ""
	}
	return payload.Key
}

// discussionOf is the discussion that a post of the app belongs to, or empty.
func discussionOf(m *slacksim.Message) string {
	id, _, _ := strings.Cut(key(m), "/")
	return id
}
