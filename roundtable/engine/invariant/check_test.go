package invariant_test

import (
	"slices"
	"testing"
	"time"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/document"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/engine/invariant"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// reading is evidence and the one invariant that it breaks, or none.
type reading struct {
	name     string
	evidence invariant.Evidence
	want     string
}

// Check notices what breaks I1, I2, I3, I4, I5, I6, I7, I8, I9, I10, I11, I12, FR-108, FR-111 or
// the pace. Every row breaks one of them, once: a check that is left out leaves its row
// without a violation.
func TestCheck(t *testing.T) {
	tests := slices.Concat(
		readingsOfInputs(), readingsOfPosts(), readingsOfTurns(), readingsOfStates(), readingsOfItems(t),
		readingsOfTimers(), readingsOfStandstill(), readingsOfTexts(), readingsOfPace(), readingsOfRights(), readingsOfActs(),
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
			found := invariant.Check(test.evidence)
			for _, v := range found {
				got = append(got, v.Invariant)
			}
			if !slices.Equal(got, want) {
				t.Errorf("got %v, want %v", found, want)
			}
		})
	}
}

// Evidence without a discussion wants none to have been opened (I10); of one that stands in
// Slack and not in the store, all that was said is lost, too (I1).
func TestCheckOfNoDiscussion(t *testing.T) {
	if found := invariant.Check(invariant.Evidence{}); len(found) > 0 {
		t.Errorf("got %v, want nothing", found)
	}
	e, err := invariant.Of(engine.Ref{ID: "D1"}, nil, nil, []invariant.Message{{Key: "D1/root", TS: "1.000001"}, {Key: "D2/root", TS: "1.000002"}})
	if err != nil {
		t.Fatal(err)
	}
	if found := invariant.Check(e); len(e.Slack) != 1 || len(found) != 2 || found[0].Invariant != "I10" || found[1].Invariant != "I1" {
		t.Errorf("got %v of %v, want I10 and I1", found, e.Slack)
	}
}

// closed is a discussion that ended in good order after so many turns.
func closed(turns int) roundtable.Discussion {
	return roundtable.Discussion{ID: "D1", State: roundtable.StateClosed, Turns: turns, Settings: roundtable.Settings{MaxTurns: 4}}
}

