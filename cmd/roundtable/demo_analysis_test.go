package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestDemoAnalysis is the first step of an analysis in the demo: two people answer,
// the step is written down, and the menu's button leads to the next one (FR-116,
// AC-004-04).
func TestDemoAnalysis(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir(), nil, "demo", "--address", "127.0.0.1:0", "--pace", "50ms", "--gather", "200ms")
	w := demoWorkspace(t, p, "")
	d := person{w, priya, product}.openBy("analyze Offline mode", "Offline mode")
	asked := d.until("", "Maya asks", spoken)

	said := ""
	for i, who := range []string{priya, sam, priya, sam, priya, sam, priya, sam, priya, sam} {
		m := d.until(asked.TS, "a question or the menu", func(m message) bool { return question(m) || strings.Contains(m.Text, "[E]") })
		if strings.Contains(m.Text, "[E]") {
			break
		}
		text := []string{"About 40 files in 3 modules, high complexity.", "The tills are part of it, too."}[i%2]
		if strings.Contains(m.Text, "still open") {
			text = "done"
		}
		said = d.as(who).say(text)
		asked.TS = said
	}
	menu := d.until("", "the menu", containing("[C]"))
	if !strings.Contains(d.transcript(d.root), "quick-scan.md") {
		t.Errorf("no change of quick-scan.md is announced before the menu in\n%s", d.transcript(d.root))
	}
	d.press("next")
	d.until(menu.TS, "the next step begins", containing("Step 00-02"))
	if got := p.terminate(); got != 0 {
		t.Errorf("exit code %d after SIGTERM, want 0:\n%s", got, &p.output)
	}
	p.calm()
}

// question tells what asks for an answer.
func question(m message) bool {
	text := strings.TrimSpace(m.Text)
	return spoken(m) && (strings.HasSuffix(text, "?") || strings.Contains(text, "still open"))
}

// TestDemoWarnsOfSteps shows that what is wrong with step files is in the log once,
// with file and line and the prescribed sentence, and keeps nothing from starting
// (AC-012-01).
func TestDemoWarnsOfSteps(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	phase := filepath.Join(dir, "steps", "00-quick-scan")
	if err := os.MkdirAll(phase, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"04-broken.md": "no front matter",
		"05-again.md":  "---\nstep_id: \"00-01\"\ntitle: Again\npersona: business-analyst\ndepth: brief\noutputs: [quick-scan.md]\n---\n\n## Brief Mode\n\n1. What?\n",
	} {
		if err := os.WriteFile(filepath.Join(phase, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	p := start(t, t.TempDir(), nil, "demo", "--address", "127.0.0.1:0", "--manifests", dir)
	demoWorkspace(t, p, "")
	for _, want := range []string{
		`file=steps/00-quick-scan/04-broken.md line=1 problem="must begin with front matter`, `Step file 04-broken.md has invalid frontmatter. Skipping.`,
		`file=steps/00-quick-scan/05-again.md line=1`, `Step file 05-again.md repeats step 00-01 of 01-scope-estimation.md. Skipping.`,
	} {
		if got := strings.Count(p.output.String(), want); got != 1 {
			t.Errorf("%q stands %d times in the log, want once:\n%s", want, got, &p.output)
		}
	}
	p.terminate()
	p.calm()
}
