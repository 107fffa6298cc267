package main

import (
	"encoding/json"
	"fmt"
	"html"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/analysis"
	"github.com/roundtable-chat/app/roundtable/golden"
)

// grown holds artifacts to their promise: every byte is there still, in order (I8).
func grown(t *testing.T, before, after map[string]string) {
	t.Helper()
	for name, old := range before {
		now, rest := after[name], old
		for i := 0; i < len(now) && rest != ""; i++ {
			if now[i] == rest[0] {
				rest = rest[1:]
			}
		}
		if rest != "" && name != "meta.json" {
			t.Errorf("%s lost bytes; it was\n%s\nand is\n%s", name, old, now)
		}
	}
}

// names are those of the people.
var names = map[string]string{priya: "Priya Nair", sam: "Sam Okafor", lena: "Lena Fischer"}

// complete holds the script to its promise: every step is gone through or skipped.
func (w *walk) complete() {
	w.t.Helper()
	for _, p := range w.steps.Phases {
		for _, f := range p.Steps {
			if f.ID != skipped && !slices.ContainsFunc(walked, func(s sitting) bool { return s.step == f.ID }) {
				w.t.Errorf("step %s is not in the script", f.ID)
			}
		}
	}
}

// artifactsStand looks for every place that a step of the walk fills, and for every
// word that somebody said in it.
func (w *walk) artifactsStand(item map[string]string) {
	w.t.Helper()
	left, _, _ := w.steps.Step(skipped)
	if draft := item[left.Targets()[0].File]; !strings.Contains(draft, "## "+left.Targets()[0].Name+"\n") || !strings.Contains(draft, "Draft: the step was skipped") {
		w.t.Errorf("the skipped step %s left no draft (AC-007-06):\n%s", skipped, draft)
	}
	for _, s := range walked {
		step, _, _ := w.steps.Step(s.step)
		texts := ""
		for _, target := range step.Targets() {
			found := false
			for name, text := range item {
				if name == target.File || strings.HasSuffix(target.File, "/") && strings.HasPrefix(name, target.File) {
					found, texts = true, texts+text
					if want := "\n## " + target.Name + "\n"; target.Part == analysis.PartSection && !strings.Contains("\n"+text, want) {
						w.t.Errorf("step %s: %s has no section %q:\n%s", s.step, name, target.Name, text)
					}
				}
			}
			if !found {
				w.t.Errorf("step %s: there is no %s", s.step, target.File)
			}
		}
		quoted := append(slices.Clone(s.said), s.feedback)
		for _, u := range quoted {
			_, override := analysis.ReadOverride(u.text, nil)
			whole := strings.Contains(texts, "**"+names[u.who]+"**: "+u.text)
			if u.text != "" && !override && !whole && (s.step != "01-07" || !wordsIn(texts, u.text) || !strings.Contains(texts, names[u.who])) {
				w.t.Errorf("step %s: nothing quotes %s: %q", s.step, names[u.who], u.text)
			}
		}
		for _, u := range s.elaborated {
			if decided, ok := strings.CutPrefix(u.text, "Decision: "); ok && !strings.Contains(texts, strings.TrimSuffix(decided, ".")) {
				w.t.Errorf("step %s: the decision %q is in no document", s.step, decided)
			}
		}
	}
}

// wordsIn reports whether every word of a text stands in another.
func wordsIn(text, said string) bool {
	for _, word := range regexp.MustCompile(`[A-Za-z0-9]+`).FindAllString(said, -1) {
		shape := map[string]string{"As": "as_a", "I": "i_want", "want": "i_want", "so": "so_that", "that": "so_that", "a": "as_a"}
		if !strings.Contains(text, word) && !strings.Contains(text, shape[word]) {
			return false
		}
	}
	return true
}

