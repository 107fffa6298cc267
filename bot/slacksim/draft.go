package slacksim

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/roundtable-chat/app/bot/slacksim/blockkit"
)

// Sizes of texts, in characters. A message of 4,040 is Slack's largest; one more
// and it becomes several of 4,000.
const (
	wholeText         = 4040
	textPart          = 4000
	updateTextLimit   = 4000
	keptText          = 40000
	markdownTextLimit = 12000
	attachmentLimit   = 100
	// metadataLimit is our guess: Slack documents an error and no number.
	metadataLimit = 16 << 10
)

// draft reads the content of a post: text or markdown or blocks, attachments,
// metadata, and the name it is posted under.
func (w *Workspace) draft(c *call) (*Message, error) {
	if c.flag("as_user") && c.method != "chat.postEphemeral" {
		return nil, refuse("as_user_not_supported")
	}
	m := &Message{Type: "message", BotID: w.opts.BotID, AppID: w.opts.AppID, Team: w.opts.TeamID, User: w.opts.BotUserID, BotProfile: w.botProfile()}
	m.Text = c.args["text"]
	if runes := []rune(m.Text); len(runes) > keptText {
		m.Text = string(runes[:keptText])
	}
	if c.flag("link_names") {
		m.Text = w.linkNames(m.Text)
	}
	if err := w.draftBlocks(c, m); err != nil {
		return nil, err
	}
	if err := c.decode("attachments", &m.Attachments); err != nil {
		if c.method == "chat.postMessage" {
			return nil, refuse("invalid_arguments", err.Error())
		}
		return nil, refuse("invalid_attachments", err.Error())
	}
	if len(m.Attachments) > attachmentLimit {
		return nil, refuse("too_many_attachments")
	}
	if m.Text == "" && len(m.Blocks) == 0 && len(m.Attachments) == 0 {
		return nil, refuse("no_text")
	}
	if err := c.readMetadata(m); err != nil {
		return nil, err
	}
	w.identify(m, c)
	return m, nil
}

// draftBlocks reads blocks or markdown_text, which exclude each other.
func (w *Workspace) draftBlocks(c *call, m *Message) error {
	markdown := c.args["markdown_text"]
	if markdown != "" {
		if c.args["text"] != "" || c.args["blocks"] != "" {
			return refuse("markdown_text_conflict")
		}
		if len([]rune(markdown)) > markdownTextLimit {
			if c.method == "chat.postMessage" {
				return refuse("msg_blocks_too_long")
			}
			return refuse("msg_too_long")
		}
		m.Text = markdown
		m.Blocks = []any{object{"type": "markdown", "text": markdown, "block_id": w.blockID()}}
		return nil
	}
	if c.decode("blocks", &m.Blocks) != nil {
		return refuse("invalid_blocks_format")
	}
	if problems := blockkit.Check(m.Blocks, blockkit.Message); len(problems) > 0 {
		return refuse("invalid_blocks", problems...)
	}
	blockkit.Complete(m.Blocks, w.blockID)
	return nil
}

// identify gives a post the name and face it asked for, if the scope was granted;
// without the scope Slack ignores them silently.
func (w *Workspace) identify(m *Message, c *call) {
	name, emoji, image := c.args["username"], c.args["icon_emoji"], c.args["icon_url"]
	if !w.granted("chat:write.customize") || name+emoji+image == "" {
		return
	}
	m.Subtype, m.User, m.BotProfile = "bot_message", "", nil
	m.Username = name
	if name == "" {
		m.Username = w.opts.AppName
	}
	switch {
	case emoji != "":
		m.Icons = map[string]string{"emoji": ":" + strings.Trim(emoji, ":") + ":"}
	case image != "":
		m.Icons = map[string]string{"image_48": image}
	}
}

// readMetadata reads and checks the metadata argument.
func (c *call) readMetadata(m *Message) error {
	raw := strings.TrimSpace(c.args["metadata"])
	if raw == "" || raw == "{}" {
		return nil
	}
	if len(raw) > metadataLimit {
		return refuse("metadata_too_large")
	}
	var meta Metadata
	if json.Unmarshal([]byte(raw), &meta) != nil || meta.EventType == "" {
		return refuse("invalid_metadata_format")
	}
	var payload map[string]any
	if json.Unmarshal(meta.EventPayload, &payload) != nil || payload == nil {
		return refuse("invalid_metadata_schema")
	}
	m.Metadata = &meta
	return nil
}

// splitText cuts a text that is too long for one message. With blocks the text is
// only the notification and stays whole.
func splitText(text string, blocks bool) []string {
	runes := []rune(text)
	if blocks || len(runes) <= wholeText {
		return []string{text}
	}
	var parts []string
	for chunk := range slices.Chunk(runes, textPart) {
		parts = append(parts, string(chunk))
	}
	return parts
}

// botProfile is how the app introduces itself on its uncustomised posts.
func (w *Workspace) botProfile() object {
	icons := object{}
	for _, size := range []int{36, 48, 72} {
		icons[fmt.Sprintf("image_%d", size)] = w.opts.AppIcon
	}
	return object{
		"id": w.opts.BotID, "app_id": w.opts.AppID, "user_id": w.opts.BotUserID, "name": w.opts.AppName,
		"icons": icons, "deleted": false, "updated": 1766422444, "team_id": w.opts.TeamID,
	}
}
