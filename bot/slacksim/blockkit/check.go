package blockkit

import (
	"fmt"
	"unicode/utf8"
)

// object is a JSON object of Block Kit.
type object = map[string]any

// Surface is where blocks are shown; limits differ.
type Surface int

const (
	Message Surface = iota
	Modal
	Home
)

// Block Kit limits, in characters or elements.
const (
	messageBlocks   = 50
	viewBlocks      = 100
	idLength        = 255
	sectionText     = 3000
	fieldText       = 2000
	fieldCount      = 10
	headerText      = 150
	actionElements  = 25
	contextElements = 10
	buttonText      = 75
	buttonValue     = 2000
	urlLength       = 3000
	optionText      = 75
	optionValue     = 150
	optionCount     = 100
	altText         = 2000
	markdownTotal   = 12000
	viewTitle       = 24
	privateMetadata = 3000
)

// fault-finding over blocks: problems gather, each with a JSON pointer, in the
// words Slack uses.
type inspector struct {
	surface  Surface
	problems []string
	blockIDs map[string]bool
	markdown int
}

func (in *inspector) say(pointer, format string, args ...any) {
	in.problems = append(in.problems, fmt.Sprintf("[ERROR] "+format, args...)+" [json-pointer:"+pointer+"]")
}

// Check lists what is wrong with blocks for a surface; nothing for good ones.
func Check(blocks []any, where Surface) []string {
	in := &inspector{surface: where, blockIDs: map[string]bool{}}
	limit := viewBlocks
	if where == Message {
		limit = messageBlocks
	}
	if len(blocks) > limit {
		in.say("/blocks", "no more than %d items allowed", limit)
	}
	for i, b := range blocks {
		in.block(fmt.Sprintf("/blocks/%d", i), b)
	}
	if in.markdown > markdownTotal {
		in.say("/blocks", "markdown text longer than %d characters", markdownTotal)
	}
	return in.problems
}

// block checks one block.
func (in *inspector) block(at string, raw any) {
	b, ok := raw.(object)
	if !ok {
		in.say(at, "must be an object")
		return
	}
	in.length(at+"/block_id", b["block_id"], 0, idLength)
	if id, _ := b["block_id"].(string); id != "" {
		if in.blockIDs[id] {
			in.say(at+"/block_id", "block_id %q already exists", id)
		}
		in.blockIDs[id] = true
	}
	kind, _ := b["type"].(string)
	switch kind {
	case "section":
		in.section(at, b)
	case "header":
		in.textObject(at+"/text", b["text"], headerText, "plain_text")
	case "actions":
		in.elements(at+"/elements", b["elements"], actionElements, in.interactive)
	case "context":
		in.elements(at+"/elements", b["elements"], contextElements, in.contextElement)
	case "image":
		in.image(at, b)
	case "markdown":
		in.onlyOn(at, Message, kind)
		in.length(at+"/text", b["text"], 1, markdownTotal)
		text, _ := b["text"].(string)
		in.markdown += utf8.RuneCountInString(text)
	case "input":
		in.input(at, b)
	case "rich_text":
		in.elements(at+"/elements", b["elements"], 1000, func(string, object) {})
	case "alert":
		in.onlyOn(at, Modal, kind)
	case "divider", "video", "file", "table", "context_actions", "card", "carousel", "plan", "task_card", "data_table", "container":
	case "":
		in.say(at+"/type", "missing required field: type")
	default:
		in.say(at+"/type", "unsupported type: %s", kind)
	}
}

func (in *inspector) onlyOn(at string, where Surface, kind string) {
	if in.surface != where {
		in.say(at+"/type", "unsupported type: %s", kind)
	}
}

func (in *inspector) section(at string, b object) {
	fields, hasFields := b["fields"].([]any)
	if b["text"] == nil && !hasFields {
		in.say(at, "missing required field: text or fields")
	}
	if b["text"] != nil {
		in.textObject(at+"/text", b["text"], sectionText)
	}
	if len(fields) > fieldCount {
		in.say(at+"/fields", "no more than %d items allowed", fieldCount)
	}
	for i, f := range fields {
		in.textObject(fmt.Sprintf("%s/fields/%d", at, i), f, fieldText)
	}
	if e, ok := b["accessory"].(object); ok {
		if e["type"] == "image" {
			in.image(at+"/accessory", e)
		} else {
			in.interactive(at+"/accessory", e)
		}
	}
}

