package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/alicebob/miniredis/v2"
	"golang.org/x/sync/errgroup"

	"github.com/roundtable-chat/app/bot/llm/offline"
	"github.com/roundtable-chat/app/bot/slacksim"
	"github.com/roundtable-chat/app/bot/slacksim/page"
	"github.com/roundtable-chat/app/cmd/roundtable/config"
	"github.com/roundtable-chat/app/storage"
)

// demoAddress is where the page is unless something else listens there.
const demoAddress = "127.0.0.1:7420"

// maxPostRate bounds --posts-per-second.
const maxPostRate = 1000

// demoInitial are the settings whose default is another in the demo: the terminal
// belongs to the person, built-in personas take a moment to think, and a demo that was
// killed goes on soon after it is started again.
func demoInitial() map[string]string {
	return map[string]string{"log-level": "warn", "pace": "1200ms", "lease": "6s", "listen": ""}
}

// demoAlone are the settings that the demo takes from its surroundings: the keys that a
// model needs. What a deployment is configured with in the same directory, such as its
// channels and its documents, is none of its business.
func demoAlone() []string {
	return []string{"anthropic-api-key", "anthropic-base-url", "openai-api-key", "openai-base-url"}
}

// demo is what the demo was asked for.
type demo struct {
	config.Config
	// stateFile keeps the workspace, if it is not empty.
	stateFile string
	// address is that of the page, if it is not empty.
	address string
	// exposed is set when other machines may reach the page.
	exposed bool
	// kept is set when discussions are kept in a Redis of the person's own.
	kept bool
}

// configureDemo reads the demo's flags. It is not the place for the settings of
// production.
func configureDemo(s streams, args []string) (d demo, err error) {
	var redisURL string
	var postRate float64
	c, rest, err := configure(s, "demo", args, config.Variant{Initial: demoInitial(), Alone: demoAlone(), Flags: func(f *flag.FlagSet) {
		f.StringVar(&redisURL, "redis", "", "Redis that keeps discussions, so that they survive a restart (default in memory)")
		f.StringVar(&d.stateFile, "state", "", "file that keeps the workspace's messages (with --redis, default roundtable-demo.json)")
		f.Float64Var(&postRate, "posts-per-second", 0, "how many posts a second a channel accepts (default 1, as in Slack, in bursts of three)")
		f.StringVar(&d.address, "address", "", "address of the page (default "+demoAddress+", or a free port)")
		f.BoolVar(&d.exposed, "expose", false, "let other machines reach --address; anyone there can act as any member of the workspace")
	}})
	if err != nil {
		return d, err
	}
	if err := exactly(rest, 0); err != nil {
		return d, err
	}
	if err := checkExposure(d.address, d.exposed); err != nil {
		return d, err
	}
	d.Config, d.kept = c, redisURL != ""
	if d.PostRate = postRate; postRate < 0 || postRate > maxPostRate {
		return d, config.Usagef("--posts-per-second: must be between 0 and %d", maxPostRate)
	}
	if d.kept {
		if _, err := storage.ParseURL(redisURL); err != nil {
			return d, config.Usagef("--redis: %w", err)
		}
		d.stateFile = cmp.Or(d.stateFile, "roundtable-demo.json")
	}
	// The tokens open nothing but this run's workspace, which alone is told them.
	d.BotToken, d.AppToken, d.RedisURL = "xoxb-"+rand.Text(), "xapp-"+rand.Text(), redisURL
	return d, nil
}

// checkExposure refuses an address that other machines can reach, unless the person
// says that this is meant: the page asks nobody who they are.
func checkExposure(address string, exposed bool) error {
	if address == "" && !exposed {
		return nil
	}
	host, _, err := net.SplitHostPort(address)
	if address != "" && err != nil {
		return config.Usagef("--address: %w", err)
	}
	ip := net.ParseIP(host)
	switch local := address == "" || host == "localhost" || ip != nil && ip.IsLoopback(); {
	case local && exposed:
		return config.Usagef("--expose: add the address at which other machines may reach the page, such as --address 0.0.0.0:7420")
	case !local && !exposed:
		return config.Usagef("--address %s: other machines could reach the page there, and anyone who does can act as any member of the workspace; if you want that, add --expose", address)
	default:
		return nil
	}
}

