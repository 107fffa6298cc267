package chaos

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/roundtable-chat/app/bot/slacksim"
	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/engine/invariant"
	"github.com/roundtable-chat/app/roundtable/thread"
)

var priya = residents()[0]

// newCourt is a court without a campaign: enough to judge what it is shown.
func newCourt() *court {
	return &court{campaign: &campaign{log: newJournal()}, talkOf: make(map[string]*talk)}
}

func said(turn int, ts, text string) thread.Entry {
	return thread.Entry{Kind: thread.EntryTurn, Turn: turn, Person: &thread.Person{ID: priya.ID}, TS: ts, Text: text}
}

func invariants(j *journal) []string {
	found := make(map[string]bool)
	for _, v := range j.violations() {
		found[v.Invariant] = true
	}
	return slices.Sorted(maps.Keys(found))
}

// whole is a discussion that kept every promise: people edited one message, deleted another,
// decided with a third, and marked a post.
func whole() (h held, t *talk, posted []invariant.Message) {
	by := thread.Person{ID: priya.ID}
	h = held{ref: engine.Ref{ID: "D1", Channel: "C1"}, state: roundtable.Discussion{
		ID: "D1", State: roundtable.StateClosed, Turns: 3, Settings: roundtable.Settings{MaxTurns: 5}, Opener: by, Place: thread.Place{Thread: "1.0", Root: "1.0"},
		Outcome: &thread.Synthesis{Decisions: []thread.Point{{TS: []string{"5.0"}}}}, Enriching: "D1/e",
	}, entries: []thread.Entry{
		{Kind: thread.EntryPosted, Key: "D1/a", TS: "2.0"}, said(1, "3.0", "old"), said(2, "4.0", "gone"), said(3, "5.0", "we keep it"),
		{Kind: thread.EntryEdit, Person: &by, TS: "3.0", Text: "new"}, {Kind: thread.EntryStrike, TS: "4.0"},
		{Kind: thread.EntryMark, Mark: &thread.Mark{TS: "2.0", By: by}},
	}}
	t = &talk{strict: true, marks: []mark{{ts: "2.0", by: priya}}, said: []*saying{
		{ts: "3.0", text: "new", by: priya, edited: true}, {ts: "4.0", by: priya, deleted: true}, {ts: "5.0", by: priya, decides: true},
	}}
	return h, t, []invariant.Message{{Key: "D1/root", TS: "1.0", Thread: "1.0"}, {Key: "D1/a", TS: "2.0", Thread: "1.0"}}
}

// TestDiscussion shows that the evidence of a discussion tells of posts that nobody knows of
// (I3) or that stand outside their thread (I12), of edits, marks, deletions and decisions that
// were lost (I1, NFR-003), of a synthesis that is missing (I10) and of what somebody did who
// may not (FR-108, I12).
func TestDiscussion(t *testing.T) {
	person := func(p slacksim.Person) thread.Person { return thread.Person{ID: p.ID} }
	without := func(kind thread.EntryKind) func(*held, *talk, []invariant.Message) {
		return func(h *held, _ *talk, _ []invariant.Message) {
			h.entries = slices.DeleteFunc(h.entries, func(e thread.Entry) bool { return e.Kind == kind })
		}
	}
	of := func(spoil func(*held)) func(*held, *talk, []invariant.Message) {
		return func(h *held, _ *talk, _ []invariant.Message) { spoil(h) }
	}
	tests := []struct {
		name  string
		spoil func(*held, *talk, []invariant.Message)
		want  string // empty: all is well
		heard bool
	}{
		{"whole", of(func(*held) {}), "", true},
		{"the edit came first", of(func(h *held) {
			edit := h.entries[4]
			h.entries = slices.Insert(slices.Delete(h.entries, 4, 5), 0, edit)
		}), "", true},
		{"a double", func(_ *held, _ *talk, posted []invariant.Message) { posted[1].TS = "6.0" }, "I3", true},
		{"another thread", func(_ *held, _ *talk, posted []invariant.Message) { posted[1].Thread = "9.0" }, "I12", true},
		{"no edit", without(thread.EntryEdit), "I1", false},
		{"no mark", without(thread.EntryMark), "I1", false},
		{"the deletion was dropped", without(thread.EntryStrike), "I1", false},
		{"nobody waited", func(h *held, t *talk, _ []invariant.Message) { t.strict, h.entries[4].Text = false, "other" }, "", false},
		{"the decision was lost", of(func(h *held) { h.state.Outcome.Decisions = nil }), "I1", true},
		{"no synthesis", of(func(h *held) { h.state.Outcome = nil }), "I10", true},
		{"a member ends it", of(func(h *held) { by := person(mallory); h.state.Exit = &roundtable.Exit{By: &by} }), "", true},
		{"a guest ends it", of(func(h *held) { by := person(gina); h.state.Exit = &roundtable.Exit{By: &by} }), "FR-108", true},
		{"somebody who is not in the room opens it", of(func(h *held) { h.state.Opener = person(nell) }), "FR-108", true},
		{"a stranger marks a decision", of(func(h *held) {
			h.entries = append(h.entries, thread.Entry{Kind: thread.EntryMark, Mark: &thread.Mark{Kind: thread.MarkDecision, By: person(otto), TS: "5.0"}})
		}), "FR-108", true},
		{"a guest chooses", of(func(h *held) { h.state.Decided = []roundtable.Decided{{By: person(gus)}} }), "FR-108", true},
		{"a guest's word is a decision", of(func(h *held) { h.state.Outcome.Decisions[0].Text = guestmark }), "FR-108", true},
		{"another app is heard", of(func(h *held) { h.entries[3].Text = "the robot decides" }), "FR-108", true},
		{"it is planted", of(func(h *held) { h.state.Topic = "planted by a rogue" }), "FR-108", true},
		{"it is in the vault", of(func(h *held) { h.ref.Channel = vault }), "FR-108", true},
		{"its limit is raised", of(func(h *held) { h.state.Extended = 10 }), "FR-108", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			j := newTribunal()
			h, people, posted := whole()
			people.room, j.talkOf["D1"] = &room{campaign: j.campaign}, people
			tt.spoil(&h, people, posted)
			e, err := j.discussion(t.Context(), h, posted)
			if err != nil {
				t.Fatal(err)
			}
			j.log.judge(h.where(), e)
			var want []string
			if tt.want != "" {
				want = []string{tt.want}
			}
			if diff := cmp.Diff(want, invariants(j.log)); diff != "" {
				t.Errorf("violations (-want +got):\n%s\n%v", diff, j.log.violations())
			}
			if got := people.heard(h.entries); got != tt.heard {
				t.Errorf("heard = %t, want %t", got, tt.heard)
			}
		})
	}
}

