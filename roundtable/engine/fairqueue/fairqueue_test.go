package fairqueue_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/roundtable-chat/app/roundtable/engine/fairqueue"
)

// The discussion that waits longest is next, and a channel with many waiting keeps none
// of another channel waiting.
func TestQueueServesGroupsInTurn(t *testing.T) {
	at := func(group string, n int) string { return fmt.Sprint(group, n) }
	var q fairqueue.Queue[string, string]
	for n := range 4 {
		if !q.Join("flood", at("flood", n)) {
			t.Fatalf("%d could not join", n)
		}
	}
	if q.Join("flood", at("flood", 0)) {
		t.Error("one joined twice")
	}
	q.Join("quiet", at("quiet", 0))
	q.Join("other", at("other", 0))
	var got []string
	for item, ok := q.Next(); ok; item, ok = q.Next() {
		if got = append(got, item); len(got) == 1 {
			q.Join("flood", item) // again, behind the others of its group
		}
	}
	want := []string{at("flood", 0), at("quiet", 0), at("other", 0), at("flood", 1), at("flood", 2), at("flood", 3), at("flood", 0)}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("served (-want +got):\n%s", diff)
	}
}

func TestQueueIsBounded(t *testing.T) {
	var q fairqueue.Queue[string, int]
	for n := range fairqueue.Limit + 10 {
		q.Join("group", n)
	}
	if got := q.Len(); got != fairqueue.Limit {
		t.Errorf("%d wait, want %d", got, fairqueue.Limit)
	}
}
