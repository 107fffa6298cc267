package storage_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/storage"
	"github.com/roundtable-chat/app/storage/storagetest"
)

// change is one operation of the torn scenario: a delivery, a claim or a commit.
type change struct {
	name    string
	deliver *engine.Delivery
	commit  *engine.Commit
	claim   bool
	replay  bool
}

func mailFor(id string, also ...string) *engine.Delivery {
	d := delivery(id)
	d.Also, d.Thread = also, "1.1"
	return &d
}

// tornScenario touches every script that changes a discussion, and every write of
// each.
func tornScenario() []change {
	claimed := mailFor("open", "client-open", "event-open")
	claimed.Claim = &engine.Claimant{Owner: "one"}
	later := time.Now().Add(time.Hour)
	post := func(keys ...string) (out []engine.OutboxEntry) {
		for _, k := range keys {
			out = append(out, engine.OutboxEntry{Key: k, Body: []byte("b")})
		}
		return out
	}
	return []change{
		{name: "open and claim", deliver: claimed},
		{name: "first commit", commit: &engine.Commit{State: []byte("s1"), Consumed: []string{"open"},
			Append: [][]byte{[]byte("e0"), []byte("e1")}, Enqueue: post("k0", "k1"), Attempt: true, Alias: "1.1", Acts: []engine.Act{line("opened"), line("chose")}}},
		{name: "mail while held", deliver: mailFor("m1", "client-m1")},
		{name: "receipt and next attempt", commit: &engine.Commit{State: []byte("s2"), Done: 1, Attempt: true, Posted: []string{"1.1", "1.2"}}},
		{name: "refused attempt", commit: &engine.Commit{Unattempt: true, PaceUntil: time.Now().Add(-time.Minute)}},
		{name: "last receipt and release with mail waiting", commit: &engine.Commit{State: []byte("s3"), Done: 1,
			Consumed: []string{"m1"}, Append: [][]byte{[]byte("e2")}, Mode: engine.ModeRelease, Wake: later, Posted: []string{"1.3"}}},
		{name: "mail to an idle discussion", deliver: mailFor("m2")},
		{name: "claim", claim: true},
		{name: "rewrite", commit: &engine.Commit{State: []byte("s3b"), Rewrite: []engine.Rewrite{
			{Index: 0, Line: []byte("f0")}, {Index: 2, Line: []byte("f2")}}, Append: [][]byte{[]byte("e2b")}}},
		{name: "rewrite again", commit: &engine.Commit{Rewrite: []engine.Rewrite{{Index: 0, Line: []byte("g0")}}}},
		{name: "more mail", deliver: mailFor("poison")},
		{name: "park", commit: &engine.Commit{State: []byte("s4"), Consumed: []string{"m2"}, Park: []string{"poison"}, ParkReason: "why", Enqueue: post("k2")}},
		{name: "replay", replay: true},
		{name: "yield", commit: &engine.Commit{Mode: engine.ModeYield}},
		{name: "claim what was yielded", claim: true},
		{name: "finish", commit: &engine.Commit{State: []byte("s5"), Consumed: []string{"poison"}, Done: 1, Append: [][]byte{[]byte("e3")}, Mode: engine.ModeRelease}},
		{name: "last mail", deliver: mailFor("m3")},
		{name: "last claim", claim: true},
		{name: "close", commit: &engine.Commit{State: []byte("end"), Consumed: []string{"m3"}, Append: [][]byte{[]byte("e4")}, Mode: engine.ModeClose, Acts: []engine.Act{line("closed")}}},
	}
}

// tornOptions make leases that end at once, so that anybody may take over.
var tornOptions = storage.Options{Lease: time.Millisecond, PaceBurst: 1000, PaceRate: 1000}

// TestTornScripts cuts every change of a scenario after each of its writes, as a
// torn append-only file does, and wants what remains to be the state before or after
// the change, and to lead to the state after when the change is made again (I1, I2,
// I4, I5).
func TestTornScripts(t *testing.T) {
	t.Parallel()
	recorder := storagetest.Redis(t, "--appendonly", "yes", "--appendfsync", "no")
	server := storagetest.Redis(t)
	w := &wreck{T: t, store: storagetest.Open(t, server, tornOptions), client: server.Client(t)}
	defer func() { _ = w.client.Close() }()

	live := storagetest.Open(t, recorder, tornOptions)
	var h *engine.Claim
	cuts := 0
	for _, c := range tornScenario() {
		before := appendOnly(t, recorder)
		h = perform(t, live, h, c)
		after := appendOnly(t, recorder)
		if len(after) != len(before)+1 {
			t.Fatalf("%s made %d changes, want one", c.name, len(after)-len(before))
		}
		writes := after[len(before)]
		w.history = before
		from, to := w.look(nil), w.look(writes)
		for cut := range writes {
			w.check(fmt.Sprintf("%s, cut after %d of %d writes", c.name, cut, len(writes)), c, writes[:cut], from, to)
			cuts++
		}
	}
	t.Logf("%d cuts", cuts)
}

