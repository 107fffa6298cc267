package engine_test

import (
	"testing"
	"time"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/engine/enginetest"
)

// The checker notices what is in the texts, too, and what is missing: I3, I11, I12 and
// the pace.
func TestCheckerReads(t *testing.T) {
	at := func(ms int) time.Time { return time.UnixMilli(int64(ms)) }
	posts := []enginetest.Message{{Key: "D1/a", TS: "1.000001", Message: roundtable.Message{Mention: "U1"}}}
	refused := map[string]enginetest.Refusal{"D1/m:1/0": {Kind: roundtable.KindSynthesis, Reason: roundtable.ReasonMessageRefused}}
	tests := []struct {
		name     string
		evidence enginetest.Evidence
		want     string // the invariant, or empty
	}{
		{"a canary in the logs", enginetest.Evidence{Logs: "msg=step text=\"refunds for all\"", Canaries: []string{"refunds for all"}}, "I11"},
		{"logs without it", enginetest.Evidence{Logs: "msg=step", Canaries: []string{"refunds for all", ""}}, ""},
		{"a broadcast", enginetest.Evidence{Slack: posts, Rendered: map[string]string{"1.000001": "<!channel> look"}}, "I12"},
		{"a group", enginetest.Evidence{Slack: posts, Rendered: map[string]string{"1.000001": "<!subteam^S1> look"}}, "I12"},
		{"a stranger", enginetest.Evidence{Slack: posts, Rendered: map[string]string{"1.000001": "<@U2> look"}}, "I12"},
		{"whom the rules named", enginetest.Evidence{Slack: posts, Rendered: map[string]string{"1.000001": "<@U1> look at &lt;!channel&gt;"}}, ""},
		{"five at once", enginetest.Evidence{Pace: enginetest.Pace{Every: time.Second, Burst: 3}, Channel: []time.Time{at(0), at(1), at(2), at(3), at(4)}}, "pace"},
		{"refused, and nothing said", enginetest.Evidence{Refused: refused}, "I3"},
		{"refused, and a notice in its place", enginetest.Evidence{Refused: refused, Slack: []enginetest.Message{{Key: "D1/m:1/0/failed/0", TS: "1.000002"}}}, ""},
		{"three at once, then one a second", enginetest.Evidence{Pace: enginetest.Pace{Every: time.Second, Burst: 3}, Channel: []time.Time{at(0), at(1), at(2), at(1000), at(2000), at(3000)}}, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			test.evidence.Discussion = roundtable.Discussion{ID: "D1", State: roundtable.StateClosed}
			got := ""
			for _, v := range enginetest.Check(test.evidence) {
				got = v.Invariant
			}
			if got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
