package llm

import "testing"

// TestTryNamesNoModelThatIsNone: what a provider calls its model may be anything, and a
// terminal shows it (I11).
func TestTryNamesNoModelThatIsNone(t *testing.T) {
	m := &told{name: "test:model", answers: []answer{{text: `{"ready":true}`, result: Result{Model: "layoffs of bob\nlevel=ERROR msg=forged", Stop: StopEnd, Sent: true}}}}
	if c, err := Try(t.Context(), m); err != nil || c.Model != "" {
		t.Errorf("the doctor is told %q, %v", c.Model, err)
	}
}
