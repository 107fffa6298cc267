package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// untilSignal ends its context on the first interrupt or SIGTERM, and from then
// on leaves signals to the system: a second one ends the process at once. Only
// commands that drain use it; the others end at once anyway.
func untilSignal(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}
