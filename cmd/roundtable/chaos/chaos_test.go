package chaos_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/roundtable-chat/app/cmd/roundtable/chaos"
)

var (
	forFlag     = flag.Duration("chaos.for", 5*time.Second, "how long the violence lasts")
	killsFlag   = flag.Int("chaos.kills", 0, "least number of kills it is spread over; 0: one every 1.2 s")
	upsetsFlag  = flag.Int("chaos.upsets", 0, "how often Redis restarts or fails over; 0: about once a minute, at least once")
	seedFlag    = flag.Uint64("chaos.seed", 1, "seed of the schedule and the conversations")
	olderFlag   = flag.String("chaos.older", "", "a program of an earlier version, with which every replica takes turns: upgrades and their taking back")
	tablesFlag  = flag.Int("chaos.tables", 12, "how many tables talk at once")
	promptFlag  = flag.Duration("chaos.prompt", 0, "within what 99 of 100 acknowledgements to the team must come in the mode hostile, on a machine of its own; 0: it is measured and not judged")
	modesFlag   = flag.String("chaos.modes", string(chaos.Restarts)+","+string(chaos.Failovers)+","+string(chaos.Hostile), "restarts, failovers, unconfirmed, hostile; several separated by commas")
	lateRoots   = flag.Bool("chaos.lateroots", false, "let introductions, too, be performed after they were sent again")
	patienceArg = flag.Duration("chaos.patience", 5*time.Minute, "how long everything may take to come to rest after healing: what Redis may have forgotten is read back at the pace that Slack allows, one discussion every 3 s")
	reportFlag  = flag.String("chaos.report", "", "file to put the tables into, each in the place of the former one of its mode, for example docs/chaos.md")
)

// TestMain keeps the Redis client, which has one logger for all, from telling of
// every connection that a killed server refuses.
func TestMain(m *testing.M) {
	redis.SetLogger(silence{})
	os.Exit(m.Run())
}

type silence struct{}

func (silence) Printf(context.Context, string, ...any) {}

// TestChaos plays roundtable under violence and wants every promise
// kept: NFR-101, NFR-003, NFR-004, I1 to I8, I10 and I12.
func TestChaos(t *testing.T) {
	binary, commit := build(t), chaos.Commit(t.Context())
	verdicts := make([]chaos.Verdict, len(chaos.Modes()))
	t.Run("modes", func(t *testing.T) {
		for i, mode := range chaos.Modes() {
			if !slices.Contains(strings.Split(*modesFlag, ","), string(mode)) {
				continue
			}
			t.Run(string(mode), func(t *testing.T) {
				t.Parallel()
				v := chaos.Run(t, plan(binary, commit, mode))
				verdicts[i] = v
				t.Logf("\n%s", v.Table())
				for _, each := range v.Tolerated {
					t.Logf("broken without confirmation: %s", each)
				}
				for _, each := range v.Violations {
					t.Errorf("%s", each)
				}
				if len(v.Violations) > 0 {
					t.Logf("of these discussions the replicas told:\n%s", strings.Join(v.Trace, "\n"))
				}
				quiet := v.Plan.Kills > 0 && v.Counts["replica kill -9"] == 0 || v.Plan.Upsets > 0 && v.Counts["Redis upsets"] == 0
				if quiet || v.Counts["discussions closed"] == 0 {
					t.Errorf("nothing happened: %v", v.Counts)
				}
			})
		}
	})
	if *reportFlag != "" {
		report(t, verdicts)
	}
}

func plan(binary, commit string, mode chaos.Mode) chaos.Plan {
	p := chaos.Plan{Binary: binary, Older: *olderFlag, Commit: commit, Mode: mode, Seed: *seedFlag, For: *forFlag, Kills: *killsFlag, Upsets: *upsetsFlag,
		Replicas: 3, Tables: *tablesFlag, LateRoots: *lateRoots, Patience: *patienceArg, Prompt: *promptFlag}
	if mode == chaos.Hostile { // rogues are enough, unless kills are asked for
		return p
	}
	if p.Kills == 0 {
		p.Kills = max(1, int(p.For/(1200*time.Millisecond)))
	}
	if p.Upsets == 0 {
		p.Upsets = max(1, int(p.For/time.Minute))
	}
	return p
}

// build makes the program once.
func build(t *testing.T) string {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "roundtable")
	build := exec.Command("go", "build", "-o", binary, "github.com/roundtable-chat/app/cmd/roundtable")
	build.Env = append(os.Environ(), "CGO_ENABLED=0") // as it is released
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build the program: %v\n%s", err, out)
	}
	return binary
}

// report puts the tables of all modes that were played into the report.
func report(t *testing.T, verdicts []chaos.Verdict) {
	t.Helper()
	old, err := os.ReadFile(*reportFlag)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	text, err := chaos.Report(old, verdicts)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(*reportFlag, text, 0o644); err != nil {
		t.Fatal(fmt.Errorf("write the report: %w", err))
	}
}
