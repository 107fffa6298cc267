package main

import (
	"context"
	"io/fs"
	"log/slog"
	"math"
	"path"
	"runtime/debug"
	"strconv"
	"strings"
)

// memoryPart is how much of the memory that the process is allowed Go may take before
// it collects harder. What the runtime does not count (the program's own pages, what
// the kernel holds for connections) needs the rest, or the kernel ends the process.
const memoryPart = 0.9

// keepWithinMemory tells the runtime to stay below the limit of the process's control
// group, which is what a container's memory limit is. A limit that was set by hand in
// GOMEMLIMIT, which the runtime has read already, stands.
func keepWithinMemory(ctx context.Context, system fs.FS, set func(string) (string, bool), log *slog.Logger) {
	if _, ok := set("GOMEMLIMIT"); ok {
		return
	}
	allowed, ok := allowedMemory(system)
	if !ok {
		return
	}
	limit := int64(float64(allowed) * memoryPart)
	debug.SetMemoryLimit(limit)
	log.InfoContext(ctx, "memory limit", "allowed_bytes", allowed, "limit_bytes", limit)
}

// allowedMemory reads how many bytes the process's control group may use: the least of
// its own limit and those above it. In a container the group's own path is often hidden
// and its limit stands at the root.
func allowedMemory(system fs.FS) (int64, bool) {
	least := int64(math.MaxInt64)
	for root, group := range memoryGroups(system) {
		file := "memory.max"
		if root == legacyRoot {
			file = "memory.limit_in_bytes"
		}
		for dir := path.Join("/", group); ; dir = path.Dir(dir) {
			if n, ok := memoryFile(system, path.Join(root, dir, file)); ok {
				least = min(least, n)
			}
			if dir == "/" {
				break
			}
		}
	}
	return least, least < unlimited
}

// Where control groups are mounted: the hierarchy of today, and that for memory of the
// legacy form.
const (
	unifiedRoot = "sys/fs/cgroup"
	legacyRoot  = "sys/fs/cgroup/memory"
)

// unlimited is more than any machine has. The legacy form says so where there is no
// limit.
const unlimited = 1 << 60

// memoryGroups are the process's groups that may limit its memory, by where they are
// mounted. The lines are "0::/path" and "7:memory:/path".
func memoryGroups(system fs.FS) map[string]string {
	groups := map[string]string{unifiedRoot: "/", legacyRoot: "/"}
	told, err := fs.ReadFile(system, "proc/self/cgroup")
	if err != nil {
		return groups
	}
	for line := range strings.Lines(string(told)) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) != 3 {
			continue
		}
		switch parts[1] {
		case "":
			groups[unifiedRoot] = parts[2]
		case "memory":
			groups[legacyRoot] = parts[2]
		}
	}
	return groups
}

// memoryFile reads a limit; "max" is none.
func memoryFile(system fs.FS, name string) (int64, bool) {
	raw, err := fs.ReadFile(system, name)
	if err != nil {
		return 0, false
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(raw)), 10, 64)
	return n, err == nil && n > 0
}
