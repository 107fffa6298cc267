// Command load measures what a bot costs and how fast it is. It opens the local
// workspace, starts a private redis-server and the bot as processes of their own,
// lets many people talk in many threads, and reports human turns per second, the
// CPU time and Redis commands of a turn, how long events and people waited, and
// what an idle discussion keeps in memory.
//
//	load bench    roundtable alone, against its budgets
//	load peers    roundtable and a peer written for the official JavaScript
//	              framework, in turn, under the same load
//
// With -report a file's section of the same name is replaced by the figures. It
// reads CPU time and memory from /proc and therefore runs on Linux only.
//
// It is not a test of what a bot says or whether it loses anything: see the crash
// sweep and the chaos run for that. A turn without an answer is counted, not
// explained.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	switch err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); {
	case errors.Is(err, flag.ErrHelp):
		os.Exit(2)
	case err != nil:
		fmt.Fprintln(os.Stderr, "load:", err)
		os.Exit(1)
	}
}

// settings are the flags that both commands know.
type settings struct {
	load   load
	binary string // of roundtable; "": built for the occasion
	peer   string // folder of the JavaScript peer
	fsync  string // of Redis: always, everysec, no
	report string
	idle   []int // bench: how many discussions are left idle
	pairs  int   // peers
}

func run(ctx context.Context, args []string, out, progress io.Writer) error {
	if len(args) == 0 {
		args = []string{"help"}
	}
	s := settings{peer: "bot/slacksim/e2e/peer"}
	f := flag.NewFlagSet("load "+args[0], flag.ContinueOnError)
	f.SetOutput(progress)
	f.IntVar(&s.load.discussions, "discussions", 2500, "discussions that go on at once, each in a channel of its own; by default more than the machine bears")
	f.IntVar(&s.load.people, "people", 3, "people who take turns in each discussion")
	f.IntVar(&s.load.group, "group", 10, "every how many messages everyone is asked, which three personas answer; 0 for never")
	f.Float64Var(&s.load.rate, "rate", 0, "human turns a second that are offered; 0 for as many as are answered")
	f.DurationVar(&s.load.warm, "warm", 3*time.Second, "load before anything is measured")
	f.DurationVar(&s.load.span, "for", 8*time.Second, "load that is measured")
	f.StringVar(&s.binary, "roundtable", "", "binary of roundtable (default: it is built)")
	f.StringVar(&s.fsync, "fsync", "everysec", "appendfsync of Redis, which always keeps an append-only file")
	f.StringVar(&s.report, "report", "", "file whose section is replaced by the figures")
	var command func(context.Context, settings, io.Writer) (string, error)
	switch args[0] {
	case "bench":
		command = bench
		f.Func("idle", "discussions left idle to see what they keep (may be repeated; default 10000)", func(v string) error {
			var n int
			if _, err := fmt.Sscan(v, &n); err != nil || n < 1 {
				return errors.New("want a positive number")
			}
			s.idle = append(s.idle, n)
			return nil
		})
	case "peers":
		command = peers
		f.IntVar(&s.pairs, "pairs", 5, "paired runs")
		f.StringVar(&s.peer, "peer", s.peer, "folder of the JavaScript peer, with its packages installed")
	default:
		fmt.Fprintln(progress, "Usage: load bench|peers [flags]; -h after either lists its flags")
		return flag.ErrHelp
	}
	if err := f.Parse(args[1:]); err != nil {
		return err
	}
	if f.NArg() > 0 || s.load.discussions < 1 || s.load.people < 1 || s.load.people > 26 || s.load.group < 0 || s.load.rate < 0 || s.load.span <= 0 {
		return errors.New("the flags make no load; -h lists them")
	}
	if len(s.idle) == 0 {
		s.idle = []int{10000}
	}
	if s.binary == "" {
		binary, remove, err := build(ctx)
		if err != nil {
			return err
		}
		defer remove()
		s.binary = binary
	}
	section, err := command(ctx, s, progress)
	if err != nil {
		return err
	}
	fmt.Fprint(out, section)
	if s.report == "" {
		return nil
	}
	return replaceSection(s.report, args[0], section)
}
