package thread

import (
	"fmt"
	"runtime"
	"testing"
)

// markedLog is a log of so many turns of people and as many answers, in which somebody marked
// one message, and the entry by which they take that back.
func markedLog(turns int) (log []Entry, taken Entry) {
	priya, sam := Person{ID: "UPriya", Name: "Priya"}, Person{ID: "USam", Name: "Sam"}
	for i := range turns {
		key := fmt.Sprint("d/m:", i, "/0/c-lead/0")
		log = append(log,
			Entry{Kind: EntryTurn, Turn: 2*i + 1, Person: &priya, TS: fmt.Sprint("1.", i), Text: "What breaks first?"},
			Entry{Kind: EntryTurn, Turn: 2*i + 2, Persona: "lead", Key: key, Text: "The queue."},
			Entry{Kind: EntryPosted, Key: key, TS: fmt.Sprint("2.", i)})
	}
	mark := Mark{Kind: MarkDecision, By: sam, TS: "1.1", Emoji: "white_check_mark"}
	return append(log, Entry{Kind: EntryMark, Mark: &mark}), Entry{Kind: EntryUnmark, Mark: &mark}
}

// BenchmarkAuditOfAMark is what the audit record costs of one mark that is taken back: what was
// decided before it and what stands since.
func BenchmarkAuditOfAMark(b *testing.B) {
	for _, turns := range []int{10, 400} {
		log, taken := markedLog(turns)
		b.Run(fmt.Sprint(turns), func(b *testing.B) {
			b.ReportAllocs()
			for range b.N {
				AuditsOf(taken, DecidedAt(log, taken), DecidedAt(log, taken))
			}
		})
	}
}

// A mark costs a replica no more memory in a long discussion than in a short one.
func TestTheAuditOfAMarkIsBounded(t *testing.T) {
	const times = 100
	cost := func(turns int) uint64 {
		log, taken := markedLog(turns)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range times {
			AuditsOf(taken, DecidedAt(log, taken), DecidedAt(log, taken))
		}
		runtime.ReadMemStats(&after)
		return (after.TotalAlloc - before.TotalAlloc) / times
	}
	if short, long := cost(10), cost(400); long > 2*short {
		t.Errorf("a mark in a log of 400 turns takes %d bytes, in one of 10 %d", long, short)
	}
}
