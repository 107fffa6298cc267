package slacksim

import (
	"net/http"
	"slices"
)

// unanswered turns an app's silence into a sentence.
func unanswered(o outcome) error {
	if o.failure == "" {
		return nil
	}
	return decline(failureStatus(o.failure), o.failure, "The app did not answer. Try again.")
}

// press sends a click or a choice to the app.
func (w *Workspace) press(p *Person, a *act) (object, error) {
	w.mu.Lock()
	done, err := w.pressing(p, a)
	w.mu.Unlock()
	if err != nil {
		return nil, err
	}
	return nil, unanswered(w.await(done))
}

// pressing finds the element a person acted on and sends the act.
func (w *Workspace) pressing(p *Person, a *act) (<-chan outcome, error) {
	var values any
	if a.Values != nil {
		values = a.Values
	}
	if a.ViewID != "" {
		v := w.find(a.ViewID, "")
		if v == nil || v.user != p.ID {
			return nil, decline(http.StatusNotFound, "not_found", "This dialog is closed.")
		}
		blocks, _ := v.body["blocks"].([]any)
		e := element(blocks, a.BlockID, a.ActionID)
		if e == nil {
			return nil, decline(http.StatusNotFound, "action_not_found", "This button is gone.")
		}
		return w.pressedInView(p, v, w.chosen(e, a.BlockID, a.choice), values), nil
	}
	ch := w.byID[a.Channel]
	if ch == nil || !ch.visibleTo(p.ID) {
		return nil, decline(http.StatusNotFound, "channel_not_found", "There is no such channel.")
	}
	m := ch.at(a.MessageTS)
	if e := w.whispered(p.ID, ch.ID, a.MessageTS); e != nil {
		m = &e.Message
	}
	if m == nil {
		return nil, decline(http.StatusNotFound, "message_not_found", "This message is gone.")
	}
	e := element(m.Blocks, a.BlockID, a.ActionID)
	if e == nil {
		return nil, decline(http.StatusNotFound, "action_not_found", "This button is gone.")
	}
	return w.pressed(p, ch, m, w.chosen(e, a.BlockID, a.choice), values), nil
}

// openView finds a modal a person has open.
func (w *Workspace) openView(p *Person, id string) (*view, error) {
	v := w.find(id, "")
	if v == nil || v.user != p.ID || v.text("type") != "modal" {
		return nil, decline(http.StatusNotFound, "not_found", "This dialog is closed.")
	}
	return v, nil
}

// submit sends a modal's values to the app and does what it answers.
func (w *Workspace) submit(p *Person, a *act) (object, error) {
	w.mu.Lock()
	v, err := w.openView(p, a.ViewID)
	if err != nil {
		w.mu.Unlock()
		return nil, err
	}
	values := completeValues(v, a.Values)
	if missing := missingInputs(v, values); len(missing) > 0 {
		w.mu.Unlock()
		return object{"response_action": "errors", "errors": missing}, nil
	}
	done := w.submitted(p, v, values)
	w.mu.Unlock()
	o := w.await(done)
	if o.failure != "" {
		return nil, decline(failureStatus(o.failure), o.failure, "We had some trouble connecting. Try again?")
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	s, err := w.settle(v, o.payload)
	if err != nil {
		w.warn("view_submission: answer refused: %v", err)
		return nil, decline(http.StatusBadGateway, err.Error(), "The app's answer made no sense. Try again?")
	}
	if s.Errors == nil {
		s.Errors = map[string]string{}
	}
	return object{"response_action": s.Action, "errors": s.Errors}, nil
}

// inputs calls f for each input block of a view with its element.
func inputs(v *view, f func(blockID string, optional bool, e object)) {
	blocks, _ := v.body["blocks"].([]any)
	for _, raw := range blocks {
		b, _ := raw.(object)
		if e, ok := b["element"].(object); ok && b["type"] == "input" {
			id, _ := b["block_id"].(string)
			optional, _ := b["optional"].(bool)
			f(id, optional, e)
		}
	}
}

// completeValues gives inputs the page did not mention their empty value.
func completeValues(v *view, sent object) object {
	values := object{}
	for k, x := range sent {
		values[k] = x
	}
	inputs(v, func(blockID string, _ bool, e object) {
		block, _ := values[blockID].(object)
		if block == nil {
			block = object{}
			values[blockID] = block
		}
		actionID, _ := e["action_id"].(string)
		if _, ok := block[actionID].(object); !ok {
			block[actionID] = object{"type": e["type"], valueKey(e): nil}
		}
	})
	return values
}

// valueKey is where an element's state keeps its value.
func valueKey(e object) string {
	switch e["type"] {
	case "static_select", "external_select", "radio_buttons":
		return "selected_option"
	case "multi_static_select", "multi_external_select", "checkboxes":
		return "selected_options"
	case "users_select":
		return "selected_user"
	case "multi_users_select":
		return "selected_users"
	case "conversations_select":
		return "selected_conversation"
	case "multi_conversations_select":
		return "selected_conversations"
	case "channels_select":
		return "selected_channel"
	case "datepicker":
		return "selected_date"
	case "timepicker":
		return "selected_time"
	}
	return "value"
}

// missingInputs names the required inputs that are empty.
func missingInputs(v *view, values object) map[string]string {
	missing := map[string]string{}
	inputs(v, func(blockID string, optional bool, e object) {
		block, _ := values[blockID].(object)
		actionID, _ := e["action_id"].(string)
		state, _ := block[actionID].(object)
		value := state[valueKey(e)]
		list, isList := value.([]any)
		if !optional && (value == nil || value == "" || isList && len(list) == 0) {
			missing[blockID] = "Please complete this required field."
		}
	})
	return missing
}

// closeView is a person cancelling a modal, or all of them.
func (w *Workspace) closeView(p *Person, a *act) (object, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	v, err := w.openView(p, a.ViewID)
	if err != nil {
		return nil, err
	}
	cleared, _ := v.body["clear_on_close"].(bool)
	if a.Clear || cleared {
		for _, each := range slices.Backward(w.modals[p.ID]) {
			w.dismissed(p, each, true)
		}
		w.modals[p.ID] = nil
		w.showModals(p.ID)
		return nil, nil
	}
	w.lower(v)
	w.dismissed(p, v, false)
	return nil, nil
}

// useShortcut sends a message shortcut or a global one.
func (w *Workspace) useShortcut(p *Person, a *act) (object, error) {
	w.mu.Lock()
	var ch *channel
	var m *Message
	if a.TS != "" {
		if ch = w.byID[a.Channel]; ch != nil && ch.visibleTo(p.ID) {
			m = ch.at(a.TS)
		}
		if m == nil {
			w.mu.Unlock()
			return nil, decline(http.StatusNotFound, "message_not_found", "This message is gone.")
		}
	}
	done := w.shortcut(p, a.CallbackID, ch, m)
	w.mu.Unlock()
	return nil, unanswered(w.await(done))
}
