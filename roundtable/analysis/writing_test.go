package analysis

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// beingWritten is an analysis whose step is being written under the key A1/d/1.
func beingWritten(recording bool) Analysis {
	lead := testCast()[0].Key
	return Analysis{
		ID: "A1", State: StateWriting, Cast: testCast(), Purpose: ForStep, Place: thread.Place{Root: "1", Thread: "1"},
		Phase: &PhaseView{Key: "01-requirements", Lead: lead}, Step: &Sitting{StepView: StepView{ID: "01-01", Title: "Business Context", Lead: lead}},
		Writing: &Writing{
			Key: "A1/d/1", Time: time.Unix(100, 0).UTC(), Recording: recording,
			Parts: []Part{{File: "requirements-spec.md", Part: PartSection, Name: "Business Context", Content: "Rain."}},
		},
	}
}

// TestAChangeIsPutOnce shows that a change of an item stands in the outbox once
// (NFR-004, I8): whatever stops the analysis, it is put again only after it failed
// itself, and then as the same change.
func TestAChangeIsPutOnce(t *testing.T) {
	write := Effect(Write{Key: "A1/d/1", Step: "01-01", Title: "Business Context", Time: time.Unix(100, 0).UTC(), Parts: beingWritten(false).Writing.Parts})
	tests := []struct {
		name      string
		recording bool
		failed    string
		reason    thread.Reason
		want      []Effect
	}{
		{"a post before the write was refused", false, "A1/d/0", thread.ReasonNoPermission, nil},
		{"a post before the record was refused", true, "A1/d/0", thread.ReasonNotInChannel, nil},
		{"the write failed", false, "A1/d/1", thread.ReasonArtifactRefused, []Effect{write}},
		{"the record failed", true, "A1/d/1", thread.ReasonArtifactRefused, []Effect{Record{Key: "A1/d/1", Step: "01-01"}}},
	}
	for _, tt := range tests {
		for _, again := range []Event{
			Said{TS: "2", By: person("Tom"), Text: "Is anybody there?"},
			Pressed{By: person("Tom"), Button: roundtable.ButtonRetry},
		} {
			t.Run(tt.name, func(t *testing.T) {
				r := Step(beingWritten(tt.recording), Input{ID: "f", At: time.Unix(200, 0), Event: Failed{Effect: tt.failed, Reason: tt.reason}})
				if r.Analysis.Stalled == nil {
					t.Fatal("the analysis is not stopped")
				}
				var got []Effect
				r = Step(r.Analysis, Input{ID: "m:2", At: time.Unix(300, 0), Event: again})
				for _, e := range r.Effects {
					_, writes := e.(Write)
					if _, records := e.(Record); writes || records {
						got = append(got, e)
					}
				}
				if diff := cmp.Diff(tt.want, got); diff != "" {
					t.Errorf("what is put after %T (-want +got):\n%s", again, diff)
				}
			})
		}
	}
}
