package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"slices"
	"time"
)

// examination is a part of what doctor looks at. Each has a time limit of its own,
// and none stops another.
type examination struct {
	area  string
	limit time.Duration
	run   func(ctx context.Context, c config) []finding
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

// errUnwell means that something failed, which was already said.
var errUnwell = errors.New("not everything is as it must be; see above")

// runDoctor checks what the configuration names, as far as it names it, changes
// nothing but a key in Redis that nobody reads and the folder of records beside
// documents, and says what to do. Something that fails makes the exit code 1; with
// --strict, so does a warning.
func runDoctor(ctx context.Context, s streams, args []string) error {
	var asJSON, strict bool
	var problems []error
	c, rest, err := configure(s, "doctor", args, variant{problems: &problems, flags: func(f *flag.FlagSet) {
		f.BoolVar(&asJSON, "json", false, "print one JSON object")
		f.BoolVar(&strict, "strict", false, "let a warning fail, too")
	}})
	if err != nil {
		return err
	}
	if err := exactly(rest, 0); err != nil {
		return err
	}
	report := diagnosis{hide: secretsOf(s)}
	report.add(examineConfiguration(s, problems)...)
	report.add(examine(ctx, c, examinations())...)
	if asJSON {
		err = report.writeJSON(s.out)
	} else {
		err = report.writeText(s.out)
	}
	if err != nil {
		return fmt.Errorf("print what was found: %w", err)
	}
	if worst := report.worst(); worst == failure || strict && worst == warning {
		return errUnwell
	}
	return nil
}

// examine runs examinations at once and returns what they found, in their order.
func examine(ctx context.Context, c config, all []examination) []finding {
	found := make([]chan []finding, len(all))
	for i, e := range all {
		found[i] = make(chan []finding, 1)
		go func() {
			ctx, cancel := context.WithTimeoutCause(ctx, e.limit, fmt.Errorf("no answer within %s", e.limit))
			defer cancel()
			found[i] <- e.run(ctx, c)
		}()
	}
	var out []finding
	for i, e := range all {
		for _, f := range <-found[i] {
			f.Area = e.area
			out = append(out, f)
		}
	}
	return out
}

// secretsOf are the values that nothing printed may contain, longest first so that
// one which contains another is hidden as a whole.
func secretsOf(s streams) []string {
	var out []string
	for _, x := range settings(&config{}) {
		if !x.secret {
			continue
		}
		if g, ok, err := fromEnvironment(s, x); err == nil && ok {
			out = append(out, secretParts(g.value)...)
		}
	}
	slices.SortFunc(out, func(a, b string) int { return len(b) - len(a) })
	return slices.Compact(out)
}
