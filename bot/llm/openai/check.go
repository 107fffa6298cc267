package openai

import (
	"context"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"github.com/roundtable-chat/app/bot/llm"
	"github.com/roundtable-chat/app/bot/llm/wire"
)

var _ llm.Checker = (*Model)(nil)

// Check implements llm.Checker. The catalogue, which tells nothing of what a model
// can do and is incomplete on many servers, is asked first, because a bad key or
// address shows there for nothing; then the model is tried.
func (m *Model) Check(ctx context.Context) (llm.Capability, error) {
	if err := m.knock(ctx); err != nil {
		return llm.Capability{}, err
	}
	return llm.Try(ctx, m)
}

// knock asks for the catalogue. That a server has none is no fault.
func (m *Model) knock(ctx context.Context) error {
	x, ctx := wire.New(ctx, wire.Options{Model: m.Name(), Secret: m.opt.Key, Idle: m.opt.Idle, Timeout: m.opt.Timeout})
	defer x.End()
	catalogue := sdk.NewModelService(m.service.Options...)
	if _, err := catalogue.List(ctx, option.WithMiddleware(x.Document)); err != nil {
		e := x.Fail(ctx, err)
		if e.Kind == llm.Unknown || e.Kind == llm.Config {
			return nil
		}
		return e
	}
	return nil
}
