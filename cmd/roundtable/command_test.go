package main

import (
	"bytes"
	"context"
	"encoding/json"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/storage"
	"github.com/roundtable-chat/app/storage/storagetest"
)

func TestExitCodes(t *testing.T) {
	mini := storagetest.Mini(t)
	folder := t.TempDir()
	tests := []struct {
		name          string
		redis         string
		args          []string
		code          int
		out, complain string // what must be in them; empty: nothing may be
	}{
		{"nothing", "", nil, 2, "", "Usage: roundtable COMMAND"},
		{"help", "", []string{"help"}, 0, "Usage: roundtable COMMAND", ""},
		{"--help", "", []string{"--help"}, 0, "Usage: roundtable COMMAND", ""},
		{"-h", "", []string{"-h"}, 0, "Usage: roundtable COMMAND", ""},
		{"an unknown command", "", []string{"brew"}, 2, "", `there is no command "brew"`},
		{"an unknown flag", "", []string{"serve", "--brew"}, 2, "", "roundtable serve: flag provided but not defined: -brew"},
		{"a command's help", "", []string{"export", "--help"}, 0, "Usage: roundtable export [flags] TEAM/CHANNEL/ITEM DIR", ""},
		{"--print-config", "", []string{"serve", "--print-config"}, 0, "max-turns: 10", ""},
		{"serve without anything", "", []string{"serve"}, 2, "", "roundtable serve: SLACK_APP_TOKEN is missing"},
		{"serve with an argument", mini.URL, []string{"serve", "now"}, 2, "", "is missing"},
		{"demo with an argument", "", []string{"demo", "now"}, 2, "", `unexpected argument "now"`},
		{"demo with a bad address of Redis", "", []string{"demo", "--redis", "http://u:s3cr3t@h"}, 2, "", "--redis: the Redis URL must begin with"},
		{"demo on an address that is none", "", []string{"demo", "--address", "127.0.0.1:99999"}, 1, "", "listen for the page"},
		{"version", "", []string{"version"}, 0, "\n", ""},
		{"version of what", "", []string{"version", "of"}, 2, "", `unexpected argument "of"`},
		{"manifest", "", []string{"manifest"}, 0, `"display_information"`, ""},
		{"manifest of what", "", []string{"manifest", "of"}, 2, "", `unexpected argument "of"`},
		{"check", "", []string{"check"}, 0, "Maya Chen (Business Analyst)", ""},
		{"check an empty folder", "", []string{"check", folder}, 0, "led by", ""},
		{"check two folders", "", []string{"check", folder, folder}, 2, "", "unexpected argument"},
		{"check a folder that is not there", "", []string{"check", filepath.Join(folder, "no")}, 1, "", "no such file or directory"},
		{"route what", "", []string{"route", "x"}, 2, "", "route reads messages from standard input"},
		{"route nothing", "", []string{"route"}, 0, "", ""},
		{"export without a Redis", "", []string{"export", "T/C/i", "d"}, 2, "", "REDIS_URL and --artifacts are both missing"},
		{"export half", mini.URL, []string{"export", "T/C/i"}, 2, "", "expected 2, got 1"},
		{"flags behind arguments", mini.URL, []string{"export", "T/C/i", "d", "--lease", "5s"}, 2, "", "flags come before arguments"},
		{"items of what", mini.URL, []string{"items", "T"}, 2, "", "expected TEAM/CHANNEL"},
		{"items of an item", mini.URL, []string{"items", "T/C/i"}, 2, "", "expected TEAM/CHANNEL"},
		{"a Redis that is not there", "redis://127.0.0.1:1", []string{"items", "T/C"}, 1, "", "open store"},
		{"parked, and nothing is", mini.URL, []string{"parked"}, 0, "", ""},
		{"parked, replay what", mini.URL, []string{"parked", "replay"}, 2, "", "expected no arguments, or: replay ID"},
		{"parked, replay what is not there", mini.URL, []string{"parked", "replay", "x"}, 1, "", "replay x"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Chdir(folder)
			got := runWith(tt.redis, tt.args...)
			if got.code != tt.code {
				t.Errorf("exit code %d, want %d", got.code, tt.code)
			}
			for _, s := range []struct{ stream, got, want string }{{"stdout", got.out, tt.out}, {"stderr", got.err, tt.complain}} {
				if s.want == "" && s.got != "" || !strings.Contains(s.got, s.want) {
					t.Errorf("%s: got %q, want %q in it", s.stream, s.got, s.want)
				}
			}
			if strings.Contains(got.out+got.err, "s3cr3t") {
				t.Errorf("a password was printed (I11):\n%+v", got)
			}
		})
	}
}

func TestManifestIsJSON(t *testing.T) {
	if got := runWith("", "manifest"); !json.Valid([]byte(got.out)) {
		t.Errorf("got %s", got.out)
	}
}

// checkRefuses wants "check" to name every one of these problems of a directory.
func checkRefuses(t *testing.T, folder string, problems ...string) {
	t.Helper()
	got := runWith("", "check", folder)
	if got.code != exitFailure || got.out != "" {
		t.Errorf("got exit code %d and %q", got.code, got.out)
	}
	for _, want := range problems {
		if !regexp.MustCompile(want).MatchString(got.err) {
			t.Errorf("%s is missing in\n%s", want, got.err)
		}
	}
}

