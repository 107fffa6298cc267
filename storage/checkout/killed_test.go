package checkout

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// workerDir tells a copy of the test program to be a worker on a directory.
const workerDir = "ROUNDTABLE_TEST_WORKER"

// workerKeys are the changes that every worker tries to make, as replicas do that
// find the same effects.
func workerKeys() (keys []string) {
	for i := range 12 {
		keys = append(keys, fmt.Sprintf("k%d", i))
	}
	return keys
}

func TestMain(m *testing.M) {
	if dir := os.Getenv(workerDir); dir != "" {
		if err := beWorker(dir); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// beWorker makes every change, and says which one it is at.
func beWorker(dir string) error {
	ctx := context.Background()
	s, err := Open(ctx, Options{Dir: dir})
	if err != nil {
		return err
	}
	for _, key := range workerKeys() {
		fmt.Println("at", key)
		if err := merge(ctx, s, key); err != nil {
			return err
		}
	}
	fmt.Println("done")
	return s.Close()
}

// TestKilledProcesses kills processes that change one item at the same time, again
// and again, at moments that nobody chose, until two got through (I8, NFR-004). The
// kernel lets go of the lock of the dead.
func TestKilledProcesses(t *testing.T) {
	dir := t.TempDir()
	at := filepath.Join(dir, "login", "requirements-spec.md")
	spec := foreign()["login/requirements-spec.md"]
	if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(at, []byte(spec), 0o644); err != nil {
		t.Fatal(err)
	}
	kills := 0
	var mu sync.Mutex
	var all sync.WaitGroup
	for n := range 2 {
		all.Go(func() {
			chance := rand.New(rand.NewPCG(uint64(n), 5))
			for left := 10; ; left-- {
				killed, err := runWorker(t.Context(), dir, left > 0, chance)
				if err != nil {
					t.Error(err)
					return
				}
				if !killed {
					return
				}
				mu.Lock()
				kills++
				mu.Unlock()
			}
		})
	}
	all.Wait()
	t.Logf("%d processes were killed", kills)
	if kills < 5 {
		t.Errorf("only %d processes were killed", kills)
	}
	s, err := Open(t.Context(), Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	item, err := s.ReadItem(t.Context(), login)
	if err != nil {
		t.Fatal(err)
	}
	got, want := map[string]int{}, map[string]int{}
	for _, key := range workerKeys() {
		want[key] = 3
		got[key] = strings.Count(string(item.Files["requirements-spec.md"]), "From "+key+".") +
			strings.Count(string(item.Files["traceability-matrix.csv"]), "row of "+key+",,") + strings.Count(string(item.Meta), `"From `+key+`"`)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("I8: each change stands once in each of three files (-want +got):\n%s", diff)
	}
	if !subsequence(spec, string(item.Files["requirements-spec.md"])) {
		t.Errorf("I8: the spec lost something:\n%s", item.Files["requirements-spec.md"])
	}
	if len(item.Applied) != len(want) {
		t.Errorf("%d changes are remembered, want %d", len(item.Applied), len(want))
	}
}

// runWorker runs a worker, and kills it some time after it has begun one of its changes
// if it is to die.
func runWorker(ctx context.Context, dir string, die bool, chance *rand.Rand) (killed bool, err error) {
	cmd := exec.CommandContext(ctx, os.Args[0])
	cmd.Env = append(os.Environ(), workerDir+"="+dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return false, err
	}
	if err := cmd.Start(); err != nil {
		return false, err
	}
	begun, last := 0, ""
	for lines := bufio.NewScanner(out); lines.Scan(); {
		last += lines.Text() + "\n"
		if !strings.HasPrefix(lines.Text(), "at ") {
			continue
		}
		if begun++; die && chance.IntN(3) == 0 {
			timer := time.AfterFunc(time.Duration(chance.IntN(6000))*time.Microsecond, func() { _ = cmd.Process.Kill() })
			defer timer.Stop()
			die = false
		}
	}
	err = cmd.Wait()
	if strings.Contains(last, "\ndone\n") {
		return false, nil // whatever met it afterwards
	}
	if cmd.ProcessState.ExitCode() >= 0 {
		return false, fmt.Errorf("worker: %w\n%s", err, last)
	}
	return true, nil
}
