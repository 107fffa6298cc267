package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/roundtable-chat/app/roundtable/intent"
	"github.com/roundtable-chat/app/roundtable/persona"
)

func routeTable() intent.Participants {
	return intent.Participants{Cast: []persona.Seat{
		{Key: "business-analyst", Name: "Maya Chen", Role: "Business Analyst"},
		{Key: "solutions-architect", Name: "Alex Rivera", Role: "Solutions Architect", UserGroup: "S0ALEX"},
	}}
}

func TestRoute(t *testing.T) {
	tests := []struct {
		name, in, want string
	}{
		{"FR-003: a persona by name",
			`{"text":"alex & Maya, what breaks?"}`,
			`{"text":"alex & Maya, what breaks?","intent":"direct","personas":["alex","maya"],"rule":"name-vocative-start"}` + "\n"},
		{"personas are a list when nobody is addressed",
			`{"text":"done"}`,
			`{"text":"done","intent":"exit","personas":[],"rule":"exit-word"}` + "\n"},
		{"bot_user says who the app is",
			`{"text":"<@U1> done","bot_user":"U1"}` + "\n" + `{"text":"<@U1> what now?"}`,
			`{"text":"<@U1> done","intent":"exit","personas":[],"rule":"exit-word"}` + "\n" +
				`{"text":"<@U1> what now?","intent":"human","personas":[],"rule":"mention-first"}` + "\n"},
		{"further keys and blank lines are passed over",
			"\n  \r\n" + `{"id":7,"text":"<!subteam^S0ALEX> hi"}` + "\r\n\n",
			`{"text":"<!subteam^S0ALEX> hi","intent":"direct","personas":["alex"],"rule":"name-usergroup"}` + "\n"},
		{"an empty text is a message",
			`{"text":""}`,
			`{"text":"","intent":"empty","personas":[],"rule":"blank"}` + "\n"},
		{"nothing in, nothing out", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var out strings.Builder
			if err := route(strings.NewReader(tt.in), &out, routeTable()); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, out.String()); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestRouteNamesMalformedLinesAndGoesOn(t *testing.T) {
	in := `{"text":"done"}
{"text":
["a list"]
{"words":"none"}
{"text":7}
{"text":"Alex?"} and more
{"text":"Maya?"}
`
	var out strings.Builder
	err := route(strings.NewReader(in), &out, routeTable())
	if err == nil {
		t.Fatal("got no error for malformed lines")
	}
	for _, want := range []string{"line 2: ", "line 3: ", "line 4: the object has no \"text\"", "line 5: ", "line 6: "} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("got error %q, want it to name %q", err, want)
		}
	}
	if got, want := strings.Count(out.String(), "\n"), 2; got != want {
		t.Errorf("got %d answers, want %d:\n%s", got, want, &out)
	}
}

func TestRouteLongLine(t *testing.T) {
	text := strings.Repeat("we have many merchants ", 3<<20/23) + ". Alex, what breaks?"
	question, err := json.Marshal(map[string]string{"text": text})
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := route(strings.NewReader(string(question)), &out, routeTable()); err != nil {
		t.Fatal(err)
	}
	var got routeAnswer
	if err := json.Unmarshal([]byte(out.String()), &got); err != nil {
		t.Fatal(err)
	}
	want := routeAnswer{Text: text, Intent: intent.Direct, Personas: []string{"alex"}, Rule: "name-vocative-start"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error("the answer to a line of three MiB differs")
	}
}

// TestRouteAnswersEachLineAtOnce feeds a line and waits for its answer before it
// feeds the next.
func TestRouteAnswersEachLineAtOnce(t *testing.T) {
	questions, feed := io.Pipe()
	printed, answers := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- route(questions, answers, routeTable()) }()
	got := make(chan string)
	go func() {
		lines := bufio.NewScanner(printed)
		for lines.Scan() {
			got <- lines.Text()
		}
	}()
	for _, text := range []string{"done", "Alex?", "yes"} {
		if _, err := io.WriteString(feed, `{"text":"`+text+"\"}\n"); err != nil {
			t.Fatal(err)
		}
		select {
		case line := <-got:
			if !strings.Contains(line, text) {
				t.Errorf("got %s, want the answer to %q", line, text)
			}
		case <-time.After(10 * time.Second):
			t.Fatalf("no answer to %q before the next line", text)
		}
	}
	if err := feed.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if err := answers.Close(); err != nil {
		t.Error(err)
	}
}

type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, errBroken }

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errBroken }

var errBroken = errors.New("broken")

func TestRouteReportsBrokenStreams(t *testing.T) {
	if err := route(brokenReader{}, io.Discard, routeTable()); !errors.Is(err, errBroken) {
		t.Errorf("got %v from a broken input, want %v", err, errBroken)
	}
	if err := route(strings.NewReader(`{"text":"done"}`), brokenWriter{}, routeTable()); !errors.Is(err, errBroken) {
		t.Errorf("got %v from a broken output, want %v", err, errBroken)
	}
}