// readingsOfInputs are about what people did (I1, I2).
func readingsOfInputs() []reading {
	pressed := []invariant.Sent{{Input: roundtable.Input{ID: "b:1", Event: roundtable.Pressed{}}}}
	said := []invariant.Sent{{Input: roundtable.Input{ID: "m:1.000001", Event: roundtable.Said{TS: "1.000001"}}}}
	line := thread.Entry{Kind: thread.EntryLine, Person: &thread.Person{ID: "U1"}, TS: "1.000001"}
	edit := thread.Entry{Kind: thread.EntryEdit, Person: line.Person, TS: line.TS, Text: "new"}
	edited := []invariant.Sent{{Input: said[0].Input, Reads: "new"}}
	deleted := []invariant.Sent{{Input: said[0].Input, Unlogged: true, Struck: true}}
	decided := []invariant.Sent{{Input: said[0].Input, Decides: true}}
	marked := []invariant.Sent{{Input: roundtable.Input{Event: roundtable.Reacted{TS: line.TS}}, Marks: true}}
	parked := func(reason string) []engine.DeadLetter {
		return []engine.DeadLetter{{Mail: engine.Mail{ID: "b:1"}, Reason: reason}}
	}
	return []reading{
		{"a message in the log", invariant.Evidence{Sent: said, Entries: []thread.Entry{line}}, ""},
		{"a message nowhere", invariant.Evidence{Sent: said}, "I1"},
		{"a message that need not be anywhere", invariant.Evidence{Sent: []invariant.Sent{{Input: said[0].Input, Unlogged: true}}}, ""},
		{"a message in the log twice", invariant.Evidence{Sent: said, Entries: []thread.Entry{line, line}}, "I2"},
		{"an input taken in", invariant.Evidence{Sent: pressed, Consumed: []string{"b:1"}}, ""},
		{"an input never taken in", invariant.Evidence{Sent: pressed, Consumed: []string{}}, "I1"},
		{"an input put aside with a reason", invariant.Evidence{Sent: pressed, Consumed: []string{}, Parked: parked("unreadable")}, ""},
		{"an input put aside without one", invariant.Evidence{Sent: pressed, Consumed: []string{}, Parked: parked("")}, "I1"},
		{"an input taken in twice", invariant.Evidence{Sent: pressed, Consumed: []string{"b:1", "b:1"}}, "I2"},
		{"a message by which nobody is found", invariant.Evidence{Unfound: []string{"1.000001"}}, "I1"},
		{"an edit", invariant.Evidence{Sent: edited, Entries: []thread.Entry{edit, line}}, ""},
		{"an edit that is nowhere", invariant.Evidence{Sent: edited, Entries: []thread.Entry{line}}, "I1"},
		{"a deletion", invariant.Evidence{Sent: deleted, Entries: []thread.Entry{line, {Kind: thread.EntryStrike, TS: line.TS}}}, ""},
		{"a deletion that was dropped", invariant.Evidence{Sent: deleted, Entries: []thread.Entry{line}}, "I1"},
		{"a mark", invariant.Evidence{Sent: marked, Entries: []thread.Entry{{Kind: thread.EntryMark, Mark: &thread.Mark{TS: line.TS}}}}, ""},
		{"a mark that is nowhere", invariant.Evidence{Sent: marked}, "I1"},
		{"a decision that the synthesis lacks", invariant.Evidence{Sent: decided, Entries: []thread.Entry{line}, Discussion: roundtable.Discussion{
			ID: "D1", State: roundtable.StateClosed, Outcome: &thread.Synthesis{}}}, "I1"},
		{"an event that Slack never got rid of", invariant.Evidence{Unacknowledged: []string{"m:1.000001"}}, "I1"},
		{"something harmless put aside", invariant.Evidence{Harmless: parked("too_large")}, "I1"},
		{"an input taken in and put aside", invariant.Evidence{Sent: pressed, Consumed: []string{"b:1"}, Parked: parked("unreadable")}, "I2"},
	}
}

// readingsOfPosts are about what stands in the thread (I3), in which order (I4), and
// who was at it (I7).
func readingsOfPosts() []reading {
	post := func(key, ts string) invariant.Message { return invariant.Message{Key: key, TS: ts} }
	spoken := func(key string) thread.Entry { return thread.Entry{Kind: thread.EntryLine, Key: key} }
	receipt := func(key, ts string) thread.Entry {
		return thread.Entry{Kind: thread.EntryPosted, Key: key, TS: ts}
	}
	unknown := invariant.Message{Key: "D1/a", TS: "1.000001", Message: thread.Message{Kind: thread.KindContribution}}
	two := []thread.Entry{spoken("D1/a"), spoken("D1/b"), receipt("D1/a", "1.000001"), receipt("D1/b", "1.000002")}
	refused := map[string]invariant.Refusal{"D1/m:1/0": {Kind: thread.KindSynthesis, Reason: thread.ReasonMessageRefused}}
	shut := map[string]invariant.Refusal{"D1/a": {Kind: thread.KindNotice, Reason: thread.ReasonNotInChannel}}
	return []reading{
		{"two posts as they should be", invariant.Evidence{Entries: two, Slack: []invariant.Message{post("D1/a", "1.000001"), post("D1/b", "1.000002")}}, ""},
		{"a post that stands twice", invariant.Evidence{Slack: []invariant.Message{post("D1/a", "1.000001"), post("D1/a", "1.000002")}}, "I3"},
		{"two receipts", invariant.Evidence{Entries: []thread.Entry{receipt("D1/a", "1.000001"), receipt("D1/a", "1.000002")}}, "I3"},
		{"a receipt for another place", invariant.Evidence{Entries: []thread.Entry{receipt("D1/a", "1.000002")}, Slack: []invariant.Message{post("D1/a", "1.000001")}}, "I3"},
		{"in the log and not in Slack", invariant.Evidence{Entries: two[:1]}, "I3"},
		{"the channel was shut, and the state does not say so", invariant.Evidence{Entries: two[:1], Refused: shut}, "I3"},
		{"in Slack and not in the log", invariant.Evidence{Slack: []invariant.Message{unknown}}, "I3"},
		{"refused, and nothing said", invariant.Evidence{Refused: refused}, "I3"},
		{"refused, and a notice in its place", invariant.Evidence{Refused: refused, Slack: []invariant.Message{post("D1/m:1/0/failed/0", "1.000002")}}, ""},
		{"the second before the first", invariant.Evidence{Entries: two[:2], Slack: []invariant.Message{post("D1/b", "1.000001"), post("D1/a", "1.000002")}}, "I4"},
		{"a post of which the log knows nothing", invariant.Evidence{Receipted: true, Slack: []invariant.Message{post("D1/a", "1.000001")}}, "I3"},
		{"a post outside its thread", invariant.Evidence{Receipted: true, Entries: []thread.Entry{receipt("D1/a", "1.000001")}, Slack: []invariant.Message{{Key: "D1/a", TS: "1.000001", Thread: "9"}}}, "I12"},
		{"an introduction needs no receipt", invariant.Evidence{Receipted: true, Slack: []invariant.Message{post("D1/root", "")}}, ""},
		{"a post that was doubled for a while", invariant.Evidence{Doubled: 1}, "I3"},
		{"what is excused", invariant.Evidence{Doubled: 1, Excuse: func(v invariant.Violation) bool { return v.Invariant == "I3" }}, ""},
		{"two posts under way at once", invariant.Evidence{Overlaps: 1}, "I7"},
		{"somebody acted on what another had taken over", invariant.Evidence{Intrusions: 1}, "I7"},
	}
}

