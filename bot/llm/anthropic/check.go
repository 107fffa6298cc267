package anthropic

import (
	"context"
	"errors"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"

	"github.com/roundtable-chat/app/bot/llm"
	"github.com/roundtable-chat/app/bot/llm/wire"
)

var _ llm.Checker = (*Model)(nil)

// Check implements llm.Checker. Anthropic's catalogue tells all for nothing; an
// endpoint without one is tried.
func (m *Model) Check(ctx context.Context) (llm.Capability, error) {
	x, asking := wire.New(ctx, wire.Options{Model: m.Name(), Secret: m.opt.Key, Idle: m.opt.Idle, Timeout: m.opt.Timeout})
	defer x.End()
	catalogue := sdk.NewModelService(m.service.Options...)
	info, err := catalogue.Get(asking, m.opt.Model, sdk.ModelGetParams{}, option.WithMiddleware(x.Document))
	if err != nil {
		e := x.Fail(asking, err)
		if m.opt.BaseURL != "" && e.Kind == llm.Unknown {
			return llm.Try(ctx, m)
		}
		return llm.Capability{}, e
	}
	if info.ID == "" {
		e := x.Problem(llm.Transient, llm.NotJSON)
		e.Err = errors.New("the document describes no model")
		return llm.Capability{}, e
	}
	c := llm.Capability{
		Model: info.ID, MaxTokens: info.MaxTokens, Structured: llm.Untold,
		Retiring: info.Lifecycle != "" && info.Lifecycle != sdk.ModelInfoLifecycleActive, Retires: info.RetiresAt,
	}
	if info.Capabilities.JSON.StructuredOutputs.Valid() {
		c.Structured = llm.Unsupported
		if info.Capabilities.StructuredOutputs.Supported {
			c.Structured = llm.Supported
		}
	}
	return c, nil
}
