package barrage

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/roundtable-chat/app/bot/slacksim"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/storage"
	"github.com/roundtable-chat/app/storage/storagetest"
)

// Plan says how much is fired.
type Plan struct {
	// Binary is the roundtable program.
	Binary string
	// Seed decides every envelope.
	Seed uint64
	// Envelopes is how many there are.
	Envelopes int
	// Patience bounds every wait for the program.
	Patience time.Duration
}

// Report is what came of it.
type Report struct {
	// Sent counts the envelopes by shape, Ended how they ended: acknowledged, or why not.
	Sent, Ended map[string]int
	// Discussions and Analyses are how many stand in Redis; Parked how many inputs were
	// put aside, all of them forged ones.
	Discussions, Analyses, Parked int
	// LogBytes is how long the log is. Early and Late are how much memory the program
	// had after a tenth of the envelopes and at the end, in KiB.
	LogBytes    int64
	Early, Late int
	// Violations are what must not be.
	Violations []string
}

// String is the report in one line.
func (r Report) String() string {
	n := 0
	for _, each := range r.Sent {
		n += each
	}
	return fmt.Sprintf("%d envelopes %v, ended %v; %d discussions, %d analyses, %d inputs put aside; log of %d kB; memory %d, then %d MiB; %d violations",
		n, r.Sent, r.Ended, r.Discussions, r.Analyses, r.Parked, r.LogBytes>>10, r.Early>>10, r.Late>>10, len(r.Violations))
}

// barrage is one run of a plan.
type barrage struct {
	t      testing.TB
	plan   Plan
	town   *slacksim.Workspace
	store  *storage.Redis
	client storeClient
	forger *forger

	process *exec.Cmd
	ended   chan error
	log     string
	report  Report

	// heard are the timestamps of what people really said; threads are Priya's
	// discussions, of which kept is the one that has ended.
	heard   map[string]bool
	threads []*talk
	kept    talk
	places  chan struct{} // of envelopes on their way
	mu      sync.Mutex
}

// talk is a discussion that people hold.
type talk struct{ room, topic, thread, id string }

// inFlight is how many envelopes are on their way at once: fewer than the program takes
// in hand, so that none is turned away for their number alone.
const inFlight = 64

// Run plays a plan and judges it. What cannot be set up fails the test.
func Run(t testing.TB, p Plan) Report {
	t.Helper()
	b := &barrage{t: t, plan: p, forger: newForger(p.Seed), heard: make(map[string]bool), places: make(chan struct{}, inFlight),
		report: Report{Sent: make(map[string]int), Ended: make(map[string]int)}}
	server := storagetest.Redis(t)
	b.store, b.client = storagetest.Open(t, server, storage.Options{}), server.Client(t)
	b.serve(server.URL, b.open())
	b.prepare()
	for n := range p.Envelopes {
		if n == p.Envelopes/10 {
			b.report.Early = b.weigh()
		}
		if n%(max(p.Envelopes/40, 25)) == 0 {
			b.speak(n)
		}
		if !b.fire(b.forger.next()) {
			break
		}
	}
	b.land()
	b.report.Late = b.weigh()
	b.conclude()
	b.judge()
	return b.report
}

func (b *barrage) fail(format string, args ...any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.report.Violations = append(b.report.Violations, fmt.Sprintf(format, args...))
}

// open starts the workspace and returns its address.
func (b *barrage) open() string {
	b.t.Helper()
	var err error
	b.town, err = slacksim.New(slacksim.Options{TeamID: team, BotToken: botToken, AppToken: appToken, People: people(), Channels: channels(), Seed: b.plan.Seed,
		Timing: slacksim.Timing{AckWait: 2 * time.Second, Retry: []time.Duration{-1}}})
	if err != nil {
		b.t.Fatal(err)
	}
	l, err := new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		b.t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- b.town.Run(ctx, l) }()
	b.t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			b.t.Error(err)
		}
	})
	return "http://" + l.Addr().String()
}

// serve starts the program, which ends with the test.
func (b *barrage) serve(redis, slack string) {
	b.t.Helper()
	b.log = filepath.Join(b.t.ArtifactDir(), "roundtable.log")
	out, err := os.Create(b.log)
	if err != nil {
		b.t.Fatal(err)
	}
	ctx, kill := context.WithCancel(context.Background())
	b.process = exec.CommandContext(ctx, b.plan.Binary, "serve", "--listen", "", "--model", "offline", "--gather", "100ms", "--log-level", "debug", "--max-open", "40")
	b.process.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.TempDir(), "SLACK_BOT_TOKEN=" + botToken, "SLACK_APP_TOKEN=" + appToken,
		"SLACK_API_URL=" + slack + "/api/", "REDIS_URL=" + redis, "GOMAXPROCS=2"}
	b.process.Stdout, b.process.Stderr = out, out
	if err := b.process.Start(); err != nil {
		kill()
		b.t.Fatal(err)
	}
	b.ended = make(chan error, 1)
	go func() { b.ended <- b.process.Wait() }()
	b.t.Cleanup(func() {
		kill()
		b.t.Logf("the program ended: %v", <-b.ended)
		_ = out.Close()
	})
	b.await("the program is connected", func() bool { return b.town.Connections() > 0 })
}

