package engine

import (
	"encoding/json"
	"fmt"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/analysis"
	"github.com/roundtable-chat/app/roundtable/document"
)

// fillItem makes the change of an item that a step of an analysis leaves in the
// artifacts. If one of them cannot take it, none does.
func fillItem(item Item, e analysis.Write) (ItemWrite, []roundtable.ArtifactChange, error) {
	w := ItemWrite{Version: item.Version, Key: e.Key, Files: make(map[string][]byte)}
	files, changes, err := analysis.Fill(func(name string) ([]byte, bool) {
		text, ok := item.Files[name]
		return text, ok
	}, e)
	if err != nil {
		return w, nil, err
	}
	for _, f := range files {
		w.Files[f.Name] = f.Content
	}
	if w.Result, err = json.Marshal(changes); err != nil {
		return w, nil, fmt.Errorf("encode the changes: %w", err)
	}
	return w, changes, nil
}

// recordStep makes the change of an item's meta.json that says what is done. A
// broken meta.json is never overwritten.
func recordStep(item Item, e analysis.Record, fresh document.Item, phases []string) (ItemWrite, []roundtable.ArtifactChange, error) {
	w := ItemWrite{Version: item.Version, Key: e.Key, Result: []byte("[]")}
	meta, err := metaOf(item, fresh, phases)
	if err != nil {
		return w, nil, err
	}
	if err := e.Apply(meta); err != nil {
		return w, nil, err
	}
	w.Meta = meta.Bytes()
	return w, nil, nil
}
