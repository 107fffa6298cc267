package document

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func mustParse(t *testing.T, source string) *Meta {
	t.Helper()
	m, err := ParseMeta([]byte(source))
	if err != nil {
		t.Fatalf("ParseMeta(%q): %v", source, err)
	}
	return m
}

// AC-009-02: TestMetaElaborationsDefault reads every form that the list of records may have.
func TestMetaElaborationsDefault(t *testing.T) {
	tests := []struct {
		name, source string
		want         []Record
	}{
		{"missing", `{"analysis_status": "raw"}`, []Record{}},
		{"null", `{"elaborations": null}`, []Record{}},
		{"string", `{"elaborations": "invalid"}`, []Record{}},
		{"object", `{"elaborations": {}}`, []Record{}},
		{"empty array", `{"elaborations": []}`, []Record{}},
		{"populated", `{"elaborations": [{"step_id":"01-03"}]}`, []Record{{StepID: "01-03"}}},
		{"wrong types inside", `{"elaborations": [1, null, {"step_id":7,"turn_count":"x","personas_active":"p"}, {"turn_count":4.0}]}`,
			[]Record{{}, {TurnCount: 4}}},
		{"twice: the last counts", `{"elaborations": [{"step_id":"a"}], "elaborations": [{"step_id":"b"}]}`, []Record{{StepID: "b"}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := mustParse(t, tt.source)
			if diff := cmp.Diff(tt.want, m.Elaborations()); diff != "" {
				t.Errorf("records (-want +got):\n%s", diff)
			}
			if got := string(m.Bytes()); got != tt.source {
				t.Errorf("reading changed %q to %q", tt.source, got)
			}
			if added, err := m.AppendElaboration(record(1)); !added || err != nil {
				t.Fatalf("append: %v, %v", added, err)
			}
			if diff := cmp.Diff(append(tt.want, record(1)), m.Elaborations()); diff != "" {
				t.Errorf("records after an append (-want +got):\n%s", diff)
			}
		})
	}
}

func record(turns int) Record {
	return Record{StepID: "01-03", TurnCount: turns, PersonasActive: []string{"business-analyst", "system-designer"},
		Timestamp: testTime, SynthesisSummary: "Found <3> & \"more\""}
}

// TestMetaDefaults shows the other defensive defaults (FR-009).
func TestMetaDefaults(t *testing.T) {
	for _, source := range []string{
		`{}`,
		`{"source":null,"created_at":3,"analysis_status":"odd","phases_completed":"x","steps_completed":{},"depth_overrides":[]}`,
		`{"source":"","created_at":"","analysis_status":null,"phases_completed":null,"steps_completed":null,"depth_overrides":null}`,
	} {
		m := mustParse(t, source)
		type read struct {
			Source, SourceID, Slug, CreatedAt string
			Status                            Status
			Phases, Steps                     []string
			Depths                            map[string]string
		}
		got := read{m.Source(), m.SourceID(), m.Slug(), m.CreatedAt("now"), m.AnalysisStatus(), m.PhasesCompleted(), m.StepsCompleted(), m.DepthOverrides()}
		want := read{Source: "manual", CreatedAt: "now", Status: StatusRaw, Phases: []string{}, Steps: []string{}, Depths: map[string]string{}}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", source, diff)
		}
	}
	m := mustParse(t, `{"steps_completed":["01-01",2,null,"01-02"],"depth_overrides":{"a":"deep","b":1,"c":null},"source":"github","slug":"s"}`)
	if diff := cmp.Diff([]string{"01-01", "01-02"}, m.StepsCompleted()); diff != "" {
		t.Errorf("steps (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]string{"a": "deep"}, m.DepthOverrides()); diff != "" {
		t.Errorf("depths (-want +got):\n%s", diff)
	}
	if m.Source() != "github" || m.Slug() != "s" {
		t.Errorf("source %q, slug %q", m.Source(), m.Slug())
	}
}

// TestMaxTurns shows AC-007-03: only an integer of at least 3 counts.
func TestMaxTurns(t *testing.T) {
	tests := []struct {
		config string
		want   int
	}{
		{`{"max_turns": 10}`, 10}, {`{"max_turns": 3}`, 3}, {`{"max_turns": 3.0}`, 3}, {`{"max_turns": 1e1}`, 10},
		{`{"max_turns": 2}`, 0}, {`{"max_turns": 0}`, 0}, {`{"max_turns": -5}`, 0}, {`{"max_turns": 3.5}`, 0},
		{`{"max_turns": "10"}`, 0}, {`{"max_turns": null}`, 0}, {`{"max_turns": true}`, 0}, {`{"max_turns": [10]}`, 0},
		{`{"max_turns": 1e300}`, 0}, {`{"max_turns": 1e999}`, 0}, {`{}`, 0}, {`null`, 0}, {`10`, 0}, {`[]`, 0},
	}
	for _, tt := range tests {
		got, ok := mustParse(t, `{"elaboration_config": `+tt.config+`}`).MaxTurns()
		if got != tt.want || ok != (tt.want > 0) {
			t.Errorf("%s: %d, %v, want %d", tt.config, got, ok, tt.want)
		}
	}
	if got, ok := mustParse(t, `{}`).MaxTurns(); ok {
		t.Errorf("without configuration: %d", got)
	}
}

