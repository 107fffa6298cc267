package slacksim

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/roundtable-chat/app/bot/slacksim/feed"
)

// serveState gives everything a person may see.
func (w *Workspace) serveState(rw http.ResponseWriter, r *http.Request) {
	raw, err := w.stateFor(r.URL.Query().Get("as"))
	if err != nil {
		answerPage(rw, nil, err)
		return
	}
	rw.Header().Set("Content-Type", "application/json; charset=utf-8")
	rw.Header().Set("Cache-Control", "no-store")
	_, _ = rw.Write(raw)
}

// stateFor encodes what a person may see, at one moment.
func (w *Workspace) stateFor(me string) ([]byte, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if me == "" && len(w.people) > 1 {
		me = w.people[1].ID
	}
	if p := w.person(me); p == nil || p.IsBot {
		return nil, decline(http.StatusNotFound, "unknown_person", "There is no such person.")
	}
	channels := []object{}
	for _, c := range w.channels {
		if c.visibleTo(me) {
			channels = append(channels, w.channelForPage(c, me, true))
		}
	}
	statuses := []*status{}
	for _, s := range w.statuses {
		if w.byID[s.Channel].visibleTo(me) {
			statuses = append(statuses, s)
		}
	}
	ephemerals := []*Message{}
	for _, e := range w.hidden[me] {
		ephemerals = append(ephemerals, &e.Message)
	}
	var home object
	if v := w.homes[me]; v != nil {
		home = v.body
	}
	return json.Marshal(object{
		"ok": true, "version": w.feed.Version(), "me": me,
		"team":   object{"id": w.opts.TeamID, "name": w.opts.TeamName, "domain": w.opts.TeamDomain},
		"app":    w.appForPage(me),
		"people": w.people, "channels": channels, "commands": w.opts.Commands, "shortcuts": w.opts.Shortcuts,
		"statuses": statuses, "ephemerals": ephemerals, "views": w.modalsForPage(me), "home": home,
	})
}

// appForPage is the app as one person's page shows it.
func (w *Workspace) appForPage(user string) object {
	return object{
		"id": w.opts.AppID, "name": w.opts.AppName, "bot_id": w.opts.BotID, "user_id": w.opts.BotUserID, "icon_url": w.opts.AppIcon,
		"dm": w.directMessage(user).ID, "connections": len(w.conns),
	}
}

// channelForPage is a channel as one person's page shows it.
func (w *Workspace) channelForPage(c *channel, user string, messages bool) object {
	name := c.Name
	if c.Kind == kindIM {
		name = w.opts.AppName
	}
	o := object{
		"id": c.ID, "name": name, "kind": c.Kind, "topic": c.Topic, "purpose": c.Purpose, "is_archived": c.Archived, "is_ext_shared": c.Shared,
		"app_is_member": c.has(w.opts.BotUserID), "is_member": c.has(user), "members": c.Members,
	}
	if messages {
		o["messages"] = readers(c.Messages, false)
	}
	return o
}

// modalsForPage are a person's open modals, bottom first.
func (w *Workspace) modalsForPage(user string) []object {
	out := []object{}
	for _, v := range w.modals[user] {
		out = append(out, v.body)
	}
	return out
}

// serveTranscript gives a channel or a thread as plain text.
func (w *Workspace) serveTranscript(rw http.ResponseWriter, r *http.Request) {
	text, ok := w.Transcript(r.URL.Query().Get("channel"), r.URL.Query().Get("thread_ts"))
	if !ok {
		http.Error(rw, "no such channel", http.StatusNotFound)
		return
	}
	rw.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = fmt.Fprint(rw, text)
}

// Transcript is a thread, or a channel's roots when threadTS is "", one line per
// message: "[ts] Name: text". Line breaks inside a text are indented. It reports
// false for an unknown channel.
func (w *Workspace) Transcript(channelID, threadTS string) (string, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	ch := w.byID[channelID]
	if ch == nil {
		return "", false
	}
	var b strings.Builder
	for _, m := range ch.Messages {
		inThread := m.TS == threadTS || m.ThreadTS == threadTS
		inChannel := !m.isReply() || m.Subtype == "thread_broadcast"
		if threadTS != "" && inThread || threadTS == "" && inChannel {
			fmt.Fprintf(&b, "[%s] %s: %s%s\n", m.TS, w.displayName(m), strings.ReplaceAll(m.Text, "\n", "\n    "), marks(m))
		}
	}
	return b.String(), true
}

// marks are the notes after a transcript line.
func marks(m *Message) string {
	var notes string
	if m.Edited != nil {
		notes += " (edited)"
	}
	for _, r := range m.Reactions {
		notes += " :" + r.Name + ":"
	}
	for _, f := range m.Files {
		notes += fmt.Sprintf(" (file %v)", f["name"])
	}
	return notes
}

// displayName is who a message is from, in words.
func (w *Workspace) displayName(m *Message) string {
	if m.Username != "" {
		return m.Username
	}
	if p := w.person(m.User); p != nil {
		return p.RealName
	}
	if m.Subtype == tombstone {
		return "(deleted)"
	}
	return w.opts.AppName
}

// Messages are copies of a channel's messages, oldest first, replies included;
// nil for an unknown channel.
func (w *Workspace) Messages(channelID string) []*Message {
	w.mu.Lock()
	defer w.mu.Unlock()
	ch := w.byID[channelID]
	if ch == nil {
		return nil
	}
	return slices.Clone(readers(ch.Messages, true))
}

// show tells the page something. The caller holds w.mu.
func (w *Workspace) show(to feed.Audience, name string, value any) {
	raw, err := json.Marshal(value)
	if err != nil {
		w.log.Error("encode page event", "event", name, "error", err)
		return
	}
	w.feed.Add(to, name, raw)
}

func (w *Workspace) showMessage(ch *channel, m *Message) {
	w.show(feed.Audience{Channel: ch.ID}, "message", object{"channel": ch.ID, "message": m.forReader(false)})
}

func (w *Workspace) showChannel(ch *channel) {
	for _, p := range w.people {
		if ch.visibleTo(p.ID) {
			w.show(feed.Audience{User: p.ID}, "channel", object{"channel": w.channelForPage(ch, p.ID, false)})
		}
	}
}

func (w *Workspace) showApp() {
	for _, p := range w.people {
		if !p.IsBot {
			w.show(feed.Audience{User: p.ID}, "app", object{"app": w.appForPage(p.ID)})
		}
	}
}

func (w *Workspace) showModals(user string) {
	w.show(feed.Audience{User: user}, "views", object{"views": w.modalsForPage(user)})
}

func (w *Workspace) showHome(user string) {
	w.show(feed.Audience{User: user}, "home", object{"home": w.homes[user].body})
}

// mayHear reports whether a person may get a page event.
func (w *Workspace) mayHear(to feed.Audience, user string) bool {
	if to.User != "" {
		return to.User == user
	}
	if to.Channel == "" {
		return true
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	ch := w.byID[to.Channel]
	return ch != nil && ch.visibleTo(user)
}
