package invariant

import (
	"bytes"
	"slices"
	"strings"

	"github.com/roundtable-chat/app/roundtable/document"
	"github.com/roundtable-chat/app/roundtable/engine"
)

// documents: nothing is ever lost from one, no record goes, and what a discussion came to is
// there once (I8).
func (c *checker) documents() {
	for _, w := range c.Writes {
		for name, old := range w.Before.Files {
			if !subsequence(old, w.After.Files[name]) {
				c.broken("I8", "%s lost bytes", name)
			}
		}
		before, err := records(w.Before.Meta)
		if err != nil {
			continue // a person broke it before
		}
		after, err := records(w.After.Meta)
		switch {
		case err != nil:
			c.broken("I8", "meta.json cannot be read: %v", err)
		case len(after) < len(before):
			c.broken("I8", "meta.json went from %d to %d records", len(before), len(after))
		}
	}
	if n := len(c.Writes); n > 0 && c.Ended == nil {
		c.once(c.Writes[n-1].After)
	} else if n > 0 {
		c.complete(c.Writes[n-1].After)
	}
}

// once: nothing that was merged into a document, and no record, is there twice.
func (c *checker) once(item engine.Item) {
	for name, text := range item.Files {
		seen := make(map[string]bool)
		for _, m := range markers(text) {
			if seen[m] {
				c.broken("I8", "%s took %q twice", name, m)
			}
			seen[m] = true
		}
	}
	if !c.Apart {
		return
	}
	all, _ := records(item.Meta) // what cannot be read is judged already
	for i, r := range all {
		if slices.ContainsFunc(all[:i], func(o document.Record) bool { return o.StepID == r.StepID && o.Timestamp == r.Timestamp }) {
			c.broken("I8", "step %s at %s is recorded twice", r.StepID, r.Timestamp)
		}
	}
}

// complete: every discussion that ended has its record and its blocks, and nothing has more.
func (c *checker) complete(item engine.Item) {
	blocks, recorded := make(map[string]int), 0
	for _, d := range c.Ended {
		if d.Turns > 0 {
			recorded++
		}
		for _, change := range d.Changes {
			blocks[change.File]++
		}
		if _, written := item.Applied[d.ID]; d.Enriching != "" && !written {
			c.broken("I8", "nothing of discussion %s was written", d.ID)
		}
	}
	for name, want := range blocks {
		if got := bytes.Count(item.Files[name], []byte(blockMark)); got != want {
			c.broken("I8", "%s has %d blocks of %d discussions", name, got, want)
		}
	}
	if all, err := records(item.Meta); err == nil && len(all) != recorded {
		c.broken("I8", "meta.json has %d records of %d discussions", len(all), recorded)
	}
}

// records are the records of a meta.json; one that is not there has none.
func records(meta []byte) ([]document.Record, error) {
	if meta == nil {
		return nil, nil
	}
	m, err := document.ParseMeta(meta)
	if err != nil {
		return nil, err
	}
	return m.Elaborations(), nil
}

// blockMark begins the trace of what was merged into a document.
const blockMark = "<!-- Elaboration:"

// markers are the traces of what was merged into a document, each with the first
// lines below it: a step and its elaboration may be written in the same second.
func markers(text []byte) []string {
	var found []string
	open, lines := -1, 0
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, blockMark):
			found = append(found, line)
			open, lines = len(found)-1, 3
		case lines > 0 && line != "":
			found[open] += " " + line
			lines--
		}
	}
	return found
}

// subsequence reports whether next holds all bytes of old in their order.
func subsequence(old, next []byte) bool {
	i := 0
	for _, b := range next {
		if i < len(old) && old[i] == b {
			i++
		}
	}
	return i == len(old)
}
