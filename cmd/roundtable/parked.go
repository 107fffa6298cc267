package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/roundtable-chat/app/cmd/roundtable/config"
	"github.com/roundtable-chat/app/roundtable/engine"
)

// parkedLimit bounds a listing of parked inputs.
const parkedLimit = 200

// runParked lists the inputs that could not be worked on and were put aside, or
// hands one back to its discussion. It never shows what people wrote.
func runParked(ctx context.Context, s streams, args []string) (err error) {
	c, rest, err := configure(s, "parked", args, config.Variant{Needs: []string{"redis-url"}})
	if err != nil {
		return err
	}
	replay := len(rest) == 2 && rest[0] == "replay"
	if len(rest) != 0 && !replay {
		return config.Usagef("expected no arguments, or: replay ID")
	}
	store, err := openStore(ctx, c, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	if replay {
		if err := store.Replay(ctx, rest[1]); err != nil {
			return fmt.Errorf("replay %s: %w", rest[1], err)
		}
		_, err = fmt.Fprintln(s.out, "handed back")
		return err
	}
	letters, err := store.DeadLetters(ctx, parkedLimit+1)
	if err != nil {
		return fmt.Errorf("list parked inputs: %w", err)
	}
	return showParked(s, letters)
}

// showParked lists inputs that were put aside, newest first. The heading and what is left
// out stand beside the list and not in it, for programs that read it.
func showParked(s streams, letters []engine.DeadLetter) error {
	if len(letters) == 0 {
		return nil
	}
	if _, err := fmt.Fprintln(s.err, "ID\tPARKED AT\tTEAM/CHANNEL/DISCUSSION\tINPUT\tREASON"); err != nil {
		return err
	}
	for _, l := range letters[:min(parkedLimit, len(letters))] {
		if _, err := fmt.Fprintf(s.out, "%s\t%s\t%s/%s/%s\t%s\t%s\n", l.ID, l.At.UTC().Format(time.RFC3339), l.Ref.Team, l.Ref.Channel, l.Ref.ID, l.Mail.ID, l.Reason); err != nil {
			return err
		}
	}
	if len(letters) > parkedLimit {
		_, err := fmt.Fprintf(s.err, "there are more; these are the newest %d\n", parkedLimit)
		return err
	}
	return nil
}
