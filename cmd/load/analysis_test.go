package main

import (
	"context"
	"fmt"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/roundtable-chat/app/bot"
	"github.com/roundtable-chat/app/bot/llm/offline"
	"github.com/roundtable-chat/app/bot/slacksim"
	"github.com/roundtable-chat/app/roundtable/analysis"
	"github.com/roundtable-chat/app/roundtable/document"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/persona"
)

// What is told apart among the posts of an analysis.
const (
	nextPrompt   = "What comes next?"
	introduction = "ELABORATION MODE"
	floor        = "The floor is yours"
	menuShown    = "[C]"
	welcome      = "Welcome back"
	paused       = "paused the analysis"
)

// brisk asks one question a step and thinks about nothing, so that what is measured
// is ours. What it writes down is the offline inquirer's.
type brisk struct{ *offline.Inquirer }

func (brisk) Inquire(_ context.Context, q engine.Inquiry) (analysis.Asked, error) {
	return analysis.Asked{Question: nextPrompt, Prompt: q.Briefing.Next, Enough: q.Briefing.Step.Answers > 0}, nil
}

func (i brisk) Compose(ctx context.Context, q engine.Inquiry) (*analysis.Draft, error) {
	d, err := i.Inquirer.Compose(ctx, q)
	if d != nil {
		d.Judged = true // nothing is asked for twice
	}
	return d, err
}

// post is a message of the bot as it came to stand.
type post struct {
	text, thread string
	at           time.Time
}

// analyst is a person who goes through analyses, one after the other, on a replica
// with everything real but Slack: the local workspace over HTTP and Socket Mode, the
// engine, and a private redis-server.
type analyst struct {
	b         *testing.B
	workspace *slacksim.Workspace
	posts     chan post
	// channel and thread are those of the analysis; items counts those begun.
	channel, thread string
	items           int
}

// A week in a busy channel: so many items are analysed in each, and there are so many
// channels.
const (
	itemsEach = 8
	rooms     = 128
)

func newAnalyst(b *testing.B) *analyst {
	b.Helper()
	a := &analyst{b: b, posts: make(chan post, 1024)}
	o := slacksim.Options{
		People: []slacksim.Person{{ID: speaker, Name: "priya", RealName: "Priya"}},
		After: func(r slacksim.CallRecord) {
			if r.Method == "chat.postMessage" && r.Performed {
				a.posts <- post{r.Args["text"], r.Args["thread_ts"], time.Now()}
			}
		},
	}
	for i := range rooms {
		o.Channels = append(o.Channels, slacksim.Channel{ID: fmt.Sprintf("C0L%06d", i), Name: fmt.Sprintf("load-%d", i)})
	}
	var err error
	if a.workspace, err = slacksim.New(o); err != nil {
		b.Fatal(err)
	}
	set, store := shipped(b)
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	var running sync.WaitGroup
	b.Cleanup(func() { stop(); running.Wait() })
	running.Go(func() { _ = a.workspace.Run(ctx, ln) })
	edge, err := bot.Connect(b.Context(), bot.Options{
		APIURL: "http://" + ln.Addr().String() + "/api/", BotToken: botToken, AppToken: appToken, Threads: store, Reader: engine.NewReader(store), Items: store, Roster: set.Roster,
		Slug: document.Slug,
	})
	if err != nil {
		b.Fatal(err)
	}
	driver, err := engine.New(engine.Options{
		Store: store, Items: store, Workplace: edge.Workplace(), Panel: personas(b, set.Roster), Inquirer: brisk{offline.NewInquirer(0)},
		Catalogue: func() analysis.Catalogue { return set.Steps.Catalogue }, Roster: func() persona.Roster { return set.Roster }, Owner: "bench",
	})
	if err != nil {
		b.Fatal(err)
	}
	running.Go(func() { _ = driver.Run(ctx) })
	running.Go(func() { _ = edge.Run(ctx, driver) })
	for end := time.Now().Add(patience); a.workspace.Connections() < 2; {
		if time.Now().After(end) || pass(b.Context(), 10*time.Millisecond) != nil {
			b.Fatal("the bot did not connect")
		}
	}
	return a
}

