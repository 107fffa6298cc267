package roundtable

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/roundtable-chat/app/roundtable/injection"
	"github.com/roundtable-chat/app/roundtable/intent"
	"github.com/roundtable-chat/app/roundtable/persona"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// staged is a discussion in which one part is played by somebody hostile.
type staged struct {
	topic, context, name, message, output string
}

// play has a whole discussion played, from its opening to its record, and returns
// what the protocol did, without a word of what was said, and the synthesis.
func (s staged) play(t *testing.T) (trace []string, markdown string, d Discussion) {
	t.Helper()
	now := time.Date(2026, 11, 16, 9, 0, 0, 0, time.UTC)
	var log []thread.Entry
	n := 0
	var step func(id string, e Event)
	step = func(id string, e Event) {
		n++
		now = now.Add(time.Minute)
		r := Step(d, Input{ID: id, At: now, Event: e})
		before := d
		d, log = r.Discussion, append(log, r.Entries...)
		checkInvariants(t, before, r, log)
		line := fmt.Sprintf("%T %v turns=%d limit=%d floor=%q", e, r.Moves, d.Turns, d.Settings.MaxTurns, d.Floor)
		for _, effect := range r.Effects {
			line += " " + protocolOf(effect)
		}
		trace = append(trace, line)
		for _, effect := range r.Effects {
			if post, ok := effect.(Post); ok {
				step(post.Key+"/posted", Posted{Effect: post.Key, TS: fmt.Sprintf("17000000%02d.000100", n)})
			}
		}
	}
	guest := thread.Person{ID: "U9", Name: s.name}
	step("o:1", Opened{
		Discussion: "D1", Place: thread.Place{Team: "T1", Channel: "C1"}, By: guest, Topic: s.topic, Context: s.context, Item: "notes", ItemTitle: "notes",
		Step: StepRef{ID: FreeStep, Title: s.topic, Outputs: []string{FreeOutput}}, Cast: testSeats(), Lead: "business-analyst", Settings: Settings{MaxTurns: 20, MayExtend: true},
	})
	ask := func() string {
		if d.Ask == nil {
			t.Fatalf("nothing is asked in state %s", d.State)
		}
		return d.Ask.Key
	}
	step("f", Framed{Effect: ask(), Framing: Framing{Summary: s.output, Focus: s.output, Ask: "system-designer"}})
	speak := func(k persona.Key) {
		c := Contribution{Persona: k, Stance: thread.StanceDisagree, Text: s.output, ReplyTo: 1}
		step(ContributionID(d, c), Contributed{Effect: ask(), Contribution: c})
	}
	speak("system-designer")
	speak("solutions-architect")
	step("e1", RoundEnded{Effect: ask(), Ending: Ending{Conflict: &Conflict{Question: s.output, Options: []Option{{Label: "a " + s.output, Reason: s.output, By: "system-designer"}, {Label: "b " + s.output, Reason: s.output, By: "solutions-architect"}}}}})
	step("m:1", Said{TS: "1", By: guest, Text: s.message, BotUser: "UBOT"})
	if d.Round != nil {
		speak(d.Round.Calls[0].Persona)
		step("e2", RoundEnded{Effect: ask()})
	}
	step("m:2", Said{TS: "2", By: thread.Person{ID: "U1", Name: "Priya"}, Text: "done", BotUser: "UBOT"})
	points := []DraftPoint{{Text: s.output, Why: s.output, Turns: []int{2}}}
	step("d", Drafted{Effect: ask(), Transcript: thread.ReadTranscript(log), Draft: &Draft{
		Insights: points, Decisions: points, Questions: points, Actions: points, Summary: s.output,
	}})
	markdown = d.Markdown(d.Outcome)
	step("en", DocumentsWritten{Effect: d.Enriching, Changes: []thread.ArtifactChange{{File: FreeOutput, Section: s.output, Added: "1 insight"}}})
	return trace, markdown, d
}

