package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// serveHealth answers /livez, /readyz and /metrics until ctx ends. An empty
// address switches it off.
func serveHealth(ctx context.Context, addr string, a *app, log *slog.Logger) error {
	if addr == "" {
		return nil
	}
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", addr)
	if err != nil {
		return fmt.Errorf("listen for health checks: %w", err)
	}
	log.InfoContext(ctx, "health checks", "address", l.Addr().String())
	return serveHTTP(ctx, l, healthHandler(a))
}

// healthHandler: /livez says that the process answers; /readyz that Slack is
// connected and Redis answers.
func healthHandler(a *app) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /livez", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), 2*time.Second)
		defer cancel()
		if err := a.store.Ping(ctx); err != nil {
			http.Error(w, "redis does not answer", http.StatusServiceUnavailable)
			return
		}
		if !a.bot.Connected() {
			http.Error(w, "slack is not connected", http.StatusServiceUnavailable)
			return
		}
		fmt.Fprintln(w, "ok")
	})
	mux.Handle("GET /metrics", promhttp.HandlerFor(a.metrics, promhttp.HandlerOpts{}))
	return mux
}

// serveHTTP serves until ctx ends.
func serveHTTP(ctx context.Context, l net.Listener, h http.Handler) error {
	srv := &http.Server{Handler: h, ReadHeaderTimeout: 5 * time.Second}
	stop := context.AfterFunc(ctx, func() {
		stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer cancel()
		if srv.Shutdown(stopping) != nil {
			_ = srv.Close()
		}
	})
	defer stop()
	if err := srv.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve %s: %w", l.Addr(), err)
	}
	return nil
}