// say writes into a thread, or into the channel, and returns when that began and the
// message's timestamp.
func (a *analyst) say(thread, text string) (began time.Time, ts string) {
	a.b.Helper()
	began = time.Now()
	ts, err := a.workspace.Say(speaker, a.channel, thread, text)
	if err != nil {
		a.b.Fatal(err)
	}
	return began, ts
}

// await waits for the bot to post one of some texts.
func (a *analyst) await(texts ...string) post {
	a.b.Helper()
	limit := time.NewTimer(patience)
	defer limit.Stop()
	for {
		select {
		case p := <-a.posts:
			for _, t := range texts {
				if strings.Contains(p.text, t) {
					return p
				}
			}
		case <-limit.C:
			transcript, _ := a.workspace.Transcript(a.channel, a.thread)
			a.b.Fatalf("none of %q was posted in\n%s", texts, transcript)
		}
	}
}

// begin begins the analysis of another item.
func (a *analyst) begin() {
	a.b.Helper()
	a.channel = fmt.Sprintf("C0L%06d", a.items/itemsEach%rooms)
	a.items++
	a.analyze()
	a.await(nextPrompt)
}

// analyze asks for the analysis of the item.
func (a *analyst) analyze() (began time.Time) {
	a.b.Helper()
	began, a.thread = a.say("", fmt.Sprintf("@Roundtable analyze Item %d", a.items))
	return began
}

// answer answers the question of a step, and the menu follows.
func (a *analyst) answer() {
	a.b.Helper()
	a.say(a.thread, "The tills keep 400 sales while the network is away, and cashiers see that.")
	a.await(menuShown)
}

// elaboration is the thread of the discussion that was opened last.
func (a *analyst) elaboration() (root string) {
	for _, m := range a.workspace.Messages(a.channel) {
		if strings.Contains(m.Text, introduction) {
			root = m.TS
		}
	}
	return root
}

// report replaces the time of an operation, which holds what people do, by what
// somebody waited for.
func report(b *testing.B, took []time.Duration) {
	b.Helper()
	for name, p := range map[string]float64{"p50-ms": 50, "p99-ms": 99, "max-ms": 100} {
		b.ReportMetric(float64(percentile(took, p).Microseconds())/1000, name)
	}
	b.ReportMetric(0, "ns/op")
}

// BenchmarkAnalysis is how long a person waits for us, from what they do to what they
// see, without anybody's thinking: [E] to the introduction of the elaboration, [C] to
// the next step's question, and asking for an analysis to its greeting. At most 50 ms
// of p99 each are allowed; it wants a thousand of each (-benchtime 1000x).
func BenchmarkAnalysis(b *testing.B) {
	b.Run("elaborate", func(b *testing.B) {
		const each = 20 // elaborations of one item, whose document grows by each
		a := newAnalyst(b)
		var took []time.Duration
		for i := range b.N {
			if i%each == 0 {
				a.begin()
				a.answer()
			}
			began, _ := a.say(a.thread, "E")
			took = append(took, a.await(introduction).at.Sub(began))
			a.await(floor)
			a.say(a.elaboration(), "done")
			for a.await(menuShown).thread != a.thread {
			}
		}
		report(b, took)
	})
	b.Run("continue", func(b *testing.B) {
		a := newAnalyst(b)
		steps := 0
		var took []time.Duration
		for range b.N {
			if steps == 0 {
				steps = 23
				a.begin()
			}
			a.answer()
			began, _ := a.say(a.thread, "C")
			took = append(took, a.await(nextPrompt).at.Sub(began))
			steps--
		}
		report(b, took)
	})
	b.Run("resume", func(b *testing.B) {
		const each = 5
		a := newAnalyst(b)
		var took []time.Duration
		for i := range b.N {
			if i%each == 0 {
				a.begin()
				a.answer()
				a.say(a.thread, "done")
				a.await(paused)
			}
			began := a.analyze()
			took = append(took, a.await(welcome).at.Sub(began))
			a.await(nextPrompt)
			a.say(a.thread, "done")
			a.await(paused)
		}
		report(b, took)
	})
}
