package main

import (
	"bytes"
	"context"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/roundtable-chat/app/bot/slacksim"
	"github.com/roundtable-chat/app/storage/storagetest"
)

// examples are the documents whose examples are tried: what people copy from.
var examples = []string{"README.md", "docs/configuration.md", "docs/models.md", "docs/operating.md", "docs/redis.md", "docs/step-files.md", "docs/voices.md"}

// block is a fenced block of a document.
type block struct{ language, text string }

var fenced = regexp.MustCompile("(?ms)^ *```(\\w*)\n(.*?)^ *```$")

func blocks(t *testing.T, page string) []block {
	t.Helper()
	var all []block
	for _, m := range fenced.FindAllStringSubmatch(documentText(t, page), -1) {
		all = append(all, block{m[1], m[2]})
	}
	return all
}

func documentText(t *testing.T, page string) string {
	t.Helper()
	source, err := os.ReadFile(repository + page)
	if err != nil {
		t.Fatal(err)
	}
	return string(source)
}

// TestExamples does what the documents show: a shell line is run where it can be on the
// loopback, and otherwise read by the program with all its settings; a configuration is
// read strictly; a step file is checked. A block of another kind is output, and has no
// language.
func TestExamples(t *testing.T) {
	makefile := documentText(t, "Makefile")
	tried := 0
	for _, page := range examples {
		for _, b := range blocks(t, page) {
			switch b.language {
			case "":
				continue
			case "sh":
				for line := range strings.Lines(b.text) {
					t.Run(page+" "+strings.TrimSpace(line), func(t *testing.T) { tryLine(t, makefile, strings.Fields(line)) })
				}
			case "yaml":
				t.Run(page+" roundtable.yaml", func(t *testing.T) { tryConfiguration(t, b.text) })
			case "markdown":
				t.Run(page+" step", func(t *testing.T) { tryStep(t, b.text) })
			default:
				t.Errorf("%s has an example in %s, which no test tries", page, b.language)
			}
			tried++
		}
	}
	if tried < 5 {
		t.Errorf("only %d examples were found", tried)
	}
}

// tryLine does what a shell line says.
func tryLine(t *testing.T, makefile string, words []string) {
	var env []string
	for len(words) > 0 && strings.Contains(words[0], "=") {
		env = append(env, filledIn(words[0]))
		words = words[1:]
	}
	line := strings.Join(words, " ")
	if target, ok := strings.CutPrefix(line, "make "); ok {
		if !regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(target) + `:.*## `).MatchString(makefile) {
			t.Errorf("the Makefile has no target %s", target)
		}
		return
	}
	if from, ok := strings.CutPrefix(line, "go run ./cmd/roundtable "); ok {
		line = "roundtable " + from
	}
	args, ok := strings.CutPrefix(line, "roundtable ")
	switch {
	case !ok:
		t.Errorf("no test tries %q", line)
	case args == "demo" && len(env) == 0:
		tryDemo(t)
	case args == "doctor" && len(env) == 0:
		t.Chdir(t.TempDir())
		if got := doctorWith(t, nil); got.code != 0 {
			t.Errorf("got %+v, want success where nothing is configured", got)
		}
	case args == "serve":
		tryServe(t, env)
	case strings.HasPrefix(args, "serve") || strings.HasPrefix(args, "demo"):
		t.Chdir(t.TempDir())
		if got := runIn(env, append(strings.Fields(args), "--print-config")...); got.code != 0 || got.out == "" {
			t.Errorf("got %+v, want its configuration", got)
		}
	default:
		t.Errorf("no test tries roundtable %s", args)
	}
}

// filledIn is an assignment with something in place of what a person fills in.
func filledIn(assignment string) string {
	name, value, _ := strings.Cut(assignment, "=")
	switch {
	case strings.HasPrefix(value, "redis://"):
		value = "redis://127.0.0.1:1/0"
	case strings.HasPrefix(value, "https://"):
		value = strings.ReplaceAll(value, "…", "models.example")
	}
	return name + "=" + strings.ReplaceAll(value, "…", "1-example")
}

// runIn runs a command in this process, with an environment of its own.
func runIn(env []string, args ...string) ran {
	var out, errs bytes.Buffer
	s := streams{in: strings.NewReader(""), out: &out, err: &errs, environ: func(k string) (string, bool) {
		for _, assignment := range env {
			if name, value, _ := strings.Cut(assignment, "="); name == k {
				return value, true
			}
		}
		return "", false
	}}
	code := run(context.Background(), s, args)
	return ran{code, out.String(), errs.String()}
}

