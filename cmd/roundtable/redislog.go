package main

import (
	"context"
	"fmt"
	"log/slog"
)

// redisLog takes what go-redis would write to standard error: failures to reach a
// server, which the store reports itself where they matter.
type redisLog struct{ log *slog.Logger }

// Printf implements go-redis's logger.
func (l redisLog) Printf(ctx context.Context, format string, v ...any) {
	l.log.DebugContext(ctx, "redis client", "detail", fmt.Sprintf(format, v...))
}
