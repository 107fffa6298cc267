package doctor

import (
	"context"
	"fmt"
	"time"

	"github.com/roundtable-chat/app/bot/llm"
	"github.com/roundtable-chat/app/cmd/roundtable/config"
	"github.com/roundtable-chat/app/manifests"
	"github.com/roundtable-chat/app/storage"
)

// Subject is what doctor examines: a configuration, where it came from, and how serve
// would set about it, so that the same is tried.
type Subject struct {
	Config config.Config
	// Environ is the environment, Problems what could not be read of the configuration.
	Environ  func(string) (string, bool)
	Problems []error
	// Manifests reads a directory of manifests, Store opens Redis, Model makes a model, and
	// Documents opens and closes the directory of documents.
	Manifests func(dir string) (manifests.Set, error)
	Store     func(ctx context.Context, c config.Config) (*storage.Redis, error)
	Model     func(c config.Config, name string) (llm.Model, error)
	Documents func(ctx context.Context, c config.Config) error
}

// Examine examines everything and returns what it found.
func Examine(ctx context.Context, x Subject) *Report {
	report := &Report{hide: config.Secrets(x.Environ)}
	report.add(examineConfiguration(x)...)
	report.add(examine(ctx, x, examinations())...)
	return report
}

// examination is a part of what doctor looks at. Each has a time limit of its own,
// and none stops another.
type examination struct {
	area  string
	limit time.Duration
	run   func(ctx context.Context, x Subject) []Finding
}

// examinations are all there are, in the order in which they are shown.
func examinations() []examination {
	return []examination{
		{areaFiles, 10 * time.Second, examineFiles},
		{areaFiles, 10 * time.Second, examineArtifacts},
		{areaRedis, surveyLimit + probeLimit + askLimit + probeLimit, examineRedis},
		{areaSlack, 30 * time.Second, examineSlack},
		{areaModel, 2 * modelLimit, examineModels},
	}
}

// examine runs examinations at once and returns what they found, in their order.
func examine(ctx context.Context, x Subject, all []examination) []Finding {
	found := make([]chan []Finding, len(all))
	for i, e := range all {
		found[i] = make(chan []Finding, 1)
		go func() {
			ctx, cancel := context.WithTimeoutCause(ctx, e.limit, fmt.Errorf("no answer within %s", e.limit))
			defer cancel()
			found[i] <- e.run(ctx, x)
		}()
	}
	var out []Finding
	for i, e := range all {
		for _, f := range <-found[i] {
			f.Area = e.area
			out = append(out, f)
		}
	}
	return out
}
