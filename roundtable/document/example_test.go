package document_test

import (
	"fmt"

	"github.com/roundtable-chat/app/roundtable/document"
)

func ExampleMerge() {
	spec := "# Requirements\n\n## User Journeys\n\nThree journeys.\n\n## Risks\n"
	merged, change, err := document.Merge([]byte(spec), document.Insertion{
		Title:  "User Experience & Journeys",
		StepID: "01-03",
		Time:   "2026-11-21T09:00:00Z",
		Body:   "### Elaboration Insights\n- [Maya] Show the queue while offline.",
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s: %q\n%s", change.Placement, change.Heading, merged)
	// Output:
	// section: "User Journeys"
	// # Requirements
	//
	// ## User Journeys
	//
	// Three journeys.
	//
	// <!-- Elaboration: step 01-03, 2026-11-21T09:00:00Z -->
	//
	// ### Elaboration Insights
	//
	// - [Maya] Show the queue while offline.
	//
	// ## Risks
}

func ExampleMeta_AppendElaboration() {
	meta, err := document.ParseMeta([]byte(`{"slug": "offline", "team": "blue"}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	added, err := meta.AppendElaboration(document.Record{StepID: "01-03", TurnCount: 7,
		PersonasActive: []string{"business-analyst"}, Timestamp: "2026-11-21T09:00:00Z", SynthesisSummary: "Agreed on a queue"})
	fmt.Println(added, err, len(meta.Elaborations()), meta.AnalysisStatus())
	// Output: true <nil> 1 raw
}

func ExampleSlug() {
	fmt.Println(document.Slug("Über-Offline Mode (v2)"))
	// Output: uber-offline-mode-v2
}
