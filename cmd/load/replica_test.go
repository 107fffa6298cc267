package main

import (
	"context"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/roundtable-chat/app/bot"
	"github.com/roundtable-chat/app/bot/slacksim"
	"github.com/roundtable-chat/app/manifests"
	rules "github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/document"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/persona"
	"github.com/roundtable-chat/app/storage"
	"github.com/roundtable-chat/app/storage/storagetest"
)

// BenchmarkReplica is a human turn through everything: a replica, the local
// workspace and the crowd, all in this process. Its profile (-cpuprofile), narrowed
// to bot, slack-go and net/http's client, shows what the Slack edge costs; the time
// per turn means nothing by itself.
func BenchmarkReplica(b *testing.B) {
	l := load{discussions: 64, people: 3}
	c := newCrowd(l)
	o := slacksim.Options{After: c.called, Acked: c.acknowledged}
	o.People, o.Channels = c.workspace()
	w, err := slacksim.New(o)
	if err != nil {
		b.Fatal(err)
	}
	c.workplace = w
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	set, store := shipped(b)
	ctx, stop := context.WithCancel(context.Background())
	var running sync.WaitGroup
	b.Cleanup(func() { stop(); running.Wait() })
	running.Go(func() { _ = w.Run(ctx, ln) })
	edge, err := bot.Connect(b.Context(), bot.Options{
		APIURL: "http://" + ln.Addr().String() + "/api/", BotToken: botToken, AppToken: appToken, Threads: store, Reader: engine.NewReader(store), Items: store, Slug: document.Slug, Roster: set.Roster,
		Policy: bot.Policy{Settings: rules.Settings{MaxTurns: endless}},
	})
	if err != nil {
		b.Fatal(err)
	}
	driver, err := engine.New(engine.Options{Store: store, Items: store, Workplace: edge.Workplace(), Panel: personas(b, set.Roster), Owner: "bench",
		Roster: func() persona.Roster { return set.Roster }})
	if err != nil {
		b.Fatal(err)
	}
	running.Go(func() { _ = driver.Run(ctx) })
	running.Go(func() { _ = edge.Run(ctx, driver) })
	for end := time.Now().Add(patience); w.Connections() < 2; {
		if time.Now().After(end) || pass(b.Context(), 10*time.Millisecond) != nil {
			b.Fatal("the bot did not connect")
		}
	}
	if _, err := c.openAll(b.Context(), opened, c.hushed); err != nil {
		b.Fatal(err)
	}
	c.count(true)
	b.ResetTimer()
	var talking sync.WaitGroup
	share := (b.N + len(c.threads) - 1) / len(c.threads)
	for _, t := range c.threads {
		talking.Go(func() {
			for range share {
				c.speak(b.Context(), t, 0)
			}
		})
	}
	talking.Wait()
	b.StopTimer()
	if got := c.count(false); got.unanswered > 0 {
		b.Errorf("%d turns were not answered", got.unanswered)
	}
}

// shipped is the manifests as they ship, and a store on a server that keeps what it
// is told, with a pace that holds nobody up.
func shipped(b *testing.B) (manifests.Set, *storage.Redis) {
	b.Helper()
	set, err := manifests.Load(nil)
	if err != nil {
		b.Fatal(err)
	}
	store, err := storage.Open(b.Context(), storage.Options{URL: storagetest.Redis(b, "--appendonly", "yes").URL, PaceRate: 1000, PaceBurst: 1000})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = store.Close() })
	return set, store
}
