package document

import (
	"bytes"
	"strings"
)

// Written is what insertions for a step have left in a Markdown document, in the
// order in which it stands there, without markers. It is empty if there is nothing,
// or if the document cannot be read.
func Written(doc []byte, stepID string) string {
	start := markerStart + stepID + ","
	if !isText(doc) || !bytes.Contains(doc, []byte(start)) {
		return ""
	}
	o, err := parseOutline(doc)
	if err != nil {
		return ""
	}
	var parts []string
	for i, b := range o.blocks {
		if !strings.HasPrefix(b.marker, start) {
			continue
		}
		_, from := nextLine(doc, b.start)
		if text := bytes.TrimSpace(doc[from:o.insertionEnd(i)]); len(text) > 0 {
			parts = append(parts, string(text))
		}
	}
	return strings.Join(parts, "\n\n")
}

// insertionEnd is where the insertion ends whose marker is at index i of blocks: at
// the next insertion, or at the next heading that is above its own first one. An
// insertion without headings ends at any.
func (o *outline) insertionEnd(i int) int {
	first := 0
	if i+1 < len(o.blocks) {
		first = o.blocks[i+1].level
	}
	for _, b := range o.blocks[i+1:] {
		if b.marker != "" || b.level > 0 && (first == 0 || b.level < first) {
			return b.start
		}
	}
	return len(o.source)
}
