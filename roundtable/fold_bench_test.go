package roundtable

import (
	"fmt"
	"testing"
	"time"
)

// BenchmarkReadTranscript is the fold of a log of so many human turns with one
// answer each.
func BenchmarkReadTranscript(b *testing.B) {
	for _, turns := range []int{10, 400} {
		var log []Entry
		for i := range turns {
			ts, key := fmt.Sprintf("1700000000.%06d", i), fmt.Sprintf("d/m:%d/0/c-lead/0", i)
			log = append(log,
				Entry{Kind: EntryTurn, At: time.Unix(int64(i), 0), Turn: 2*i + 1, Person: &Person{ID: "U1", Name: "Priya"}, TS: ts, Text: "Alex, what breaks first when the network comes and goes?"},
				Entry{Kind: EntryTurn, At: time.Unix(int64(i), 0), Turn: 2*i + 2, Persona: "lead", Key: key, Text: "The queue, because nobody bounds it."},
				Entry{Kind: EntryPosted, Key: key, TS: fmt.Sprintf("1700000001.%06d", i)})
		}
		b.Run(fmt.Sprint(turns), func(b *testing.B) {
			b.ReportAllocs()
			for range b.N {
				ReadTranscript(log)
			}
		})
	}
}
