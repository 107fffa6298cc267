package blockkit

// inputs calls f for each input block with its element.
func inputs(blocks []any, f func(blockID string, optional bool, e object)) {
	for _, raw := range blocks {
		b, _ := raw.(object)
		if e, ok := b["element"].(object); ok && b["type"] == "input" {
			id, _ := b["block_id"].(string)
			optional, _ := b["optional"].(bool)
			f(id, optional, e)
		}
	}
}

// CompleteValues gives inputs the page did not mention their empty value.
func CompleteValues(blocks []any, sent object) object {
	values := object{}
	for k, x := range sent {
		values[k] = x
	}
	inputs(blocks, func(blockID string, _ bool, e object) {
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

// Missing names the required inputs that are empty.
func Missing(blocks []any, values object) map[string]string {
	missing := map[string]string{}
	inputs(blocks, func(blockID string, optional bool, e object) {
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