// readingsOfTurns are about the counter of turns (I5).
func readingsOfTurns() []reading {
	turns := func(numbers ...int) (entries []thread.Entry) {
		for _, n := range numbers {
			entries = append(entries, thread.Entry{Kind: thread.EntryTurn, Turn: n})
		}
		return entries
	}
	return []reading{
		{"turns in parts", invariant.Evidence{Discussion: closed(2), Entries: turns(1, 2, 2)}, ""},
		{"a turn left out", invariant.Evidence{Discussion: closed(3), Entries: turns(1, 3)}, "I5"},
		{"a turn miscounted", invariant.Evidence{Discussion: closed(3), Entries: turns(1, 2)}, "I5"},
		{"more turns than permitted in the end", invariant.Evidence{Discussion: closed(5), Entries: turns(1, 2, 3, 4, 5)}, "I5"},
		{"more turns than permitted on the way", invariant.Evidence{States: []roundtable.Discussion{closed(5)}}, "I5"},
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
		{"forward", invariant.Evidence{States: through(roundtable.States()...)}, ""},
		{"back to the loop", invariant.Evidence{States: through(roundtable.StateDiscussionLoop, roundtable.StateSynthesis, roundtable.StateDiscussionLoop)}, "I6"},
		{"into no state at all", invariant.Evidence{States: through("elsewhere")}, "I6"},
	}
}

