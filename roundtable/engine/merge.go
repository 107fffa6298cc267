package engine

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/document"
)

// merge makes the one change of an item that a discussion leaves behind: every
// output of the step takes the synthesis, and meta.json takes the record. If any
// of it cannot be done, none is (NFR-004).
func merge(item Item, e roundtable.Enrich, d roundtable.Discussion) (ItemWrite, []roundtable.ArtifactChange, error) {
	w := ItemWrite{Version: item.Version, Key: e.Key, Files: make(map[string][]byte)}
	in := document.Insertion{
		DocumentTitle: d.ItemTitle, Title: d.Step.Title, StepID: d.Step.ID,
		Time: e.Record.Timestamp.UTC().Format(time.RFC3339), Body: e.Markdown,
	}
	changes := []roundtable.ArtifactChange{}
	for _, name := range e.Outputs {
		old, existed := item.Files[name]
		text, change, err := document.MergeOnce(old, in)
		if err != nil {
			return w, nil, fmt.Errorf("%s: %w", name, err)
		}
		w.Files[name] = text
		changes = append(changes, roundtable.ArtifactChange{File: name, Section: change.Heading, Added: e.Record.Summary, Created: !existed})
	}
	var err error
	if w.Result, err = json.Marshal(changes); err != nil {
		return w, nil, fmt.Errorf("encode the changes: %w", err)
	}
	return w, changes, nil
}
