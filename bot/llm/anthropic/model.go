package anthropic

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"

	"github.com/roundtable-chat/app/bot/llm"
	"github.com/roundtable-chat/app/bot/llm/wire"
)

// Provider is the name before the colon in a configured model.
const Provider = "anthropic"

// defaultURL is Anthropic's own endpoint.
const defaultURL = "https://api.anthropic.com/"

// Options say which model is asked, and how to reach it.
type Options struct {
	// Model is the provider's id of the model.
	Model string
	// Key authenticates; it appears in no error.
	Key string
	// BaseURL is another endpoint with the same API; empty is Anthropic's own.
	BaseURL string
	// NoEffort leaves out how long to think, which older models refuse to be told.
	NoEffort bool
	// Idle is the longest silence in an answer, 30 s by default; Timeout bounds a
	// whole answer, 3 min by default.
	Idle, Timeout time.Duration
	// Transport reaches the endpoint; nil is Go's default. It is copied.
	Transport *http.Transport
}

// Model is one model. It implements llm.Model.
type Model struct {
	opt     Options
	service sdk.MessageService
}

var _ llm.Model = (*Model)(nil)

// New checks the options. It reads no environment and reaches nobody.
func New(o Options) (*Model, error) {
	switch {
	case o.Model == "":
		return nil, errors.New("anthropic: a model is needed")
	case o.Key == "":
		return nil, fmt.Errorf("anthropic: model %s needs a key", o.Model)
	}
	base := o.BaseURL
	if base == "" {
		base = defaultURL
	}
	return &Model{opt: o, service: sdk.NewMessageService(
		option.WithoutEnvironmentDefaults(),
		option.WithBaseURL(base),
		option.WithAPIKey(o.Key),
		option.WithMaxRetries(0), // the library would wait as long as the provider says
		option.WithHTTPClient(wire.Client(o.Transport)),
	)}, nil
}

// Name is "anthropic:" and the model's id.
func (m *Model) Name() string { return Provider + ":" + m.opt.Model }

// Stream implements llm.Model.
func (m *Model) Stream(ctx context.Context, r llm.Request, text func(string) error) (llm.Result, error) {
	var result llm.Result
	x, ctx := wire.New(ctx, wire.Options{Model: m.Name(), Secret: m.opt.Key, Idle: m.opt.Idle, Timeout: m.opt.Timeout})
	defer x.End()
	params, err := m.params(r)
	if err != nil {
		return result, x.Unfit(err)
	}
	stream := m.service.NewStreaming(ctx, params, option.WithMiddleware(x.Middleware))
	err = wire.Hear(ctx, x, stream, &answer{x: x, result: &result}, &result, text)
	return result, err
}
