package storage_test

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/storage"
	"github.com/roundtable-chat/app/storage/storagetest"
)

// mostOfAReply is how many bytes of a log one reply brings at most, unless a single entry
// is larger.
const mostOfAReply = 1 << 20

// A log that an older version let grow comes in portions: no claim and no reading brings
// more than one at a time, and together they are all of it.
func TestLogComesInPortions(t *testing.T) {
	t.Parallel()
	storagetest.EachServer(t, func(t *testing.T, s *storagetest.Server) {
		store := storagetest.Open(t, s, storage.Options{})
		d := delivery("open")
		d.Claim = &engine.Claimant{Owner: "one"}
		delivered, err := store.Deliver(t.Context(), d)
		h := delivered.Claim
		if err != nil || h == nil {
			t.Fatalf("Deliver = %v, %v", h, err)
		}
		var want [][]byte
		for i := range 120 {
			line := append(fmt.Appendf(nil, "entry %d ", i), bytes.Repeat([]byte("x"), 39_000)...)
			commit(t, store, h, engine.Commit{State: []byte("s"), Append: [][]byte{line}})
			want = append(want, line)
		}
		commit(t, store, h, engine.Commit{Append: [][]byte{bytes.Repeat([]byte("y"), mostOfAReply)}})
		want = append(want, bytes.Repeat([]byte("y"), mostOfAReply))
		commit(t, store, h, engine.Commit{Mode: engine.ModeYield})

		h = claim(t, store)
		got := h.Log
		for len(got) < h.LogLen {
			lines, err := store.Log(t.Context(), ref, len(got))
			if err != nil || len(lines) == 0 {
				t.Fatalf("Log from %d = %d lines, %v", len(got), len(lines), err)
			}
			if n := len(bytes.Join(lines, nil)); n > mostOfAReply {
				t.Errorf("one reply brings %d bytes", n)
			}
			got = append(got, lines...)
		}
		if n := len(bytes.Join(h.Log, nil)); n > mostOfAReply {
			t.Errorf("the claim brings %d bytes", n)
		}
		_, all, err := store.Read(t.Context(), ref)
		if !slices.EqualFunc(got, want, bytes.Equal) || !slices.EqualFunc(all, want, bytes.Equal) || err != nil {
			t.Errorf("%d entries in portions, %d at once, %v, want the %d that were written", len(got), len(all), err, len(want))
		}
	})
}
