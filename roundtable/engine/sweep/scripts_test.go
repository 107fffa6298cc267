package sweep_test

import (
	"cmp"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/roundtable-chat/app/roundtable/engine/enginetest"
	"github.com/roundtable-chat/app/storage/storagetest"
)

// scripts are the scenarios of the rules.
func scripts(t *testing.T) []enginetest.Scenario {
	t.Helper()
	return enginetest.Scripts(t, "../../testdata/scenarios/*.txt")
}

// scriptWorld is memoryWorld for scripts, in which days pass: nobody looks for work
// more often than needed.
func scriptWorld() *enginetest.World {
	w := memoryWorld()
	w.Engine.Poll, w.Rest = 20*time.Second, 2*time.Minute
	return w
}

// hurriedWorld is scriptWorld with days as short as minutes.
func hurriedWorld() *enginetest.World {
	w := scriptWorld()
	w.Pace = func(d time.Duration) time.Duration {
		if d < time.Hour {
			return d
		}
		return d / 360
	}
	return w
}

// TestScripts plays the scenarios of the rules through the engine without any
// crash: Slack shows what the scripts say, in their order (I4).
func TestScripts(t *testing.T) {
	// Where Slack refuses a post, the rules' own test knows only of the refusal. Only turns
	// have a name by which a script played here can take them back.
	differ := map[string]bool{"failures": true, "refused_post": true, "refused_words": true, "unknown_taken_back": true}
	for _, s := range scripts(t) {
		t.Run(s.Name, func(t *testing.T) {
			var w *enginetest.World
			_, found := play(t, s, enginetest.Crash{}, func() *enginetest.World {
				w = scriptWorld()
				return w
			})
			for _, v := range found {
				t.Error(v)
			}
			got := shown(w.Slack)
			if len(got) > len(s.Posts) {
				got = got[:len(s.Posts)] // then the panel improvises
			}
			if diff := gocmp.Diff(s.Posts, got); diff != "" && !differ[s.Name] {
				t.Errorf("the posts differ from the script (-want +got):\n%s", diff)
			}
		})
	}
}

// shown are the posts of the discussion as a script writes them.
func shown(s *enginetest.Slack) []string {
	var lines []string
	for _, m := range s.Messages(enginetest.Ref().Channel) {
		if !strings.HasPrefix(m.Key, enginetest.Ref().ID+"/") {
			continue // another discussion's
		}
		first, _, _ := strings.Cut(strings.TrimSpace(m.Message.Text), "\n")
		if enginetest.IsChange(first) {
			continue
		}
		lines = append(lines, cmp.Or(m.Message.Identity, "Roundtable")+": "+first)
	}
	return lines
}

// TestScriptSweep crashes the replica before and after every call it makes in
// every scenario of the rules (I1–I10).
func TestScriptSweep(t *testing.T) {
	sweep(t, scripts(t), 0, thinned(3), in(hurriedWorld))
}

// TestScriptSweepEmbedded does the same on the store that ships, its scripts run
// by the embedded server.
func TestScriptSweepEmbedded(t *testing.T) {
	sweep(t, scripts(t), 0, thinned(18), embedded(hurriedWorld))
}

// TestScriptSweepRedis does the same on a private redis-server, in real time.
func TestScriptSweepRedis(t *testing.T) {
	t.Parallel()
	sweepRedis(t, storagetest.Redis(t), scripts(t), thinned(30))
}
