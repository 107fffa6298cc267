package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/roundtable-chat/app/bot/slacksim"
)

func TestPercentile(t *testing.T) {
	hundred := make([]time.Duration, 100)
	for i := range hundred {
		hundred[i] = time.Duration(100 - i)
	}
	for name, c := range map[string]struct {
		values []time.Duration
		p      float64
		want   time.Duration
	}{
		"nothing":         {nil, 50, 0},
		"one":             {[]time.Duration{7}, 99, 7},
		"middle":          {hundred, 50, 50},
		"tail":            {hundred, 99, 99},
		"greatest":        {hundred, 100, 100},
		"least":           {hundred, 0, 1},
		"two, the lesser": {[]time.Duration{9, 3}, 50, 3},
	} {
		if got := percentile(c.values, c.p); got != c.want {
			t.Errorf("%s: got %d, want %d", name, got, c.want)
		}
	}
}

func TestMedian(t *testing.T) {
	for name, c := range map[string]struct {
		values []float64
		want   float64
	}{
		"odd": {[]float64{9, 1, 5}, 5}, "even": {[]float64{4, 1, 2, 9}, 3}, "one": {[]float64{2}, 2},
	} {
		if got := median(c.values); got != c.want {
			t.Errorf("%s: got %v, want %v", name, got, c.want)
		}
	}
}

func TestRedisWorkIsTheDifferenceOfTwoReadings(t *testing.T) {
	before := parseInfo("# CPU\r\nused_cpu_sys:1.5\r\nused_cpu_user:2.25\r\ntotal_reads_processed:10\r\n" +
		"cmdstat_hset:calls=4,usec=9,usec_per_call=2.25\r\ncmdstat_client|setinfo:calls=2,usec=1\r\ncmdstat_info:calls=1,usec=1\r\n")
	after := parseInfo("used_cpu_sys:2.0\r\nused_cpu_user:3.25\r\ntotal_reads_processed:25\r\n" +
		"cmdstat_hset:calls=14,usec=9\r\ncmdstat_client|setinfo:calls=2,usec=1\r\ncmdstat_get:calls=3,usec=1\r\ncmdstat_info:calls=2,usec=1\r\n")
	want := work{cpu: 1500 * time.Millisecond, reads: 15, commands: map[string]int64{"hset": 10, "get": 3}}
	if diff := cmp.Diff(want, after.since(before), cmp.AllowUnexported(work{})); diff != "" {
		t.Errorf("work (-want +got):\n%s", diff)
	}
	if got := want.calls(); got != 13 {
		t.Errorf("got %d calls, want 13", got)
	}
}

