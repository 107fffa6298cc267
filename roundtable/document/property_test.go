package document

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

// topHeading is a heading as goldmark alone sees it, apart from the outline
// that Merge works with.
type topHeading struct {
	Level int
	Raw   string
	At    int
}

func topHeadings(doc []byte) []topHeading {
	start := 0
	if bytes.HasPrefix(doc, []byte(byteOrderMark)) {
		start = len(byteOrderMark)
	}
	start += frontMatterLength(doc[start:])
	doc = doc[start:]
	var found []topHeading
	root := goldmark.New().Parser().Parse(text.NewReader(doc))
	for n := root.FirstChild(); n != nil; n = n.NextSibling() {
		if h, ok := n.(*ast.Heading); ok {
			found = append(found, topHeading{h.Level, string(h.Lines().Value(doc)), start + lineStart(doc, h.Pos())})
		}
	}
	return found
}

// checkMerge fails the test unless merged, made of old, keeps I8 and NFR-004.
func checkMerge(t *testing.T, old, merged []byte, change Change) {
	t.Helper()
	p, q := change.Offset, change.Offset+change.Length
	if p < 0 || p > len(old) || q > len(merged) || change.Length <= 0 {
		t.Fatalf("change %+v does not fit %d and %d bytes", change, len(old), len(merged))
	}
	if !bytes.Equal(merged[:p], old[:p]) || !bytes.Equal(merged[q:], old[p:]) {
		t.Fatalf("not a single splice at %d:\nold    %q\nmerged %q", p, old, merged)
	}
	before := topHeadings(old)
	var kept, own []topHeading
	for _, h := range topHeadings(merged) {
		switch {
		case h.At < p:
			kept = append(kept, h)
		case h.At >= q:
			h.At -= change.Length
			kept = append(kept, h)
		default:
			own = append(own, h)
		}
	}
	if diff := cmp.Diff(before, kept); diff != "" {
		t.Fatalf("headings changed (-old +merged):\n%s\nold    %q\nmerged %q", diff, old, merged)
	}
	checkPlace(t, old, merged, change, own)
	if inserted := string(merged[p:q]); lineEnding(old) == "\r\n" {
		if strings.Count(inserted, "\n") != strings.Count(inserted, "\r\n") {
			t.Fatalf("line endings of %q do not follow the document", inserted)
		}
	} else if strings.Contains(inserted, "\r") {
		t.Fatalf("line endings of %q do not follow the document", inserted)
	}
}

// checkPlace recomputes where the named section ends and compares.
func checkPlace(t *testing.T, old, merged []byte, change Change, own []topHeading) {
	t.Helper()
	if change.Placement != InSection {
		if change.Offset != len(old) {
			t.Fatalf("a new section at %d of %d bytes", change.Offset, len(old))
		}
		return
	}
	headings := topHeadings(old)
	for i, h := range headings {
		end := len(old)
		for _, next := range headings[i+1:] {
			if next.Level <= h.Level {
				end = next.At
				break
			}
		}
		if end != change.Offset {
			continue
		}
		deeper := true
		for _, o := range own {
			deeper = deeper && o.Level > h.Level
		}
		if deeper {
			return
		}
	}
	t.Fatalf("inserted at %d, where no section ends, or above the section:\n%s", change.Offset, merged)
}

// TestMergeKeepsEverything is the property of NFR-004 and I8 on documents
// nobody wrote: a single splice, the same headings, one place, written once.
func TestMergeKeepsEverything(t *testing.T) {
	documents := 10_000
	if testing.Short() {
		documents = 1_000
	}
	placements := map[Placement]int{}
	refused := 0
	for seed := range uint64(documents) {
		g := newGenerator(seed)
		old, in := []byte(g.document()), g.insertion()
		merged, change, err := Merge(old, in)
		if errors.Is(err, ErrNoSafePlace) {
			refused++
			t.Logf("seed %d: no safe place in %q for %q", seed, old, in.Body)
			continue
		}
		if errors.Is(err, ErrNothingToAdd) {
			continue
		}
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		placements[change.Placement]++
		checkMerge(t, old, merged, change)
		if !strings.Contains(string(merged), in.marker()) {
			t.Fatalf("seed %d: no marker in %q", seed, merged)
		}
		again, second, err := MergeOnce(merged, in)
		if err != nil || second.Placement != AlreadyThere || !bytes.Equal(again, merged) {
			t.Fatalf("seed %d: repeated: %+v, %v, changed %v\n%s", seed, second, err, !bytes.Equal(again, merged), merged)
		}
	}
	t.Logf("%d documents: %v, refused %d", documents, placements, refused)
	if refused*1000 > documents {
		t.Errorf("refused %d of %d documents, want at most 1 in 1000", refused, documents)
	}
	for _, p := range []Placement{InSection, NewSection, NewDocument} {
		if placements[p] < documents/200 {
			t.Errorf("placement %s only %d times: the generator no longer covers it", p, placements[p])
		}
	}
}
