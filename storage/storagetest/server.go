package storagetest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"
)

// Server is a Redis server for one test.
type Server struct {
	// URL is what storage.Options.URL wants.
	URL string
	// Real is true for redis-server, false for the embedded server.
	Real bool
	// Dir is the working directory of a real server, where its files are.
	Dir string
	// Port is its TCP port, 0 if it has only a socket.
	Port int

	mini    *miniredis.Miniredis
	now     time.Time
	process *exec.Cmd
	exited  chan struct{}
	config  []string // a configuration file, which must come first
	args    []string
	bus     int    // its port towards other nodes of a cluster
	direct  string // the server's own URL, where URL is a sentinel's or a cluster's
}

// Redis starts a private redis-server on a socket of its own and kills it when
// the test ends. It keeps nothing on disk unless args (as on the command line of
// redis-server) say otherwise. The test fails where redis-server is not installed.
func Redis(t testing.TB, args ...string) *Server {
	t.Helper()
	dir, err := os.MkdirTemp("", "rt") // t.TempDir is too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	socket := filepath.Join(dir, "s")
	s := &Server{URL: "unix://" + socket, Real: true, Dir: dir,
		args: append([]string{"--port", "0", "--unixsocket", socket}, args...)}
	t.Cleanup(s.Kill)
	s.Start(t)
	return s
}

// RedisTCP is Redis on a loopback port, for what needs one: replication, Sentinel.
func RedisTCP(t testing.TB, args ...string) *Server {
	t.Helper()
	s := onPort(t)
	s.args = append([]string{"--port", strconv.Itoa(s.Port), "--bind", "127.0.0.1"}, args...)
	s.Start(t)
	return s
}

// freePort returns a port that nobody listens on.
func freePort(t testing.TB) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	return port
}

// onPort returns a server, not yet started, with a free port.
func onPort(t testing.TB) *Server {
	t.Helper()
	port := freePort(t)
	s := &Server{URL: fmt.Sprintf("redis://127.0.0.1:%d", port), Real: true, Dir: t.TempDir(), Port: port}
	t.Cleanup(s.Kill)
	return s
}

// startLimit bounds the wait for a real server to answer.
const startLimit = 10 * time.Second

// Start starts a real server, again after Kill, with what its files hold, and
// returns once it answers.
func (s *Server) Start(t testing.TB) {
	t.Helper()
	binary, err := exec.LookPath("redis-server")
	if err != nil {
		t.Fatalf("this test needs redis-server on the PATH: %v", err)
	}
	args := slices.Concat(s.config, []string{"--save", "", "--dir", s.Dir, "--logfile", filepath.Join(s.Dir, "log")}, s.args)
	s.process = exec.Command(binary, args...)
	if err := s.process.Start(); err != nil {
		t.Fatalf("start redis-server: %v", err)
	}
	exited, process := make(chan struct{}), s.process
	s.exited = exited
	go func() { _ = process.Wait(); close(exited) }()

	client := s.Client(t)
	defer func() { _ = client.Close() }()
	ctx, cancel := context.WithTimeoutCause(context.Background(), startLimit, errors.New("redis-server did not answer in time"))
	defer cancel()
	poll(ctx, t, func() bool {
		select {
		case <-exited:
			log, _ := os.ReadFile(filepath.Join(s.Dir, "log"))
			t.Fatalf("redis-server ended at once:\n%s", log)
		default:
		}
		// A server that wants a password answers, too.
		err := client.Ping(ctx).Err()
		return err == nil || redis.HasErrorPrefix(err, "NOAUTH")
	})
}

// poll waits until something holds of a real process, as long as ctx allows.
func poll(ctx context.Context, t testing.TB, holds func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatal(context.Cause(ctx))
		}
	}
}

// Client returns a plain client of the server itself. The caller closes it.
func (s *Server) Client(t testing.TB) *redis.Client {
	t.Helper()
	o, err := redis.ParseURL(cmp.Or(s.direct, s.URL))
	if err != nil {
		t.Fatal(err)
	}
	o.MaxRetries, o.ContextTimeoutEnabled = -1, true
	return redis.NewClient(o)
}

// Kill ends a real server as a power cut would, without a word, and waits until it
// is gone. Killing it twice does no harm.
func (s *Server) Kill() {
	if s.process == nil {
		return
	}
	_ = s.process.Process.Kill()
	<-s.exited
}

// Stop halts a real server without ending it, and Continue lets it go on.
func (s *Server) Stop(t testing.TB) { s.signal(t, syscall.SIGSTOP) }

// Continue ends what Stop began.
func (s *Server) Continue(t testing.TB) { s.signal(t, syscall.SIGCONT) }

func (s *Server) signal(t testing.TB, sig os.Signal) {
	t.Helper()
	if err := s.process.Process.Signal(sig); err != nil {
		t.Fatalf("signal redis-server: %v", err)
	}
}

// Mini starts an embedded server whose clock stands still; see Pass.
func Mini(t testing.TB) *Server {
	t.Helper()
	m := miniredis.NewMiniRedis()
	if err := m.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	s := &Server{URL: "redis://" + m.Addr(), mini: m, now: time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)}
	m.SetTime(s.now)
	return s
}

// Pass lets time pass on the server's clock. The embedded server's is moved; a
// real server's can only be waited for.
func (s *Server) Pass(d time.Duration) {
	if s.Real {
		<-time.After(d)
		return
	}
	s.now = s.now.Add(d)
	s.mini.SetTime(s.now)
	s.mini.FastForward(d)
}

// EachServer runs a test on both kinds of server, as subtests "embedded" and
// "redis".
func EachServer(t *testing.T, run func(t *testing.T, s *Server)) {
	t.Helper()
	t.Run("embedded", func(t *testing.T) { t.Parallel(); run(t, Mini(t)) })
	t.Run("redis", func(t *testing.T) { t.Parallel(); run(t, Redis(t)) })
}
