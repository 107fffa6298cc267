package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// process is a child whose cost is measured.
type process struct {
	name   string
	cmd    *exec.Cmd
	log    string // file with what it said
	exited chan struct{}
}

// startProcess starts argv in dir, with env added to what a process needs to run at all,
// and its output in a file beside the others of the stage.
func startProcess(name, stage, dir string, argv, env []string) (*process, error) {
	p := &process{name: name, log: filepath.Join(stage, name+".log"), exited: make(chan struct{})}
	log, err := os.Create(p.log)
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	p.cmd = exec.Command(argv[0], argv[1:]...) //nolint:gosec // what runs is the operator's choice
	p.cmd.Dir, p.cmd.Stdout, p.cmd.Stderr = dir, log, log
	p.cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + stage}, env...)
	// Whoever kills the driver ends what it started.
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	err = p.cmd.Start()
	if err := errors.Join(err, log.Close()); err != nil {
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	go func() { _ = p.cmd.Wait(); close(p.exited) }()
	return p, nil
}

// kill ends the process and waits until it is gone.
func (p *process) kill() {
	_ = p.cmd.Process.Kill()
	<-p.exited
}

// await polls until ready holds, and fails with the end of the log when the process
// ends first or limit has passed.
func (p *process) await(ctx context.Context, limit time.Duration, ready func() bool) error {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("%s was not ready within %s", p.name, limit))
	defer cancel()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for !ready() {
		select {
		case <-tick.C:
		case <-p.exited:
			return fmt.Errorf("%s ended at once: %s", p.name, p.lastWords())
		case <-ctx.Done():
			return fmt.Errorf("%w: %s", context.Cause(ctx), p.lastWords())
		}
	}
	return nil
}

// lastWords is the end of the log.
func (p *process) lastWords() string {
	raw, err := os.ReadFile(p.log)
	if err != nil {
		return err.Error()
	}
	return strings.TrimSpace(string(raw[max(0, len(raw)-2000):]))
}

// userHZ is the unit of CPU time in /proc, a constant of Linux.
const userHZ = 100

// cpu is the CPU time that a process has used, all threads, to 10 ms.
func cpu(pid int) (time.Duration, error) {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, fmt.Errorf("read CPU time: %w", err)
	}
	// The second field, the program's name in brackets, may hold anything.
	fields := strings.Fields(string(raw[strings.LastIndexByte(string(raw), ')')+1:]))
	const user, system = 14 - 3, 15 - 3 // proc(5) counts from 1, and two are cut off
	if len(fields) <= system {
		return 0, fmt.Errorf("read CPU time: %d fields", len(fields))
	}
	var ticks int64
	for _, f := range []string{fields[user], fields[system]} {
		n, err := strconv.ParseInt(f, 10, 64)
		if err != nil {
			return 0, fmt.Errorf("read CPU time: %w", err)
		}
		ticks += n
	}
	return time.Duration(ticks) * time.Second / userHZ, nil
}

// memory is how many bytes of a process are in memory, how many of these are pages of
// files, and how many there were at most.
type memory struct{ now, file, most int64 }

// memoryOf reads what the kernel counts.
func memoryOf(pid int) (m memory, err error) {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return m, fmt.Errorf("read memory: %w", err)
	}
	for line := range strings.Lines(string(raw)) {
		name, rest, _ := strings.Cut(line, ":")
		field := map[string]*int64{"VmRSS": &m.now, "RssFile": &m.file, "VmHWM": &m.most}[name]
		if field == nil {
			continue
		}
		kib, err := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "kB")), 10, 64)
		if err != nil {
			return m, fmt.Errorf("read memory: %w", err)
		}
		*field = kib << 10
	}
	if m.now == 0 {
		return m, errors.New("read memory: no VmRSS")
	}
	return m, nil
}
