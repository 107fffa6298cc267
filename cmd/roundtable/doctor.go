package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"

	"github.com/redis/go-redis/v9"

	"github.com/roundtable-chat/app/cmd/roundtable/config"
	"github.com/roundtable-chat/app/cmd/roundtable/doctor"
	"github.com/roundtable-chat/app/storage"
)

// errUnwell means that something failed, which was already said.
var errUnwell = errors.New("some checks did not pass; see above")

// runDoctor checks what the configuration names, as far as it names it, changes
// nothing but a key in Redis that nobody reads and the folder of records beside
// documents, and says what to do. Something that fails makes the exit code 1; with
// --strict, so does a warning.
func runDoctor(ctx context.Context, s streams, args []string) error {
	var asJSON, strict bool
	var problems []error
	c, rest, err := configure(s, "doctor", args, config.Variant{Problems: &problems, Flags: func(f *flag.FlagSet) {
		f.BoolVar(&asJSON, "json", false, "print one JSON object")
		f.BoolVar(&strict, "strict", false, "exit with 1 for a warning, too")
	}})
	if err != nil {
		return err
	}
	if err := exactly(rest, 0); err != nil {
		return err
	}
	redis.SetLogger(redisLog{slog.New(slog.DiscardHandler)})
	report := doctor.Examine(ctx, doctor.Subject{
		Config: c, Environ: s.environ, Problems: problems, Manifests: loadManifests, Model: newModel,
		Store: func(ctx context.Context, c config.Config) (*storage.Redis, error) {
			return openStore(ctx, c, slog.New(slog.DiscardHandler))
		},
		Documents: func(ctx context.Context, c config.Config) error {
			dir, err := openDirectory(ctx, c, slog.New(slog.DiscardHandler))
			if err != nil {
				return err
			}
			return dir.Close()
		},
	})
	if asJSON {
		err = report.WriteJSON(s.out)
	} else {
		err = report.WriteText(s.out)
	}
	if err != nil {
		return fmt.Errorf("print what was found: %w", err)
	}
	if worst := report.Worst(); worst == doctor.Failure || strict && worst == doctor.Warning {
		return errUnwell
	}
	return nil
}