func (in *inspector) input(at string, b object) {
	in.textObject(at+"/label", b["label"], fieldText, "plain_text")
	if b["hint"] != nil {
		in.textObject(at+"/hint", b["hint"], fieldText, "plain_text")
	}
	e, ok := b["element"].(object)
	if !ok {
		in.say(at+"/element", "missing required field: element")
		return
	}
	in.interactive(at+"/element", e)
}

func (in *inspector) image(at string, b object) {
	in.length(at+"/alt_text", b["alt_text"], 1, altText)
	if b["slack_file"] == nil {
		in.length(at+"/image_url", b["image_url"], 1, urlLength)
	}
}

func (in *inspector) contextElement(at string, e object) {
	switch e["type"] {
	case "image":
		in.image(at, e)
	case "mrkdwn", "plain_text":
		in.textObject(at, e, sectionText)
	default:
		in.say(at+"/type", "unsupported type: %v", e["type"])
	}
}

// elements checks a list that must not be empty.
func (in *inspector) elements(at string, raw any, limit int, check func(string, object)) {
	list, ok := raw.([]any)
	if !ok {
		in.say(at, "missing required field: elements")
		return
	}
	if len(list) > limit {
		in.say(at, "no more than %d items allowed", limit)
	}
	if len(list) == 0 {
		in.say(at, "must provide at least 1 item")
	}
	for i, raw := range list {
		e, ok := raw.(object)
		if !ok {
			in.say(fmt.Sprintf("%s/%d", at, i), "must be an object")
			continue
		}
		check(fmt.Sprintf("%s/%d", at, i), e)
	}
}

// length checks a string; least 0 allows it to be absent.
func (in *inspector) length(at string, raw any, least, most int) {
	s, ok := raw.(string)
	if !ok && (raw != nil || least > 0) {
		in.say(at, "must be a string")
		return
	}
	n := utf8.RuneCountInString(s)
	if n < least {
		in.say(at, "must be more than %d characters", least-1)
	}
	if n > most {
		in.say(at, "must be less than %d characters", most+1)
	}
}

// textObject checks a text composition object; kinds restricts its type.
func (in *inspector) textObject(at string, raw any, most int, kinds ...string) {
	t, ok := raw.(object)
	if !ok {
		in.say(at, "missing required field: text")
		return
	}
	kind, _ := t["type"].(string)
	allowed := kind == "plain_text" || kind == "mrkdwn"
	if len(kinds) > 0 {
		allowed = kind == kinds[0]
	}
	if !allowed {
		in.say(at+"/type", "unsupported type: %s", kind)
	}
	in.length(at+"/text", t["text"], 1, most)
}

// Complete fills in what Slack fills in: ids of blocks and elements that came
// without one, and the defaults of inputs and plain texts.
func Complete(blocks []any, next func() string) {
	nameActions(blocks, next)
	for _, raw := range blocks {
		b, ok := raw.(object)
		if !ok {
			continue
		}
		if id, _ := b["block_id"].(string); id == "" {
			b["block_id"] = next()
		}
		if b["type"] == "input" {
			setDefault(b, "dispatch_action", false)
			setDefault(b, "optional", false)
		}
		CompleteTexts(b)
	}
}

func setDefault(o object, key string, value any) {
	if _, ok := o[key]; !ok {
		o[key] = value
	}
}

// CompleteTexts marks plain texts, wherever they are, as showing emoji.
func CompleteTexts(v any) {
	switch v := v.(type) {
	case object:
		if v["type"] == "plain_text" {
			setDefault(v, "emoji", true)
		}
		for _, part := range v {
			CompleteTexts(part)
		}
	case []any:
		for _, part := range v {
			CompleteTexts(part)
		}
	}
}
