package main

import (
	"context"

	"github.com/roundtable-chat/app/roundtable"
)

// runRoute answers JSON lines of messages with what each asks of a discussion
// among the configured personas.
func runRoute(ctx context.Context, s streams, args []string) error {
	c, rest, err := configure(s, "route", args, nil, nil)
	if err != nil {
		return err
	}
	if len(rest) > 0 {
		return usagef("unexpected argument %q; messages are read from standard input", rest[0])
	}
	roster, err := loadRoster(c.Manifests)
	if err != nil {
		return err
	}
	return route(s.in, s.out, roundtable.Table{Cast: roster.Seats()})
}
