package document

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func lookupIn(files map[string]string) func(string) ([]byte, bool) {
	return func(name string) ([]byte, bool) {
		content, ok := files[name]
		return []byte(content), ok
	}
}

// TestEnrichJSON: a JSON artifact stays JSON, with its layout, and loses
// nothing (FR-008, NFR-004).
func TestEnrichJSON(t *testing.T) {
	entry := `{"step_id":"01-03","title":"User Journeys","timestamp":"` + testTime + `","content":"- a"}`
	spaced := `{"step_id": "01-03", "title": "User Journeys", "timestamp": "` + testTime + `", "content": "- a"}`
	lines := func(eol, indent, unit string) string {
		inner := eol + indent + unit
		return "{" + inner + `"step_id": "01-03",` + inner + `"title": "User Journeys",` + inner +
			`"timestamp": "` + testTime + `",` + inner + `"content": "- a"` + eol + indent + "}"
	}
	tests := []struct{ name, old, want string }{
		{"compact", `{"stories":[1]}`, `{"stories":[1],"elaborations":[` + entry + `]}`},
		{"one line", `{"stories": [1]}`, `{"stories": [1], "elaborations": [` + spaced + `]}`},
		{"indented", "{\n  \"stories\": [1]\n}\n", "{\n  \"stories\": [1],\n  \"elaborations\": [\n    " + lines("\n", "    ", "  ") + "\n  ]\n}\n"},
		{"tabs and CRLF", "{\r\n\t\"s\": 1\r\n}", "{\r\n\t\"s\": 1,\r\n\t\"elaborations\": [\r\n\t\t" + lines("\r\n", "\t\t", "\t") + "\r\n\t]\r\n}"},
		{"empty object", "{}", "{\n  \"elaborations\": [\n    " + lines("\n", "    ", "  ") + "\n  ]\n}"},
		{"an empty array", `{"a":1,"elaborations":[]}`, `{"a":1,"elaborations":[` + entry + `]}`},
		{"an array with an element", `{"a":1,"elaborations":[{}]}`, `{"a":1,"elaborations":[{},` + entry + `]}`},
		{"an array over lines", "{\n \"elaborations\": [\n  {\n  }\n ],\n \"a\": 1}", "{\n \"elaborations\": [\n  {\n  },\n  " + lines("\n", "  ", " ") + "\n ],\n \"a\": 1}"},
		{"an empty array over lines", "{\n \"elaborations\": [\n ]}", "{\n \"elaborations\": [\n  " + lines("\n", "  ", " ") + "\n ]}"},
		{"byte order mark and escaped key", "\uFEFF{\"\\u0065laborations\":[]}", "\uFEFF{\"\\u0065laborations\":[" + entry + "]}"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			files := map[string]string{"user-stories.json": tt.old}
			changes, err := Enrich(lookupIn(files), "user-stories.json", journeys("- a"))
			if err != nil {
				t.Fatal(err)
			}
			got := changes[0]
			if diff := cmp.Diff(tt.want, string(got.Content)); diff != "" {
				t.Errorf("content (-want +got):\n%s", diff)
			}
			checkSplice(t, []byte(tt.old), got)
			files[got.Name] = string(got.Content)
			again, err := Enrich(lookupIn(files), "user-stories.json", journeys("- a"))
			if err != nil || again[0].Change.Placement != AlreadyThere || string(again[0].Content) != files[got.Name] {
				t.Errorf("repeated: %+v, %v, want already there", again, err)
			}
		})
	}
}

func checkSplice(t *testing.T, old []byte, got FileChange) {
	t.Helper()
	p, q := got.Change.Offset, got.Change.Offset+got.Change.Length
	if p > len(old) || q > len(got.Content) || !bytes.Equal(got.Content[:p], old[:p]) || !bytes.Equal(got.Content[q:], old[p:]) {
		t.Errorf("not a single splice at %d: %q of %q", p, got.Content, old)
	}
}