// TestCheckNamesEveryProblem breaks two files of a directory.
func TestCheckNamesEveryProblem(t *testing.T) {
	folder := t.TempDir()
	writeTree(t, folder, map[string]string{
		"personas/business-analyst.yaml": "key: business-analyst\nnonsense: 1\n",
		"personas/system-designer.yaml":  "key: [\n",
	})
	checkRefuses(t, folder, `business-analyst\.yaml:2: .*nonsense`, `system-designer\.yaml:\d+: `)
	if serve := runWith("", "route", "--manifests", folder); serve.code != exitFailure || !strings.Contains(serve.err, "nonsense") {
		t.Errorf("route takes what check refuses: %+v", serve)
	}
}

// TestCheckNamesBrokenSteps shows that steps are lost one by one, each named
// (AC-012-01); what is merely odd is shown and passes.
func TestCheckNamesBrokenSteps(t *testing.T) {
	folder := t.TempDir()
	writeTree(t, folder, map[string]string{
		"steps/01-requirements/02-user-needs.md": "no front matter\n",
		"steps/04-design/01-module-design.md":    "---\nstep_id: x\n---\n",
	})
	checkRefuses(t, folder, `02-user-needs\.md:1: must begin with front matter`, `01-module-design\.md:2: the step id "x"`, `01-module-design\.md:2: "title" is missing`)
	if serve := runWith("", "manifest", "--manifests", folder); serve.code != 0 {
		t.Errorf("a broken step keeps the rest from being used: %+v", serve)
	}
	odd := t.TempDir()
	writeTree(t, odd, map[string]string{"steps/05-later/01-x.md": "anything\n"})
	if got := runWith("", "check", odd); got.code != 0 || !strings.Contains(got.err, `warning: "05-later" is no phase`) || !strings.Contains(got.out, "Blast Radius Assessment → impact-analysis.md") {
		t.Errorf("got %+v", got)
	}
}

// TestParked puts an input aside, lists it without its words, and hands it back
// (I1, I11).
func TestParked(t *testing.T) {
	s := storagetest.Mini(t)
	store := storagetest.Open(t, s, storage.Options{})
	ctx := context.Background()
	ref := engine.Ref{Team: "T1", Channel: "C1", ID: "d1"}
	delivered, err := store.Deliver(ctx, engine.Delivery{Ref: ref, Mail: engine.Mail{ID: "m:1", Body: []byte(canary)}, Opens: true, Claim: &engine.Claimant{Owner: "o"}})
	h := delivered.Claim
	if err != nil || h == nil {
		t.Fatalf("claim: %v, %v", h, err)
	}
	if _, err := store.Commit(ctx, h, engine.Commit{State: []byte("{}"), Park: []string{"m:1"}, ParkReason: "it crashed", Mode: engine.ModeRelease}); err != nil {
		t.Fatal(err)
	}
	list := runWith(s.URL, "parked")
	fields := strings.Split(strings.TrimSuffix(list.out, "\n"), "\t")
	if list.code != 0 || len(fields) != 5 || fields[2] != "T1/C1/d1" || fields[3] != "m:1" || fields[4] != "it crashed" {
		t.Fatalf("got %+v", list)
	}
	if !strings.HasPrefix(list.err, "ID\tPARKED AT\t") {
		t.Errorf("the columns have no heading: %q", list.err)
	}
	if strings.Contains(list.out, canary) {
		t.Errorf("the listing shows what somebody wrote: %s", list.out)
	}
	if got, want := runWith(s.URL, "parked", "replay", fields[0]), (ran{0, "handed back\n", ""}); got != want {
		t.Errorf("replay: got %+v, want %+v", got, want)
	}
	if got, want := runWith(s.URL, "parked"), (ran{}); got != want {
		t.Errorf("after the replay: got %+v, want %+v", got, want)
	}
}

// TestManyParked shows that a list which was cut says so.
func TestManyParked(t *testing.T) {
	for n, more := range map[int]bool{parkedLimit: false, parkedLimit + 1: true} {
		var out, errs bytes.Buffer
		if err := showParked(streams{out: &out, err: &errs}, make([]engine.DeadLetter, n)); err != nil {
			t.Fatal(err)
		}
		if got := strings.Count(out.String(), "\n"); got != parkedLimit || strings.Contains(errs.String(), "there are more") != more {
			t.Errorf("of %d: %d are shown, and %q is said", n, got, errs.String())
		}
	}
}

// TestProgram runs the program itself where that is the point: its exit codes and
// its standard streams.
func TestProgram(t *testing.T) {
	t.Parallel()
	code, out, errs := execute(t, nil, strings.NewReader(`{"text":"Alex, what breaks first?"}`+"\n"), "route")
	if want := `{"text":"Alex, what breaks first?","intent":"direct","personas":["alex"],"rule":"name-vocative-start"}` + "\n"; code != 0 || out != want || errs != "" {
		t.Errorf("route: got %d %q %q", code, out, errs)
	}
	if code, _, errs := execute(t, nil, strings.NewReader("{\n"), "route"); code != exitFailure || !strings.Contains(errs, "line 1") {
		t.Errorf("route of what is no JSON: got %d %q", code, errs)
	}
	if code, _, errs := execute(t, nil, nil, "serve"); code != exitUsage || strings.Count(errs, "is missing") != 3 {
		t.Errorf("serve: got %d %q", code, errs)
	}
}
