package storagetest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Sentinel starts a sentinel that watches a master with one replica under the name
// "main" and replaces it half a second after it is gone. It returns when the
// sentinel knows the replica.
func Sentinel(t testing.TB, master *Server) *Server {
	t.Helper()
	s := onPort(t)
	file := filepath.Join(s.Dir, "sentinel.conf")
	text := fmt.Sprintf("port %d\nbind 127.0.0.1\nsentinel monitor main 127.0.0.1 %d 1\n"+
		"sentinel down-after-milliseconds main 500\nsentinel failover-timeout main 2000\n", s.Port, master.Port)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s.config, s.args = []string{file}, []string{"--sentinel"}
	s.Start(t)
	client := s.Client(t)
	defer func() { _ = client.Close() }()
	ctx, cancel := context.WithTimeoutCause(context.Background(), 2*startLimit, errors.New("the sentinel did not find the replica in time"))
	defer cancel()
	poll(ctx, t, func() bool {
		replicas, err := client.Do(ctx, "sentinel", "replicas", "main").Slice()
		return err == nil && len(replicas) == 1
	})
	s.direct = s.URL
	s.URL = strings.Replace(s.URL, "redis://", "redis+sentinel://", 1) + "?master=main"
	return s
}
