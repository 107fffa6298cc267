package barrage

import (
	"bytes"
	"encoding/json"
	"testing"
)

// TestForger shows that a seed repeats its envelopes to the byte, that payloads are JSON
// and some frames are not, and that nobody forges in the name of those who are honest.
func TestForger(t *testing.T) {
	one, two, other := newForger(7), newForger(7), newForger(8)
	same, frames := 0, 0
	for range 3000 {
		a, b, c := one.next(), two.next(), other.next()
		if a.shape != b.shape || !bytes.Equal(a.payload, b.payload) || !bytes.Equal(a.frame, b.frame) {
			t.Fatalf("one seed made %s %.200s and %s %.200s", a.shape, a.payload, b.shape, b.payload)
		}
		if a.shape == c.shape && bytes.Equal(a.payload, c.payload) {
			same++
		}
		if a.frame != nil {
			if !json.Valid(a.frame) {
				frames++
			}
			continue
		}
		if !json.Valid(a.payload) {
			t.Errorf("the payload of a %s is no JSON: %.200s", a.shape, a.payload)
		}
		if bytes.Contains(a.payload, []byte(`"user":"`+priya)) || bytes.Contains(a.payload, []byte(`"user_id":"`+priya)) {
			t.Errorf("a %s is forged in Priya's name: %.200s", a.shape, a.payload)
		}
	}
	if frames == 0 || same > 300 {
		t.Errorf("%d broken frames, and %d of 3,000 envelopes of another seed are the same", frames, same)
	}
}

// TestEntitled says who may open, end and decide where.
func TestEntitled(t *testing.T) {
	for _, tt := range []struct {
		user, room string
		want       bool
	}{
		{priya, tables[0], true}, {mallory, tables[0], true}, {mallory, vault, false}, {nell, tables[0], false}, {nell, side, true},
		{gina, tables[0], false}, {otto, tables[0], false}, {"U0NOBODY1", tables[0], false}, {mallory, "D0MALLORY", true}, {mallory, "D0GUEST01", false},
		{gina, "D0GUEST01", false}, {mallory, "C0NOWHERE", false},
	} {
		if got := entitled(tt.user, tt.room); got != tt.want {
			t.Errorf("entitled(%s, %s) = %t, want %t", tt.user, tt.room, got, tt.want)
		}
	}
}

// TestCalling finds the elements that call many.
func TestCalling(t *testing.T) {
	for raw, want := range map[string]string{
		`[{"type":"rich_text","elements":[{"type":"text","text":"<!here>"}]}]`:    "",
		`[{"type":"rich_text","elements":[{"type":"broadcast","range":"here"}]}]`: "broadcast",
		`[{"type":"rich_text","elements":[{"elements":[{"type":"usergroup"}]}]}]`: "usergroup",
	} {
		var blocks []any
		if err := json.Unmarshal([]byte(raw), &blocks); err != nil {
			t.Fatal(err)
		}
		if got := calling(blocks); got != want {
			t.Errorf("calling(%s) = %q, want %q", raw, got, want)
		}
	}
}
