package document_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/roundtable-chat/app/roundtable/document"
	"github.com/roundtable-chat/app/roundtable/intricate"
)

func outcome() document.Insertion {
	return document.Insertion{
		Title: "Risks", StepID: "03-02", Time: "2026-11-16T09:00:00Z", Another: true,
		Body: "#### Decisions Made\n\n- [Maya] We ship on Friday\n",
	}
}

// TestIntricateDocumentTakesANoteBeside writes documents that a parser would be busy
// with for seconds or minutes: they stay as they are, and nothing is lost (NFR-004, I8).
func TestIntricateDocumentTakesANoteBeside(t *testing.T) {
	for _, unit := range []string{"[a](", "[a](b(c(", "[](", ">", "- ", "*a_ "} {
		for _, n := range []int{40_000, 200_000, 1 << 20} {
			old := []byte("# Notes\n\n## Risks\n\n" + strings.Repeat(unit, n/len(unit)) + "\n")
			var got []document.FileChange
			var err error
			allocated := intricate.Allocated(func() { got, err = document.Enrich(only("notes.md", old), "notes.md", outcome()) })
			if err != nil || len(got) != 1 || got[0].Name != "notes.md"+document.NoteSuffix || !bytes.Contains(got[0].Content, []byte("We ship on Friday")) {
				t.Fatalf("%d bytes of %q: got %s, %v, want a note beside it", n, unit, names(got), err)
			}
			if most := uint64(4*len(old) + 1<<20); allocated > most {
				t.Errorf("%d bytes of %q: %d bytes were allocated to leave it alone, the most is %d", n, unit, allocated, most)
			}
		}
	}
}

// TestLongDocumentTakesANoteBeside does not read what is longer than any document.
func TestLongDocumentTakesANoteBeside(t *testing.T) {
	old := []byte("# Notes\n\n## Risks\n\n" + strings.Repeat("A plain sentence.\n\n", 60_000))
	got, err := document.Enrich(only("notes.md", old), "notes.md", outcome())
	if err != nil || len(got) != 1 || got[0].Name != "notes.md"+document.NoteSuffix {
		t.Errorf("got %s, %v, want a note beside it", names(got), err)
	}
}

// TestIntricateBodyIsLiteral merges what would keep a parser busy, and what is intricate
// reads in the document as somebody wrote it.
func TestIntricateBodyIsLiteral(t *testing.T) {
	old := []byte("# Notes\n\n## Risks\n\nNone.\n\n## Later\n\nNothing.\n")
	in := outcome()
	in.Body = "- [Maya] first **of** all\n\n" + strings.Repeat("[](", 12_900) + "\n\n- [Alex] last\n"
	got, change, err := document.Merge(old, in)
	if err != nil {
		t.Fatal(err)
	}
	if whole := append(bytes.Clone(got[:change.Offset]), got[change.Offset+change.Length:]...); !bytes.Equal(whole, old) {
		t.Error("the old document is not what stands around the insertion (I8)")
	}
	added := string(got[change.Offset : change.Offset+change.Length])
	for _, want := range []string{"first **of** all", strings.Repeat(`\[\](`, 12_900), "last"} {
		if !strings.Contains(added, want) {
			t.Errorf("%.40q is missing", want)
		}
	}
}

// TestMergeProceedsOnlyWhileItMay counts how often a merge asks, and stops it each time.
func TestMergeProceedsOnlyWhileItMay(t *testing.T) {
	old := []byte("# Notes\n\n## Risks\n\nNone.\n")
	over, asked := errors.New("over"), 0
	in := outcome()
	in.Proceed = func() error { asked++; return nil }
	if _, _, err := document.Merge(old, in); err != nil || asked < 2 {
		t.Fatalf("asked %d times, %v, want at least once for the old text and once for the new", asked, err)
	}
	for after := range asked {
		n := 0
		in.Proceed = func() error {
			if n++; n > after {
				return over
			}
			return nil
		}
		if got, err := document.Enrich(only("notes.md", old), "notes.md", in); !errors.Is(err, over) || got != nil {
			t.Errorf("stopped after %d readings: got %s, %v", after, names(got), err)
		}
	}
}

// TestMergeAllocatesLinearly merges into documents of every shape, and every shape into
// a document; both keep every byte of the old one (I8).
func TestMergeAllocatesLinearly(t *testing.T) {
	plain := []byte("# Notes\n\n## Risks\n\nNone.\n\n## Later\n\nNothing.\n")
	intricate.Linear(t, 4_000, 1<<20, func(text string) {
		for _, name := range []string{"a.md", "a.json", "a.csv"} {
			old := []byte(text)
			in := outcome()
			files, err := document.Enrich(only(name, old), name, in)
			if err != nil {
				t.Errorf("%s of %.20q: %v", name, text, err)
			}
			for _, f := range files {
				if f.Name == name && !subsequence(old, f.Content) {
					t.Errorf("%s of %.20q lost something", name, text)
				}
			}
		}
		in := outcome()
		in.Body = text
		if got, _, err := document.Merge(plain, in); err == nil && !subsequence(plain, got) {
			t.Errorf("%.20q took something away", text)
		}
		document.AppendRows([]byte(text), []string{"a", "b"}, [][]string{{text, "c"}})
		if m, err := document.ParseMeta([]byte(text)); err == nil {
			_ = m.AppendAnotherElaboration(document.Record{StepID: "01-01", TurnCount: 1, Timestamp: "2026-11-16T09:00:00Z", SynthesisSummary: "x"})
		}
		document.Slug(text)
	})
}

// BenchmarkMerge shows the cost per byte of merging into documents of every shape.
func BenchmarkMerge(b *testing.B) {
	intricate.Bench(b, []int{1_000, 10_000, 40_000, 1 << 20}, func(text string) {
		_, _ = document.Enrich(only("a.md", []byte(text)), "a.md", outcome())
	})
}

// BenchmarkInsertion shows the cost per byte of what is merged.
func BenchmarkInsertion(b *testing.B) {
	plain := []byte("# Notes\n\n## Risks\n\nNone.\n")
	intricate.Bench(b, []int{1_000, 10_000, 40_000}, func(text string) {
		in := outcome()
		in.Body = text
		_, _, _ = document.Merge(plain, in)
	})
}

// BenchmarkData shows the cost per byte of reading JSON, CSV and names.
func BenchmarkData(b *testing.B) {
	intricate.Bench(b, []int{1_000, 10_000, 40_000, 1 << 20}, func(text string) {
		_, _ = document.Enrich(only("a.json", []byte(text)), "a.json", outcome())
		_, _ = document.AppendRows([]byte(text), []string{"a", "b"}, [][]string{{"c", "d"}})
		_, _ = document.ParseMeta([]byte(text))
		document.Slug(text)
	})
}

// only is an item with one file.
func only(name string, content []byte) func(string) ([]byte, bool) {
	return func(wanted string) ([]byte, bool) {
		if wanted == name {
			return content, true
		}
		return nil, false
	}
}

func names(files []document.FileChange) string {
	var b strings.Builder
	for _, f := range files {
		fmt.Fprintf(&b, "%s (%d bytes) ", f.Name, len(f.Content))
	}
	return b.String()
}

// subsequence reports whether all bytes of old stand in text, in order.
func subsequence(old, text []byte) bool {
	for _, c := range text {
		if len(old) > 0 && old[0] == c {
			old = old[1:]
		}
	}
	return len(old) == 0
}