// readingsOfItems are about what documents and records become (I8).
func readingsOfItems(t *testing.T) []reading {
	t.Helper()
	item := func(text string, meta []byte) engine.Item {
		return engine.Item{Files: map[string][]byte{"notes.md": []byte(text)}, Meta: meta}
	}
	changed := func(before, after engine.Item) invariant.Evidence {
		return invariant.Evidence{Writes: []invariant.ItemChange{{Before: before, After: after}}}
	}
	meta := document.NewMeta(document.Item{Slug: "ledgers", CreatedAt: "2026-11-01T00:00:00Z"})
	empty := meta.Bytes()
	doubled := document.NewMeta(document.Item{Slug: "ledgers", CreatedAt: "2026-11-01T00:00:00Z"})
	record := document.Record{StepID: "01-01", TurnCount: 7, PersonasActive: []string{"system-designer"}, Timestamp: "2026-11-01T01:00:00Z", SynthesisSummary: "One ledger."}
	if _, err := meta.AppendElaboration(record); err != nil {
		t.Fatal(err)
	}
	for _, summary := range []string{record.SynthesisSummary, "Two ledgers."} {
		record.SynthesisSummary = summary
		if _, err := doubled.AppendElaboration(record); err != nil {
			t.Fatal(err)
		}
	}
	ended := func(text string, meta []byte) invariant.Evidence {
		after := item(text, meta)
		after.Applied = map[string][]byte{"D1": nil}
		d := closed(7)
		d.Enriching, d.Changes = "D1/e", []thread.ArtifactChange{{File: "notes.md"}}
		return invariant.Evidence{Writes: []invariant.ItemChange{{After: after}}, Ended: []roundtable.Discussion{d}}
	}
	marker := "<!-- Elaboration: 01-01 -->\nOne ledger.\n"
	return []reading{
		{"a document that grows in its middle", changed(item("one\ntwo\n", empty), item("one\n"+marker+"two\n", meta.Bytes())), ""},
		{"a document that lost bytes", changed(item("one\ntwo\n", nil), item("one\n", nil)), "I8"},
		{"a document that is gone", changed(item("one\n", nil), engine.Item{}), "I8"},
		{"a record that is gone", changed(item("", meta.Bytes()), item("", empty)), "I8"},
		{"a record that can no longer be read", changed(item("", empty), item("", empty[:20])), "I8"},
		{"a record there twice", recorded(changed(item("", nil), item("", doubled.Bytes()))), "I8"},
		{"all that ended is there", ended(marker, meta.Bytes()), ""},
		{"one that ended has no record", ended(marker, empty), "I8"},
		{"one that ended has two", ended(marker, doubled.Bytes()), "I8"},
		{"one that ended has no block", ended("", meta.Bytes()), "I8"},
		{"one that ended has two blocks", ended(marker+marker, meta.Bytes()), "I8"},
		{"nothing of one that ended was written", unwritten(ended(marker, meta.Bytes())), "I8"},
		{"a document that took something twice", changed(item("", nil), item(marker+marker, nil)), "I8"},
	}
}

// recorded is evidence of an item in which no two discussions end at one step in one second.
func recorded(e invariant.Evidence) invariant.Evidence {
	e.Apart = true
	return e
}

// unwritten is evidence of an item to which nothing was applied.
func unwritten(e invariant.Evidence) invariant.Evidence {
	e.Writes[0].After.Applied = nil
	return e
}

// readingsOfTimers are about when something stands that a wake-up caused (I9).
func readingsOfTimers() []reading {
	const due = "D1/w:2000-01-01T00:00:10Z/silence/0"
	post := func(key, ts string) []invariant.Message { return []invariant.Message{{Key: key, TS: ts}} }
	return []reading{
		{"when it was due", invariant.Evidence{Slack: post(due, "946684810.000000")}, ""},
		{"before it was due", invariant.Evidence{Slack: post(due, "946684809.999999")}, "I9"},
		{"when it was due by a clock that is ahead", invariant.Evidence{Slack: post(due, "946684808.000000"), Skew: 2 * time.Second}, ""},
		{"before it was due by a clock that is behind", invariant.Evidence{Slack: post(due, "946684811.000000"), Skew: -2 * time.Second}, "I9"},
		{"due at no time", invariant.Evidence{Slack: post("D1/w:soon/silence/0", "946684810.000000")}, "I9"},
	}
}