// TestEnrichChoosesTheForm: what an addition could break gets a note beside it.
func TestEnrichChoosesTheForm(t *testing.T) {
	tests := []struct {
		name, output string
		files        map[string]string
		want         string
		placement    Placement
	}{
		{"markdown", "a.md", map[string]string{"a.md": "# A\n\n## User Journeys\n"}, "a.md", InSection},
		{"missing markdown", "a.MD", nil, "a.MD", NewDocument},
		{"markdown that is binary", "a.md", map[string]string{"a.md": "\xff\xfe#\x00"}, "a.md.elaborations.md", NewDocument},
		{"markdown without a safe place", "a.md", map[string]string{"a.md": "---\na: b\n"}, "a.md.elaborations.md", NewDocument},
		{"missing JSON", "a.json", nil, "a.json", NewDocument},
		{"JSON array", "a.json", map[string]string{"a.json": "[]"}, "a.json.elaborations.md", NewDocument},
		{"broken JSON", "a.json", map[string]string{"a.json": "{"}, "a.json.elaborations.md", NewDocument},
		{"empty JSON", "a.json", map[string]string{"a.json": ""}, "a.json.elaborations.md", NewDocument},
		{"taken member", "a.json", map[string]string{"a.json": `{"elaborations":{}}`}, "a.json.elaborations.md", NewDocument},
		{"member twice", "a.json", map[string]string{"a.json": `{"elaborations":[],"elaborations":[]}`}, "a.json.elaborations.md", NewDocument},
		{"CSV", "m.csv", map[string]string{"m.csv": "a,b\n"}, "m.csv.elaborations.md", NewDocument},
		{"a note that is there", "m.csv", map[string]string{"m.csv.elaborations.md": "# Elaborations of m.csv\n\n## User Journeys\n"}, "m.csv.elaborations.md", InSection},
		{"no extension", "ADRs", nil, "ADRs.elaborations.md", NewDocument},
		{"in a folder", "adrs/0001.md", nil, "adrs/0001.md", NewDocument},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			in := journeys("```\n---\n```")
			changes, err := Enrich(lookupIn(tt.files), tt.output, in)
			if err != nil {
				t.Fatal(err)
			}
			if len(changes) != 1 || changes[0].Name != tt.want || changes[0].Change.Placement != tt.placement {
				t.Errorf("got %+v, want %s in %s", changes, tt.placement, tt.want)
			}
			checkSplice(t, []byte(tt.files[tt.want]), changes[0])
		})
	}
}

func TestEnrichCreates(t *testing.T) {
	tests := []struct{ output, want string }{
		{"requirements-spec.md", "# Requirements Spec\n\n## User Journeys\n\n" + testMarker + "\n\na\n"},
		{"m.csv", "# Elaborations of m.csv\n\n## User Journeys\n\n" + testMarker + "\n\na\n"},
	}
	for _, tt := range tests {
		changes, err := Enrich(lookupIn(nil), tt.output, journeys("a"))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tt.want, string(changes[0].Content)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.output, diff)
		}
	}
}

func TestEnrichRefuses(t *testing.T) {
	tests := []struct {
		name, output string
		in           Insertion
		want         error
	}{
		{"I12: a path", "../a.md", journeys("a"), ErrArtifactName},
		{"meta.json", "meta.json", journeys("a"), ErrArtifactName},
		{"blank body in JSON", "a.json", journeys(" "), ErrNothingToAdd},
		{"blank body in Markdown", "a.md", journeys(" "), ErrNothingToAdd},
		{"bad marker in JSON", "a.json", Insertion{Title: "x", Body: "y"}, ErrMarker},
	}
	for _, tt := range tests {
		if got, err := Enrich(lookupIn(nil), tt.output, tt.in); !errors.Is(err, tt.want) {
			t.Errorf("%s: got %+v, %v, want error %v", tt.name, got, err, tt.want)
		}
	}
}

// FuzzJSON: whatever the file, JSON stays JSON with every former byte, and the
// repeated write changes nothing.
func FuzzJSON(f *testing.F) {
	for _, seed := range []string{`{}`, `{"a":[{"b":"\"]"}]}`, "{\n\t\"elaborations\": [ ]\n}", `[1]`, `{"elaborations":[null, 1]}`, "\uFEFF{ }", `{"a":1,}`} {
		f.Add([]byte(seed), "- [Maya] a", "2026")
	}
	f.Fuzz(func(t *testing.T, old []byte, body, time string) {
		const name = "a.json"
		in := Insertion{Title: "T", StepID: "01-07", Time: time, Body: body}
		files := map[string]string{name: string(old)}
		changes, err := Enrich(lookupIn(files), name, in)
		if err != nil {
			return
		}
		got := changes[0]
		checkSplice(t, []byte(files[got.Name]), got)
		if got.Name == name && !json.Valid(bytes.TrimPrefix(got.Content, []byte(byteOrderMark))) {
			t.Errorf("%q became %q, which is no JSON", old, got.Content)
		}
		files[got.Name] = string(got.Content)
		again, err := Enrich(lookupIn(files), name, in)
		if err != nil || again[0].Change.Placement != AlreadyThere || !bytes.Equal(again[0].Content, got.Content) {
			t.Errorf("repeated on %q: %+v, %v", got.Content, again, err)
		}
	})
}
