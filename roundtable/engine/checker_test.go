package engine_test

import (
	"slices"
	"testing"
	"time"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/document"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/engine/enginetest"
)

// reading is evidence and the one invariant that it breaks, or none.
type reading struct {
	name     string
	evidence enginetest.Evidence
	want     string
}

// The checker notices what breaks I1, I2, I3, I4, I5, I6, I7, I8, I9, I10, I11, I12, FR-111
// or the pace. Every row breaks one of them, once: a check that is left out leaves its row
// without a violation.
func TestCheckerReads(t *testing.T) {
	tests := slices.Concat(
		readingsOfInputs(), readingsOfPosts(), readingsOfTurns(), readingsOfStates(), readingsOfItems(t),
		readingsOfTimers(), readingsOfStandstill(), readingsOfTexts(), readingsOfPace(),
		readingsOfActs(),
	)
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if test.evidence.Discussion.ID == "" {
				test.evidence.Discussion = closed(0)
			}
			var want []string
			if test.want != "" {
				want = []string{test.want}
			}
			var got []string
			found := enginetest.Check(test.evidence)
			for _, v := range found {
				got = append(got, v.Invariant)
			}
			if !slices.Equal(got, want) {
				t.Errorf("got %v, want %v", found, want)
			}
		})
	}
}

// closed is a discussion that ended in good order after so many turns.
func closed(turns int) roundtable.Discussion {
	return roundtable.Discussion{ID: "D1", State: roundtable.StateClosed, Turns: turns, Settings: roundtable.Settings{MaxTurns: 4}}
}

// readingsOfInputs are about what people did (I1, I2).
func readingsOfInputs() []reading {
	pressed := []enginetest.Sent{{Input: roundtable.Input{ID: "b:1", Event: roundtable.Pressed{}}}}
	said := []enginetest.Sent{{Input: roundtable.Input{ID: "m:1.000001", Event: roundtable.Said{TS: "1.000001"}}}}
	line := roundtable.Entry{Kind: roundtable.EntryLine, Person: &roundtable.Person{ID: "U1"}, TS: "1.000001"}
	parked := func(reason string) []engine.DeadLetter {
		return []engine.DeadLetter{{Mail: engine.Mail{ID: "b:1"}, Reason: reason}}
	}
	return []reading{
		{"a message in the log", enginetest.Evidence{Sent: said, Entries: []roundtable.Entry{line}}, ""},
		{"a message nowhere", enginetest.Evidence{Sent: said}, "I1"},
		{"a message that need not be anywhere", enginetest.Evidence{Sent: []enginetest.Sent{{Input: said[0].Input, Unlogged: true}}}, ""},
		{"a message in the log twice", enginetest.Evidence{Sent: said, Entries: []roundtable.Entry{line, line}}, "I2"},
		{"an input taken in", enginetest.Evidence{Sent: pressed, Consumed: []string{"b:1"}}, ""},
		{"an input never taken in", enginetest.Evidence{Sent: pressed, Consumed: []string{}}, "I1"},
		{"an input put aside with a reason", enginetest.Evidence{Sent: pressed, Consumed: []string{}, Parked: parked("unreadable")}, ""},
		{"an input put aside without one", enginetest.Evidence{Sent: pressed, Consumed: []string{}, Parked: parked("")}, "I1"},
		{"an input taken in twice", enginetest.Evidence{Sent: pressed, Consumed: []string{"b:1", "b:1"}}, "I2"},
		{"a message by which nobody is found", enginetest.Evidence{Unfound: []string{"1.000001"}}, "I1"},
		{"an input taken in and put aside", enginetest.Evidence{Sent: pressed, Consumed: []string{"b:1"}, Parked: parked("unreadable")}, "I2"},
	}
}