// perform makes a change of the scenario, with h as the claim if one is needed.
func perform(t *testing.T, s *storage.Redis, h *engine.Claim, c change) *engine.Claim {
	t.Helper()
	switch {
	case c.deliver != nil:
		got, err := s.Deliver(t.Context(), *c.deliver)
		if err != nil || (got.Reception != engine.Stored && got.Reception != engine.Duplicate) {
			t.Fatalf("%s: Deliver = %+v, %v", c.name, got, err)
		}
		if got.Claim != nil {
			return got.Claim
		}
	case c.commit != nil:
		commit(t, s, h, *c.commit)
	case c.claim:
		return take(t, s)
	case c.replay:
		letters, err := s.DeadLetters(t.Context(), 10)
		if err != nil || len(letters) == 0 {
			t.Fatalf("DeadLetters = %v, %v", letters, err)
		}
		if err := s.Replay(t.Context(), letters[0].ID); err != nil {
			t.Fatal(err)
		}
	}
	return h
}

// take claims the discussion as soon as the last lease is over.
func take(t *testing.T, s *storage.Redis) *engine.Claim {
	t.Helper()
	for range 1000 {
		h, err := s.Claim(t.Context(), ref, engine.Claimant{Owner: "two"})
		if err != nil {
			t.Fatal(err)
		}
		if h != nil {
			return h
		}
	}
	t.Fatal("nothing to claim")
	return nil
}

// wreck is a server that is brought again and again into the state that a torn
// file would leave.
type wreck struct {
	*testing.T
	store   *storage.Redis
	client  *redis.Client
	history [][]written
	probes  int
}

// sight is what can be seen of the discussion.
type sight struct {
	text string
	due  bool
	acts []string // the lines of the audit record, by id
}

// look returns what is seen after the history and the writes of a torn change.
func (w *wreck) look(writes []written) sight {
	w.Helper()
	restore(w.T, w.client, w.history, writes)
	return w.see()
}

func (w *wreck) see() sight {
	w.Helper()
	refs := []engine.Ref(nil)
	for range 50 { // a lease of a millisecond may not have ended yet
		var err error
		if refs, err = w.store.Due(w.Context(), 10); err != nil {
			w.Fatal(err)
		}
		if len(refs) > 0 {
			break
		}
	}
	s := sight{due: slices.Contains(refs, ref)}
	if err := w.store.ReadActs(w.Context(), engine.ActQuery{}, func(a engine.Act) error { s.acts = append(s.acts, a.ID); return nil }); err != nil {
		w.Fatal(err)
	}
	h, text := w.probe()
	if h == nil {
		s.text = text
		return s
	}
	s.text = fmt.Sprintf("state %q\nlog %q\nmail %q\noutbox %q\nattempts %d outstanding %v\n",
		h.State, h.Log, slices.DeleteFunc(sorted(h.Mail), isProbe), h.Outbox, h.Attempts, !h.Attempted.IsZero())
	return s
}

func isProbe(id string) bool { return strings.HasPrefix(id, "probe") }

// probe delivers a further input to the discussion and claims it. It says how the
// discussion stands if there is nothing to claim.
func (w *wreck) probe() (*engine.Claim, string) {
	w.Helper()
	w.probes++
	d := engine.Delivery{Ref: ref, Mail: engine.Mail{ID: fmt.Sprintf("probe %d", w.probes), Body: []byte("b")}, Claim: &engine.Claimant{Owner: "probe"}}
	got, err := w.store.Deliver(w.Context(), d)
	switch {
	case err != nil:
		w.Fatal(err)
	case got.Reception == engine.Unknown:
		return nil, "nothing"
	case got.Reception == engine.Closed:
		state, log, err := w.store.Read(w.Context(), ref)
		if err != nil {
			w.Fatal(err)
		}
		return nil, fmt.Sprintf("closed with state %q\nlog %q", state, log)
	case got.Claim == nil && got.Busy:
		return take(w.T, w.store), ""
	}
	return got.Claim, ""
}

// emptyText is how a discussion looks that was created without its first mail.
const emptyText = "state \"\"\nlog []\nmail []\noutbox []\nattempts 0 outstanding false\n"

