package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/roundtable-chat/app/storage/storagetest"
)

const (
	priya, sam, lena = "U0PRIYA01", "U0SAM0001", "U0LENA001"
	product          = "C0PRODUCT"
	menu             = "Elaboration Mode --"
	printed          = `Open (http://\S+) and`
)

// demoWorkspace is the demo's workspace as people use it. The app's token is the demo's
// own, so what the app would see is read from the state file.
func demoWorkspace(t testing.TB, p *process, state string) *workspace {
	t.Helper()
	return &workspace{t: t, url: p.address(printed), state: state}
}

// opening waits until the three have spoken once each, the lead first, and the
// room has the floor.
func opening(t testing.TB, d discussion) {
	t.Helper()
	var names []string
	d.until("", "the room has the floor", containing("The floor is yours"))
	for _, m := range d.thread() {
		if spoken(m) {
			names = append(names, m.Username)
		}
	}
	want := []string{"Maya Chen (Business Analyst)", "Alex Rivera (Solutions Architect)", "Jordan Park (System Designer)"}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("who speaks in the opening (-want +got):\n%s", diff)
	}
}

// TestDemo is the first discussion of somebody who tries the program: FR-001,
// FR-002, FR-003, FR-004, FR-006, FR-008, AC-002-04, AC-003-02, AC-006-03, AC-008-04.
func TestDemo(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir(), nil, "demo", "--address", "127.0.0.1:0", "--pace", "50ms", "--gather", "200ms")
	w := demoWorkspace(t, p, "")
	d := person{w, priya, product}.open("offline mode for notes")
	if intro := d.transcript(""); !strings.Contains(intro, "ELABORATION MODE") || !strings.Contains(intro, `Turn limit: 10 exchanges. Type "done" to end discussion early.`) {
		t.Errorf("the introduction is\n%s", intro)
	}
	opening(t, d)

	asked := d.as(sam).say("Alex, what breaks first?")
	first := d.until(asked, "somebody answers", spoken)
	if !by("Alex")(first) {
		t.Errorf("%s answers first, want Alex", first.Username)
	}
	d.press("continue")
	d.until(first.TS, "they continue", spoken)

	said := d.as(lena).say("Decision: notes are kept for thirty days")
	d.until(said, "somebody reacts", spoken)
	done := d.say("done")
	synthesis := d.until(done, "the synthesis is there", containing("Elaboration Insights"))
	if !strings.Contains(synthesis.Text, "thirty days") || !strings.Contains(synthesis.Text, "Lena") {
		t.Errorf("the decision and who made it are missing in\n%s", synthesis.Text)
	}
	d.until(synthesis.TS, "the artifact is announced", containing("elaboration-notes.md, section"))
	d.until(synthesis.TS, "the menu is back", containing(menu))

	if got := p.terminate(); got != 0 {
		t.Errorf("exit code %d after SIGTERM, want 0:\n%s", got, &p.output)
	}
	p.calm()
}