func TestParseMetaNamesThePlace(t *testing.T) {
	tests := []struct {
		name, source string
		line, column int
	}{
		{"empty", "", 1, 1},
		{"blank", " \n", 2, 1},
		{"array", "\n []", 2, 2},
		{"null", "null", 1, 1},
		{"cut short", "{\n  \"a\": 1", 2, 9},
		{"trailing comma", "{\n  \"a\": 1,\n}", 3, 1},
		{"single quotes", "{'a': 1}", 1, 2},
		{"two objects", "{}\n{}", 2, 1},
		{"comment", "{\n  // x\n}", 2, 3},
	}
	for _, tt := range tests {
		m, err := ParseMeta([]byte(tt.source))
		var corrupt *CorruptError
		if m != nil || !errors.As(err, &corrupt) {
			t.Errorf("%s: %v, %v, want a CorruptError", tt.name, m, err)
			continue
		}
		if corrupt.Line != tt.line || corrupt.Column != tt.column {
			t.Errorf("%s: %v, want line %d, column %d", tt.name, err, tt.line, tt.column)
		}
	}
}

// TestMetaEditKeepsTheText: unknown fields, order, layout, line endings and a
// missing final newline survive; only what was edited differs.
func TestMetaEditKeepsTheText(t *testing.T) {
	edit := func(m *Meta) {
		for _, err := range []error{
			second(m.AppendStep("01-02")), second(m.AppendPhase("01-requirements")),
			second(m.SetDepthOverride("01-requirements", "deep")), second(m.AppendElaboration(record(7))),
		} {
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	tests := []struct{ name, source, want string }{
		{
			name: "indented, with unknown fields",
			source: "{\n  \"x\":   [1 ,2],\n  \"steps_completed\": [\"01-01\"],\n  \"elaborations\": [],\n  \"phases_completed\": [],\n" +
				"  \"depth_overrides\": {\"a\": \"brief\"},\n  \"analysis_status\": \"raw\", \"z\": null\n}\n",
			want: "{\n  \"x\":   [1 ,2],\n  \"steps_completed\": [\"01-01\", \"01-02\"],\n  \"elaborations\": [\n    {\n" +
				"      \"step_id\": \"01-03\",\n      \"turn_count\": 7,\n      \"personas_active\": [\"business-analyst\", \"system-designer\"],\n" +
				"      \"timestamp\": \"" + testTime + "\",\n      \"synthesis_summary\": \"Found <3> & \\\"more\\\"\"\n    }\n  ],\n" +
				"  \"phases_completed\": [\"01-requirements\"],\n" +
				"  \"depth_overrides\": {\"a\": \"brief\", \"01-requirements\": \"deep\"},\n  \"analysis_status\": \"partial\", \"z\": null\n}\n",
		},
		{
			name:   "compact",
			source: `{"elaborations":[{"step_id":"a"}],"x":{"y":1}}`,
			want: `{"elaborations":[{"step_id":"a"},{"step_id":"01-03","turn_count":7,"personas_active":["business-analyst","system-designer"],"timestamp":"` +
				testTime + `","synthesis_summary":"Found <3> & \"more\""}],"x":{"y":1},"steps_completed":["01-02"],"analysis_status":"partial","phases_completed":["01-requirements"],"depth_overrides":{"01-requirements":"deep"}}`,
		},
		{
			name:   "tabs, CRLF, byte order mark, arrays over lines, wrong types",
			source: "\uFEFF{\r\n\t\"steps_completed\": [\r\n\t\t\"01-01\"\r\n\t],\r\n\t\"phases_completed\": null,\r\n\t\"depth_overrides\": {\r\n\t\t\"01-requirements\": \"brief\"\r\n\t},\r\n\t\"elaborations\": [{\"step_id\": \"a\"}],\r\n\t\"analysis_status\": 1\r\n}",
			want: "\uFEFF{\r\n\t\"steps_completed\": [\r\n\t\t\"01-01\",\r\n\t\t\"01-02\"\r\n\t],\r\n\t\"phases_completed\": [\"01-requirements\"],\r\n\t\"depth_overrides\": {\r\n\t\t\"01-requirements\": \"deep\"\r\n\t},\r\n\t\"elaborations\": [{\"step_id\": \"a\"}, " +
				"{\"step_id\": \"01-03\", \"turn_count\": 7, \"personas_active\": [\"business-analyst\", \"system-designer\"], \"timestamp\": \"" + testTime + "\", \"synthesis_summary\": \"Found <3> & \\\"more\\\"\"}],\r\n\t\"analysis_status\": \"partial\"\r\n}",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := mustParse(t, tt.source)
			edit(m)
			if diff := cmp.Diff(tt.want, string(m.Bytes())); diff != "" {
				t.Errorf("text (-want +got):\n%s", diff)
			}
			edit(m)
			if diff := cmp.Diff(tt.want, string(m.Bytes())); diff != "" {
				t.Errorf("the same edits again changed the text:\n%s", diff)
			}
		})
	}
}

func second(_ bool, err error) error { return err }

// TestAnalysisStatusIsDerived: on every write, from the five phases (FR-009).
func TestAnalysisStatusIsDerived(t *testing.T) {
	m := NewMeta(Item{Slug: "offline-mode", CreatedAt: testTime})
	check := func(want Status) {
		t.Helper()
		if got := m.AnalysisStatus(); got != want {
			t.Errorf("after %v: status %s, want %s", m.PhasesCompleted(), got, want)
		}
	}
	check(StatusRaw)
	if _, err := m.AppendPhase("99-unknown"); err != nil {
		t.Fatal(err)
	}
	check(StatusRaw)
	for i, phase := range Phases() {
		if added, err := m.AppendPhase(phase); !added || err != nil {
			t.Fatalf("%s: %v, %v", phase, added, err)
		}
		if i < len(Phases())-1 {
			check(StatusPartial)
		}
	}
	check(StatusAnalyzed)
	stale := mustParse(t, `{"analysis_status":"analyzed","phases_completed":["00-quick-scan"]}`)
	if _, err := stale.AppendStep("00-01"); err != nil || stale.AnalysisStatus() != StatusPartial {
		t.Errorf("a status that does not fit survived a write: %s, %v", stale.Bytes(), err)
	}
}

// TestStatusOfOtherPhases: a deployment may have phases of its own (FR-102, FR-009), and
// those of another count for nothing.
func TestStatusOfOtherPhases(t *testing.T) {
	m := mustParse(t, `{"phases_completed":["00-quick-scan"]}`)
	m.Measure([]string{"10-discovery", "20-delivery"})
	for _, tt := range []struct {
		phase string
		want  Status
	}{{"01-requirements", StatusRaw}, {"10-discovery", StatusPartial}, {"20-delivery", StatusAnalyzed}} {
		if _, err := m.AppendPhase(tt.phase); err != nil || m.AnalysisStatus() != tt.want {
			t.Errorf("after %s: status %s, %v, want %s", tt.phase, m.AnalysisStatus(), err, tt.want)
		}
	}
}

func TestLegacyPhaseA(t *testing.T) {
	tests := []struct {
		source string
		want   Status
		phases int
	}{
		{`{"phase_a_completed":true}`, StatusAnalyzed, 5},
		{`{"phase_a_completed":false}`, StatusRaw, 0},
		{`{"phase_a_completed":"true"}`, StatusRaw, 0},
		{`{"phase_a_completed":true,"analysis_status":"raw"}`, StatusRaw, 0},
		{`{"phase_a_completed":true,"phases_completed":["00-quick-scan"]}`, StatusRaw, 1},
	}
	for _, tt := range tests {
		m := mustParse(t, tt.source)
		if m.AnalysisStatus() != tt.want || len(m.PhasesCompleted()) != tt.phases {
			t.Errorf("%s: %s with %v, want %s with %d phases", tt.source, m.AnalysisStatus(), m.PhasesCompleted(), tt.want, tt.phases)
		}
		phases := m.PhasesCompleted()
		if _, err := m.AppendStep("01-01"); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(phases, m.PhasesCompleted()); diff != "" {
			t.Errorf("%s: a write changed the phases:\n%s", tt.source, diff)
		}
		if _, kept := m.Raw("phase_a_completed"); !kept {
			t.Errorf("%s: the legacy field is gone", tt.source)
		}
	}
}

// TestAppendElaborationOnlyAdds shows AC-009-04 and I8: every record is kept,
// also two of one step, and a repeated write is not a second record.
func TestAppendElaborationOnlyAdds(t *testing.T) {
	m := NewMeta(Item{Source: "github", SourceID: "GH-21", Slug: "a", CreatedAt: testTime})
	for _, turns := range []int{7, 4, 7} {
		if _, err := m.AppendElaboration(record(turns)); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff([]Record{record(7), record(4)}, m.Elaborations()); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
	for _, r := range []Record{{TurnCount: 1, Timestamp: "x"}, {StepID: "a", Timestamp: "x"}, {StepID: "a", TurnCount: 1}, {StepID: "\xff", TurnCount: 1, Timestamp: "x"}} {
		if added, err := m.AppendElaboration(r); added || !errors.Is(err, ErrRecord) {
			t.Errorf("%+v: %v, %v, want ErrRecord", r, added, err)
		}
	}
	for name, err := range map[string]error{"UTF-8": second(m.AppendStep("\xff")), "step": second(m.AppendStep("")), "phase": second(m.AppendPhase("")), "depth": second(m.SetDepthOverride("a", ""))} {
		if !errors.Is(err, ErrMetaField) {
			t.Errorf("wrong %s: %v, want ErrMetaField", name, err)
		}
	}
}

func TestClipSummary(t *testing.T) {
	long := strings.Repeat("word ", 30)
	tests := []struct{ name, in, want string }{
		{"short", " one\n two ", "one two"},
		{"exactly 100", strings.Repeat("x", 100), strings.Repeat("x", 100)},
		{"at a word", long, long[:99] + "…"},
		{"punctuation before the cut", strings.Repeat("x", 90) + ", " + long, strings.Repeat("x", 90) + ", word…"},
		{"one long word", strings.Repeat("x", 200), strings.Repeat("x", 99) + "…"},
		{"marks stay with their letter", strings.Repeat("x", 98) + "e\u0301\u0302 end", strings.Repeat("x", 98) + "…"},
		{"a joined emoji stays whole", strings.Repeat("x", 97) + "👩\u200d🔬 and more", strings.Repeat("x", 97) + "…"},
	}
	for _, tt := range tests {
		got := ClipSummary(tt.in)
		if got != tt.want || len([]rune(got)) > SummaryLimit {
			t.Errorf("%s: %q (%d), want %q", tt.name, got, len([]rune(got)), tt.want)
		}
	}
}

// FuzzMeta: any object takes every edit, stays JSON, and keeps the fields it
// was not asked to change.
func FuzzMeta(f *testing.F) {
	for _, seed := range []string{`{}`, `{"elaborations":[]}`, "{\n \"a\" : {} ,\n \"elaborations\" : null }", "\uFEFF{\"steps_completed\":[1,\n2]}",
		`{"phase_a_completed":true}`, `{"depth_overrides":{"p":1},"depth_overrides":3}`, `{"a":"\u0000\\"}`, `[]`} {
		f.Add([]byte(seed), "01-01", "a summary")
	}
	f.Fuzz(func(t *testing.T, source []byte, word, summary string) {
		m, err := ParseMeta(source)
		if err != nil {
			return
		}
		if string(m.Bytes()) != string(source) {
			t.Fatalf("parsing changed %q to %q", source, m.Bytes())
		}
		before := m.object
		r := Record{StepID: "01-03", TurnCount: 3, PersonasActive: []string{word}, Timestamp: "x", SynthesisSummary: summary}
		records := len(m.Elaborations())
		added, err := m.AppendElaboration(r)
		if errors.Is(err, ErrRecord) && !utf8.ValidString(word) {
			return
		}
		if err != nil || len(m.Elaborations()) != records+1 && added {
			t.Fatalf("append to %q: %v, %v, %q", source, added, err, m.Bytes())
		}
		// Empty words are refused; the text must hold either way.
		_, _ = m.AppendStep(word)
		_, _ = m.AppendPhase(word)
		_, _ = m.SetDepthOverride(word, "deep")
		after := m.Bytes()
		if !json.Valid(after[jsonStart(after):]) {
			t.Fatalf("%q became %q, which is no JSON", source, after)
		}
		edited := map[string]bool{keyStatus: true, keyPhases: true, keySteps: true, keyDepths: true, elaborationsKey: true}
		for _, old := range before.members {
			if edited[old.key] {
				continue
			}
			want := string(source[old.value.start:old.value.end])
			if !strings.Contains(string(after), want) {
				t.Fatalf("%q lost field %q: %q", source, old.key, after)
			}
		}
		again := mustParse(t, string(after))
		if added, err := again.AppendElaboration(r); added || err != nil {
			t.Fatalf("the same record twice in %q: %v", again.Bytes(), err)
		}
	})
}
