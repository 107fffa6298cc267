package document

import (
	"bytes"
	"errors"
	"testing"
)

// FuzzMerge: whatever the document and the body, the result is a single splice
// that keeps every heading (I8, NFR-004), or a refusal.
func FuzzMerge(f *testing.F) {
	for seed := range uint64(40) {
		g := newGenerator(seed)
		in := g.insertion()
		f.Add([]byte(g.document()), in.Title, in.Body)
	}
	f.Fuzz(func(t *testing.T, old []byte, title, body string) {
		in := Insertion{Title: title, Keywords: []string{"risk"}, StepID: "01-03", Time: testTime, Body: body}
		merged, change, err := Merge(old, in)
		switch {
		case errors.Is(err, ErrNothingToAdd), errors.Is(err, ErrNoTitle), errors.Is(err, ErrNoSafePlace):
			return
		case err != nil:
			t.Fatal(err)
		}
		checkMerge(t, old, merged, change)
		again, second, err := MergeOnce(merged, in)
		if err != nil || second.Placement != AlreadyThere || !bytes.Equal(again, merged) {
			t.Fatalf("repeated: %+v, %v", second, err)
		}
	})
}
