package enginetest

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/document"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/engine/invariant"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// act lets one thing happen.
func (w *World) act(ctx context.Context, s Scenario, a Act) error {
	switch {
	case a.Cue != nil:
		w.prompts.Give(*a.Cue) // what comes too late is not said
		return nil
	case a.Refuse != "":
		w.refuse(a.Refuse)
		return nil
	case a.Mend:
		return w.mend(ctx, s)
	case a.Do != nil:
		return a.Do()
	case a.Reconnect:
		w.current.engine.Missed()
		return nil
	case a.Known:
		w.Slack.Introduce(personNamed(a.Who).As(a.As))
		return nil
	case a.Who == "" && a.Delete == "":
		return nil // time has passed, that is all
	}
	in, err := w.doing(ctx, a)
	if err != nil {
		return err
	}
	d, err := w.discussion(ctx)
	if err != nil {
		return err
	}
	if a.Say != "" || a.Edit != "" {
		w.Slack.Hear(d.Place, in)
	}
	sent := invariant.Sent{Input: in, Unlogged: a.Unlogged || d.State == roundtable.StateClosed}
	if a.Lost {
		w.sent = append(w.sent, sent) // it is as good as acknowledged: nobody will send it again
		return nil
	}
	return w.send(ctx, sent)
}

// discussion is the discussion as stored; zero before it is.
func (w *World) discussion(ctx context.Context) (d roundtable.Discussion, err error) {
	state, _, err := w.Store.Read(ctx, Ref())
	if err != nil || state == nil {
		return d, err
	}
	return roundtable.Decode(state)
}

// doing is the input to what a person does.
func (w *World) doing(ctx context.Context, a Act) (roundtable.Input, error) {
	by := personNamed(a.Who).As(a.As)
	in := roundtable.Input{At: time.Now()}
	ts, err := w.message(ctx, a.Edit+a.Delete+a.React)
	if err != nil {
		return in, err
	}
	switch {
	case a.Say != "":
		ts = w.Slack.Timestamp()
		w.named[a.Name] = ts
		in.ID, in.Event = "m:"+ts, roundtable.Said{TS: ts, By: by, Text: a.Say}
	case a.Edit != "":
		in.ID, in.Event = "e:"+ts, roundtable.Edited{TS: ts, By: by, Text: a.Text, EditedTS: w.Slack.Timestamp()}
		in.ID += ":" + in.Event.(roundtable.Edited).EditedTS
	case a.Delete != "":
		in.ID, in.Event = "d:"+ts, roundtable.Deleted{TS: ts}
	case a.React != "":
		in.ID = "r:" + ts + ":" + by.ID + ":" + a.Text + ":" + w.Slack.Timestamp()
		in.Event = roundtable.Reacted{TS: ts, By: by, Emoji: a.Text, Removed: a.Removed, Unsure: a.Unsure}
	default:
		w.pressed++
		in.ID, in.Event = "b:"+strconv.Itoa(w.pressed), roundtable.Pressed{By: by, Button: a.Press, Value: a.Value}
	}
	return in, nil
}

// message finds a message by its name, as "#n" the nth contribution, or as "@n"
// the nth turn.
func (w *World) message(ctx context.Context, name string) (string, error) {
	if ts, ok := w.named[name]; ok && name != "" {
		return ts, nil
	}
	number, contribution := strings.CutPrefix(name, "#")
	number, turn := strings.CutPrefix(number, "@")
	n, err := strconv.Atoi(number)
	switch {
	case err != nil:
		return "", nil
	case turn:
		return w.turn(ctx, n)
	case !contribution:
		return name, nil // the timestamp of what is no turn
	}
	for _, m := range w.Slack.Messages(channel) {
		if m.Message.Kind == thread.KindContribution {
			if n--; n == 0 {
				return m.TS, nil
			}
		}
	}
	return "", nil
}

// turn returns where a turn stands.
func (w *World) turn(ctx context.Context, n int) (string, error) {
	_, log, err := w.Store.Read(ctx, Ref())
	if err != nil {
		return "", err
	}
	entries, err := thread.DecodeLog(Ref().ID, log)
	if err != nil {
		return "", err
	}
	for _, t := range thread.ReadTranscript(entries).Turns {
		if t.Number == n {
			return t.TS, nil
		}
	}
	return "", fmt.Errorf("there is no turn %d", n)
}

// refuse makes Slack refuse the next post; empty: not.
func (w *World) refuse(r thread.Reason) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.refuseNext = r
}

// refusal is the fault of a post that Slack refuses; due is false if it does not.
func (w *World) refusal() (f Fault, due bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.refuseNext == "" {
		return f, false
	}
	f.Err = &engine.SendError{Outcome: engine.Refused, Reason: w.refuseNext, Err: errScripted}
	w.refuseNext = ""
	return f, true
}

// mend gives a broken item a meta.json that can be read.
func (w *World) mend(ctx context.Context, s Scenario) error {
	ref := w.item(s)
	item, err := w.Items.ReadItem(ctx, ref)
	if err != nil {
		return err
	}
	meta := document.NewMeta(document.Item{Slug: ref.Slug, CreatedAt: time.Now().UTC().Format(time.RFC3339)})
	return w.Items.WriteItem(ctx, ref, engine.ItemWrite{Version: item.Version, Meta: meta.Bytes(), Key: "mended"})
}

// send delivers an input as Slack does: again and again until it is acknowledged.
func (w *World) send(ctx context.Context, s invariant.Sent) error {
	body, err := roundtable.EncodeInput(s.Input)
	if err != nil {
		return err
	}
	_, opens := s.Input.Event.(roundtable.Opened)
	for {
		if err := w.revive(); err != nil {
			return err
		}
		r, err := w.current.engine.Receive(ctx, engine.Delivery{Ref: Ref(), Mail: engine.Mail{ID: s.Input.ID, Body: body}, Opens: opens})
		switch {
		case err == nil && (r == engine.Stored || r == engine.Duplicate):
			w.sent = append(w.sent, s)
			return nil
		case err == nil && r == engine.Closed:
			return nil
		case err == nil && r == engine.Unknown:
			return fmt.Errorf("deliver %s: no such discussion", s.Input.ID)
		}
		if err := pass(ctx, w.Rest/20); err != nil {
			return err
		}
	}
}
