package slacksim

import (
	"encoding/json"
	"maps"
	"time"
)

// ask sends an interactive envelope and returns the channel its outcome comes on.
// The caller holds mu, and waits without it.
func (w *Workspace) ask(kind string, payload object, accepts bool) <-chan outcome {
	done := make(chan outcome, 1)
	w.enqueue(&delivery{Kind: kind, Payload: mustJSON(payload), accepts: accepts, done: done})
	return done
}

// actor is the user object of interactive payloads.
func (w *Workspace) actor(p *Person) object {
	return object{"id": p.ID, "name": p.Name, "username": p.Name, "team_id": p.TeamID}
}

// interaction is what all interactive payloads have in common.
func (w *Workspace) interaction(kind string, p *Person) object {
	return object{
		"type": kind, "user": w.actor(p), "team": object{"id": w.opts.TeamID, "domain": w.opts.TeamDomain}, "api_app_id": w.opts.AppID,
		"token": "local-verification-token", "trigger_id": w.newTrigger(p.ID), "enterprise": nil, "is_enterprise_install": false,
	}
}

// payloadName is the name of a channel in payloads.
func (c *channel) payloadName() string {
	switch c.Kind {
	case kindIM:
		return "directmessage"
	case kindPrivate:
		return "privategroup"
	}
	return c.Name
}

// runCommand sends a slash command to the app.
func (w *Workspace) runCommand(p *Person, ch *channel, command, text string) (<-chan outcome, *responseHook) {
	hook := responseHook{channel: ch.ID, user: p.ID}
	return w.ask(kindCommand, object{
		"token": "local-verification-token", "team_id": p.TeamID, "team_domain": w.opts.TeamDomain, "channel_id": ch.ID, "channel_name": ch.payloadName(),
		"user_id": p.ID, "user_name": p.Name, "command": command, "text": w.commandText(text), "api_app_id": w.opts.AppID,
		"is_enterprise_install": "false", "response_url": w.newHook(hook), "trigger_id": w.newTrigger(p.ID),
	}, true), &hook
}

// chosen builds the action object for an element that was pressed or chosen from.
func (w *Workspace) chosen(e object, blockID string, choice object) object {
	kind, _ := e["type"].(string)
	a := object{"type": kind, "action_id": e["action_id"], "block_id": blockID, "action_ts": w.ids.ts(w.now())}
	if kind == "button" || kind == "workflow_button" {
		for _, key := range []string{"text", "value", "style", "url"} {
			if v, ok := e[key]; ok {
				a[key] = v
			}
		}
	}
	if p, ok := e["placeholder"]; ok {
		a["placeholder"] = p
	}
	maps.Copy(a, choice)
	return a
}

// pressed sends block_actions for an act on a message or an ephemeral message.
func (w *Workspace) pressed(p *Person, ch *channel, m *Message, action object, values any) <-chan outcome {
	payload := w.interaction("block_actions", p)
	container := object{"type": "message", "message_ts": m.TS, "channel_id": ch.ID, "is_ephemeral": m.IsEphemeral}
	if m.ThreadTS != "" {
		container["thread_ts"] = m.ThreadTS
	}
	payload["container"] = container
	payload["channel"] = object{"id": ch.ID, "name": ch.payloadName()}
	payload["response_url"] = w.newHook(responseHook{channel: ch.ID, user: p.ID, ts: m.TS})
	payload["state"] = object{"values": orEmpty(values)}
	payload["actions"] = []any{action}
	if !m.IsEphemeral {
		payload["message"] = toObject(m.forReader(true))
	}
	return w.ask(kindInteractive, payload, false)
}

// pressedInView sends block_actions for an act in a modal or the Home tab.
func (w *Workspace) pressedInView(p *Person, v *view, action object, values any) <-chan outcome {
	payload := w.interaction("block_actions", p)
	payload["container"] = object{"type": "view", "view_id": v.id()}
	if values != nil {
		v.body["state"] = object{"values": values}
	}
	payload["view"] = v.body
	payload["actions"] = []any{action}
	return w.ask(kindInteractive, payload, false)
}

func orEmpty(values any) any {
	if values == nil {
		return object{}
	}
	return values
}

// submitted sends view_submission.
func (w *Workspace) submitted(p *Person, v *view, values object) <-chan outcome {
	v.body["state"] = object{"values": values}
	payload := w.interaction("view_submission", p)
	payload["view"] = v.body
	payload["response_urls"] = []any{}
	return w.ask(kindInteractive, payload, true)
}

// dismissed sends view_closed, when the view asked for it.
func (w *Workspace) dismissed(p *Person, v *view, cleared bool) {
	if notify, _ := v.body["notify_on_close"].(bool); !notify {
		return
	}
	payload := w.interaction("view_closed", p)
	delete(payload, "trigger_id")
	payload["view"], payload["is_cleared"] = v.body, cleared
	w.ask(kindInteractive, payload, false)
}

// shortcut sends a message shortcut (m not nil) or a global one.
func (w *Workspace) shortcut(p *Person, callback string, ch *channel, m *Message) <-chan outcome {
	kind := "shortcut"
	if m != nil {
		kind = "message_action"
	}
	payload := w.interaction(kind, p)
	payload["callback_id"], payload["action_ts"] = callback, w.ids.ts(w.now())
	if m != nil {
		payload["channel"] = object{"id": ch.ID, "name": ch.payloadName()}
		payload["message"], payload["message_ts"] = toObject(m.forReader(true)), m.TS
		payload["response_url"] = w.newHook(responseHook{channel: ch.ID, user: p.ID, ts: m.TS})
	}
	return w.ask(kindInteractive, payload, false)
}

// await waits for an outcome, a little longer than Slack gives the app.
func (w *Workspace) await(done <-chan outcome) outcome {
	limit := time.NewTimer(max(0, w.opts.Timing.AckWait) + time.Second)
	defer limit.Stop()
	select {
	case o := <-done:
		return o
	case <-limit.C:
	case <-w.feed.Ended():
	}
	return outcome{failure: "operation_timeout"}
}

// submission is what an app may answer to view_submission.
type submission struct {
	Action string            `json:"response_action"`
	Errors map[string]string `json:"errors"`
	View   json.RawMessage   `json:"view"`
}

// settle applies the app's answer to a submitted view. The caller holds mu.
func (w *Workspace) settle(v *view, payload json.RawMessage) (submission, error) {
	var s submission
	if len(payload) > 0 && json.Unmarshal(payload, &s) != nil {
		return s, refuse("invalid_response")
	}
	switch s.Action {
	case "errors":
	case "update", "push":
		next, err := w.readView(string(s.View), v.user, "modal")
		if err != nil {
			return s, err
		}
		if s.Action == "update" {
			w.replace(v, next)
		} else if !w.stack(next) {
			return s, refuse("push_limit_reached")
		}
	case "clear":
		w.modals[v.user] = nil
		w.showModals(v.user)
	case "":
		w.lower(v)
	default:
		return s, refuse("invalid_response_action")
	}
	return s, nil
}