// tryDemo starts the demo on a port that is free and opens its page.
func tryDemo(t *testing.T) {
	p := start(t, t.TempDir(), nil, "demo", "--address", "127.0.0.1:0")
	answer, err := http.Get(p.address(printed))
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		t.Errorf("its page answers %s", answer.Status)
	}
	if got := p.terminate(); got != 0 {
		t.Errorf("exit code %d after SIGTERM, want 0:\n%s", got, &p.output)
	}
}

// tryServe serves a local workspace from a private Redis. It is given what the line gives,
// and nothing else that is needed.
func tryServe(t *testing.T, env []string) {
	var given []string
	for _, here := range serveEnv(localSlack(t, slacksim.Options{}), storagetest.RedisTCP(t)) {
		name, _, _ := strings.Cut(here, "=")
		shown := slices.ContainsFunc(env, func(x string) bool { return strings.HasPrefix(x, name+"=") })
		if shown || name == "SLACK_API_URL" || name == "ROUNDTABLE_LISTEN" {
			given = append(given, here)
		}
	}
	p := start(t, t.TempDir(), given, "serve")
	ready(t, p)
	if got := p.terminate(); got != 0 {
		t.Errorf("exit code %d after SIGTERM, want 0:\n%s", got, &p.output)
	}
}

// tryConfiguration has serve read a file, and show every key of it.
func tryConfiguration(t *testing.T, text string) {
	t.Chdir(t.TempDir())
	writeTree(t, ".", map[string]string{"roundtable.yaml": text})
	got := runIn(nil, "serve", "--print-config")
	if got.code != 0 {
		t.Fatalf("got %+v, want its configuration", got)
	}
	for _, m := range regexp.MustCompile(`(?m)^([a-z-]+):`).FindAllStringSubmatch(text, -1) {
		if !strings.Contains(got.out, m[0]) {
			t.Errorf("%s is not in what is in force:\n%s", m[1], got.out)
		}
	}
}

// tryStep checks a folder with a step beside the built-in ones.
func tryStep(t *testing.T, text string) {
	folder := t.TempDir()
	writeTree(t, folder, map[string]string{"steps/01-requirements/02-user-needs.md": text})
	if got := runIn(nil, "check", folder); got.code != 0 || strings.Contains(got.out+got.err, "02-user-needs.md") {
		t.Errorf("got %+v, want no word about the step", got)
	}
}

// TestDocumentsNameWhatThereIs holds the documents to commands, flags and targets of make
// that exist.
func TestDocumentsNameWhatThereIs(t *testing.T) {
	makefile := documentText(t, "Makefile")
	var names []string
	flags := map[string]bool{"help": true, "config": true, "print-config": true}
	for _, c := range commands() {
		names = append(names, c.name)
		for _, m := range regexp.MustCompile(`(?m)^  --([a-z-]+)`).FindAllStringSubmatch(runIn(nil, c.name, "--help").out, -1) {
			flags[m[1]] = true
		}
	}
	code := regexp.MustCompile("`([^`\n]+)`")
	pages := append([]string{"ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md"}, examples...)
	for _, name := range []string{"capacity", "decisions", "performance", "testing"} {
		pages = append(pages, "docs/"+name+".md")
	}
	for _, page := range pages {
		for _, m := range code.FindAllStringSubmatch(documentText(t, page), -1) {
			words := strings.Fields(m[1])
			switch {
			case len(words) > 1 && words[0] == "roundtable" && words[1] != "COMMAND" && !slices.Contains(names, words[1]):
				t.Errorf("%s names %s, and there is no such command", page, m[1])
			case len(words) > 1 && words[0] == "make" && !regexp.MustCompile(`(?m)^`+regexp.QuoteMeta(words[1])+`:.*## `).MatchString(makefile):
				t.Errorf("%s names %s, and there is no such target", page, m[1])
			}
			for _, w := range words {
				if name, ok := strings.CutPrefix(w, "--"); ok {
					if name, _, _ = strings.Cut(name, "="); !flags[name] {
						t.Errorf("%s names %s, and no command has such a flag", page, w)
					}
				}
			}
		}
	}
}

// TestExamplesAreFound shows what is taken for an example.
func TestExamplesAreFound(t *testing.T) {
	got := fenced.FindAllStringSubmatch("a\n\n```sh\nx y\n```\n\n1. b\n\n   ```yaml\n   c: 1\n   ```\n```\nout\n```\n", -1)
	if len(got) != 3 || got[0][1] != "sh" || got[0][2] != "x y\n" || got[1][1] != "yaml" || got[2][2] != "out\n" {
		t.Errorf("got %q", got)
	}
	if got := filledIn("SLACK_BOT_TOKEN=xoxb-…"); got != "SLACK_BOT_TOKEN=xoxb-1-example" {
		t.Errorf("got %s", got)
	}
}
