package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/roundtable-chat/app/roundtable/engine/enginetest"
)

// built is the folder of the program under test, removed by TestMain.
var built struct {
	once   sync.Once
	folder string
	err    error
}

func TestMain(m *testing.M) {
	code := m.Run()
	if built.folder != "" {
		_ = os.RemoveAll(built.folder)
	}
	os.Exit(code)
}

// program builds the program once and returns its path.
func program(t testing.TB) string {
	t.Helper()
	built.once.Do(func() {
		if built.folder, built.err = os.MkdirTemp("", "roundtable"); built.err != nil {
			return
		}
		build := exec.Command("go", "build", "-o", filepath.Join(built.folder, "roundtable"), ".")
		build.Env = append(os.Environ(), "CGO_ENABLED=0") // as it is released
		out, err := build.CombinedOutput()
		if err != nil {
			built.err = fmt.Errorf("build the program: %w\n%s", err, out)
		}
	})
	if built.err != nil {
		t.Fatal(built.err)
	}
	return filepath.Join(built.folder, "roundtable")
}

// process is the program under test while it runs.
type process struct {
	t      testing.TB
	cmd    *exec.Cmd
	output enginetest.Buffer
	exited chan struct{}
}

// start starts the program in a folder, with no other environment than env, and
// kills it when the test ends.
func start(t testing.TB, folder string, env []string, args ...string) *process {
	t.Helper()
	return launch(t, program(t), folder, env, args...)
}

// launch is start with another build of the program.
func launch(t testing.TB, binary, folder string, env []string, args ...string) *process {
	t.Helper()
	p := &process{t: t, cmd: exec.Command(binary, args...), exited: make(chan struct{})}
	p.cmd.Dir, p.cmd.Env = folder, env
	p.cmd.Stdout, p.cmd.Stderr = &p.output, &p.output
	if err := p.cmd.Start(); err != nil {
		t.Fatalf("start roundtable %s: %v", args[0], err)
	}
	go func() {
		_ = p.cmd.Wait()
		close(p.exited)
	}()
	t.Cleanup(p.kill)
	return p
}

// kill ends the process as the kernel would, at any instruction.
func (p *process) kill() {
	_ = p.cmd.Process.Kill()
	<-p.exited
}

// signal sends SIGTERM.
func (p *process) signal() {
	p.t.Helper()
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		p.t.Fatalf("SIGTERM: %v", err)
	}
}

// terminate sends SIGTERM and returns the exit code.
func (p *process) terminate() int {
	p.t.Helper()
	p.signal()
	return p.wait(30 * time.Second)
}

// wait returns the exit code, -1 after a signal.
func (p *process) wait(limit time.Duration) int {
	p.t.Helper()
	select {
	case <-p.exited:
	case <-time.After(limit):
		p.t.Fatalf("still running after %s:\n%s", limit, &p.output)
	}
	return p.cmd.ProcessState.ExitCode()
}

// address returns what the first group of a pattern finds in the output.
func (p *process) address(pattern string) string {
	p.t.Helper()
	re := regexp.MustCompile(pattern)
	var found string
	eventually(p.t, "an address is printed", p.output.String, func() bool {
		if m := re.FindStringSubmatch(p.output.String()); m != nil {
			found = m[1]
		}
		select {
		case <-p.exited:
			p.t.Fatalf("it ended at once:\n%s", &p.output)
		default:
		}
		return found != ""
	})
	return found
}

// calm fails the test if the process panicked.
func (p *process) calm() {
	p.t.Helper()
	if text := p.output.String(); strings.Contains(text, "panic:") || strings.Contains(text, "goroutine ") || strings.Contains(text, "DATA RACE") {
		p.t.Errorf("it panicked:\n%s", text)
	}
}

// patience bounds every wait for a process: two leases, a settling time, and a
// slow machine.
const patience = 75 * time.Second

// eventually looks until something holds, and fails with what can be seen if it
// does not in time.
func eventually(t testing.TB, what string, seen func() string, holds func() bool) {
	t.Helper()
	limit := time.NewTimer(patience)
	defer limit.Stop()
	look := time.NewTicker(40 * time.Millisecond)
	defer look.Stop()
	for !holds() {
		select {
		case <-look.C:
		case <-limit.C:
			t.Fatalf("after %s it does not hold that %s; what there is:\n%s", patience, what, seen())
		}
	}
}

// execute runs the program to its end.
func execute(t testing.TB, env []string, in io.Reader, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	cmd := exec.Command(program(t), args...)
	cmd.Dir, cmd.Env, cmd.Stdin = t.TempDir(), env, in
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		t.Fatalf("run roundtable %s: %v", args[0], err)
	}
	return cmd.ProcessState.ExitCode(), out.String(), errs.String()
}
