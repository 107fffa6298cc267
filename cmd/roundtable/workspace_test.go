package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"
)

// workspace is a local workspace as the people in it use it.
type workspace struct {
	t        testing.TB
	url      string
	botToken string // "": the workspace keeps the app's tokens to itself
	state    string // the file that keeps the workspace, where it has one
}

// message is a message as the workspace gives it.
type message struct {
	TS       string `json:"ts"`
	Thread   string `json:"thread_ts"`
	User     string `json:"user"`
	Username string `json:"username"`
	BotID    string `json:"bot_id"`
	Text     string `json:"text"`
	Blocks   []struct {
		BlockID  string `json:"block_id"`
		Elements []struct {
			ActionID string `json:"action_id"`
		} `json:"elements"`
	} `json:"blocks"`
	Metadata struct {
		Type    string `json:"event_type"`
		Payload struct {
			Key string `json:"key"`
		} `json:"event_payload"`
	} `json:"metadata"`
}

// call makes a request as a page does and fills answer.
func (w *workspace) call(path string, body, answer any) error {
	var resp *http.Response
	var err error
	if body == nil {
		resp, err = http.Get(w.url + path)
	} else {
		raw, _ := json.Marshal(body)
		resp, err = http.Post(w.url+path, "application/json", bytes.NewReader(raw))
	}
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s %s", path, resp.Status, raw)
	}
	return json.Unmarshal(raw, answer)
}

// do makes a request that must succeed and returns the message it made.
func (w *workspace) do(path string, body any) string {
	w.t.Helper()
	var answer struct{ TS string }
	if err := w.call(path, body, &answer); err != nil {
		w.t.Fatal(err)
	}
	return answer.TS
}

// person acts in a channel.
type person struct {
	*workspace
	id, channel string
}

// open opens a discussion with the command and waits for the introduction.
func (p person) open(topic string) discussion {
	p.t.Helper()
	return p.openBy(topic, topic)
}

// openBy types a command and waits for the introduction to what it names.
func (p person) openBy(command, topic string) discussion {
	p.t.Helper()
	before := len(p.messages(p.channel))
	p.command(command)
	d := discussion{person: p}
	eventually(p.t, "the introduction to "+topic+" is there", func() string { return p.transcript("") }, func() bool {
		for _, m := range p.messages(p.channel)[before:] {
			if root := m.Thread == "" || m.Thread == m.TS; root && m.BotID != "" && strings.Contains(m.Text, topic) {
				d.root = m.TS
			}
		}
		return d.root != ""
	})
	return d
}

// command types /roundtable until the app is there to answer.
func (p person) command(text string) {
	p.t.Helper()
	var last error
	eventually(p.t, "the command is taken", func() string { return fmt.Sprint(last) }, func() bool {
		last = p.call("/sim/command", map[string]string{"as": p.id, "channel": p.channel, "command": "/roundtable", "text": text}, &struct{}{})
		return last == nil || !strings.Contains(last.Error(), "dispatch_failed")
	})
	if last != nil {
		p.t.Fatal(last)
	}
}

// messages are a channel's, replies included, as a person sees them.
func (w *workspace) messages(channel string) []message {
	w.t.Helper()
	var state struct {
		Channels []struct {
			ID       string
			Messages []message
		}
	}
	if err := w.call("/sim/state", nil, &state); err != nil {
		w.t.Fatal(err)
	}
	for _, c := range state.Channels {
		if c.ID == channel {
			return c.Messages
		}
	}
	w.t.Fatalf("there is no channel %s", channel)
	return nil
}

// discussion is a thread as one of its people sees it.
type discussion struct {
	person
	root string
}

// as is the thread as another person sees it.
func (d discussion) as(id string) discussion { d.id = id; return d }

// thread is the thread's messages, oldest first, without the root.
func (d discussion) thread() []message {
	d.t.Helper()
	var in []message
	for _, m := range d.messages(d.channel) {
		if m.Thread == d.root && m.TS != d.root {
			in = append(in, m)
		}
	}
	return in
}

// transcript is the thread as text.
func (p person) transcript(root string) string {
	resp, err := http.Get(p.url + "/sim/transcript?" + url.Values{"channel": {p.channel}, "thread_ts": {root}}.Encode())
	if err != nil {
		return err.Error()
	}
	defer resp.Body.Close()
	raw, _ := io.ReadAll(resp.Body)
	return string(raw)
}

// say writes into the thread.
func (d discussion) say(text string) string {
	d.t.Helper()
	return d.do("/sim/say", map[string]string{"as": d.id, "channel": d.channel, "thread_ts": d.root, "text": text})
}

// until waits for a message of the thread after ts of which is holds.
func (d discussion) until(after, what string, is func(message) bool) message {
	d.t.Helper()
	var found message
	eventually(d.t, what, func() string { return d.transcript(d.root) }, func() bool {
		thread := d.thread()
		i := slices.IndexFunc(thread, func(m message) bool { return m.TS > after && is(m) })
		if i >= 0 {
			found = thread[i]
		}
		return i >= 0
	})
	return found
}

// press presses the newest button of a kind in the thread, or the root's.
func (d discussion) press(kind string) {
	d.t.Helper()
	all := d.messages(d.channel)
	slices.Reverse(all)
	for _, m := range all {
		if m.Thread != d.root && m.TS != d.root {
			continue
		}
		for _, b := range m.Blocks {
			for _, e := range b.Elements {
				if e.ActionID == "rt:"+kind {
					d.do("/sim/act", map[string]string{"as": d.id, "channel": d.channel, "message_ts": m.TS, "block_id": b.BlockID, "action_id": e.ActionID})
					return
				}
			}
		}
	}
	d.t.Fatalf("no button %s in:\n%s", kind, d.transcript(d.root))
}

// replies is the thread as conversations.replies gives it to the app, with the
// root and the keys of posts.
func (d discussion) replies() []message {
	d.t.Helper()
	if d.botToken == "" {
		return d.kept()
	}
	form := url.Values{"token": {d.botToken}, "channel": {d.channel}, "ts": {d.root}, "include_all_metadata": {"true"}, "limit": {"999"}}
	resp, err := http.PostForm(d.url+"/api/conversations.replies", form)
	if err != nil {
		d.t.Fatal(err)
	}
	defer resp.Body.Close()
	var answer struct {
		OK       bool
		Error    string
		Messages []message
	}
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil || !answer.OK {
		d.t.Fatalf("conversations.replies: %v %s", err, answer.Error)
	}
	return answer.Messages
}

// kept is the same from the state file, which the demo writes before it answers.
func (d discussion) kept() []message {
	d.t.Helper()
	raw, err := os.ReadFile(d.state)
	if err != nil {
		d.t.Fatal(err)
	}
	var state struct {
		Channels []struct {
			ID       string
			Messages []message
		}
	}
	if err := json.Unmarshal(raw, &state); err != nil {
		d.t.Fatal(err)
	}
	var in []message
	for _, c := range state.Channels {
		for _, m := range c.Messages {
			if c.ID == d.channel && (m.TS == d.root || m.Thread == d.root) {
				in = append(in, m)
			}
		}
	}
	if len(in) == 0 {
		d.t.Fatalf("no thread %s is kept in %s", d.root, d.state)
	}
	return in
}

// spoken, by and containing choose messages: those of personas, those of one of
// them, those with a text.
func spoken(m message) bool { return strings.Contains(m.Username, "(") }
func by(name string) func(message) bool {
	return func(m message) bool { return strings.HasPrefix(m.Username, name+" ") }
}
func containing(text string) func(message) bool {
	return func(m message) bool { return strings.Contains(m.Text, text) }
}
