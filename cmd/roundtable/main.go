package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/roundtable-chat/app/cmd/roundtable/config"
)

// version is set by the linker for releases.
var version = ""

// Exit codes.
const (
	exitFailure = 1
	exitUsage   = 2
)

// command is one subcommand. run gets its arguments without the command's name.
type command struct {
	name, args, help string
	run              func(ctx context.Context, s streams, args []string) error
}

// streams are the program's own.
type streams struct {
	in       io.Reader
	out, err io.Writer
	environ  func(string) (string, bool)
}

func commands() []command {
	return []command{
		{"demo", "", "open a local workspace with the bot in it; needs no setup", runDemo},
		{"serve", "", "serve a Slack workspace", runServe},
		{"route", "< messages.jsonl", "say what each message asks of a discussion, and which rule decides so", runRoute},
		{"export", "TEAM/CHANNEL/ITEM DIR", "write an item's artifacts and meta.json into a new folder", runExport},
		{"import", "DIR TEAM/CHANNEL/ITEM", "read such a folder into a new item", runImport},
		{"items", "TEAM/CHANNEL", "list a channel's items", runItems},
		{"forget", "TEAM/CHANNEL/ITEM", "forget an item: hidden at once, removed after seven days", runForget},
		{"keep", "TEAM/CHANNEL/ITEM", "bring back an item that waits to be forgotten", runKeep},
		{"audit", "", "print who did what, when and where, but nothing that people wrote", runAudit},
		{"parked", "[replay ID]", "list inputs that were put aside, or hand one back to its discussion", runParked},
		{"eval", "", "measure how well the configured model speaks for the personas; needs neither Slack nor Redis", runEval},
		{"check", "[DIR]", "check a directory of personas, phases and steps", runCheck},
		{"doctor", "", "check Redis, Slack, the model and the files, and say what to do", runDoctor},
		{"manifest", "", "print the Slack app manifest", runManifest},
		{"version", "", "print the version", runVersion},
	}
}

func main() {
	s := streams{in: os.Stdin, out: os.Stdout, err: os.Stderr, environ: os.LookupEnv}
	os.Exit(run(context.Background(), s, os.Args[1:]))
}

// exactly refuses any number of arguments but n.
func exactly(rest []string, n int) error {
	switch {
	case len(rest) > n:
		return config.Usagef("unexpected argument %q; flags come before arguments", rest[n])
	case len(rest) < n:
		return config.Usagef("wrong number of arguments: expected %d, got %d", n, len(rest))
	}
	return nil
}

// run runs the command that args name and returns the program's exit code.
func run(ctx context.Context, s streams, args []string) int {
	if len(args) == 0 {
		usage(s.err)
		return exitUsage
	}
	switch args[0] {
	case "help", "-h", "-help", "--help":
		usage(s.out)
		return 0
	}
	all := commands()
	i := slices.IndexFunc(all, func(c command) bool { return c.name == args[0] })
	if i < 0 {
		fmt.Fprintf(s.err, "roundtable: there is no command %q\n\n", args[0])
		usage(s.err)
		return exitUsage
	}
	err := all[i].run(ctx, s, args[1:])
	if err == nil || errors.Is(err, config.ErrAnswered) {
		return 0
	}
	for line := range strings.Lines(err.Error()) {
		fmt.Fprintf(s.err, "roundtable %s: %s\n", all[i].name, strings.TrimSuffix(line, "\n"))
	}
	if wrong := (config.UsageError{}); errors.As(err, &wrong) {
		return exitUsage
	}
	return exitFailure
}

// configure reads the configuration of the command of that name.
func configure(s streams, name string, args []string, v config.Variant) (config.Config, []string, error) {
	all := commands()
	i := slices.IndexFunc(all, func(c command) bool { return c.name == name })
	return config.Read(config.Surroundings{Environ: s.environ, Out: s.out}, config.Command{Name: name, Arguments: all[i].args}, args, v)
}

func usage(w io.Writer) {
	fmt.Fprint(w, "Roundtable: three colleagues who discuss a topic with your team in a Slack thread.\n\nUsage: roundtable COMMAND [flags]\n\n")
	for _, c := range commands() {
		fmt.Fprintf(w, "  %-9s %-30s %s\n", c.name, c.args, c.help)
	}
	fmt.Fprint(w, "\nroundtable COMMAND --help lists a command's flags.\n")
}

func runVersion(_ context.Context, s streams, args []string) error {
	if err := exactly(args, 0); err != nil {
		return err
	}
	v := version
	if info, ok := debug.ReadBuildInfo(); ok && v == "" {
		v = info.Main.Version
	}
	if v == "" {
		v = "(devel)"
	}
	_, err := fmt.Fprintln(s.out, v)
	return err
}
