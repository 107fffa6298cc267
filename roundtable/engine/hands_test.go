package engine

import (
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Whoever waits longest is next, and a channel with many waiting keeps nobody of
// another channel waiting (SPEC §8).
func TestLineServesChannelsInTurn(t *testing.T) {
	at := func(channel string, n int) Ref { return Ref{Team: "T", Channel: channel, ID: strconv.Itoa(n)} }
	var l line
	for n := range 4 {
		if !l.join(at("CFLOOD", n)) {
			t.Fatalf("%d could not join", n)
		}
	}
	if l.join(at("CFLOOD", 0)) {
		t.Error("one joined twice")
	}
	l.join(at("CQUIET", 0))
	l.join(at("COTHER", 0))
	var got []Ref
	for ref, ok := l.next(); ok; ref, ok = l.next() {
		if got = append(got, ref); len(got) == 1 {
			l.join(ref) // again, behind the others of its channel
		}
	}
	want := []Ref{at("CFLOOD", 0), at("CQUIET", 0), at("COTHER", 0), at("CFLOOD", 1), at("CFLOOD", 2), at("CFLOOD", 3), at("CFLOOD", 0)}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("served (-want +got):\n%s", diff)
	}
}

func TestLineIsBounded(t *testing.T) {
	var l line
	for n := range lineMost + 10 {
		l.join(Ref{ID: strconv.Itoa(n)})
	}
	if got := l.len(); got != lineMost {
		t.Errorf("%d wait, want %d", got, lineMost)
	}
}
