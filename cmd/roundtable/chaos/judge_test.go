package chaos

import (
	"encoding/json"
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
)

var priya = slacksim.Person{ID: "U1", RealName: "Priya Nair"}

// newCourt is a court without a campaign: enough to judge what it is shown.
func newCourt() *court {
	return &court{campaign: &campaign{log: newJournal()}, talkOf: make(map[string]*talk)}
}

// post is a post of the app as Slack gives it back.
func post(key, ts, thread string) *slacksim.Message {
	payload, err := json.Marshal(map[string]string{"key": key})
	if err != nil {
		panic(err) // strings can always be encoded
	}
	return &slacksim.Message{TS: ts, ThreadTS: thread, Metadata: &slacksim.Metadata{EventPayload: payload}}
}

func said(ts, text string) roundtable.Entry {
	return roundtable.Entry{Kind: roundtable.EntryTurn, Person: &roundtable.Person{ID: "U1"}, TS: ts, Text: text}
}

func invariants(j *journal) []string {
	found := make(map[string]bool)
	for _, v := range j.violations() {
		found[v.Invariant] = true
	}
	return slices.Sorted(maps.Keys(found))
}

// TestReceipts shows that the judge sees posts that nobody knows of (I3) and
// posts outside their thread (I12).
func TestReceipts(t *testing.T) {
	h := held{ref: engine.Ref{ID: "D1"}, state: roundtable.Discussion{Place: roundtable.Place{Thread: "1.0", Root: "1.0"}},
		entries: []roundtable.Entry{{Kind: roundtable.EntryPosted, Key: "D1/a", TS: "2.0"}}}
	tests := []struct {
		name   string
		posted []*slacksim.Message
		want   []string
	}{
		{"all is known", []*slacksim.Message{post("D1/root", "1.0", "1.0"), post("D1/a", "2.0", "1.0")}, nil},
		{"a double", []*slacksim.Message{post("D1/a", "2.0", "1.0"), post("D1/a", "3.0", "1.0")}, []string{"I3"}},
		{"another thread", []*slacksim.Message{post("D1/a", "2.0", "9.0")}, []string{"I12"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			j := newCourt()
			j.receipts(h, tt.posted)
			if diff := cmp.Diff(tt.want, invariants(j.log)); diff != "" {
				t.Errorf("violations (-want +got):\n%s", diff)
			}
		})
	}
}

// TestWording shows that the judge misses lost edits and marks (I1, NFR-003).
func TestWording(t *testing.T) {
	marked := roundtable.Entry{Kind: roundtable.EntryMark, Mark: &roundtable.Mark{TS: "2.0", By: roundtable.Person{ID: "U1"}}}
	edited := roundtable.Entry{Kind: roundtable.EntryEdit, Person: &roundtable.Person{ID: "U1"}, TS: "3.0", Text: "new"}
	heard := talk{strict: true, said: []*saying{{ts: "3.0", text: "new", by: priya, edited: true}}, marks: []mark{{ts: "2.0", by: priya}}}
	careless := heard
	careless.strict = false
	tests := []struct {
		name    string
		talk    talk
		entries []roundtable.Entry
		want    []string
	}{
		{"all is there", heard, []roundtable.Entry{said("3.0", "old"), edited, marked}, nil},
		{"the edit came first", heard, []roundtable.Entry{edited, said("3.0", "old"), marked}, nil},
		{"no edit", heard, []roundtable.Entry{said("3.0", "old"), marked}, []string{"I1"}},
		{"no mark", heard, []roundtable.Entry{said("3.0", "new")}, []string{"I1"}},
		{"nobody waited", careless, []roundtable.Entry{said("3.0", "old")}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			j := newCourt()
			j.wording(held{entries: tt.entries}, &tt.talk)
			if diff := cmp.Diff(tt.want, invariants(j.log)); diff != "" {
				t.Errorf("violations (-want +got):\n%s", diff)
			}
			if got, want := tt.talk.heard(tt.entries), len(tt.want) == 0 && tt.talk.strict; got != want {
				t.Errorf("heard = %t, want %t", got, want)
			}
		})
	}
}

// TestItem shows that the judge misses records, blocks and bytes (I8, NFR-004).
func TestItem(t *testing.T) {
	const block = "<!-- Elaboration: step 00-00, 2026-11-21T09:00:00Z -->\n"
	meta := func(records string) []byte {
		return []byte(`{"slug":"x","created_at":"2026-11-21T09:00:00Z","elaborations":[` + records + `]}`)
	}
	const record = `{"step_id":"00-00","turn_count":3,"personas_active":["a"],"timestamp":"2026-11-21T09:00:00Z","synthesis_summary":"s"}`
	over := held{ref: engine.Ref{ID: "D1"}, state: roundtable.Discussion{State: roundtable.StateClosed, Turns: 3, Enriching: "D1/e",
		Changes: []roundtable.ArtifactChange{{File: "notes.md"}}}}
	whole := engine.Item{Files: map[string][]byte{"notes.md": []byte("# Notes\n" + block)}, Meta: meta(record), Applied: map[string][]byte{"D1": nil}}
	tests := []struct {
		name  string
		spoil func(*engine.Item)
		want  int
	}{
		{"whole", func(*engine.Item) {}, 0},
		{"no record", func(i *engine.Item) { i.Meta = meta("") }, 1},
		{"a record twice", func(i *engine.Item) { i.Meta = meta(record + "," + record) }, 1},
		{"meta.json is torn", func(i *engine.Item) { i.Meta = i.Meta[:20] }, 1},
		{"a block twice", func(i *engine.Item) {
			i.Files = map[string][]byte{"notes.md": []byte("# Notes\n" + block + block)}
		}, 1},
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
		State: roundtable.StateClosed, Place: roundtable.Place{Thread: "1.000001"}, Closed: now.Add(-time.Minute), Audited: now.Add(-time.Minute).Add(settle),
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
