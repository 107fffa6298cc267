package storage

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/roundtable-chat/app/roundtable/engine"
)

func FuzzMailSurvivesPacking(f *testing.F) {
	f.Add("said:C1:1.1", []byte("{}"), "op\n\x05ab")
	f.Add("", []byte(nil), "")
	f.Add("id\nwith\x00breaks", []byte("\n\xff"), "\n\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff")
	f.Fuzz(func(t *testing.T, id string, body []byte, garbage string) {
		want := engine.Mail{ID: id, Body: body}
		got, err := unpackMail("op\n" + string(packMail(want)))
		if err != nil || got.ID != want.ID || !bytes.Equal(got.Body, want.Body) {
			t.Fatalf("unpackMail = %+v, %v, want %+v", got, err, want)
		}
		if m, err := unpackMail(garbage); err == nil && len(m.ID)+len(m.Body) >= len(garbage) {
			t.Fatalf("unpackMail(%q) = %+v, more than there was", garbage, m)
		}
	})
}

func TestOutboxEntrySurvivesPacking(t *testing.T) {
	t.Parallel()
	want := engine.OutboxEntry{Key: "d1/said:C1/0", Body: []byte("a\nb\x00")}
	got, err := unpackEntry(string(packEntry(want)))
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Fatalf("unpackEntry: %v (-want +got):\n%s", err, diff)
	}
	if _, err := unpackEntry("no key"); err == nil {
		t.Fatal("an outbox entry without a key was read")
	}
}

// TestTimersAreRoundedUp shows that no timer is stored earlier than asked (I9).
func TestTimersAreRoundedUp(t *testing.T) {
	t.Parallel()
	at := time.UnixMilli(1763715600123)
	for name, test := range map[string]struct {
		at   time.Time
		want int64
	}{
		"no time":       {time.Time{}, 0},
		"whole":         {at, 1763715600123},
		"a little more": {at.Add(1), 1763715600124},
		"almost next":   {at.Add(time.Millisecond - 1), 1763715600124},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := millis(test.at); got != test.want {
				t.Fatalf("millis = %d, want %d", got, test.want)
			}
		})
	}
}

// TestKeysOfAChannelShareASlot shows that whatever a script touches has one hash
// tag.
func TestKeysOfAChannelShareASlot(t *testing.T) {
	t.Parallel()
	k := keys{prefix: "rt1", shards: 64}
	d := engine.Ref{Team: "T1", Channel: "C{1}", ID: "d/1"}
	shard := k.shard(d.Team, d.Channel)
	tag, _, _ := strings.Cut(k.due(shard), "}")
	for _, key := range []string{
		k.thread(d), k.mailbox(d), k.log(d), k.seen(d), k.alias(d.Team, d.Channel, "1.1"), k.pace(d.Team, d.Channel), k.act(shard),
		k.letters(shard), k.item(engine.ItemRef{Team: d.Team, Channel: d.Channel, Slug: "s"}), k.items(d.Team, d.Channel),
	} {
		if got, _, _ := strings.Cut(key, "}"); got != tag {
			t.Errorf("key %s has the tag %s}, want %s}", key, got, tag)
		}
	}
	if got, err := parseMember(member(d)); err != nil || got != d {
		t.Errorf("parseMember = %v, %v, want %v", got, err, d)
	}
}

// TestRefsCannotShareKeys refuses names that would reach another channel (I12).
func TestRefsCannotShareKeys(t *testing.T) {
	t.Parallel()
	for name, bad := range map[string]engine.Ref{
		"slash in team":    {Team: "T/1", Channel: "C", ID: "d"},
		"slash in channel": {Team: "T", Channel: "C/d", ID: "d"},
		"no team":          {Channel: "C", ID: "d"},
		"no channel":       {Team: "T", ID: "d"},
		"no id":            {Team: "T", Channel: "C"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if err := checkRef(bad); err == nil {
				t.Fatal("accepted")
			}
		})
	}
}

func TestLargeValuesAreRefused(t *testing.T) {
	t.Parallel()
	large := make([]byte, MaxValue+1)
	for name, c := range map[string]engine.Commit{
		"state":  {State: large},
		"entry":  {Append: [][]byte{large}},
		"effect": {Enqueue: []engine.OutboxEntry{{Key: "k", Body: large}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if err := checkCommit(engine.Ref{Team: "T", Channel: "C", ID: "d"}, c); !errors.Is(err, ErrTooLarge) {
				t.Fatalf("checkCommit = %v, want ErrTooLarge", err)
			}
		})
	}
}
