package openai

import (
	"fmt"
	"strings"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/shared"

	"github.com/roundtable-chat/app/bot/llm"
)

// params is a request in the API's words, as far as the server understands them.
func (m *Model) params(r llm.Request) (sdk.ChatCompletionNewParams, error) {
	p := sdk.ChatCompletionNewParams{Model: m.opt.Model}
	if err := r.Check(); err != nil {
		return p, err
	}
	profile := m.opt.Profile
	system := join(r.System)
	if profile.JSONSchema == SchemaNone && r.Schema != nil {
		system = strings.TrimPrefix(system+"\n\n", "\n\n") + "Answer with one JSON object that fits this schema, and with nothing else:\n" + string(r.Schema)
	}
	if system != "" {
		p.Messages = append(p.Messages, instructions(profile.SystemRole, system))
	}
	for _, msg := range r.Messages {
		words := join(msg.Blocks)
		if words == "" {
			return p, fmt.Errorf("a message of the %s is empty", msg.Role)
		}
		if msg.Role == llm.Assistant {
			p.Messages = append(p.Messages, sdk.AssistantMessage(words))
		} else {
			p.Messages = append(p.Messages, sdk.UserMessage(words))
		}
	}
	if profile.MaxTokensField == "max_tokens" {
		p.MaxTokens = param.NewOpt(int64(r.MaxTokens))
	} else {
		p.MaxCompletionTokens = param.NewOpt(int64(r.MaxTokens))
	}
	if profile.StreamUsage {
		p.StreamOptions.IncludeUsage = param.NewOpt(true)
	}
	if profile.ReasoningEffort && r.Effort != "" {
		p.ReasoningEffort = shared.ReasoningEffort(r.Effort)
	}
	if profile.PromptCacheKey && r.CacheKey != "" {
		p.PromptCacheKey = param.NewOpt(r.CacheKey)
	}
	if r.Schema != nil && profile.JSONSchema != SchemaNone {
		format := shared.ResponseFormatJSONSchemaJSONSchemaParam{Name: r.SchemaName, Schema: r.Schema}
		if profile.JSONSchema == SchemaStrict {
			format.Strict = param.NewOpt(true)
		}
		p.ResponseFormat.OfJSONSchema = &shared.ResponseFormatJSONSchemaParam{JSONSchema: format}
	}
	return p, nil
}

func instructions(role, words string) sdk.ChatCompletionMessageParamUnion {
	switch role {
	case "developer":
		return sdk.DeveloperMessage(words)
	case "user":
		return sdk.UserMessage(words)
	}
	return sdk.SystemMessage(words)
}

// join makes one text of blocks: many servers take no list, and prefixes are
// cached without being told where they end.
func join(blocks []llm.Block) string {
	var texts []string
	for _, b := range blocks {
		if b.Text != "" {
			texts = append(texts, b.Text)
		}
	}
	return strings.Join(texts, "\n\n")
}
