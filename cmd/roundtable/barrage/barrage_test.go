package barrage_test

import (
	"context"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/roundtable-chat/app/cmd/roundtable/barrage"
)

var (
	envelopes = flag.Int("barrage.envelopes", 2000, "how many envelopes are fired")
	seed      = flag.Uint64("barrage.seed", 1, "the seed that decides them")
)

func TestMain(m *testing.M) {
	redis.SetLogger(silence{})
	os.Exit(m.Run())
}

type silence struct{}

func (silence) Printf(context.Context, string, ...any) {}

// TestServe fires envelopes at the program while people talk: it lives, tells its log
// nobody's words, puts aside nothing of theirs, and nobody does what they may not
// (NFR-003, I1, I11, I12, FR-108, NFR-103).
func TestServe(t *testing.T) {
	binary := filepath.Join(t.TempDir(), "roundtable")
	build := exec.Command("go", "build", "-o", binary, "github.com/roundtable-chat/app/cmd/roundtable")
	build.Env = append(os.Environ(), "CGO_ENABLED=0") // as it is released
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build the program: %v\n%s", err, out)
	}
	r := barrage.Run(t, barrage.Plan{Binary: binary, Seed: *seed, Envelopes: *envelopes, Patience: 2 * time.Minute})
	t.Log(r)
	for _, v := range r.Violations {
		t.Error(v)
	}
	for _, shape := range barrage.Shapes() {
		if *envelopes >= 1000 && r.Sent[shape] == 0 {
			t.Errorf("no %s was fired", shape)
		}
	}
	if *envelopes >= 1000 && (r.Ended["acknowledged"] < *envelopes/2 || r.Discussions < 10) {
		t.Errorf("nothing happened: %v", r)
	}
}
