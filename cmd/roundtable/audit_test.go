package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/forgetting"
	"github.com/roundtable-chat/app/roundtable/thread"
	"github.com/roundtable-chat/app/storage"
	"github.com/roundtable-chat/app/storage/storagetest"
)

// TestAudit reads the record that commands and replicas left: who did what, where and when,
// of a channel and a time, for people and for programs, and no name of an item (FR-111).
func TestAudit(t *testing.T) {
	storagetest.EachServer(t, func(t *testing.T, s *storagetest.Server) {
		store := storagetest.Open(t, s, storage.Options{})
		act := engine.Act{ID: "a1", Team: "T1", Channel: "C9", Thread: "D1", Item: thread.ItemMark("ledgers"), Audit: thread.Audit{Kind: thread.AuditExtended, By: "U1", Number: 10}}
		if err := store.NoteAct(t.Context(), act); err != nil {
			t.Fatal(err)
		}
		in, out := filepath.Join(t.TempDir(), "in"), filepath.Join(t.TempDir(), "out")
		writeTree(t, in, map[string]string{"notes.md": "canary"})
		for _, args := range [][]string{{"import", in, "T1/C1/offline-mode"}, {"export", "T1/C1/offline-mode", out}} {
			if got := runWith(s.URL, args...); got.code != 0 {
				t.Fatalf("%v: %+v", args, got)
			}
		}
		lines := func(args ...string) (kinds []string) {
			t.Helper()
			got := runWith(s.URL, append([]string{"audit", "--json"}, args...)...)
			if got.code != 0 || strings.Contains(got.out, "canary") || strings.Contains(got.out, "offline") {
				t.Fatalf("audit %v: %+v", args, got)
			}
			for line := range strings.Lines(got.out) {
				var l auditLine
				if err := json.Unmarshal([]byte(line), &l); err != nil || l.ID == "" || l.At.IsZero() || l.Item == "" {
					t.Errorf("line %q: %v", line, err)
				}
				kinds = append(kinds, l.Act)
			}
			return kinds
		}
		for _, c := range []struct {
			args []string
			want []string
		}{
			{nil, []string{"extended", "imported", "exported"}},
			{[]string{"--channel", "C9"}, []string{"extended"}},
			{[]string{"--since", "87600h"}, []string{"extended", "imported", "exported"}},
			{[]string{"--until", "2020-01-01"}, nil},
			{[]string{"--since", "2200-01-01T00:00:00Z"}, nil},
		} {
			if diff := cmp.Diff(c.want, lines(c.args...)); diff != "" {
				t.Errorf("%v (-want +got):\n%s", c.args, diff)
			}
		}
		table := runWith(s.URL, "audit", "--channel", "C9")
		want := "\textended\tU1\tC9\tD1\t" + thread.ItemMark("ledgers") + "\t\t10\n"
		if table.code != 0 || !strings.HasSuffix(table.out, want) || !strings.HasPrefix(table.err, "AT\t") {
			t.Errorf("table: %+v, want it to end in %q", table, want)
		}
		if got := runWith(s.URL, "audit", "--since", "yesterday"); got.code != exitUsage || !strings.Contains(got.err, "--since") {
			t.Errorf("a wrong time: %+v", got)
		}
	})
}

// TestForgetCommandRefusesWhatIsOpen names to an operator what people still talk in, and leaves
// nothing in any mailbox.
func TestForgetCommandRefusesWhatIsOpen(t *testing.T) {
	s := storagetest.Mini(t)
	store := storagetest.Open(t, s, storage.Options{})
	ref := engine.Ref{Team: "T1", Channel: "C1", ID: "D1"}
	got, err := store.Deliver(t.Context(), engine.Delivery{Ref: ref, Opens: true, Mail: engine.Mail{ID: "open"}, Claim: &engine.Claimant{Owner: "one"}})
	if err != nil {
		t.Fatal(err)
	}
	state, err := roundtable.Encode(roundtable.Discussion{ID: ref.ID, Topic: "Who pays?", Item: "ledgers", State: roundtable.StateDiscussionLoop})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := store.Commit(t.Context(), got.Claim, engine.Commit{State: state, Consumed: []string{"open"}, Mode: engine.ModeRelease}); err != nil {
		t.Fatal(err)
	}
	if got := runWith(s.URL, "forget", "T1/C1/ledgers"); got.code != exitFailure || !strings.Contains(got.err, `ledgers is still being discussed`) || !strings.Contains(got.err, `"Who pays?" (D1)`) {
		t.Errorf("forget: %+v", got)
	}
	if due, err := store.Due(t.Context(), 10); err != nil || len(due) != 0 {
		t.Errorf("Due = %v, %v, want nothing", due, err)
	}
	if got := runWith(s.URL, "forget", "T1/C1/other"); got.code != 0 {
		t.Errorf("forget another: %+v", got)
	}
}

// TestForgetCommand has an operator forget an item and take it back: what a replica finds in
// the mailbox is what a person in the channel would have left there, and nobody's name.
func TestForgetCommand(t *testing.T) {
	s := storagetest.Mini(t)
	store := storagetest.Open(t, s, storage.Options{})
	if got := runWith(s.URL, "keep", "T1/C1/ledgers"); got.code != exitFailure || !strings.Contains(got.err, "not waiting to be forgotten") {
		t.Errorf("keep of nothing: %+v", got)
	}
	if got := runWith(s.URL, "forget", "T1/C1/ledgers"); got.code != 0 || !strings.Contains(got.out, "7 days") {
		t.Fatalf("forget: %+v", got)
	}
	due, err := store.Due(t.Context(), 10)
	if err != nil || len(due) != 1 {
		t.Fatalf("Due = %v, %v, want the forgetting", due, err)
	}
	h, err := store.Claim(t.Context(), due[0], engine.Claimant{Owner: "one"})
	if err != nil || h == nil {
		t.Fatal(h, err)
	}
	in, err := forgetting.DecodeInput(h.Mail[0].Body)
	e, ok := in.Event.(forgetting.Opened)
	if err != nil || !ok || e.Target.Item != "ledgers" || e.By != (thread.Person{}) || e.Place != (thread.Place{Team: "T1", Channel: "C1"}) {
		t.Fatalf("it says %+v, %v", in, err)
	}
	f := forgetting.Step(forgetting.Forgetting{}, in).Forgetting
	f = forgetting.Step(f, forgetting.Input{ID: "x", At: time.Now(), Event: forgetting.Hidden{Effect: f.Doing}}).Forgetting
	state, err := forgetting.Encode(f)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := store.Commit(t.Context(), h, engine.Commit{State: state, Consumed: []string{in.ID}, Mode: engine.ModeRelease}); err != nil {
		t.Fatal(err)
	}
	if got := runWith(s.URL, "forget", "T1/C1/ledgers"); got.code != exitFailure || !strings.Contains(got.err, "already") {
		t.Errorf("forget again: %+v", got)
	}
	if got := runWith(s.URL, "keep", "T1/C1/ledgers"); got.code != 0 || !strings.Contains(got.out, "ledgers will be back") {
		t.Errorf("keep: %+v", got)
	}
	if due, err := store.Due(t.Context(), 10); err != nil || len(due) != 1 {
		t.Errorf("Due = %v, %v, want the forgetting", due, err)
	}
}