// TestDemoSurvivesKill kills the demo in the middle of a round and starts it
// again: I1, I2, I3, I4, NFR-005. What it leaves behind goes out of Redis and in
// again without a changed byte: FR-008, FR-009, NFR-004, I8.
func TestDemoSurvivesKill(t *testing.T) {
	t.Parallel()
	server := storagetest.RedisTCP(t, "--appendonly", "yes", "--appendfsync", "always")
	folder := t.TempDir()
	state := filepath.Join(folder, "workspace.json")
	args := []string{"demo", "--redis", server.URL, "--state", state, "--address", "127.0.0.1:0", "--lease", "2s", "--gather", "200ms", "--pace", "1500ms"}
	p := start(t, folder, nil, args...)
	w := demoWorkspace(t, p, state)
	d := person{w, priya, product}.open("offline mode for notes")
	first := d.until("", "a colleague speaks", func(m message) bool { return spoken(m) && !by("Maya")(m) })
	// The workspace is killed along with the bot; real Slack would not be.
	eventually(t, "the workspace has kept the first contribution", p.output.String, func() bool {
		raw, err := os.ReadFile(state)
		return err == nil && bytes.Contains(raw, []byte(`"`+first.TS+`"`))
	})
	p.kill()

	p = start(t, folder, nil, args...)
	w.url = p.address(printed)
	opening(t, d)
	said := d.as(sam).say("Decision: sync runs every minute")
	d.until(said, "somebody reacts", spoken)
	done := d.say("done")
	d.until(done, "the menu is back", containing(menu))
	judge(t, server, d, said)
	if got := p.terminate(); got != 0 {
		t.Errorf("exit code %d after SIGTERM, want 0:\n%s", got, &p.output)
	}
	p.calm()

	env := []string{"REDIS_URL=" + server.URL}
	out := filepath.Join(folder, "out")
	item := "T0ROUND01/" + product + "/offline-mode-for-notes"
	for _, args := range [][]string{
		{"export", item, out}, {"import", out, "T0ROUND01/C0RANDOM1/copy"}, {"export", "T0ROUND01/C0RANDOM1/copy", out + "2"},
	} {
		if code, _, errs := execute(t, env, nil, args...); code != 0 {
			t.Fatalf("%v: exit code %d\n%s", args, code, errs)
		}
	}
	got, again := readTree(t, out), readTree(t, out+"2")
	if diff := cmp.Diff(got, again); diff != "" {
		t.Errorf("exported, imported and exported again (-once +twice):\n%s", diff)
	}
	if !strings.Contains(got["elaboration-notes.md"], "sync runs every minute") {
		t.Errorf("the decision is not in the notes:\n%s", got["elaboration-notes.md"])
	}
	var meta struct {
		Elaborations []struct {
			Step     string   `json:"step_id"`
			Turns    int      `json:"turn_count"`
			Personas []string `json:"personas_active"`
			Time     string   `json:"timestamp"`
			Summary  string   `json:"synthesis_summary"`
		}
	}
	if err := json.Unmarshal([]byte(got["meta.json"]), &meta); err != nil || len(meta.Elaborations) != 1 {
		t.Fatalf("%v, %d records in\n%s", err, len(meta.Elaborations), got["meta.json"])
	}
	if r := meta.Elaborations[0]; r.Step != "00-00" || r.Turns < 4 || len(r.Personas) != 3 || r.Time == "" || r.Summary == "" {
		t.Errorf("the record is %+v", r)
	}
}

// TestTheDemoStandsAlone shows that a deployment's settings in the same directory do not
// concern the demo, and that what somebody names for it does.
func TestTheDemoStandsAlone(t *testing.T) {
	deployment := struct {
		file string
		env  map[string]string
	}{
		file: "channels: [C1]\nlisten: 127.0.0.1:1\nartifacts: docs\n",
		env: map[string]string{
			"ROUNDTABLE_MAX_TURNS": "5", "ROUNDTABLE_RETENTION": "nonsense", "REDIS_URL": "redis://production", "SLACK_BOT_TOKEN": "nonsense",
			"OPENAI_API_KEY": "key", "OPENAI_BASE_URL": "http://127.0.0.1:1/v1",
		},
	}
	t.Chdir(t.TempDir())
	for name, body := range map[string]string{"roundtable.yaml": deployment.file, "mine.yaml": "max-turns: 7\n"} {
		if err := os.WriteFile(name, []byte(body), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	s := streams{in: strings.NewReader(""), out: &bytes.Buffer{}, err: &bytes.Buffer{}, environ: func(k string) (string, bool) { v, ok := deployment.env[k]; return v, ok }}
	for _, c := range []struct {
		name string
		args []string
		want int
	}{{"nothing named", nil, 10}, {"a file named", []string{"--config", "mine.yaml"}, 7}, {"a flag", []string{"--max-turns", "8"}, 8}} {
		t.Run(c.name, func(t *testing.T) {
			d, err := configureDemo(s, c.args)
			if err != nil {
				t.Fatal(err)
			}
			if d.MaxTurns != c.want || len(d.Channels) != 0 || d.Listen != "" || d.Artifacts != "" || d.RedisURL != "" || d.BotToken == "nonsense" {
				t.Errorf("got %d turns, channels %v, listening on %q, documents in %q, Redis %q", d.MaxTurns, d.Channels, d.Listen, d.Artifacts, d.RedisURL)
			}
			if d.OpenAIKey != "key" || d.OpenAIURL == "" {
				t.Error("what a model needs is not taken")
			}
		})
	}
}