// readingsOfStandstill are about how a discussion stopped (I10).
func readingsOfStandstill() []reading {
	in := func(state roundtable.State, change func(*roundtable.Discussion)) invariant.Evidence {
		d := roundtable.Discussion{ID: "D1", State: state}
		if change != nil {
			change(&d)
		}
		return invariant.Evidence{Discussion: d}
	}
	unhindered := func(e invariant.Evidence) invariant.Evidence {
		e.Unhindered = true
		return e
	}
	spoken := invariant.Evidence{Discussion: closed(1), Entries: []thread.Entry{{Kind: thread.EntryTurn, Turn: 1}}}
	asked := func(d *roundtable.Discussion) { d.Ask = &roundtable.Ask{Key: "D1/ask"} }
	return []reading{
		{"never opened", in("", nil), "I10"},
		{"never comes to rest", invariant.Evidence{Restless: "it does not come to rest"}, "I10"},
		{"stopped though nothing had failed", unhindered(in(roundtable.StateDiscussionLoop, func(d *roundtable.Discussion) {
			d.Stalled = &thread.Stall{Reason: thread.ReasonModelUnavailable}
		})), "I10"},
		{"closed without a synthesis", unhindered(spoken), "I10"},
		{"closed without a synthesis, and something had failed", spoken, ""},
		{"stopped in the loop, where people speak", in(roundtable.StateDiscussionLoop, nil), ""},
		{"stopped with a question to the panel", in(roundtable.StateDiscussionLoop, asked), "I10"},
		{"stopped with turns to answer", in(roundtable.StateDiscussionLoop, func(d *roundtable.Discussion) {
			d.Waiting = &roundtable.Waiting{Turns: []int{3}}
		}), "I10"},
		{"stopped in the synthesis", in(roundtable.StateSynthesis, nil), "I10"},
		{"stopped in the synthesis and says why", in(roundtable.StateSynthesis, func(d *roundtable.Discussion) {
			asked(d)
			d.Stalled = &thread.Stall{Reason: thread.ReasonModelUnavailable}
		}), ""},
	}
}

// readingsOfTexts are about what is in the logs (I11) and in the posts (I12).
func readingsOfTexts() []reading {
	posts := []invariant.Message{{Key: "D1/a", TS: "1.000001", Message: thread.Message{Mention: "U1"}}}
	return []reading{
		{"a canary in the logs", invariant.Evidence{Logs: "msg=step text=\"refunds for all\"", Canaries: []string{"refunds for all"}}, "I11"},
		{"logs without it", invariant.Evidence{Logs: "msg=step", Canaries: []string{"refunds for all", ""}}, ""},
		{"a broadcast", invariant.Evidence{Slack: posts, Rendered: map[string]string{"1.000001": "<!channel> look"}}, "I12"},
		{"a group", invariant.Evidence{Slack: posts, Rendered: map[string]string{"1.000001": "<!subteam^S1> look"}}, "I12"},
		{"a stranger", invariant.Evidence{Slack: posts, Rendered: map[string]string{"1.000001": "<@U2> look"}}, "I12"},
		{"whom the rules named", invariant.Evidence{Slack: posts, Rendered: map[string]string{"1.000001": "<@U1> look at &lt;!channel&gt;"}}, ""},
	}
}

// readingsOfPace are about how fast posts came to the channel.
func readingsOfPace() []reading {
	pace := invariant.Pace{Every: time.Second, Burst: 3}
	at := func(ms ...int64) (times []time.Time) {
		for _, m := range ms {
			times = append(times, time.UnixMilli(m))
		}
		return times
	}
	return []reading{
		{"five at once", invariant.Evidence{Pace: pace, Channel: at(0, 1, 2, 3, 4)}, "pace"},
		{"three at once, then one a second", invariant.Evidence{Pace: pace, Channel: at(0, 1, 2, 1000, 2000, 3000)}, ""},
	}
}

