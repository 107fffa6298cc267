package evaluation_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/roundtable-chat/app/bot/llm/evaluation"
)

// NFR-002 (AC-010-04): hand-written lines are attributed by what the other lines
// teach, one left out at a time; that is what the classifier's figures on anything
// else can be compared with.
func TestClassifierOnLinesOfKnownOrigin(t *testing.T) {
	gold, err := evaluation.Gold()
	if err != nil {
		t.Fatal(err)
	}
	var right evaluation.Share
	for key, lines := range gold {
		for i, line := range lines {
			train := map[string][]string{}
			for k, all := range gold {
				for j, other := range all {
					if k != key || j != i {
						train[k] = append(train[k], other)
					}
				}
			}
			right.Of++
			if evaluation.Learn(train).Attribute(line) == key {
				right.Count++
			}
		}
	}
	low, high := right.Interval()
	t.Logf("one left out: %s, %.3f to %.3f", right, low, high)
	if right.Of < 120 || right.Rate() < 0.85 {
		t.Errorf("attributed %s, want at least 120 lines and 0.85", right)
	}
}

func TestClassifierKnowsNothing(t *testing.T) {
	if got := evaluation.Learn(nil).Attribute("anything"); got != "" {
		t.Errorf("attributed to %q, want nobody", got)
	}
	if got := evaluation.Learn(map[string][]string{"b": {"x"}, "a": {"x"}}).Attribute("y"); got != "a" {
		t.Errorf("attributed to %q, want the first of equals", got)
	}
}

// The intervals are Wilson's: 35 of 36 proves no 95 %.
func TestInterval(t *testing.T) {
	for _, tt := range []struct {
		share     evaluation.Share
		low, high float64
	}{
		{evaluation.Share{Count: 35, Of: 36}, 0.858, 0.995},
		{evaluation.Share{Count: 0, Of: 10}, 0, 0.278},
		{evaluation.Share{Count: 10, Of: 10}, 0.722, 1},
		{evaluation.Share{}, 0, 1},
	} {
		t.Run(fmt.Sprint(tt.share), func(t *testing.T) {
			low, high := tt.share.Interval()
			if math.Abs(low-tt.low) > 0.001 || math.Abs(high-tt.high) > 0.001 {
				t.Errorf("got %.3f to %.3f, want %.3f to %.3f", low, high, tt.low, tt.high)
			}
		})
	}
}