// readingsOfPosts are about what stands in the thread (I3), in which order (I4), and
// who was at it (I7).
func readingsOfPosts() []reading {
	post := func(key, ts string) enginetest.Message { return enginetest.Message{Key: key, TS: ts} }
	spoken := func(key string) roundtable.Entry { return roundtable.Entry{Kind: roundtable.EntryLine, Key: key} }
	receipt := func(key, ts string) roundtable.Entry {
		return roundtable.Entry{Kind: roundtable.EntryPosted, Key: key, TS: ts}
	}
	unknown := enginetest.Message{Key: "D1/a", TS: "1.000001", Message: roundtable.Message{Kind: roundtable.KindContribution}}
	two := []roundtable.Entry{spoken("D1/a"), spoken("D1/b"), receipt("D1/a", "1.000001"), receipt("D1/b", "1.000002")}
	refused := map[string]enginetest.Refusal{"D1/m:1/0": {Kind: roundtable.KindSynthesis, Reason: roundtable.ReasonMessageRefused}}
	shut := map[string]enginetest.Refusal{"D1/a": {Kind: roundtable.KindNotice, Reason: roundtable.ReasonNotInChannel}}
	return []reading{
		{"two posts as they should be", enginetest.Evidence{Entries: two, Slack: []enginetest.Message{post("D1/a", "1.000001"), post("D1/b", "1.000002")}}, ""},
		{"a post that stands twice", enginetest.Evidence{Slack: []enginetest.Message{post("D1/a", "1.000001"), post("D1/a", "1.000002")}}, "I3"},
		{"two receipts", enginetest.Evidence{Entries: []roundtable.Entry{receipt("D1/a", "1.000001"), receipt("D1/a", "1.000002")}}, "I3"},
		{"a receipt for another place", enginetest.Evidence{Entries: []roundtable.Entry{receipt("D1/a", "1.000002")}, Slack: []enginetest.Message{post("D1/a", "1.000001")}}, "I3"},
		{"in the log and not in Slack", enginetest.Evidence{Entries: two[:1]}, "I3"},
		{"the channel was shut, and the state does not say so", enginetest.Evidence{Entries: two[:1], Refused: shut}, "I3"},
		{"in Slack and not in the log", enginetest.Evidence{Slack: []enginetest.Message{unknown}}, "I3"},
		{"refused, and nothing said", enginetest.Evidence{Refused: refused}, "I3"},
		{"refused, and a notice in its place", enginetest.Evidence{Refused: refused, Slack: []enginetest.Message{post("D1/m:1/0/failed/0", "1.000002")}}, ""},
		{"the second before the first", enginetest.Evidence{Entries: two[:2], Slack: []enginetest.Message{post("D1/b", "1.000001"), post("D1/a", "1.000002")}}, "I4"},
		{"two posts under way at once", enginetest.Evidence{Overlaps: 1}, "I7"},
		{"somebody acted on what another had taken over", enginetest.Evidence{Intrusions: 1}, "I7"},
	}
}

// readingsOfTurns are about the counter of turns (I5).
func readingsOfTurns() []reading {
	turns := func(numbers ...int) (entries []roundtable.Entry) {
		for _, n := range numbers {
			entries = append(entries, roundtable.Entry{Kind: roundtable.EntryTurn, Turn: n})
		}
		return entries
	}
	return []reading{
		{"turns in parts", enginetest.Evidence{Discussion: closed(2), Entries: turns(1, 2, 2)}, ""},
		{"a turn left out", enginetest.Evidence{Discussion: closed(3), Entries: turns(1, 3)}, "I5"},
		{"a turn miscounted", enginetest.Evidence{Discussion: closed(3), Entries: turns(1, 2)}, "I5"},
		{"more turns than permitted in the end", enginetest.Evidence{Discussion: closed(5), Entries: turns(1, 2, 3, 4, 5)}, "I5"},
		{"more turns than permitted on the way", enginetest.Evidence{States: []roundtable.Discussion{closed(5)}}, "I5"},
	}
}

// readingsOfStates are about the way through the table (I6).
func readingsOfStates() []reading {
	through := func(states ...roundtable.State) (all []roundtable.Discussion) {
		for _, s := range states {
			all = append(all, roundtable.Discussion{ID: "D1", State: s})
		}
		return all
	}
	return []reading{
		{"forward", enginetest.Evidence{States: through(roundtable.States()...)}, ""},
		{"back to the loop", enginetest.Evidence{States: through(roundtable.StateDiscussionLoop, roundtable.StateSynthesis, roundtable.StateDiscussionLoop)}, "I6"},
		{"into no state at all", enginetest.Evidence{States: through("elsewhere")}, "I6"},
	}
}

