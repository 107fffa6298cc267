package chaos

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"
)

// How long the replicas' own waits are. They are shorter than in production so
// that much happens in little time; settle is as short as serve permits.
const (
	lease  = 3 * time.Second
	settle = 10100 * time.Millisecond
	drain  = 3 * time.Second
	gather = 150 * time.Millisecond
	// maxTurns is low, so that discussions end by themselves as well.
	maxTurns = 9
)

// lease is how long a discussion stays with a replica that is not heard of: as in
// production where nobody is killed, so that a machine that is short of processors is
// not taken for one that is gone.
func (p Plan) lease() time.Duration {
	if p.Mode == Hostile && p.Kills == 0 {
		return 30 * time.Second
	}
	return lease
}

// fleet is all replicas, each restarted whenever it ends, as a deployment does.
type fleet struct {
	log      *journal
	dir      string
	replicas []*replica
	end      context.CancelFunc
	ended    sync.WaitGroup
}

// replica is one place in the fleet, where one process follows the other.
type replica struct {
	name    string
	command func(ctx context.Context, life int) *exec.Cmd

	mu      sync.Mutex
	process *os.Process
	lives   int
	halted  bool
	ordered bool // its end was ordered
}

func newFleet(t testing.TB, p Plan, w *town, g *ground, j *journal) *fleet {
	t.Helper()
	f := &fleet{log: j, dir: t.ArtifactDir()}
	ctx, end := context.WithCancel(context.Background())
	f.end = end
	for i := range p.Replicas {
		r := &replica{name: "replica-" + strconv.Itoa(i+1), command: serve(p, w, g)}
		f.replicas = append(f.replicas, r)
		f.ended.Go(func() { f.keep(ctx, r) })
	}
	t.Cleanup(f.stop)
	return f
}

// serve makes the command of each of a replica's lives, counted from 0. Nothing of our own
// environment but the path reaches it.
func serve(p Plan, w *town, g *ground) func(context.Context, int) *exec.Cmd {
	return func(ctx context.Context, life int) *exec.Cmd {
		cmd := exec.CommandContext(ctx, p.binary(life), "serve", "--listen", "", "--model", "offline",
			"--gather", gather.String(), "--lease", p.lease().String(), "--settle", settle.String(), "--drain", drain.String(),
			"--max-turns", strconv.Itoa(maxTurns), "--redis-replicas", strconv.Itoa(g.confirm), "--pace", "10ms")
		if g.artifacts != "" {
			cmd.Args = append(cmd.Args, "--artifacts", g.artifacts, "--log-level", "debug")
		}
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.TempDir(), "SLACK_BOT_TOKEN=" + botToken, "SLACK_APP_TOKEN=" + appToken,
			"SLACK_API_URL=" + w.base + "/api/", "REDIS_URL=" + g.url, "GOMAXPROCS=2"}
		return cmd
	}
}

// keep runs one process after the other in a replica's place.
func (f *fleet) keep(ctx context.Context, r *replica) {
	for ctx.Err() == nil {
		planned, err := f.live(ctx, r)
		if ctx.Err() != nil {
			return
		}
		if !planned {
			f.log.add("replicas that ended by themselves and were restarted", 1)
			if code := exitCode(err); code != 1 {
				f.log.violation("process", "%s ended by itself with exit code %d; see its log", r.name, code)
			}
			pass(ctx, 300*time.Millisecond)
		}
	}
}

// live runs one process to its end and reports whether that was ordered.
func (f *fleet) live(ctx context.Context, r *replica) (planned bool, err error) {
	out, err := os.OpenFile(filepath.Join(f.dir, r.name+".log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	cmd := r.command(ctx, r.lives)
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Start(); err != nil {
		return false, err
	}
	r.mu.Lock()
	r.process, r.ordered, r.halted = cmd.Process, false, false
	r.lives++
	r.mu.Unlock()
	err = cmd.Wait()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.process = nil
	return r.ordered, err
}

func exitCode(err error) int {
	if e, ok := errors.AsType[*exec.ExitError](err); ok {
		return e.ExitCode()
	}
	return -1
}

// kill ends the process that lives now, if any, without a word; halt stops it in
// its tracks and wake lets it go on. They report whether there was anything to do.
func (r *replica) kill() bool {
	return r.signal(syscall.SIGKILL, func() bool { r.ordered = true; return true })
}

func (r *replica) halt() bool {
	return r.signal(syscall.SIGSTOP, func() bool { r.halted = true; return true })
}

func (r *replica) wake() bool {
	return r.signal(syscall.SIGCONT, func() bool { was := r.halted; r.halted = false; return was })
}

// signal sends a signal to the process that lives now, if note, which keeps the
// books, says that it makes sense.
func (r *replica) signal(s syscall.Signal, note func() bool) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.process != nil && note() && r.process.Signal(s) == nil
}

// pid is the process that lives now, or 0.
func (r *replica) pid() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.process == nil {
		return 0
	}
	return r.process.Pid
}

func (r *replica) life() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.lives
}

// replace asks a replica to end and waits until another process lives in its
// place.
func (r *replica) replace(ctx context.Context) error {
	before := r.life()
	if !r.signal(syscall.SIGTERM, func() bool { r.ordered = true; return true }) {
		return nil
	}
	ctx, cancel := context.WithTimeoutCause(ctx, drain+15*time.Second, fmt.Errorf("%s did not drain in time", r.name))
	defer cancel()
	return until(ctx, r.name+" has drained", 20*time.Millisecond, func() bool { return r.life() > before })
}

// wake lets every halted replica go on.
func (f *fleet) wake() {
	for _, r := range f.replicas {
		r.wake()
	}
}

// stop kills every replica for good and waits until all are gone.
func (f *fleet) stop() {
	f.end()
	f.ended.Wait()
}
