package engine

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/document"
)

// merge makes the one change of an item that a discussion leaves behind: every
// output of the step takes the synthesis (FR-008), and meta.json takes the record
// (FR-009). If any of it cannot be done, none is: what is recorded was written
// (seed 004 §5.5), and a broken meta.json is never overwritten.
func merge(item Item, e roundtable.Enrich, d roundtable.Discussion, phases []string) (ItemWrite, []roundtable.ArtifactChange, error) {
	w := ItemWrite{Version: item.Version, Key: d.ID, Files: make(map[string][]byte)}
	in := document.Insertion{
		Title: d.Step.Title, Keywords: append([]string{d.Topic}, d.Step.Sections...), StepID: d.Step.ID,
		Time: isoTime(e.Record.Timestamp), Body: e.Markdown,
		Another: true, // what was written under our key is not merged again
	}
	lookup := func(name string) ([]byte, bool) {
		if text, ok := w.Files[name]; ok {
			return text, true // an output named twice, or the note beside another
		}
		text, ok := item.Files[name]
		return text, ok
	}
	changes := []roundtable.ArtifactChange{}
	for _, output := range e.Outputs {
		files, err := document.Enrich(lookup, output, in)
		if err != nil {
			return w, nil, err
		}
		for _, f := range files {
			w.Files[f.Name] = f.Content
			changes = append(changes, roundtable.ArtifactChange{
				File: f.Name, Section: f.Change.Heading, Added: roundtable.SayAdded(d.Outcome),
				Created: f.Change.Placement == document.NewDocument,
			})
		}
	}
	var err error
	if w.Meta, err = recorded(item, e, d, phases); err != nil {
		return w, nil, err
	}
	if w.Result, err = json.Marshal(changes); err != nil {
		return w, nil, fmt.Errorf("encode the changes: %w", err)
	}
	return w, changes, nil
}

// recorded is meta.json with the record. A discussion that ended before its
// framing has no turn and so no record: the schema knows none without (seed 002
// §2.3).
func recorded(item Item, e roundtable.Enrich, d roundtable.Discussion, phases []string) ([]byte, error) {
	if e.Record.TurnCount < 1 {
		return nil, nil
	}
	meta, err := metaOf(item, document.Item{Slug: d.Item, CreatedAt: isoTime(d.Opened)}, phases)
	if err != nil {
		return nil, err
	}
	personas := make([]string, len(e.Record.Personas))
	for i, p := range e.Record.Personas {
		personas[i] = string(p)
	}
	err = meta.AppendAnotherElaboration(document.Record{
		StepID: e.Record.StepID, TurnCount: e.Record.TurnCount, PersonasActive: personas,
		Timestamp: isoTime(e.Record.Timestamp), SynthesisSummary: e.Record.Summary,
	})
	if err != nil {
		return nil, fmt.Errorf("record in meta.json: %w", err)
	}
	return meta.Bytes(), nil
}

// metaOf is an item's meta.json, or a fresh one, whose status follows from phases.
func metaOf(item Item, fresh document.Item, phases []string) (*document.Meta, error) {
	meta := document.NewMeta(fresh)
	if item.Meta != nil {
		var err error
		if meta, err = document.ParseMeta(item.Meta); err != nil {
			return nil, fmt.Errorf("read meta.json: %w", err)
		}
	}
	meta.Measure(phases)
	return meta, nil
}

func isoTime(t time.Time) string { return t.UTC().Format(time.RFC3339) }