// readingsOfItems are about what documents and records become (I8).
func readingsOfItems(t *testing.T) []reading {
	t.Helper()
	item := func(text string, meta []byte) engine.Item {
		return engine.Item{Files: map[string][]byte{"notes.md": []byte(text)}, Meta: meta}
	}
	changed := func(before, after engine.Item) enginetest.Evidence {
		return enginetest.Evidence{Writes: []enginetest.ItemChange{{Before: before, After: after}}}
	}
	meta := document.NewMeta(document.Item{Slug: "ledgers", CreatedAt: "2026-11-01T00:00:00Z"})
	empty := meta.Bytes()
	record := document.Record{StepID: "01-01", TurnCount: 7, PersonasActive: []string{"system-designer"}, Timestamp: "2026-11-01T01:00:00Z", SynthesisSummary: "One ledger."}
	if _, err := meta.AppendElaboration(record); err != nil {
		t.Fatal(err)
	}
	marker := "<!-- Elaboration: 01-01 -->\nOne ledger.\n"
	return []reading{
		{"a document that grows in its middle", changed(item("one\ntwo\n", empty), item("one\n"+marker+"two\n", meta.Bytes())), ""},
		{"a document that lost bytes", changed(item("one\ntwo\n", nil), item("one\n", nil)), "I8"},
		{"a document that is gone", changed(item("one\n", nil), engine.Item{}), "I8"},
		{"a record that is gone", changed(item("", meta.Bytes()), item("", empty)), "I8"},
		{"a document that took something twice", changed(item("", nil), item(marker+marker, nil)), "I8"},
	}
}

// readingsOfTimers are about when something stands that a wake-up caused (I9).
func readingsOfTimers() []reading {
	const due = "D1/w:2000-01-01T00:00:10Z/silence/0"
	post := func(key, ts string) []enginetest.Message { return []enginetest.Message{{Key: key, TS: ts}} }
	return []reading{
		{"when it was due", enginetest.Evidence{Slack: post(due, "946684810.000000")}, ""},
		{"before it was due", enginetest.Evidence{Slack: post(due, "946684809.999999")}, "I9"},
		{"when it was due by a clock that is ahead", enginetest.Evidence{Slack: post(due, "946684808.000000"), Skew: 2 * time.Second}, ""},
		{"before it was due by a clock that is behind", enginetest.Evidence{Slack: post(due, "946684811.000000"), Skew: -2 * time.Second}, "I9"},
		{"due at no time", enginetest.Evidence{Slack: post("D1/w:soon/silence/0", "946684810.000000")}, "I9"},
	}
}

// readingsOfStandstill are about how a discussion stopped (I10).
func readingsOfStandstill() []reading {
	in := func(state roundtable.State, change func(*roundtable.Discussion)) enginetest.Evidence {
		d := roundtable.Discussion{ID: "D1", State: state}
		if change != nil {
			change(&d)
		}
		return enginetest.Evidence{Discussion: d}
	}
	asked := func(d *roundtable.Discussion) { d.Ask = &roundtable.Ask{Key: "D1/ask"} }
	return []reading{
		{"never opened", in("", nil), "I10"},
		{"stopped in the loop, where people speak", in(roundtable.StateDiscussionLoop, nil), ""},
		{"stopped with a question to the panel", in(roundtable.StateDiscussionLoop, asked), "I10"},
		{"stopped with turns to answer", in(roundtable.StateDiscussionLoop, func(d *roundtable.Discussion) {
			d.Waiting = &roundtable.Waiting{Turns: []int{3}}
		}), "I10"},
		{"stopped in the synthesis", in(roundtable.StateSynthesis, nil), "I10"},
		{"stopped in the synthesis and says why", in(roundtable.StateSynthesis, func(d *roundtable.Discussion) {
			asked(d)
			d.Stalled = &roundtable.Stall{Reason: roundtable.ReasonModelUnavailable}
		}), ""},
	}
}

// readingsOfTexts are about what is in the logs (I11) and in the posts (I12).
func readingsOfTexts() []reading {
	posts := []enginetest.Message{{Key: "D1/a", TS: "1.000001", Message: roundtable.Message{Mention: "U1"}}}
	return []reading{
		{"a canary in the logs", enginetest.Evidence{Logs: "msg=step text=\"refunds for all\"", Canaries: []string{"refunds for all"}}, "I11"},
		{"logs without it", enginetest.Evidence{Logs: "msg=step", Canaries: []string{"refunds for all", ""}}, ""},
		{"a broadcast", enginetest.Evidence{Slack: posts, Rendered: map[string]string{"1.000001": "<!channel> look"}}, "I12"},
		{"a group", enginetest.Evidence{Slack: posts, Rendered: map[string]string{"1.000001": "<!subteam^S1> look"}}, "I12"},
		{"a stranger", enginetest.Evidence{Slack: posts, Rendered: map[string]string{"1.000001": "<@U2> look"}}, "I12"},
		{"whom the rules named", enginetest.Evidence{Slack: posts, Rendered: map[string]string{"1.000001": "<@U1> look at &lt;!channel&gt;"}}, ""},
	}
}