func TestOwnCostCanBeRead(t *testing.T) {
	before, err := cpu(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(50 * time.Millisecond); time.Now().Before(end); {
		_ = strings.Repeat("x", 1<<12)
	}
	after, err := cpu(os.Getpid())
	if err != nil || after <= before {
		t.Errorf("CPU went from %v to %v (%v) over 50 ms of work", before, after, err)
	}
	if got, err := memoryOf(os.Getpid()); err != nil || got.now < 1<<20 || got.most < got.now || got.file <= 0 || got.file > got.now {
		t.Errorf("memory: got %+v (%v), want a megabyte or more", got, err)
	}
	if _, err := cpu(-1); err == nil {
		t.Error("the CPU time of no process was read")
	}
}

func TestReportSections(t *testing.T) {
	file := filepath.Join(t.TempDir(), "docs", "bench.md")
	for _, s := range []struct{ name, text string }{{"bench", "one\n"}, {"peers", "two\n"}, {"bench", "three\n"}} {
		if err := replaceSection(file, s.name, s.text); err != nil {
			t.Fatal(err)
		}
	}
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	want := preamble + "\n<!-- bench -->\nthree\n\n<!-- end of bench -->\n\n<!-- peers -->\ntwo\n\n<!-- end of peers -->\n"
	if diff := cmp.Diff(want, string(raw)); diff != "" {
		t.Errorf("report (-want +got):\n%s", diff)
	}
	if err := os.WriteFile(file, []byte("\n<!-- bench -->\ncut off"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := replaceSection(file, "bench", "x"); err == nil {
		t.Error("a section without an end was replaced")
	}
}

func TestLinesSayHowManyAnswer(t *testing.T) {
	answers := 0
	for n := range 100 {
		text, k := line(n, 10)
		answers += k
		if (k == 3) != (text == toAll) {
			t.Errorf("line %d: %q is answered by %d", n, text, k)
		}
	}
	if answers != 90+30 {
		t.Errorf("got %d answers to 100 lines, want 120", answers)
	}
	if _, k := line(9, 0); k != 1 {
		t.Errorf("without a group, line 9 is answered by %d", k)
	}
}

// echo is a workplace whose bot answers at once, or never when deaf.
type echo struct {
	crowd *crowd
	deaf  bool
	mu    sync.Mutex
	said  []string
}

func (e *echo) Say(_, channel, thread, text string) (string, error) {
	e.mu.Lock()
	e.said = append(e.said, text)
	e.mu.Unlock()
	posts := 1
	switch {
	case e.deaf:
		return "1.000001", nil
	case thread == "":
		posts = 5
	case text == toAll:
		posts = 3
	}
	for range posts {
		e.crowd.called(slacksim.CallRecord{Method: "chat.postMessage", Performed: true, Args: map[string]string{"channel": channel}})
	}
	return "1.000001", nil
}

func TestCrowdCountsTurns(t *testing.T) {
	c := newCrowd(load{discussions: 4, people: 2})
	c.workplace = &echo{crowd: c}
	if took, err := c.openAll(t.Context(), 1000, c.hushed); err != nil || len(took) != 4 {
		t.Fatalf("opened %d discussions (%v), want 4", len(took), err)
	}
	c.count(true)
	for _, thread := range c.threads {
		for range 10 {
			c.speak(t.Context(), thread, 10)
		}
	}
	c.acknowledged(slacksim.Ack{Name: "message", Payload: []byte(`{"client_msg_id":"x"}`), Took: time.Millisecond, Attempt: 1})
	c.acknowledged(slacksim.Ack{Name: "message", Payload: []byte(`{"bot_id":"B"}`), Took: time.Hour})
	got := c.count(false)
	if got.turns() != 40 || got.posts != 4*(9+3) || got.strays != 0 || got.unanswered != 0 || got.calls["chat.postMessage"] != 48 {
		t.Errorf("counted %d turns, %d posts, %d strays, %d unanswered, calls %v", got.turns(), got.posts, got.strays, got.unanswered, got.calls)
	}
	if len(got.acks) != 1 || got.acks[0] != time.Millisecond || got.again != 1 {
		t.Errorf("acknowledgements %v, %d again; want the person's only", got.acks, got.again)
	}
}

func TestCrowdGoesHomeWithoutBlame(t *testing.T) {
	c := newCrowd(load{discussions: 1, people: 1})
	c.workplace = &echo{crowd: c, deaf: true}
	ctx, stop := context.WithCancelCause(t.Context())
	tired := errors.New("tired")
	stop(tired)
	if _, err := c.openAll(ctx, 1000, nil); !errors.Is(err, tired) {
		t.Errorf("got %v, want the cause", err)
	}
	c.count(true)
	c.speak(ctx, c.threads[0], 0)
	if got := c.count(false); got.unanswered != 0 || got.turns() != 0 {
		t.Errorf("counted %d unanswered and %d turns after the end", got.unanswered, got.turns())
	}
}

// TestPairedReport shows that ratios are those of pairs, not of medians.
func TestPairedReport(t *testing.T) {
	run := func(turns int) figures {
		return figures{span: time.Second, tally: tally{first: make([]time.Duration, turns)}}
	}
	r := peersReport{ours: []figures{run(10), run(40), run(30)}, theirs: []figures{run(10), run(10), run(15)}}
	if got, want := r.markdown(), "| human turns per second | 30.0 | 10.0 | 2.00 (1.00–4.00) |"; !strings.Contains(got, want) {
		t.Errorf("the report lacks %q:\n%s", want, got)
	}
}
