package main

import (
	"bytes"
	"log/slog"
	"math"
	"os"
	"runtime/debug"
	"strings"
	"testing"
	"testing/fstest"
)

// TestAllowedMemory reads the limit of the process's control group in every form in
// which a kernel and a container show it.
func TestAllowedMemory(t *testing.T) {
	for name, c := range map[string]struct {
		files map[string]string
		want  int64 // 0: none
	}{
		"no control groups":         {},
		"a container":               {map[string]string{"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "268435456\n"}, 256 << 20},
		"a container, path shown":   {map[string]string{"proc/self/cgroup": "0::/kubepods/pod1/c1\n", "sys/fs/cgroup/memory.max": "268435456\n"}, 256 << 20},
		"a path that leads out":     {map[string]string{"proc/self/cgroup": "0::/../../x\n", "sys/fs/cgroup/memory.max": "268435456\n"}, 256 << 20},
		"no limit":                  {map[string]string{"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "max\n"}, 0},
		"a unit of systemd":         {map[string]string{"proc/self/cgroup": "0::/system.slice/r.service\n", "sys/fs/cgroup/system.slice/r.service/memory.max": "1000\n"}, 1000},
		"the group above is less":   {map[string]string{"proc/self/cgroup": "0::/a/b\n", "sys/fs/cgroup/a/b/memory.max": "1000\n", "sys/fs/cgroup/a/memory.max": "900\n"}, 900},
		"legacy":                    {map[string]string{"proc/self/cgroup": "9:cpu:/x\n7:memory:/docker/1\n", "sys/fs/cgroup/memory/memory.limit_in_bytes": "5000\n"}, 5000},
		"legacy, without a limit":   {map[string]string{"proc/self/cgroup": "7:memory:/\n", "sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n"}, 0},
		"what nobody can read":      {map[string]string{"proc/self/cgroup": "nonsense\n", "sys/fs/cgroup/memory.max": "a lot\n"}, 0},
		"the groups are not listed": {map[string]string{"sys/fs/cgroup/memory.max": "1000\n"}, 1000},
	} {
		t.Run(name, func(t *testing.T) {
			system := fstest.MapFS{}
			for file, text := range c.files {
				system[file] = &fstest.MapFile{Data: []byte(text)}
			}
			got, ok := allowedMemory(system)
			if ok != (c.want > 0) || ok && got != c.want {
				t.Errorf("got %d, %t, want %d", got, ok, c.want)
			}
		})
	}
}

// TestStaysBelowTheMemoryLimit sets nine tenths of what is allowed, unless somebody
// set a limit by hand.
func TestStaysBelowTheMemoryLimit(t *testing.T) {
	was := debug.SetMemoryLimit(-1)
	t.Cleanup(func() { debug.SetMemoryLimit(was) })
	system := fstest.MapFS{"sys/fs/cgroup/memory.max": &fstest.MapFile{Data: []byte("1073741824")}}
	for _, c := range []struct {
		byHand bool
		want   int64
	}{{true, math.MaxInt64}, {false, 966367641}} {
		debug.SetMemoryLimit(math.MaxInt64)
		var log bytes.Buffer
		keepWithinMemory(t.Context(), system, func(name string) (string, bool) { return "1GiB", c.byHand && name == "GOMEMLIMIT" }, slog.New(slog.NewTextHandler(&log, nil)))
		if got := debug.SetMemoryLimit(-1); got != c.want {
			t.Errorf("set by hand %t: the limit is %d, want %d", c.byHand, got, c.want)
		}
		if said := strings.Contains(log.String(), "allowed_bytes=1073741824 limit_bytes=966367641"); said == c.byHand {
			t.Errorf("set by hand %t: the log says %q", c.byHand, &log)
		}
	}
	keepWithinMemory(t.Context(), os.DirFS("/"), func(string) (string, bool) { return "", false }, slog.New(slog.DiscardHandler)) // whatever this machine has
}
