package slacksim

import (
	"encoding/json"
	"io"
	"net/http"
	"time"
)

// hookUses is how often a response_url may be used.
const hookUses = 5

// responseHook is a response_url: the right to answer one act, without a token.
type responseHook struct {
	channel string
	user    string
	ts      string // of the message that was acted on
	uses    int
	until   time.Time
}

// newHook makes a response_url.
func (w *Workspace) newHook(h responseHook) string {
	for id, old := range w.hooks {
		if w.now().After(old.until) {
			delete(w.hooks, id)
		}
	}
	h.until = w.now().Add(w.opts.Timing.HookLife)
	id := secret()
	w.hooks[id] = &h
	return w.origin() + "/respond/" + id
}

// serveResponse takes what the app sends to a response_url.
func (w *Workspace) serveResponse(rw http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(rw, r.Body, bodyLimit))
	if err != nil {
		http.Error(rw, "invalid_payload", http.StatusBadRequest)
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	h := w.hooks[r.PathValue("token")]
	switch {
	case h == nil || w.now().After(h.until):
		http.Error(rw, "expired_url", http.StatusNotFound)
		return
	case h.uses >= hookUses:
		http.Error(rw, "used_url", http.StatusNotFound)
		return
	}
	h.uses++
	if err := w.respond(h, body); err != nil {
		rw.WriteHeader(http.StatusOK)
		_, _ = rw.Write(failure(err).body)
		return
	}
	_, _ = io.WriteString(rw, "ok")
}

// answer is what an app may say through a response_url or an acknowledgement.
type answer struct {
	ResponseType    string          `json:"response_type"`
	Text            string          `json:"text"`
	ThreadTS        string          `json:"thread_ts"`
	ReplaceOriginal bool            `json:"replace_original"`
	DeleteOriginal  bool            `json:"delete_original"`
	Blocks          json.RawMessage `json:"blocks"`
	Attachments     json.RawMessage `json:"attachments"`
	Metadata        json.RawMessage `json:"metadata"`
}

// respond does what an answer says. A name or icon in it is ignored, as Slack does.
func (w *Workspace) respond(h *responseHook, body []byte) error {
	var a answer
	if json.Unmarshal(body, &a) != nil {
		return refuse("invalid_payload")
	}
	ch := w.byID[h.channel]
	if ch == nil {
		return refuse("channel_not_found")
	}
	if a.DeleteOriginal {
		return w.dropOriginal(h, ch)
	}
	c := &call{method: "chat.postMessage", args: map[string]string{"text": a.Text, "thread_ts": a.ThreadTS}}
	for name, raw := range map[string]json.RawMessage{"blocks": a.Blocks, "attachments": a.Attachments, "metadata": a.Metadata} {
		if len(raw) > 0 && string(raw) != "null" {
			c.args[name] = string(raw)
		}
	}
	m, err := w.draft(c)
	if err != nil {
		return err
	}
	if a.ReplaceOriginal && h.ts != "" {
		return w.replaceOriginal(h, ch, m, c)
	}
	if err := w.place(m, ch, c); err != nil {
		return err
	}
	w.dress(m, c)
	if a.ResponseType == "in_channel" {
		w.post(ch, m)
	} else {
		w.whisper(ch, h.user, m)
	}
	return nil
}

func (w *Workspace) dropOriginal(h *responseHook, ch *channel) error {
	if e := w.whispered(h.user, h.channel, h.ts); e != nil {
		w.forget(e)
		return nil
	}
	m := ch.at(h.ts)
	if m == nil {
		return refuse("message_not_found")
	}
	w.erase(ch, m)
	return nil
}

// replaceOriginal changes the message that was acted on: the only way to change
// an ephemeral one.
func (w *Workspace) replaceOriginal(h *responseHook, ch *channel, draft *Message, c *call) error {
	if e := w.whispered(h.user, h.channel, h.ts); e != nil {
		e.Text, e.Blocks, e.Attachments = draft.Text, draft.Blocks, draft.Attachments
		w.dress(&e.Message, c)
		w.showEphemeral(e)
		return nil
	}
	m := ch.at(h.ts)
	if m == nil {
		return refuse("message_not_found")
	}
	before := m.clone()
	w.revise(m, draft, c)
	m.Edited = &Edited{User: w.opts.BotID, TS: formatTS(w.now().Unix() * 1e6)}
	w.changed()
	w.showMessage(ch, m)
	w.tellChanged(ch, m, before)
	return nil
}
