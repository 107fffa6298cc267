package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"
)

// contender is a bot that can be put on the stage. It takes its tokens and
// addresses from the variables that both know: SLACK_BOT_TOKEN, SLACK_APP_TOKEN,
// SLACK_API_URL and REDIS_URL.
type contender struct {
	name        string
	dir         string
	argv, env   []string
	connections int // Socket Mode connections it opens
}

// endless is a turn limit that no measured discussion reaches.
const endless = 100000

// roundtable is the binary with the offline personas, who do not pretend to think.
func roundtable(binary string, gather time.Duration) contender {
	return contender{name: "roundtable", connections: 2, argv: []string{binary, "serve", "--model", "offline", "--pace", "0s", "--listen", "",
		"--log-level", "warn", "--max-turns", strconv.Itoa(endless), "--gather", gather.String()}}
}

// bolt is the JavaScript peer.
func bolt(folder string) (contender, error) {
	dir, err := filepath.Abs(folder)
	if err != nil {
		return contender{}, fmt.Errorf("find the peer: %w", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "node_modules")); err != nil {
		return contender{}, fmt.Errorf("the peer's packages are not installed; npm ci in %s does it: %w", folder, err)
	}
	return contender{name: "bolt", connections: 1, dir: dir, argv: []string{"node", "peer.mjs"},
		env: []string{"NODE_ENV=production", "MAX_TURNS=" + strconv.Itoa(endless)}}, nil
}

// build makes the binary of roundtable as a release is made.
func build(ctx context.Context) (binary string, remove func(), err error) {
	dir, err := os.MkdirTemp("", "roundtable-load-")
	if err != nil {
		return "", nil, fmt.Errorf("build roundtable: %w", err)
	}
	binary = filepath.Join(dir, "roundtable")
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-o", binary, "github.com/roundtable-chat/app/cmd/roundtable")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		_ = os.RemoveAll(dir)
		return "", nil, fmt.Errorf("build roundtable: %w\n%s", err, out)
	}
	return binary, func() { _ = os.RemoveAll(dir) }, nil
}
