package engine

import (
	"testing"
	"time"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/analysis"
	"github.com/roundtable-chat/app/roundtable/document"
	"github.com/roundtable-chat/app/roundtable/persona"
)

// Whatever changes meta.json derives its status from the deployment's own phases
// (FR-102, FR-009).
func TestStatusFollowsTheCatalogue(t *testing.T) {
	e := &Engine{opt: Options{Catalogue: func() analysis.Catalogue {
		return analysis.Catalogue{Phases: []analysis.Phase{{Phase: persona.Phase{Key: "10-discovery"}}, {Phase: persona.Phase{Key: "20-delivery"}}}}
	}}}
	const half, whole = `{"phases_completed":["10-discovery"]}`, `{"phases_completed":["10-discovery","20-delivery"]}`
	ended := roundtable.WriteDocuments{Key: "D1/e", Record: roundtable.Record{StepID: "10-01", TurnCount: 3, Timestamp: time.Unix(0, 0), Summary: "Agreed."}}
	tests := []struct {
		name   string
		m      matter
		effect effect
		meta   string
		want   document.Status
	}{
		{"a phase", &analysisMatter{e: e}, analysis.Record{Key: "A1/r", Phases: []string{"20-delivery"}}, half, document.StatusAnalyzed},
		{"a step", &analysisMatter{e: e}, analysis.Record{Key: "A1/r", Step: "10-01"}, half, document.StatusPartial},
		{"an elaboration", &discussionMatter{e: e}, ended, whole, document.StatusAnalyzed},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w, _ := tt.m.writing(tt.effect)
			change, _, err := w.merge(Item{Meta: []byte(tt.meta)}, func() error { return nil })
			if err != nil {
				t.Fatal(err)
			}
			meta, err := document.ParseMeta(change.Meta)
			if err != nil || meta.AnalysisStatus() != tt.want {
				t.Errorf("got %s, %v, want status %s", change.Meta, err, tt.want)
			}
		})
	}
}