// readingsOfPace are about how fast posts came to the channel.
func readingsOfPace() []reading {
	pace := enginetest.Pace{Every: time.Second, Burst: 3}
	at := func(ms ...int64) (times []time.Time) {
		for _, m := range ms {
			times = append(times, time.UnixMilli(m))
		}
		return times
	}
	return []reading{
		{"five at once", enginetest.Evidence{Pace: pace, Channel: at(0, 1, 2, 3, 4)}, "pace"},
		{"three at once, then one a second", enginetest.Evidence{Pace: pace, Channel: at(0, 1, 2, 1000, 2000, 3000)}, ""},
	}
}

// readingsOfActs are about the audit record (FR-111): of the decisions that it holds and that
// were not taken back each stands, and of those that stand it holds each.
func readingsOfActs() []reading {
	member := roundtable.Person{ID: "U3", Name: "Una"}
	una := member.As(roundtable.StandingUnknown)
	says := func(ts, text string) roundtable.Entry {
		return roundtable.Entry{Kind: roundtable.EntryTurn, Turn: 1, Person: &una, TS: ts, Text: text}
	}
	edits := func(ts, text string) roundtable.Entry {
		return roundtable.Entry{Kind: roundtable.EntryEdit, Person: &member, TS: ts, Text: text, Edited: "2.000001"}
	}
	two := []roundtable.Entry{says("1.000001", "Decision: one ledger."), says("1.000002", "Decision: two regions.")}
	known, gone := roundtable.Vouched(member), roundtable.Entry{Kind: roundtable.EntryStrike, TS: "1.000001"}
	edited := func(text string) []enginetest.Sent {
		return []enginetest.Sent{{Input: roundtable.Input{ID: "e:1", Event: roundtable.Edited{TS: "1.000001", By: member, Text: text}}}}
	}
	recorded := func(decided, undecided int, sent []enginetest.Sent, entries ...roundtable.Entry) enginetest.Evidence {
		e := enginetest.Evidence{Discussion: closed(1), Entries: entries, Sent: sent, Recorded: true}
		for kind, n := range map[roundtable.AuditKind]int{roundtable.AuditOpened: 1, roundtable.AuditDecided: decided, roundtable.AuditUndecided: undecided} {
			for range n {
				e.Acts = append(e.Acts, engine.Act{At: time.Unix(1, 0), Audit: roundtable.Audit{Kind: kind}})
			}
		}
		return e
	}
	whole := func(more ...roundtable.Entry) []roundtable.Entry { return slices.Concat(two, more) }
	return []reading{
		{"no decision while her standing is open", recorded(0, 0, nil, two...), ""},
		{"a decision recorded while her standing is open", recorded(1, 0, nil, two...), "FR-111"},
		{"two decisions once she is known", recorded(2, 0, nil, whole(known)...), ""},
		{"one of two decisions recorded", recorded(1, 0, nil, whole(known)...), "FR-111"},
		{"a decision recorded that does not stand", recorded(3, 0, nil, whole(known)...), "FR-111"},
		{"one of two decisions taken back", recorded(2, 1, nil, whole(known, gone)...), ""},
		{"taken back, and not recorded so", recorded(2, 0, nil, whole(known, gone)...), "FR-111"},
		{"taken back twice", recorded(2, 2, nil, whole(known, gone)...), "FR-111"},
		{"taken back before she was known", recorded(1, 0, nil, whole(gone, known)...), ""},
		{"taken back before she was known, and recorded so", recorded(1, 1, nil, whole(gone, known)...), "FR-111"},
		{"decided in other words", recorded(3, 0, edited("Decision: no ledger."), whole(known, edits("1.000001", "Decision: no ledger."))...), ""},
		{"decided in other words too often", recorded(4, 0, edited("Decision: no ledger."), whole(known, edits("1.000001", "Decision: no ledger."))...), "FR-111"},
		{"an edit that decides nothing", recorded(2, 1, edited("No ledger?"), whole(known, edits("1.000001", "No ledger?"))...), ""},
		{"an edit that decides nothing, and was not recorded", recorded(2, 0, edited("No ledger?"), whole(known, edits("1.000001", "No ledger?"))...), "FR-111"},
	}
}