func (w *wreck) check(what string, c change, writes []written, from, to sight) {
	w.Helper()
	got := w.look(writes)
	if from.text == "nothing" && got.text == emptyText {
		from.text = emptyText
	}
	was := from
	switch got.text {
	case from.text:
	case to.text:
		was = to
	default:
		w.Errorf("%s: neither before nor after. Got\n%s\nbefore\n%s\nafter\n%s", what, got.text, from.text, to.text)
		return
	}
	if was.due && !got.due {
		w.Errorf("%s: nobody is called for\n%s", what, got.text)
	}
	restore(w.T, w.client, w.history, writes)
	switch {
	case c.deliver != nil:
		perform(w.T, w.store, nil, c)
	case c.commit != nil && got.text != to.text:
		h, _ := w.probe()
		again := *c.commit
		again.Consumed = slices.Clone(again.Consumed)
		for _, m := range h.Mail {
			if isProbe(m.ID) {
				again.Consumed = append(again.Consumed, m.ID)
			}
		}
		commit(w.T, w.store, h, again)
	case c.replay && got.text != to.text:
		perform(w.T, w.store, nil, c)
	}
	if strings.HasPrefix(to.text, "closed") {
		w.finish(what)
	}
	end := w.see()
	if end.text != to.text {
		w.Errorf("%s: made again it leads to\n%s\nwant\n%s", what, end.text, to.text)
	}
	if !slices.Equal(end.acts, to.acts) {
		w.Errorf("%s: made again the audit record has %v, want %v, each once", what, end.acts, to.acts)
	}
}

// finish lets a poller pass and wants a closed discussion to be put away (I10).
func (w *wreck) finish(what string) {
	w.Helper()
	if h, err := w.store.Claim(w.Context(), ref, engine.Claimant{Owner: "poller"}); h != nil || err != nil {
		w.Errorf("%s: Claim of a closed discussion = %v, %v", what, h, err)
	}
	for _, key := range w.client.Keys(w.Context(), "*").Val() {
		kind := strings.SplitN(key, ":", 3)[2]
		switch {
		case strings.HasPrefix(kind, "al:"):
		case kind == "aud": // which has a life of its own
		case kind == "due" || kind == "act" || strings.HasPrefix(kind, "ch:"):
			w.Errorf("%s: the closed discussion is still listed in %s", what, kind)
		case w.client.PTTL(w.Context(), key).Val() <= 0:
			w.Errorf("%s: %s never expires", what, kind)
		}
	}
}

// TestTornItemWrites cuts the change of an item after each of its writes (I8).
func TestTornItemWrites(t *testing.T) {
	t.Parallel()
	recorder := storagetest.Redis(t, "--appendonly", "yes", "--appendfsync", "no")
	server := storagetest.Redis(t)
	live, store := storagetest.Open(t, recorder, tornOptions), storagetest.Open(t, server, tornOptions)
	client := server.Client(t)
	defer func() { _ = client.Close() }()
	item := engine.ItemRef{Team: "T", Channel: "C", Slug: "login"}
	for version := range int64(3) {
		write := engine.ItemWrite{Version: version, Files: map[string][]byte{"a.md": fmt.Appendf(nil, "v%d", version), "b.md": nil},
			Meta: []byte("{}"), Key: fmt.Sprintf("k%d", version), Result: []byte("r")}
		before := appendOnly(t, recorder)
		if err := live.WriteItem(t.Context(), item, write); err != nil {
			t.Fatal(err)
		}
		writes := appendOnly(t, recorder)[len(before)]
		for cut := range len(writes) + 1 {
			restore(t, client, before, writes[:cut])
			got, err := store.ReadItem(t.Context(), item)
			if err != nil || (got.Version != version && got.Version != version+1) || len(got.Applied) != int(got.Version) {
				t.Fatalf("version %d, cut after %d: %+v, %v", version, cut, got, err)
			}
			if err := store.WriteItem(t.Context(), item, write); err != nil {
				t.Fatalf("version %d, cut after %d: made again: %v", version, cut, err)
			}
			got, err = store.ReadItem(t.Context(), item)
			if err != nil || got.Version != version+1 || string(got.Files["a.md"]) != fmt.Sprintf("v%d", version) {
				t.Fatalf("version %d, cut after %d: made again it is %+v, %v", version, cut, got, err)
			}
			if slugs, err := store.ListItems(t.Context(), "T", "C"); err != nil || !slices.Equal(slugs, []string{"login"}) {
				t.Fatalf("ListItems = %v, %v", slugs, err)
			}
		}
	}
}