// protocolOf is an effect without its words.
func protocolOf(e Effect) string {
	switch e := e.(type) {
	case Post:
		var buttons []thread.ButtonKind
		for _, b := range e.Message.Buttons {
			buttons = append(buttons, b.Kind)
		}
		return fmt.Sprintf("post(%s by %q %v mention=%q)", e.Message.Kind, e.Message.Speaker, buttons, e.Message.Mention)
	case WriteDocuments:
		return fmt.Sprintf("enrich(%v turns=%d %v)", e.Outputs, e.Record.TurnCount, e.Record.Personas)
	case Tell:
		return "tell " + e.User
	case Open:
		return "open " + e.Opened.Item
	case Frame, Discuss, Synthesise, React, Report, Analyse, CheckDND, Identify:
	}
	return fmt.Sprintf("%T", e)
}

// headings are the lines of a document that give it its shape.
func headings(markdown string) (all []string) {
	for line := range strings.Lines(markdown) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "#") && !strings.HasPrefix(line, "### ") {
			all = append(all, line)
		}
	}
	return all
}

// Protocol lives in code (NFR-103): whoever is hostile in a discussion, with a
// message, a pasted document, a display name, a topic or a model's output, changes
// words and nothing else (I5, I6, I12).
func TestInjectionChangesWordsOnly(t *testing.T) {
	benign := staged{topic: "offline notes", context: "Notes are lost in basements.", name: "Ben", message: "we have about 3,000 merchants", output: "The first thing to settle is the empty case."}
	count := map[injection.Kind]int{}
	for _, h := range injection.Attempts(t) {
		part := benign
		switch h.Kind {
		case injection.Message:
			part.message = h.Text
		case injection.Pasted:
			part.context = h.Text
		case injection.Name:
			part.name = h.Text
		case injection.Topic:
			part.topic = h.Text
		case injection.Output:
			part.output = h.Text
		case injection.Item, injection.Artifact:
			continue // paths: shown where names are made
		}
		count[h.Kind]++
		t.Run(string(h.Kind)+"/"+h.Name, func(t *testing.T) {
			like := benign
			if h.Kind == injection.Message {
				if got := intent.Understand(h.Text, intent.Participants{Cast: testSeats(), BotUser: "UBOT"}).Intent; got != intent.Kind(h.Intent) {
					t.Errorf("understood as %s, want %s", got, h.Intent)
				}
				like.message = map[intent.Kind]string{intent.Group: "everyone, what now?", intent.Human: "<@U8> what now?", intent.Empty: " ", intent.Default: benign.message}[intent.Kind(h.Intent)]
			}
			want, shape, _ := like.play(t)
			got, markdown, d := part.play(t)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("the protocol went another way (-benign +hostile):\n%s", diff)
			}
			if d.State != StateClosed || d.Exit == nil || d.Exit.Kind != ExitUser || d.Exit.By.ID != "U1" {
				t.Errorf("ended %s by %+v, want closed by Priya", d.State, d.Exit)
			}
			if diff := cmp.Diff(headings(shape), headings(markdown)); diff != "" {
				t.Errorf("the document has another shape:\n%s", diff)
			}
			checkAttributions(t, d)
			if h.Kind == injection.Output {
				for _, live := range []string{"https://", "](", "<!--", "<img", "<a "} {
					if strings.Contains(markdown, live) {
						t.Errorf("%q stands in the document:\n%s", live, markdown)
					}
				}
			}
		})
	}
	t.Logf("hostile texts by part: %v", count)
}

// checkAttributions holds a synthesis to those who spoke: a name passes for nobody
// else and opens or closes nothing.
func checkAttributions(t *testing.T, d Discussion) {
	t.Helper()
	for _, p := range slices.Concat(d.Outcome.Insights, d.Outcome.Decisions, d.Outcome.Questions, d.Outcome.Actions) {
		for _, by := range p.By {
			if strings.ContainsAny(by, "[]<>/\n*") {
				t.Errorf("attributed to %q", by)
			}
		}
	}
}
