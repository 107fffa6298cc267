package slacksim

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/roundtable-chat/app/bot/slacksim/blockkit"
)

// view is a modal or a Home tab.
type view struct {
	user string
	body object // Slack's view object
}

func (v *view) id() string { return v.text("id") }

func (v *view) text(key string) string {
	s, _ := v.body[key].(string)
	return s
}

func (v *view) blocks() []any {
	blocks, _ := v.body["blocks"].([]any)
	return blocks
}

// trigger is the right to open a modal for the person who did something.
type trigger struct {
	user  string
	until time.Time
	used  bool
}

const (
	viewLimit  = 250 << 10 // bytes
	stackLimit = 3
)

// newTrigger makes a trigger id for a person's act.
func (w *Workspace) newTrigger(user string) string {
	for id, t := range w.triggers {
		if w.now().After(t.until.Add(time.Minute)) {
			delete(w.triggers, id)
		}
	}
	w.ids.Counter++
	id := itoa(1e12+w.ids.Counter) + "." + itoa(9e11+w.ids.Counter) + "." + secret()
	w.triggers[id] = &trigger{user: user, until: w.now().Add(w.opts.Timing.TriggerLife)}
	return id
}

// pull uses a trigger up and gives the person it belongs to.
func (w *Workspace) pull(c *call) (string, error) {
	id := c.args["trigger_id"]
	if id == "" {
		id = c.args["interactivity_pointer"]
	}
	t := w.triggers[id]
	switch {
	case id == "":
		return "", refuse("invalid_arguments", "[ERROR] missing required field: trigger_id")
	case t == nil:
		return "", refuse("invalid_trigger_id")
	case t.used:
		return "", refuse("exchanged_trigger_id")
	case w.now().After(t.until):
		return "", refuse("expired_trigger_id")
	}
	t.used = true
	return t.user, nil
}

// readView decodes and checks a view argument and completes it to Slack's shape.
func (w *Workspace) readView(raw, user string, kinds ...string) (*view, error) {
	if len(raw) > viewLimit {
		return nil, refuse("view_too_large")
	}
	var body object
	if err := json.Unmarshal([]byte(raw), &body); err != nil || body == nil {
		return nil, refuse("invalid_arguments", "[ERROR] failed to parse view")
	}
	if problems := blockkit.CheckView(body, kinds); len(problems) > 0 {
		return nil, refuse("invalid_arguments", problems...)
	}
	blocks, _ := body["blocks"].([]any)
	blockkit.Complete(blocks, w.blockID)
	for _, key := range []string{"title", "submit", "close"} {
		blockkit.CompleteTexts(body[key])
	}
	v := &view{user: user, body: body}
	id := w.ids.next("V")
	blank := object{
		"private_metadata": "", "callback_id": "", "external_id": "", "title": nil, "close": nil, "submit": nil,
		"clear_on_close": false, "notify_on_close": false, "previous_view_id": nil,
	}
	for key, value := range blank {
		if _, ok := body[key]; !ok {
			body[key] = value
		}
	}
	body["id"], body["root_view_id"], body["team_id"], body["app_id"], body["bot_id"] = id, id, w.opts.TeamID, w.opts.AppID, w.opts.BotID
	body["app_installed_team_id"], body["state"] = w.opts.TeamID, object{"values": object{}}
	body["hash"] = itoa(w.now().Unix()) + "." + secret()[:8]
	return v, nil
}

// externalTaken reports whether another open view has this external id.
func (w *Workspace) externalTaken(v *view) bool {
	if v.text("external_id") == "" {
		return false
	}
	for _, stack := range w.modals {
		for _, o := range stack {
			if o.text("external_id") == v.text("external_id") && o.id() != v.id() {
				return true
			}
		}
	}
	return false
}

// viewOpen is views.open: a modal for the person who acted, alone on the screen.
func (w *Workspace) viewOpen(c *call) (object, error) {
	return w.raise(c, false)
}

// viewPush is views.push: a modal over the one that is open.
func (w *Workspace) viewPush(c *call) (object, error) {
	return w.raise(c, true)
}

func (w *Workspace) raise(c *call, push bool) (object, error) {
	v, err := w.readView(c.args["view"], "", "modal")
	if err != nil {
		return nil, err
	}
	if w.externalTaken(v) {
		return nil, refuse("duplicate_external_id")
	}
	if v.user, err = w.pull(c); err != nil {
		return nil, err
	}
	if push && len(w.modals[v.user]) == 0 {
		return nil, refuse("not_found")
	}
	if !push {
		w.modals[v.user] = nil
	}
	if !w.stack(v) {
		return nil, refuse("push_limit_reached")
	}
	return object{"view": v.body}, nil
}

// stack puts a view over the person's other modals; it reports false when there
// are three already.
func (w *Workspace) stack(v *view) bool {
	stack := w.modals[v.user]
	if len(stack) >= stackLimit {
		return false
	}
	if n := len(stack); n > 0 {
		v.body["previous_view_id"], v.body["root_view_id"] = stack[n-1].id(), stack[0].id()
	}
	w.modals[v.user] = append(stack, v)
	w.showModals(v.user)
	return true
}

// find looks an open view up by its id or external id.
func (w *Workspace) find(id, external string) *view {
	for _, stack := range w.modals {
		for _, v := range stack {
			if id != "" && v.id() == id || external != "" && v.text("external_id") == external {
				return v
			}
		}
	}
	for _, v := range w.homes {
		if id != "" && v.id() == id {
			return v
		}
	}
	return nil
}

// viewUpdate is views.update.
func (w *Workspace) viewUpdate(c *call) (object, error) {
	old := w.find(c.args["view_id"], c.args["external_id"])
	if old == nil {
		return nil, refuse("not_found")
	}
	if h := c.args["hash"]; h != "" && h != old.text("hash") {
		return nil, refuse("hash_conflict")
	}
	v, err := w.readView(c.args["view"], old.user, "modal", "home")
	if err != nil {
		return nil, err
	}
	return object{"view": w.replace(old, v)}, nil
}

// replace gives an open view new content under its old id, keeping what the
// person typed into blocks that stay.
func (w *Workspace) replace(old, v *view) object {
	for _, key := range []string{"id", "root_view_id", "previous_view_id"} {
		v.body[key] = old.body[key]
	}
	v.body["state"] = old.body["state"]
	old.body = v.body
	if old.text("type") == "home" {
		w.showHome(old.user)
	} else {
		w.showModals(old.user)
	}
	return old.body
}

// viewPublish is views.publish.
func (w *Workspace) viewPublish(c *call) (object, error) {
	p := w.person(c.args["user_id"])
	if p == nil || p.IsBot {
		return nil, refuse("invalid_arguments", "[ERROR] user not found [json-pointer:/user_id]")
	}
	old := w.homes[p.ID]
	if h := c.args["hash"]; h != "" && old != nil && h != old.text("hash") {
		return nil, refuse("hash_conflict")
	}
	v, err := w.readView(c.args["view"], p.ID, "home")
	if err != nil {
		return nil, err
	}
	if old != nil {
		v.body["id"], v.body["root_view_id"] = old.body["id"], old.body["root_view_id"]
	}
	w.homes[p.ID] = v
	w.changed()
	w.showHome(p.ID)
	return object{"view": v.body}, nil
}

// lower takes a view off its person's stack, with those above it.
func (w *Workspace) lower(v *view) {
	stack := w.modals[v.user]
	if i := slices.Index(stack, v); i >= 0 {
		w.modals[v.user] = slices.Clone(stack[:i])
		w.showModals(v.user)
	}
}
