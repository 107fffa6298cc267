package chaos

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/roundtable-chat/app/bot/slacksim"
	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/engine"
)

// envelope is the payload of an interaction that nobody's client made.
func (r *rogue) envelope(kind string, by slacksim.Person, more map[string]any) json.RawMessage {
	payload := map[string]any{
		"type": kind, "user": map[string]any{"id": by.ID, "name": by.Name, "team_id": by.TeamID}, "team": map[string]any{"id": team, "domain": "local"},
		"trigger_id": fmt.Sprintf("%d.forged", serial.Add(1)), "api_app_id": "A0ROUND01",
	}
	for name, value := range more {
		payload[name] = value
	}
	raw, err := json.Marshal(payload)
	if err != nil {
		r.log.violation("campaign", "a forged envelope cannot be encoded: %v", err)
	}
	return raw
}

// forge delivers an interaction and waits for its end.
func (r *rogue) forge(ctx context.Context, payload json.RawMessage) {
	select {
	case <-r.town.Forge("interactive", "", payload):
	case <-ctx.Done():
	}
}

// forgeClick presses buttons that nobody was shown: by people who may not, with the id
// of another room's discussion, with no id at all.
func (r *rogue) forgeClick(ctx context.Context) {
	t, ok := r.target()
	if !ok {
		return
	}
	other, _ := r.target()
	kind := levers[r.dice.IntN(len(levers))]
	by := []slacksim.Person{gina, otto, nell, {ID: "U0NOBODY1", Name: "nobody"}}[r.dice.IntN(4)]
	room := []string{t.room, other.room, elsewhere}[r.dice.IntN(3)]
	value := []string{t.id + "|", other.id + "|c1/0", "", "|", t.id + "|c1/0"}[r.dice.IntN(5)]
	if kind == roundtable.ButtonExtend {
		value += "10"
	}
	r.forge(ctx, r.envelope("block_actions", by, map[string]any{
		"channel":   map[string]any{"id": room, "name": "room"},
		"container": map[string]any{"type": "message", "message_ts": t.thread, "thread_ts": t.thread, "channel_id": room},
		"actions": []any{map[string]any{"type": "button", "action_id": "rt:" + string(kind), "block_id": "b", "value": value,
			"action_ts": fmt.Sprintf("%d.%06d", time.Now().Unix(), serial.Add(1)%1e6)}},
	}))
}

// forgeForm sends in forms for rooms that their sender is not in.
func (r *rogue) forgeForm(ctx context.Context) {
	room := vault
	if t, ok := r.target(); ok && r.dice.IntN(2) == 0 {
		room = t.room
	}
	by := []slacksim.Person{nell, nell, mallory, gina}[r.dice.IntN(4)]
	if by.ID == mallory.ID {
		room = vault
	}
	topic := fmt.Sprintf("planted by the %s %d", quokka, serial.Add(1))
	text := func(field, value string) (string, any) {
		return field, map[string]any{field: map[string]any{"type": "plain_text_input", "value": value}}
	}
	values := make(map[string]any)
	callback := "rt_start"
	if r.dice.IntN(3) == 0 {
		callback = "rt_analyze"
		name, state := text("item", topic)
		values[name] = state
	} else {
		for _, pair := range [][2]string{{"topic", topic}, {"context", quokka}, {"turns", "5"}} {
			name, state := text(pair[0], pair[1])
			values[name] = state
		}
		lead := map[string]any{"value": "business-analyst"}
		values["lead"] = map[string]any{"lead": map[string]any{"type": "static_select", "selected_option": lead}}
		values["personas"] = map[string]any{"personas": map[string]any{"type": "multi_static_select",
			"selected_options": []any{lead, map[string]any{"value": "system-designer"}, map[string]any{"value": "solutions-architect"}}}}
		values["invite"] = map[string]any{"invite": map[string]any{"type": "multi_users_select", "selected_users": []string{r.town.people[0].ID, r.town.people[1].ID}}}
	}
	values["channel"] = map[string]any{"channel": map[string]any{"type": "conversations_select", "selected_conversation": room}}
	carried := []string{`{"channel":"` + room + `"}`, `{}`}[r.dice.IntN(2)]
	r.forge(ctx, r.envelope("view_submission", by, map[string]any{
		"view": map[string]any{"id": fmt.Sprintf("V0FORGED%d", serial.Add(1)), "type": "modal", "callback_id": callback, "private_metadata": carried,
			"state": map[string]any{"values": values}},
	}))
}

// plant puts a document that is slow to parse into the folder of a discussion's item
// while it is held, as somebody can who commits to the checkout. Half the time it is
// the rogue's own discussion, else the team's, and then only where nothing lies yet.
func (r *rogue) plant(ctx context.Context) {
	if r.dice.IntN(2) == 0 {
		t, ok := r.target()
		if ok {
			r.lay(ctx, t)
		}
		return
	}
	t, ok := r.open(ctx)
	if !ok {
		return
	}
	r.lay(ctx, t)
	r.utter(mallory, t.room, t.thread, "What would you cut first?")
	pass(ctx, time.Second)
	r.utter(mallory, t.room, t.thread, "done")
}

// planted is how large a planted document is, in bytes.
const planted = 200_000

// lay writes the document, unless there is one.
func (r *rogue) lay(ctx context.Context, t target) {
	e, err := r.store.read(ctx, r.refOf(t))
	if err != nil || e.Discussion.Item == "" {
		return
	}
	dir := filepath.Join(r.ground.artifacts, e.Discussion.Item)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		r.log.violation("campaign", "a document cannot be planted: %v", err)
		return
	}
	f, err := os.OpenFile(filepath.Join(dir, roundtable.FreeOutput), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return // there is one
	}
	_, _ = f.WriteString("# Notes\n\n" + r.tangle(planted) + "\n")
	_ = f.Close()
}

// refOf names a thread's discussion.
func (r *rogue) refOf(t target) engine.Ref { return engine.Ref{Team: team, Channel: t.room, ID: t.id} }
