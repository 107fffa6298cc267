package blockkit

import (
	"fmt"
	"strings"
)

// interactiveTypes are the elements that can stand in actions, accessories and
// inputs.
var interactiveTypes = map[string]bool{
	"button": true, "overflow": true, "checkboxes": true, "radio_buttons": true, "plain_text_input": true, "number_input": true, "email_text_input": true,
	"url_text_input": true, "rich_text_input": true, "file_input": true, "datepicker": true, "timepicker": true, "datetimepicker": true,
	"static_select": true, "external_select": true, "users_select": true, "conversations_select": true, "channels_select": true,
	"multi_static_select": true, "multi_external_select": true, "multi_users_select": true, "multi_conversations_select": true, "multi_channels_select": true,
	"workflow_button": true, "icon_button": true, "feedback_buttons": true,
}

// interactive checks one interactive element.
func (in *inspector) interactive(at string, e object) {
	kind, _ := e["type"].(string)
	if !interactiveTypes[kind] {
		in.say(at+"/type", "unsupported type: %s", kind)
		return
	}
	in.length(at+"/action_id", e["action_id"], 0, idLength)
	if kind == "button" {
		in.textObject(at+"/text", e["text"], buttonText, "plain_text")
		in.length(at+"/value", e["value"], 0, buttonValue)
		in.length(at+"/url", e["url"], 0, urlLength)
		if style, ok := e["style"]; ok && style != "primary" && style != "danger" {
			in.say(at+"/style", "must be one of primary, danger")
		}
	}
	in.options(at, e, kind)
	in.conversationFilter(at+"/filter", e["filter"], kind)
	if p := e["placeholder"]; p != nil {
		in.textObject(at+"/placeholder", p, 150, "plain_text")
	}
}

// conversationFilter checks which conversations a select offers, which only selects of
// conversations say.
func (in *inspector) conversationFilter(at string, raw any, kind string) {
	if raw == nil {
		return
	}
	if kind != "conversations_select" && kind != "multi_conversations_select" {
		in.say(at, "additional property: filter")
		return
	}
	filter, _ := raw.(object)
	if len(filter) == 0 {
		in.say(at, "must provide at least 1 property")
	}
	for key, value := range filter {
		_, isFlag := value.(bool)
		switch key {
		case "include":
			in.included(at+"/include", value)
		case "exclude_external_shared_channels", "exclude_bot_users":
			if !isFlag {
				in.say(at+"/"+key, "must be a boolean")
			}
		default:
			in.say(at+"/"+key, "additional property: %s", key)
		}
	}
}

// included checks the kinds of conversation of a filter.
func (in *inspector) included(at string, raw any) {
	kinds, _ := raw.([]any)
	if len(kinds) == 0 {
		in.say(at, "must provide at least 1 item")
	}
	for _, k := range kinds {
		if k != "im" && k != "mpim" && k != "private" && k != "public" {
			in.say(at, "must be one of im, mpim, private, public")
		}
	}
}

// options checks the choices of a menu, a group of boxes or an overflow.
func (in *inspector) options(at string, e object, kind string) {
	list, ok := e["options"].([]any)
	_, grouped := e["option_groups"]
	needs := kind == "static_select" || kind == "multi_static_select" || kind == "checkboxes" || kind == "radio_buttons" || kind == "overflow"
	if needs && !ok && !grouped {
		in.say(at+"/options", "missing required field: options")
	}
	limit := optionCount
	switch kind {
	case "checkboxes", "radio_buttons":
		limit = 10
	case "overflow":
		limit = 5
	}
	if len(list) > limit {
		in.say(at+"/options", "no more than %d items allowed", limit)
	}
	if ok && len(list) == 0 {
		in.say(at+"/options", "must provide at least 1 item")
	}
	for i, raw := range list {
		o, _ := raw.(object)
		here := fmt.Sprintf("%s/options/%d", at, i)
		in.textObject(here+"/text", o["text"], optionText)
		in.length(here+"/value", o["value"], 1, optionValue)
	}
}

// CheckView lists what is wrong with a view of one of the kinds.
func CheckView(v object, kinds []string) []string {
	in := &inspector{}
	kind, _ := v["type"].(string)
	if !strings.Contains(" "+strings.Join(kinds, " ")+" ", " "+kind+" ") || kind == "" {
		in.say("/type", "unsupported type: %s", kind)
		return in.problems
	}
	where := Home
	if kind == "modal" {
		where = Modal
		in.textObject("/title", v["title"], viewTitle, "plain_text")
		for _, key := range []string{"submit", "close"} {
			if v[key] != nil {
				in.textObject("/"+key, v[key], viewTitle, "plain_text")
			}
		}
	}
	in.length("/private_metadata", v["private_metadata"], 0, privateMetadata)
	in.length("/callback_id", v["callback_id"], 0, idLength)
	in.length("/external_id", v["external_id"], 0, idLength)
	blocks, ok := v["blocks"].([]any)
	if !ok {
		in.say("/blocks", "missing required field: blocks")
	}
	in.problems = append(in.problems, Check(blocks, where)...)
	if kind == "modal" && v["submit"] == nil {
		for i, raw := range blocks {
			if b, _ := raw.(object); b["type"] == "input" {
				in.say(fmt.Sprintf("/blocks/%d", i), "a modal with an input block must have a submit button")
				break
			}
		}
	}
	return in.problems
}

// Find finds an interactive element by its block and action id.
func Find(blocks []any, blockID, actionID string) object {
	for _, raw := range blocks {
		b, _ := raw.(object)
		if b["block_id"] != blockID {
			continue
		}
		candidates, _ := b["elements"].([]any)
		for _, key := range []string{"accessory", "element"} {
			if e, ok := b[key]; ok {
				candidates = append(candidates, e)
			}
		}
		for _, raw := range candidates {
			if e, _ := raw.(object); e != nil && e["action_id"] == actionID {
				return e
			}
		}
	}
	return nil
}

// nameActions gives an id to interactive elements that came without one.
func nameActions(blocks []any, next func() string) {
	name := func(raw any) {
		e, _ := raw.(object)
		kind, _ := e["type"].(string)
		if id, _ := e["action_id"].(string); id == "" && interactiveTypes[kind] {
			e["action_id"] = next()
		}
	}
	for _, raw := range blocks {
		b, _ := raw.(object)
		if b["type"] == "actions" {
			list, _ := b["elements"].([]any)
			for _, e := range list {
				name(e)
			}
		}
		name(b["accessory"])
		name(b["element"])
	}
}
