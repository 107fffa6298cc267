package engine_test

import (
	"testing"
	"time"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/engine/enginetest"
)

// The checker notices what is in the texts, too: I11, I12 and the pace.
func TestCheckerReadsTexts(t *testing.T) {
	at := func(ms int) time.Time { return time.UnixMilli(int64(ms)) }
	posts := []enginetest.Message{{Key: "D1/a", TS: "1.000001", Message: roundtable.Message{Mention: "U1"}}}
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
		{"three at once, then one a second", enginetest.Evidence{Pace: enginetest.Pace{Every: time.Second, Burst: 3}, Channel: []time.Time{at(0), at(1), at(2), at(1000), at(2000), at(3000)}}, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			test.evidence.Discussion = roundtable.Discussion{State: roundtable.StateClosed}
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
