package panel

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/roundtable-chat/app/bot/llm"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/voice"
)

var _ engine.Panel = (*Panel)(nil)

// Options say who answers and how.
type Options struct {
	// Asker has the questions answered.
	Asker llm.Asker
	// Secret makes the tags around people's words unknowable to people. All
	// replicas of a deployment have the same, or they cannot share what providers
	// cache. At least 16 bytes.
	Secret []byte
	// Length is how long contributions are; zero is the usual.
	Length voice.Length
	// Transcript is how many bytes of a discussion a round is told before its
	// older part is told in short; DefaultTranscript if 0.
	Transcript int
	// Standby, if set, speaks where no model answers, under its own name. A
	// deployment says so (FR-114); it is never there by itself.
	Standby *Standby
	// Metrics, if set, is where the panel's counters are registered.
	Metrics prometheus.Registerer
	// Logger is told of what was asked twice or broke off, never of texts.
	Logger *slog.Logger
}

// DefaultTranscript holds the whole of any usual discussion: ten turns of a
// thousand words.
const DefaultTranscript = 60_000

// Panel thinks up what the personas say, by models: in discussions (engine.Panel),
// and leading analyses (engine.Inquirer). It is safe for concurrent use
// and remembers nothing between questions: everything is in the transcript.
type Panel struct {
	asker   llm.Asker
	secret  []byte
	length  voice.Length
	limit   int
	standby *Standby
	prompts prompts
	counts  *counters
	log     *slog.Logger
}

// New makes a panel.
func New(o Options) (*Panel, error) {
	if o.Asker == nil {
		return nil, errors.New("make a panel: somebody has to answer: Asker is needed")
	}
	if len(o.Secret) < 16 {
		return nil, errors.New("make a panel: Secret needs at least 16 bytes")
	}
	if o.Standby != nil && (o.Standby.Panel == nil || o.Standby.Inquirer == nil || o.Standby.Engine == "") {
		return nil, errors.New("make a panel: a Standby needs a panel, an inquirer and a name")
	}
	parsed, err := readPrompts()
	if err != nil {
		return nil, fmt.Errorf("make a panel: %w", err)
	}
	counts, err := newCounters(o.Metrics)
	if err != nil {
		return nil, fmt.Errorf("make a panel: %w", err)
	}
	p := &Panel{
		asker: o.Asker, secret: slices.Clone(o.Secret), length: o.Length, limit: o.Transcript,
		standby: o.Standby, prompts: parsed, counts: counts, log: o.Logger,
	}
	if p.limit <= 0 {
		p.limit = DefaultTranscript
	}
	if p.log == nil {
		p.log = slog.New(slog.DiscardHandler)
	}
	return p, nil
}

// Notice is empty: that a model speaks is what people expect.
func (*Panel) Notice() string { return "" }
