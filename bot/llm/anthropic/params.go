package anthropic

import (
	"encoding/json"
	"fmt"

	sdk "github.com/anthropics/anthropic-sdk-go"

	"github.com/roundtable-chat/app/bot/llm"
)

// breakpoints is how many places a request may name at which a cached prefix ends.
const breakpoints = 4

// params is a request in the API's words.
func (m *Model) params(r llm.Request) (sdk.MessageNewParams, error) {
	p := sdk.MessageNewParams{Model: m.opt.Model, MaxTokens: int64(r.MaxTokens)}
	if err := r.Check(); err != nil {
		return p, err
	}
	// The last breakpoints are kept: a long prefix holds the short ones.
	skip := -breakpoints
	for _, b := range r.System {
		skip += breakpoint(b)
	}
	for _, msg := range r.Messages {
		for _, b := range msg.Blocks {
			skip += breakpoint(b)
		}
	}
	p.System = blocks(r.System, &skip)
	for _, msg := range r.Messages {
		role := sdk.MessageParamRoleUser
		if msg.Role == llm.Assistant {
			role = sdk.MessageParamRoleAssistant
		}
		var content []sdk.ContentBlockParamUnion
		for _, b := range blocks(msg.Blocks, &skip) {
			content = append(content, sdk.ContentBlockParamUnion{OfText: &b})
		}
		if len(content) == 0 {
			return p, fmt.Errorf("a message of the %s is empty", msg.Role)
		}
		p.Messages = append(p.Messages, sdk.MessageParam{Role: role, Content: content})
	}
	if r.Effort != "" && !m.opt.NoEffort {
		p.OutputConfig.Effort = sdk.OutputConfigEffort(r.Effort)
	}
	if r.Schema == nil {
		return p, nil
	}
	// Only the outermost names become a map, so that properties keep their order,
	// which is the order of writing.
	var outer map[string]json.RawMessage
	if err := json.Unmarshal(r.Schema, &outer); err != nil {
		return p, fmt.Errorf("read the schema %s: %w", r.SchemaName, err)
	}
	p.OutputConfig.Format.Schema = make(map[string]any, len(outer))
	for name, raw := range outer {
		p.OutputConfig.Format.Schema[name] = raw
	}
	return p, nil
}

func breakpoint(b llm.Block) int {
	if b.Cache && b.Text != "" {
		return 1
	}
	return 0
}

// blocks leaves out empty texts, which the API refuses. The first skip
// breakpoints are left out, too. Discussions pause longer than five minutes, so
// prefixes are kept for an hour.
func blocks(from []llm.Block, skip *int) []sdk.TextBlockParam {
	var out []sdk.TextBlockParam
	for _, b := range from {
		if b.Text == "" {
			continue
		}
		t := sdk.TextBlockParam{Text: b.Text}
		if b.Cache {
			if *skip <= 0 {
				t.CacheControl = sdk.CacheControlEphemeralParam{TTL: sdk.CacheControlEphemeralTTLTTL1h}
			}
			*skip--
		}
		out = append(out, t)
	}
	return out
}