// alive reports whether the program still runs.
func (b *barrage) alive() bool {
	select {
	case err := <-b.ended:
		b.ended <- err
		return false
	default:
		return true
	}
}

// await waits until something holds, with a bound, and reports whether it came to that.
func (b *barrage) await(what string, holds func() bool) bool {
	b.t.Helper()
	limit := time.NewTimer(b.plan.Patience)
	defer limit.Stop()
	look := time.NewTicker(50 * time.Millisecond)
	defer look.Stop()
	for !holds() {
		if !b.alive() {
			return false // the judge says so
		}
		select {
		case <-look.C:
		case <-limit.C:
			b.fail("after %s it does not hold that %s", b.plan.Patience, what)
			return false
		}
	}
	return true
}

// prepare has Priya open discussions in the open rooms and in the vault, and hold one to
// its end, whose document is to be kept.
func (b *barrage) prepare() {
	for i, room := range []string{tables[0], tables[1], vault} {
		b.threads = append(b.threads, b.begin(room, fmt.Sprintf("Ledger %d", i)))
	}
	b.kept = *b.begin(tables[0], "Keepsake")
	b.say(priya, &b.kept, "We keep every entry.")
	b.finish(&b.kept)
}

// begin opens a discussion and waits for its introduction.
func (b *barrage) begin(room, topic string) *talk {
	t := &talk{room: room, topic: topic}
	if _, err := b.town.Say(priya, room, "", "/roundtable "+topic); err != nil {
		b.fail("begin %s: %v", topic, err)
	}
	b.await("the introduction of "+topic+" stands", func() bool {
		for _, m := range b.town.Messages(room) {
			if m.BotID != "" && (m.ThreadTS == "" || m.ThreadTS == m.TS) && strings.Contains(m.Text, topic) {
				t.thread = m.TS
			}
		}
		return t.thread != ""
	})
	b.await("the store knows the thread of "+topic, func() bool { // which it learns after Slack shows it
		ref, ok, err := b.store.FindThread(context.Background(), team, room, t.thread)
		t.id = ref.ID
		return err == nil && ok
	})
	b.mu.Lock()
	defer b.mu.Unlock()
	b.forger.scene.threads = append(b.forger.scene.threads, spot{room, t.thread})
	b.forger.scene.stamps = append(b.forger.scene.stamps, t.thread)
	b.forger.scene.topics = append(b.forger.scene.topics, topic, strings.ToLower(strings.ReplaceAll(topic, " ", "-")))
	b.forger.scene.ids = append(b.forger.scene.ids, t.id)
	return t
}

// say has somebody write in a thread.
func (b *barrage) say(who string, t *talk, text string) {
	ts, err := b.town.Say(who, t.room, t.thread, text)
	if err != nil {
		b.fail("say in %s: %v", t.room, err)
		return
	}
	b.heard[ts] = true
	b.forger.scene.stamps = append(b.forger.scene.stamps, ts)
}

// finish ends a discussion and waits until it is closed.
func (b *barrage) finish(t *talk) {
	b.say(priya, t, "done")
	b.await(t.topic+" is closed", func() bool { return b.closed(t) })
}

// speak has Priya and Sam go on while envelopes fly; what has ended they open anew.
func (b *barrage) speak(n int) {
	i := n % len(b.threads)
	if b.closed(b.threads[i]) {
		b.threads[i] = b.begin(b.threads[i].room, fmt.Sprintf("Ledger %d", n+len(b.threads)))
	}
	b.say([]string{priya, sam}[n%2], b.threads[i], fmt.Sprintf("What about case %d, Maya?", n))
}

// fire delivers an envelope once there is a place for it, and reports whether the
// program still lives.
func (b *barrage) fire(e envelope) bool {
	b.report.Sent[e.shape]++
	if e.frame != nil {
		if err := b.town.ForgeFrame(e.frame); err != nil { // the program is connecting again
			b.await("the program is connected again", func() bool { return b.town.Connections() > 0 })
		}
		return b.alive()
	}
	b.places <- struct{}{}
	answer := b.town.Forge(e.kind, e.name, e.payload)
	go func() {
		defer func() { <-b.places }()
		a := <-answer
		b.mu.Lock()
		defer b.mu.Unlock()
		if a.Failure == "" {
			a.Failure = "acknowledged"
		}
		b.report.Ended[a.Failure]++
	}()
	return b.alive()
}

// land waits until every envelope has ended.
func (b *barrage) land() {
	for range inFlight {
		b.places <- struct{}{}
	}
	for range inFlight {
		<-b.places
	}
}

// conclude has Priya hold her discussions to their ends: the program still works.
func (b *barrage) conclude() {
	for i, t := range b.threads {
		if b.closed(t) {
			t = b.begin(t.room, fmt.Sprintf("Epilogue %d", i))
			b.threads[i] = t
			b.say(priya, t, "We keep every entry.")
		}
		b.finish(t)
	}
}

// refOf names a talk's discussion.
func refOf(t *talk) engine.Ref { return engine.Ref{Team: team, Channel: t.room, ID: t.id} }