// runDemo opens a local workspace and serves it with the very bot that serves
// Slack, over real Socket Mode. With --redis it survives being killed.
func runDemo(ctx context.Context, s streams, args []string) error {
	d, err := configureDemo(s, args)
	if err != nil {
		return err
	}
	ctx, stop := untilSignal(ctx)
	defer stop()
	log := newLogger(d.Config, s.err)
	l, err := demoListener(ctx, d.address)
	if err != nil {
		return err
	}
	base := "http://" + reachable(l.Addr())
	d.SlackAPIURL = base + "/api/"
	if d.exposed {
		warnOfExposure(s.err, l.Addr())
	}
	workspace, err := slacksim.New(slacksim.Options{
		BotToken: d.BotToken, AppToken: d.AppToken, TeamID: config.DemoTeam, Page: page.FS(), BaseURL: base, Logger: log,
		StateFile: d.stateFile, Timing: slacksim.Timing{SaveEvery: -1}, Exposed: d.exposed,
	})
	if err != nil {
		return errors.Join(err, l.Close())
	}

	// The workspace and the embedded Redis outlive the order to stop, so that the
	// bot can finish what it is doing.
	around, leave := context.WithCancel(context.WithoutCancel(ctx))
	defer leave()
	g, around := errgroup.WithContext(around)
	if !d.kept {
		mini := miniredis.NewMiniRedis()
		if err := mini.Start(); err != nil {
			return errors.Join(fmt.Errorf("start the embedded redis: %w", err), l.Close())
		}
		d.RedisURL = "redis://" + mini.Addr()
		g.Go(func() error { return tendRedis(around, mini) })
	}
	g.Go(func() error { return workspace.Run(around, l) })
	g.Go(func() error {
		defer leave()
		serving, stopServing := context.WithCancel(around)
		defer context.AfterFunc(ctx, stopServing)()
		defer stopServing()
		return serveReplica(serving, d.Config, log, func() { greet(s.out, base, d) })
	})
	return g.Wait()
}

// reachable is where this machine reaches a listener: one that listens on every address
// is found on loopback.
func reachable(a net.Addr) string {
	t, ok := a.(*net.TCPAddr)
	if !ok || !t.IP.IsUnspecified() {
		return a.String()
	}
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(t.Port))
}

// warnOfExposure says what it means that other machines reach the page. It goes past
// the log, whose level a person may have turned down.
func warnOfExposure(out io.Writer, at net.Addr) {
	fmt.Fprintf(out, "\n  WARNING: other machines can reach this workspace at %s.\n"+
		"  Anyone who opens the page can read everything in it, write as any member, and use the models you pay for.\n"+
		"  The connection is not encrypted. Open the page at this machine's IP address; it does not answer to host names.\n\n", at)
}

// greet tells the person at the terminal what to do.
func greet(out io.Writer, base string, d demo) {
	keep := "Discussions are kept in memory and are lost when this program ends; --redis URL keeps them."
	if d.kept {
		keep = "Discussions are kept in Redis: kill this program, start it again, and they go on."
	}
	who := "A built-in rule-based stand-in speaks for the personas: no model, no key, no network."
	if d.Models[0] != offline.Engine {
		who = "The personas speak through " + strings.Join(d.Models, ", then ") + "."
	}
	fmt.Fprintf(out, "\n  Open %s and type\n\n      /roundtable offline mode for notes\n\n  %s\n  %s\n  Stop with Ctrl+C.\n\n", base, keep, who)
}

// tendRedis moves the embedded Redis's clock, by which keys end and which does
// not move by itself, and closes it when ctx ends.
func tendRedis(ctx context.Context, m *miniredis.Miniredis) error {
	defer m.Close()
	const beat = time.Minute
	t := time.NewTicker(beat)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-t.C:
			m.FastForward(beat)
		}
	}
}

// demoListener listens on the address asked for, or on the usual one, or, if that
// is taken, on any.
func demoListener(ctx context.Context, address string) (net.Listener, error) {
	var lc net.ListenConfig
	if address != "" {
		l, err := lc.Listen(ctx, "tcp", address)
		if err != nil {
			return nil, fmt.Errorf("listen for the page: %w", err)
		}
		return l, nil
	}
	l, err := lc.Listen(ctx, "tcp", demoAddress)
	if err != nil {
		l, err = lc.Listen(ctx, "tcp", "127.0.0.1:0")
	}
	if err != nil {
		return nil, fmt.Errorf("listen for the page: %w", err)
	}
	return l, nil
}
