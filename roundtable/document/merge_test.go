package document

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const testTime = "2026-02-20T14:30:00.000Z"

const testMarker = "<!-- Elaboration: step 01-03, " + testTime + " -->"

func journeys(body string) Insertion {
	return Insertion{Title: "User Journeys", StepID: "01-03", Time: testTime, Body: body}
}

// TestMerge shows the whole text of the new document; «M» stands for the marker.
func TestMerge(t *testing.T) {
	tests := []struct {
		name, old, body, want string
	}{
		{
			name: "AC-008-03: before the next heading of the same level",
			old:  "# T\n\n## User Journeys\n\ntext\n\n## Next\n",
			body: "### Insights\n- [Maya] a",
			want: "# T\n\n## User Journeys\n\ntext\n\n«M»\n\n### Insights\n\n- [Maya] a\n\n## Next\n",
		},
		{
			name: "after the sub-sections, before a higher level",
			old:  "# A\n## User Journeys\nx\n### Sub\ny\n# B\n",
			body: "### Insights\n",
			want: "# A\n## User Journeys\nx\n### Sub\ny\n\n«M»\n\n### Insights\n\n# B\n",
		},
		{
			name: "a body without heading gets one after sub-sections",
			old:  "## User Journeys\n#### Sub\ny\n",
			body: "plain",
			want: "## User Journeys\n#### Sub\ny\n\n«M»\n\n#### Elaboration (step 01-03)\n\nplain\n",
		},
		{
			name: "a body without heading stays bare in a section of its own text",
			old:  "## User Journeys\ny\n",
			body: "plain",
			want: "## User Journeys\ny\n\n«M»\n\nplain\n",
		},
		{
			name: "headings of the body go below the section",
			old:  "#### User Journeys\n",
			body: "# One\n## Two\n# Three",
			want: "#### User Journeys\n\n«M»\n\n##### One\n\n###### Two\n\n##### Three\n",
		},
		{
			name: "below level 6 they are lines in bold",
			old:  "###### User Journeys\n",
			body: "# One\ntext",
			want: "###### User Journeys\n\n«M»\n\n**One**\n\ntext\n",
		},
		{
			name: "setext headings of both",
			old:  "User Journeys\n===\ntext\n\nNext\n===\n",
			body: "Two\nlines\n---\ntext",
			want: "User Journeys\n===\ntext\n\n«M»\n\n## Two lines\n\ntext\n\nNext\n===\n",
		},
		{
			name: "NFR-004: CRLF and a missing final newline stay",
			old:  "## User Journeys\r\ntext",
			body: "a\nb",
			want: "## User Journeys\r\ntext\r\n\r\n«M»\r\n\r\na\r\nb",
		},
		{
			name: "no section: a new one at the end, beside the others",
			old:  "# T\n\n## Other\n",
			body: "a",
			want: "# T\n\n## Other\n\n## User Journeys\n\n«M»\n\na\n",
		},
		{
			name: "a heading in a fence is none",
			old:  "```\n## User Journeys\n```\n",
			body: "a",
			want: "```\n## User Journeys\n```\n\n## User Journeys\n\n«M»\n\na\n",
		},
		{
			name: "a heading in front matter is none",
			old:  "---\ntitle: x\n## User Journeys\n---",
			body: "a",
			want: "---\ntitle: x\n## User Journeys\n---\n\n# User Journeys\n\n«M»\n\na",
		},
		{
			name: "an open fence is closed by its own fence",
			old:  "## User Journeys\n~~~~go\n# x\n",
			body: "a",
			want: "## User Journeys\n~~~~go\n# x\n~~~~\n\n«M»\n\na\n",
		},
		{
			name: "an open comment is closed",
			old:  "## User Journeys\n<!-- todo",
			body: "a",
			want: "## User Journeys\n<!-- todo\n-->\n\n«M»\n\na",
		},
		{
			name: "code left open in a list gains no blank line",
			old:  "## User Journeys\n- ```\n  x\n",
			body: "a",
			want: "## User Journeys\n- ```\n  x\n«M»\n\na\n",
		},
		{
			name: "an indented heading is kept out of the inserted list",
			old:  "## User Journeys\n\n  ## Next\n",
			body: "- a",
			want: "## User Journeys\n\n«M»\n\n- a\n\n<!-- -->\n\n  ## Next\n",
		},
		{
			name: "the body cannot comment out what follows",
			old:  "## User Journeys\n\n## Next\n",
			body: "a <!-- b\n\n<!--\nc\n\n```js\nopen <!-- d",
			want: "## User Journeys\n\n«M»\n\na <!-- b\n\n&lt;!--\nc\n\n```js\nopen <!-- d\n```\n\n## Next\n",
		},
		{
			name: "the body cannot turn old brackets into links",
			old:  "see [spec]\n\n## User Journeys\n",
			body: "[spec]: http://elsewhere",
			want: "see [spec]\n\n## User Journeys\n\n«M»\n\n\\[spec]: http://elsewhere\n",
		},
		{
			name: "the body cannot forge a marker",
			old:  "## User Journeys\n",
			body: testMarker,
			want: "## User Journeys\n\n«M»\n\n&lt;!-- Elaboration: step 01-03, " + testTime + " -->\n",
		},
		{
			name: "a missing document is created",
			old:  "",
			body: "a",
			want: "# User Journeys\n\n«M»\n\na\n",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, change, err := Merge([]byte(tt.old), journeys(tt.body))
			if err != nil {
				t.Fatal(err)
			}
			checkMerge(t, []byte(tt.old), got, change)
			if diff := cmp.Diff(tt.want, strings.Replace(string(got), testMarker, "«M»", 1)); diff != "" {
				t.Errorf("document (-want +got):\n%s", diff)
			}
			if change.Heading != "User Journeys" {
				t.Errorf("heading %q, want User Journeys", change.Heading)
			}
		})
	}
}