// TestItem shows that the evidence of an item tells of records and bytes that are missing
// (I8, NFR-004).
func TestItem(t *testing.T) {
	const block = "<!-- Elaboration: step 00-00, 2026-11-21T09:00:00Z -->\n"
	meta := func(records string) []byte {
		return []byte(`{"slug":"x","created_at":"2026-11-21T09:00:00Z","elaborations":[` + records + `]}`)
	}
	const record = `{"step_id":"00-00","turn_count":3,"personas_active":["a"],"timestamp":"2026-11-21T09:00:00Z","synthesis_summary":"s"}`
	over := held{ref: engine.Ref{ID: "D1"}, state: roundtable.Discussion{ID: "D1", State: roundtable.StateClosed, Turns: 3, Enriching: "D1/e",
		Changes: []thread.ArtifactChange{{File: "notes.md"}}}}
	whole := engine.Item{Files: map[string][]byte{"notes.md": []byte("# Notes\n" + block)}, Meta: meta(record), Applied: map[string][]byte{"D1": nil}}
	tests := []struct {
		name  string
		spoil func(*engine.Item)
		want  int
	}{
		{"whole", func(*engine.Item) {}, 0},
		{"no record", func(i *engine.Item) { i.Meta = meta("") }, 1},
		{"meta.json is torn", func(i *engine.Item) { i.Meta = i.Meta[:20] }, 1},
		{"bytes lost", func(i *engine.Item) { i.Files = map[string][]byte{"notes.md": []byte("# Not\n" + block)} }, 1},
		{"never written", func(i *engine.Item) { i.Applied = nil }, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			j := newCourt()
			j.talkOf["D1"] = &talk{notes: map[string][]byte{"notes.md": []byte("# Notes\n")}}
			item := whole
			tt.spoil(&item)
			j.item(engine.ItemRef{Slug: "x"}, item, []held{over})
			if got := len(j.log.violations()); got != tt.want {
				t.Errorf("%d violations, want %d: %v", got, tt.want, j.log.violations())
			}
		})
	}
}

// TestQuiet says when a discussion has come to rest (I10).
func TestQuiet(t *testing.T) {
	now := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	rested := held{state: roundtable.Discussion{
		State: roundtable.StateClosed, Place: thread.Place{Thread: "1.000001"}, Closed: now.Add(-time.Minute), Upkeep: thread.Upkeep{Audited: now.Add(-time.Minute).Add(settle)},
	}, due: now.Add(time.Hour)}
	tests := []struct {
		name  string
		spoil func(*held)
		want  bool
	}{
		{"closed and audited", func(*held) {}, true},
		{"still open", func(h *held) { h.state.State = roundtable.StateDiscussionLoop }, false},
		{"somebody is at it", func(h *held) { h.owner = true }, false},
		{"mail waits", func(h *held) { h.mail = 1 }, false},
		{"posts wait", func(h *held) { h.outbox = 1 }, false},
		{"not audited yet", func(h *held) { h.state.Audited = time.Time{} }, false},
		{"never introduced", func(h *held) { h.state.Place.Thread, h.state.Audited = "", time.Time{} }, true},
		{"something was sent again since", func(h *held) { h.state.DoubtedAt = h.state.Audited }, false},
		{"due soon", func(h *held) { h.due = now.Add(13 * time.Second) }, false},
		{"due", func(h *held) { h.due = now }, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := rested
			tt.spoil(&h)
			if got := h.quiet(now); got != tt.want {
				t.Errorf("quiet = %t, want %t", got, tt.want)
			}
		})
	}
}

// TestReadLog shows that a panic in a replica's log is seen, that what replicas got over
// is counted, and that what they say of a discussion in which something was broken is kept.
func TestReadLog(t *testing.T) {
	name := filepath.Join(t.TempDir(), "replica-1.log")
	text := "level=INFO msg=effect outcome=found\nlevel=WARN msg=double_retracted key=x\npanic: oh no\nlevel=INFO msg=step discussion=D2\n"
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	j := newCourt()
	j.held = []held{{ref: engine.Ref{ID: "D1"}}, {ref: engine.Ref{ID: "D2"}}}
	j.log.violation("I3", "%s in C1: it stands 2 times", "D2")
	j.suspects = j.broken()
	if err := j.readLog(name); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"level=INFO msg=step discussion=D2 replica=replica-1.log"}, j.trace); diff != "" {
		t.Errorf("trace (-want +got):\n%s", diff)
	}
	want := map[string]int{"post in doubt, found standing and adopted": 1, "double healed (told by a replica)": 1}
	if diff := cmp.Diff(want, j.log.all()); diff != "" {
		t.Errorf("counts (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"I3", "process"}, invariants(j.log)); diff != "" {
		t.Errorf("violations (-want +got):\n%s", diff)
	}
}
