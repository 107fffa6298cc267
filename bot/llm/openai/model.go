package openai

import (
	"context"
	"errors"
	"net/http"
	"time"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"github.com/roundtable-chat/app/bot/llm"
	"github.com/roundtable-chat/app/bot/llm/wire"
)

// Provider is the name before the colon in a configured model.
const Provider = "openai"

// defaultURL is OpenAI's own endpoint.
const defaultURL = "https://api.openai.com/v1/"

// Options say which model is asked, and how to reach it.
type Options struct {
	// Model is the server's name of the model.
	Model string
	// Key authenticates; it appears in no error. OpenAI's own endpoint needs one.
	Key string
	// BaseURL is another endpoint with the same API, with its version
	// ("http://127.0.0.1:11434/v1"); empty is OpenAI's own.
	BaseURL string
	// Profile is what the server understands; the zero value is that of OpenAI.
	Profile Profile
	// Idle is the longest silence in an answer, 30 s by default; Timeout bounds a
	// whole answer, 3 min by default.
	Idle, Timeout time.Duration
	// Transport reaches the endpoint; nil is Go's default. It is copied.
	Transport *http.Transport
}

// Model is one model. It implements llm.Model.
type Model struct {
	opt     Options
	service sdk.ChatCompletionService
}

var _ llm.Model = (*Model)(nil)

// New checks the options. It reads no environment and reaches nobody.
func New(o Options) (*Model, error) {
	switch {
	case o.Model == "":
		return nil, errors.New("openai: a model is needed")
	case o.Key == "" && o.BaseURL == "":
		return nil, errors.New("openai: model " + o.Model + " needs a key")
	}
	if o.Profile == (Profile{}) {
		o.Profile = presets()[DefaultProfile]
	}
	base := o.BaseURL
	if base == "" {
		base = defaultURL
	}
	opts := []option.RequestOption{
		option.WithBaseURL(base),
		option.WithMaxRetries(0), // who retries and when is decided in one place, the chain
		option.WithHTTPClient(wire.Client(o.Transport)),
	}
	if o.Key != "" {
		opts = append(opts, option.WithAPIKey(o.Key))
	}
	return &Model{opt: o, service: sdk.NewChatCompletionService(opts...)}, nil
}

// Name is "openai:" and the model's name.
func (m *Model) Name() string { return Provider + ":" + m.opt.Model }

// usageGrace is how long the count of tokens may follow the end of the text.
const usageGrace = 2 * time.Second

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
	a := &answer{x: x, result: &result, usage: m.opt.Profile.StreamUsage}
	err = wire.Hear(ctx, x, stream, a, &result, text)
	return result, err
}