func TestMergeRefuses(t *testing.T) {
	fits := journeys("a")
	tests := []struct {
		name string
		old  string
		edit func(*Insertion)
		want error
	}{
		{"blank body", "", func(in *Insertion) { in.Body = " \n\t\n" }, ErrNothingToAdd},
		{"a body of empty headings", "", func(in *Insertion) { in.Body = "##\n#\n" }, ErrNothingToAdd},
		{"a step id that ends the comment", "", func(in *Insertion) { in.StepID = "01 -->" }, ErrMarker},
		{"a time over lines", "", func(in *Insertion) { in.Time = "a\nb" }, ErrMarker},
		{"no time", "", func(in *Insertion) { in.Time = "" }, ErrMarker},
		{"no title", "", func(in *Insertion) { in.Title = "\n" }, ErrNoTitle},
		{"a body that would close front matter", "---\na: b\n", func(in *Insertion) { in.Body = "```\n---\n```" }, ErrNoSafePlace},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			in := fits
			tt.edit(&in)
			if got, _, err := Merge([]byte(tt.old), in); !errors.Is(err, tt.want) {
				t.Errorf("got %q, %v, want error %v", got, err, tt.want)
			}
		})
	}
}

// TestMergeOnce: a crash repeats the write, and two discussions that end in
// the same moment both land (FR-008).
func TestMergeOnce(t *testing.T) {
	old := []byte("# T\n\n## User Journeys\n\n### Sub\n\n## Next\n")
	first, change, err := MergeOnce(old, journeys("- [Maya] one"))
	if err != nil || change.Placement != InSection {
		t.Fatalf("first: %+v, %v", change, err)
	}
	again, change, err := MergeOnce(first, journeys("- [Maya] one"))
	if err != nil || change.Placement != AlreadyThere || change.Length != 0 || change.Heading != "User Journeys" {
		t.Errorf("repeated: %+v, %v, want already there", change, err)
	}
	if diff := cmp.Diff(string(first), string(again)); diff != "" {
		t.Errorf("repeating changed the document:\n%s", diff)
	}
	both, change, err := MergeOnce(first, journeys("- [Alex] two"))
	if err != nil || change.Placement != InSection {
		t.Fatalf("second discussion: %+v, %v", change, err)
	}
	for _, insight := range []string{"- [Maya] one", "- [Alex] two"} {
		if strings.Count(string(both), insight) != 1 {
			t.Errorf("%q is there %d times, want once:\n%s", insight, strings.Count(string(both), insight), both)
		}
	}
	if strings.Index(string(both), "one") > strings.Index(string(both), "two") {
		t.Errorf("the later insertion stands before the earlier:\n%s", both)
	}
}

// TestNewHeadingShowsTheTopic: a free topic is a person's text and may hold
// anything; the heading must show it and be found by it the next time.
func TestNewHeadingShowsTheTopic(t *testing.T) {
	topics := []string{"User Experience & Journeys", "Should `api_key` be *rotated*?", "C#", "snake_case_names", "_x_",
		"a [link](http://x) <b>", "&amp; and &#35;", `back\slash`, "# hash ##", "über 概要", "two\nlines", "~~no~~ 1. 2)"}
	for _, topic := range topics {
		t.Run(topic, func(t *testing.T) {
			in := Insertion{Title: topic, StepID: "00-00", Time: testTime, Body: "a"}
			merged, change, err := Merge([]byte("# Notes\n\n## Other\n"), in)
			if err != nil {
				t.Fatal(err)
			}
			o, err := parseOutline(merged)
			if err != nil {
				t.Fatal(err)
			}
			i, found := o.bestSection(topic, nil, false)
			if !found || o.blocks[i].text != change.Heading || change.Heading != collapse(topic) {
				t.Errorf("heading of %q: found %v, change %q", merged, found, change.Heading)
			}
		})
	}
}

// TestNamedSection shows that a section called by its own name is no other that
// shares a word with it (AC-010-05), as a step's title may be.
func TestNamedSection(t *testing.T) {
	const old = "# Requirements Spec\n\n## Business Context\n\na\n\n## Quality and Risks\n\nb\n"
	for _, c := range []struct {
		title string
		named bool
		want  string
		place Placement
	}{
		{"Technical Context", true, "Technical Context", NewSection},
		{"Technical Context", false, "Business Context", InSection},
		{"Business Context", true, "Business Context", InSection},
		{"business context:", true, "Business Context", InSection},
		{"Quality Requirements", true, "Quality Requirements", NewSection},
		{"Quality & Risks", true, "Quality and Risks", InSection},
	} {
		_, change, err := Merge([]byte(old), Insertion{Title: c.title, Named: c.named, StepID: "01-04", Time: testTime, Body: "x"})
		if err != nil {
			t.Fatal(err)
		}
		if change.Heading != c.want || change.Placement != c.place {
			t.Errorf("%q, named %t: got %q, %s, want %q, %s", c.title, c.named, change.Heading, change.Placement, c.want, c.place)
		}
	}
}
