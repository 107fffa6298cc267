package storage_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/roundtable-chat/app/storage/storagetest"
)

// written is a command as it stands in an append-only file.
type written []any

// appendOnly reads a server's append-only file: one element per change, a script's
// being the commands that it wrote.
func appendOnly(t *testing.T, s *storagetest.Server) [][]written {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(s.Dir, "appendonlydir", "*.incr.aof"))
	if err != nil || len(files) != 1 {
		t.Fatalf("append-only files %v, %v, want one", files, err)
	}
	b, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	var out [][]written
	var block []written
	open := false
	for len(b) > 0 {
		var c written
		c, b = nextCommand(t, b)
		switch c[0] {
		case "SELECT":
		case "MULTI":
			block, open = nil, true
		case "EXEC":
			out, open = append(out, block), false
		default:
			if open {
				block = append(block, c)
			} else {
				out = append(out, []written{c})
			}
		}
	}
	return out
}

func nextCommand(t *testing.T, b []byte) (written, []byte) {
	t.Helper()
	number := func(kind byte) int {
		line, rest, ok := bytes.Cut(b, []byte("\r\n"))
		if !ok || len(line) < 2 || line[0] != kind {
			t.Fatalf("append-only file is cut at %.40q", b)
		}
		n, err := strconv.Atoi(string(line[1:]))
		if err != nil {
			t.Fatal(err)
		}
		b = rest
		return n
	}
	var c written
	for range number('*') {
		n := number('$')
		c = append(c, string(b[:n]))
		b = b[n+2:]
	}
	return c, b
}

// restore empties a server and performs changes, and then the first commands of a
// change that was torn.
func restore(t *testing.T, c *redis.Client, changes [][]written, torn []written) {
	t.Helper()
	_, err := c.Pipelined(context.Background(), func(p redis.Pipeliner) error {
		p.FlushAll(t.Context())
		for _, change := range append(changes[:len(changes):len(changes)], torn) {
			for _, command := range change {
				p.Do(t.Context(), command...)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