// metaIsTrue holds meta.json to its schema and to what was done.
func metaIsTrue(t *testing.T, text string) {
	t.Helper()
	type record struct {
		StepID   string    `json:"step_id"`
		Turns    int       `json:"turn_count"`
		Personas []string  `json:"personas_active"`
		Time     time.Time `json:"timestamp"`
		Summary  string    `json:"synthesis_summary"`
	}
	type meta struct {
		Source       string            `json:"source"`
		Slug         string            `json:"slug"`
		Created      time.Time         `json:"created_at"`
		Status       string            `json:"analysis_status"`
		Phases       []string          `json:"phases_completed"`
		Steps        []string          `json:"steps_completed"`
		Depths       map[string]string `json:"depth_overrides"`
		Elaborations []record          `json:"elaborations"`
	}
	var got meta
	dec := json.NewDecoder(strings.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&got); err != nil {
		t.Fatalf("meta.json: %v\n%s", err, text)
	}
	want := meta{
		Source: "manual", Slug: "offline-mode", Created: got.Created, Status: "analyzed",
		Phases: []string{"00-quick-scan", "01-requirements", "02-impact-analysis", "03-architecture", "04-design"},
		Depths: map[string]string{"01-requirements": "brief"},
	}
	for _, s := range walked {
		want.Steps = append(want.Steps, s.step)
		if len(s.elaborated) == 0 || len(want.Elaborations) == len(got.Elaborations) {
			continue
		}
		r := got.Elaborations[len(want.Elaborations)]
		if n := len([]rune(r.Summary)); r.Turns < 5 || len(r.Personas) != 3 || r.Time.Before(got.Created) || n == 0 || n > roundtable.SummaryLimit {
			t.Errorf("the record of step %s is %+v", s.step, r)
		}
		r.StepID = s.step
		want.Elaborations = append(want.Elaborations, r)
	}
	if diff := cmp.Diff(want, got); diff != "" || len(got.Elaborations) != 5 || got.Created.IsZero() {
		t.Errorf("meta.json (-want +got):\n%s\n%s", diff, text)
	}
}

// postedOnce holds every thread to what was promised of posts: each once, in order,
// and nothing that people said is lost (I1, I2, I3, I4).
func (w *walk) postedOnce() {
	w.t.Helper()
	seen := map[string]string{}
	for _, m := range w.replies() {
		key := m.Metadata.Payload.Key
		if m.BotID == "" {
			continue
		}
		if ts := seen[key]; key == "" || ts != "" {
			w.t.Errorf("the post at %s has the key %q, as has that at %q", m.TS, key, ts)
		}
		seen[key] = m.TS
	}
	for _, e := range w.elaborations {
		judge(w.t, w.server, e, w.said[e.root]...)
	}
}

var (
	clockTimes = regexp.MustCompile(`\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z`)
	dates      = regexp.MustCompile(`\b\d{1,2} [A-Z][a-z]+ 20\d{2}\b`)
	stamps     = regexp.MustCompile(`(?m)^\[\d+\.\d+\] `)
)

// written is everything that was written in Slack, thread by thread.
func (w *walk) written() string {
	var b strings.Builder
	b.WriteString("==== The analysis\n\n" + w.transcript(w.root))
	for i, e := range w.elaborations {
		fmt.Fprintf(&b, "\n==== Elaboration %d\n\n%s", i+1, e.transcript(e.root))
	}
	return html.UnescapeString(dates.ReplaceAllString(stamps.ReplaceAllString(b.String(), ""), "1 January 2026"))
}

var (
	// voices are what personas say in an elaboration: it depends on the discussion's
	// id, which depends on the clock.
	voices = regexp.MustCompile(`(?m)^(?:Maya Chen|Alex Rivera|Jordan Park) \(.*\n(?:    .*\n)*`)
	// insights are points of a synthesis that stand for what personas said.
	insights = regexp.MustCompile(`(?m)^(?:    • |- )(?:\[[^\]]*(?:Maya|Alex|Jordan).*|None)\n`)
	counts   = regexp.MustCompile(`Turn \d+ of|Turns\W* \d+|added \d+ insights?.*|"turn_count": \d+`)
)

// blurred leaves out what differs from walk to walk.
func blurred(text string) string {
	return counts.ReplaceAllString(insights.ReplaceAllString(voices.ReplaceAllString(text, ""), ""), "")
}

// reviewed compares a text with what a person has reviewed, but for what blur leaves
// out; a file that differs in nothing else stays as it is.
func reviewed(t *testing.T, name, got string, blur func(string) string) {
	t.Helper()
	file := filepath.Join("testdata", "walk", name)
	if old, err := os.ReadFile(file); err == nil && blur(string(old)) == blur(got) {
		return
	}
	golden.Check(t, file, got, *update)
}