// readingsOfRights are about who opened, ended and decided, and whose words count (FR-108).
func readingsOfRights() []reading {
	gina := thread.Person{ID: "U3"}
	opened := closed(0)
	opened.Opener = gina
	ended := closed(0)
	ended.Exit = &roundtable.Exit{By: &gina}
	guest := closed(0)
	by := gina.As(thread.StandingGuest)
	guest.Exit = &roundtable.Exit{By: &by}
	chosen := closed(0)
	chosen.Decided = []roundtable.Decided{{By: gina}}
	taken := closed(0)
	taken.Outcome = &thread.Synthesis{Decisions: []thread.Point{{Text: "guestmark it is"}}}
	raised := closed(0)
	raised.Extended = 10
	marked := thread.Entry{Kind: thread.EntryMark, Mark: &thread.Mark{Kind: thread.MarkDecision, TS: "1.000001", By: gina}}
	line := thread.Entry{Kind: thread.EntryLine, Person: &gina, TS: "1.000001", Text: "guestmark it is"}
	known := invariant.Rights{Entitled: func(p thread.Person) bool { return p.ID != gina.ID }}
	words := []string{"guestmark"}
	return []reading{
		{"nothing of whom it is known", invariant.Evidence{Discussion: ended}, ""},
		{"a guest ended it", invariant.Evidence{Discussion: guest}, "FR-108"},
		{"somebody opened it who may not", invariant.Evidence{Discussion: opened, Rights: known}, "FR-108"},
		{"somebody ended it who may not", invariant.Evidence{Discussion: ended, Rights: known}, "FR-108"},
		{"somebody chose who may not", invariant.Evidence{Discussion: chosen, Rights: known}, "FR-108"},
		{"somebody decided who may not", invariant.Evidence{Entries: []thread.Entry{line, marked}, Rights: known}, "FR-108"},
		{"a word that may not decide", invariant.Evidence{Discussion: taken, Rights: invariant.Rights{Undeciding: words}}, "FR-108"},
		{"a word that may not be heard", invariant.Evidence{Entries: []thread.Entry{line}, Rights: invariant.Rights{Unheard: words}}, "FR-108"},
		{"a limit that nobody may raise", invariant.Evidence{Discussion: raised, Rights: invariant.Rights{Untouched: true}}, "FR-108"},
		{"a limit that people raised", invariant.Evidence{Discussion: raised}, ""},
		{"what nobody may begin", invariant.Evidence{Rights: invariant.Rights{Unbidden: []string{"the analysis A1"}}}, "FR-108"},
		{"somebody turned away who may", invariant.Evidence{Rights: invariant.Rights{TurnedAway: []string{"U1"}}}, "FR-108"},
	}
}

// readingsOfActs are about the audit record (FR-111, I11): of the decisions that it holds and that
// were not taken back each stands, and of those that stand it holds each.
func readingsOfActs() []reading {
	member := thread.Person{ID: "U3", Name: "Una"}
	una := member.As(thread.StandingUnknown)
	says := func(ts, text string) thread.Entry {
		return thread.Entry{Kind: thread.EntryTurn, Turn: 1, Person: &una, TS: ts, Text: text}
	}
	edits := func(ts, text string) thread.Entry {
		return thread.Entry{Kind: thread.EntryEdit, Person: &member, TS: ts, Text: text, Edited: "2.000001"}
	}
	two := []thread.Entry{says("1.000001", "Decision: one ledger."), says("1.000002", "Decision: two regions.")}
	known, gone := thread.Vouched(member), thread.Entry{Kind: thread.EntryStrike, TS: "1.000001"}
	edited := func(text string) []invariant.Sent {
		return []invariant.Sent{{Input: roundtable.Input{ID: "e:1", Event: roundtable.Edited{TS: "1.000001", By: member, Text: text}}}}
	}
	recorded := func(decided, undecided int, sent []invariant.Sent, entries ...thread.Entry) invariant.Evidence {
		e := invariant.Evidence{Discussion: closed(1), Entries: entries, Sent: sent, Recorded: true}
		for kind, n := range map[thread.AuditKind]int{thread.AuditOpened: 1, thread.AuditDecided: decided, thread.AuditUndecided: undecided} {
			for range n {
				e.Acts = append(e.Acts, engine.Act{At: time.Unix(1, 0), Audit: thread.Audit{Kind: kind}})
			}
		}
		return e
	}
	whole := func(more ...thread.Entry) []thread.Entry { return slices.Concat(two, more) }
	torn, telling, unopened := recorded(0, 0, nil, two[0]), recorded(0, 0, nil, two[0]), recorded(0, 0, nil, two[0])
	torn.Acts[0].At, telling.Acts[0].By, telling.Canaries, unopened.Acts = time.Time{}, "refunds for all", []string{"refunds for all"}, nil
	return []reading{
		{"a line without its time", torn, "FR-111"},
		{"a line that tells what somebody wrote", telling, "I11"},
		{"an opening that is not recorded", unopened, "FR-111"},
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
