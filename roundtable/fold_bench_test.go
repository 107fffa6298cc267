package roundtable

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/roundtable-chat/app/roundtable/thread"
)

// BenchmarkReadTranscript is the fold of a log of so many human turns with one
// answer each.
func BenchmarkReadTranscript(b *testing.B) {
	for _, turns := range []int{10, 400} {
		var log []thread.Entry
		for i := range turns {
			ts, key := fmt.Sprintf("1700000000.%06d", i), fmt.Sprintf("d/m:%d/0/c-lead/0", i)
			log = append(log,
				thread.Entry{Kind: thread.EntryTurn, At: time.Unix(int64(i), 0), Turn: 2*i + 1, Person: &thread.Person{ID: "U1", Name: "Priya"}, TS: ts, Text: "Alex, what breaks first when the network comes and goes?"},
				thread.Entry{Kind: thread.EntryTurn, At: time.Unix(int64(i), 0), Turn: 2*i + 2, Persona: "lead", Key: key, Text: "The queue, because nobody bounds it."},
				thread.Entry{Kind: thread.EntryPosted, Key: key, TS: fmt.Sprintf("1700000001.%06d", i)})
		}
		b.Run(fmt.Sprint(turns), func(b *testing.B) {
			b.ReportAllocs()
			for range b.N {
				thread.ReadTranscript(log)
			}
		})
	}
}

// TestFullLogIsReadCheaply bounds what a replica allocates to read and fold a log that is
// as full as logs get: a claim of it is no event (NFR-004).
func TestFullLogIsReadCheaply(t *testing.T) {
	var lines [][]byte
	var v thread.Volume
	text := strings.Repeat("x", thread.MaxBytes/thread.MaxEntries-thread.EntryBytes-8)
	for i := 0; ; i++ {
		by := person(fmt.Sprint("P", i%5))
		e := thread.Entry{Kind: thread.EntryTurn, Turn: i/2 + 1, Person: &by, TS: fmt.Sprintf("17637156%02d.%06d", i/1_000_000, i), Text: text}
		if v.Add(e); v.Extent().Bytes > thread.MaxBytes || i == thread.MaxEntries {
			break
		}
		line, err := thread.EncodeEntry("D1", e)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, line)
	}
	got := testing.Benchmark(func(b *testing.B) {
		b.ReportAllocs()
		for range b.N {
			log, err := thread.DecodeLog("D1", lines)
			if err != nil {
				b.Fatal(err)
			}
			thread.ReadTranscript(log)
		}
	})
	t.Logf("%d entries of %d bytes: %d bytes in %d allocations", len(lines), v.Extent().Bytes, got.AllocedBytesPerOp(), got.AllocsPerOp())
	if most := int64(6 * thread.MaxBytes); got.AllocedBytesPerOp() > most {
		t.Errorf("reading a full log takes %d bytes, want at most %d", got.AllocedBytesPerOp(), most)
	}
}
