package panel

import (
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/roundtable-chat/app/bot/llm"
	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/golden"
	"github.com/roundtable-chat/app/roundtable/persona"
	"github.com/roundtable-chat/app/roundtable/thread"
)

var update = flag.Bool("update", false, "write the prompts in testdata as they are now")

// flat is a request as one text, in the order in which a provider caches it.
func flat(r llm.Request) string { return flatTo(r, -1) }

// flatTo is a request up to its nth block; all of it if n is negative.
func flatTo(r llm.Request, n int) string {
	var b strings.Builder
	block := func(s llm.Block) bool {
		b.WriteString(s.Text + "\n")
		n--
		return n != 0
	}
	for _, s := range r.System {
		if b.WriteString("[system] "); !block(s) {
			return b.String()
		}
	}
	for _, m := range r.Messages {
		fmt.Fprintf(&b, "[%s] ", m.Role)
		for _, s := range m.Blocks {
			if !block(s) {
				return b.String()
			}
		}
	}
	return b.String()
}

// cached is what of a request is expected to come again, and how many marks there
// are in it.
func cached(r llm.Request) (prefix string, marks int) {
	blocks := slices.Clone(r.System)
	for _, m := range r.Messages {
		blocks = append(blocks, m.Blocks...)
	}
	last := 0
	for i, s := range blocks {
		if s.Cache {
			last = i + 1
			marks++
		}
	}
	return flatTo(r, last), marks
}

// jsonText is a text as it stands inside JSON.
func jsonText(s string) string {
	raw, err := json.Marshal(s)
	if err != nil {
		return err.Error()
	}
	return strings.TrimSuffix(strings.TrimPrefix(string(raw), `"`), `"`)
}

// requestOf is what a panel asks first in a round.
func requestOf(t testing.TB, p *Panel, r engine.RoundRequest) llm.Request {
	t.Helper()
	rd := p.newRound(r, nil)
	q, err := rd.question(rd.groups()[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := q.Request.Check(); err != nil {
		t.Fatal(err)
	}
	return q.Request
}

// growing is a discussion as it grows: before is called with the round that is
// about to be asked for.
func growing(t testing.TB, rng *rand.Rand, rounds int, words int, before func(n int, r engine.RoundRequest)) {
	t.Helper()
	people := []string{"Priya", "Sam", "Priya"}
	tr := talk("business-analyst: We just covered needs. Which notes must never be lost?")
	add := func(who, text string) int {
		turn := talk(who + ": " + text).Turns[0]
		turn.Number = len(tr.Turns) + 1
		tr.Turns = append(tr.Turns, turn)
		return turn.Number
	}
	ask := func(n int, kind roundtable.RoundKind, answers ...int) {
		r := engine.RoundRequest{Subject: subject(t), Transcript: thread.Transcript{Turns: slices.Clone(tr.Turns)}}
		r.Subject.Context = "As <@USAM> and <@UPRIYA> wrote." // neither has spoken yet
		r.Round = roundtable.Round{Kind: kind, Answers: answers, Calls: []roundtable.Call{{Persona: maya, Must: true}, {Persona: alex}, {Persona: jordan}}}
		before(n, r)
		for _, who := range []persona.Key{maya, alex, jordan}[:1+rng.IntN(3)] {
			add(string(who), strings.Repeat("word ", words))
		}
	}
	ask(0, roundtable.RoundOpening)
	for n := 1; n <= rounds; n++ {
		if rng.IntN(4) == 0 {
			ask(n, roundtable.RoundContinue)
		}
		if rng.IntN(3) == 0 {
			add("Sam", "<@UPRIYA> "+strings.Repeat("aside ", words)) // to a person: nobody answers
		}
		ask(n, roundtable.RoundAnswer, add(people[n%3], strings.Repeat("say ", words)))
	}
}

// With ten human turns, what a request marks for the cache is a byte prefix of the
// next one: that is what it is for. It needs no more marks than providers take.
func TestPromptIsAPrefixOfTheNext(t *testing.T) {
	p := panelOf(t, puppet(""))
	sent, read := 0, 0
	for seed := range uint64(40) {
		last, schema := "", ""
		growing(t, rand.New(rand.NewPCG(seed, 0)), 10, 60, func(n int, r engine.RoundRequest) {
			request := requestOf(t, p, r)
			prefix, marks := cached(request)
			if !strings.HasPrefix(flat(request), last) {
				t.Fatalf("seed %d, round %d: the prompt does not begin with what was cached:\n%s", seed, n, cmp.Diff(last, flat(request)))
			}
			if len(prefix) < len(last) {
				t.Fatalf("seed %d, round %d: less is cached than before", seed, n)
			}
			if fresh := strings.TrimPrefix(flat(request), prefix); r.Round.Kind == roundtable.RoundAnswer && strings.Contains(fresh, " turn>") {
				t.Fatalf("seed %d, round %d: what people said is not cached for the next round:\n%s", seed, n, fresh)
			}
			for i, m := range request.Messages {
				if want := []llm.Role{llm.User, llm.Assistant}[i%2]; m.Role != want {
					t.Fatalf("seed %d, round %d: message %d is of the %s, want the %s", seed, n, i, m.Role, want)
				}
			}
			if marks > 4 {
				t.Fatalf("seed %d, round %d: %d cache marks, want at most 4", seed, n, marks)
			}
			if schema != "" && schema != string(request.Schema) {
				t.Fatalf("seed %d, round %d: the schema changed", seed, n)
			}
			sent, read = sent+len(flat(request)), read+len(last)
			last, schema = prefix, string(request.Schema)
		})
	}
	t.Logf("of %d bytes a discussion, %d%% begin as the request before did", sent/40, 100*read/sent)
}

// A prompt grows by what is said and by nothing else.
func TestPromptGrowsLinearly(t *testing.T) {
	p := panelOf(t, puppet(""))
	var sizes, turns []int
	growing(t, rand.New(rand.NewPCG(7, 0)), 40, 30, func(_ int, r engine.RoundRequest) {
		request := requestOf(t, p, r)
		sizes, turns = append(sizes, len(flat(request))), append(turns, len(r.Transcript.Turns))
	})
	for i := 1; i < len(sizes); i++ {
		if perTurn := (sizes[i] - sizes[i-1]) / (turns[i] - turns[i-1]); perTurn > 30*len("aside ")+350 {
			t.Errorf("from %d to %d turns the prompt grew by %d bytes a turn", turns[i-1], turns[i], perTurn)
		}
	}
	t.Logf("%d turns: %d bytes, of which %d before anything was said", turns[len(turns)-1], sizes[len(sizes)-1], sizes[0])
}

// The newest human turn is cached for the next round, so that only the cue and the
// cast's latest words are read anew.
func TestPromptReadsLittleAnew(t *testing.T) {
	p := panelOf(t, puppet(""))
	request := requestOf(t, p, asking(t, maya+"!", alex, jordan))
	prefix, _ := cached(request)
	cue := strings.TrimPrefix(flat(request), prefix)
	if n := len(strings.Fields(cue)); n > 90 {
		t.Errorf("%d words are read anew every round, want at most 90:\n%s", n, cue)
	}
	for _, want := range []string{"Turns to answer: 4.", "business-analyst", "May speak", "never use technical jargon"} {
		if !strings.Contains(cue, want) {
			t.Errorf("the cue lacks %q:\n%s", want, cue)
		}
	}
}

// The prompts as a person can review them.
func TestPromptGolden(t *testing.T) {
	p := panelOf(t, puppet(""))
	t2 := opened()
	t2.Marks = []thread.Marked{{Mark: thread.Mark{Kind: thread.MarkDecision, By: thread.Person{ID: "UPriya", Name: "Priya"}}, Body: "Drafts are kept.", Turn: 4}}
	r := asking(t, maya+"!", alex, jordan)
	r.Transcript = t2
	r.Subject.Context = "The old app loses drafts. See <https://example.com/a|the report> & ask <@U99>."
	framing, err := p.framingQuestion(r.Subject)
	if err != nil {
		t.Fatal(err)
	}
	synthesis, err := p.synthesisQuestion(r.Subject, t2, "it cites nothing")
	if err != nil {
		t.Fatal(err)
	}
	resumed := r
	resumed.Round.Said = []persona.Key{maya}
	resumed.Transcript.Turns = append(slices.Clone(t2.Turns), thread.Turn{Number: 5, Persona: maya, Text: mayaSays, Stance: thread.StanceQuestion, ReplyTo: 4})
	talked := inquiring(t, needs()...)
	talked.Transcript.Marks = t2.Marks
	talked.Documents = []engine.Document{{File: "quick-scan.md", Text: "# Quick Scan\n\n- [Priya] About 12 files."}}
	in := p.newInquiry(talked, p.limit)
	inquiry, err := in.question()
	if err != nil {
		t.Fatal(err)
	}
	composition, err := in.composing("there is no part")
	if err != nil {
		t.Fatal(err)
	}
	for name, request := range map[string]llm.Request{
		"inquiry": inquiry.Request, "composition": composition.Request,
		"framing": framing.Request, "round": requestOf(t, p, r), "resumed": requestOf(t, p, resumed), "synthesis": synthesis.Request,
	} {
		t.Run(name, func(t *testing.T) {
			golden.Check(t, filepath.Join("testdata", "prompts", name+".txt"), flat(request), *update)
		})
	}
}

// A card is short, and has what keeps voices apart (FR-010).
func TestCards(t *testing.T) {
	for _, persona := range cast(t) {
		c := card(persona)
		if n := len(strings.Fields(c)); n > cardLimit || n < 60 {
			t.Errorf("%s: %d words, want 60 to %d", persona.Name, n, cardLimit)
		}
		for _, want := range []string{string(persona.Key), persona.Name, persona.Lens, "Never: ", "Sounds like: ", persona.Vocabulary.Forbidden[0]} {
			if !strings.Contains(c, want) {
				t.Errorf("the card of %s lacks %q", persona.Name, want)
			}
		}
	}
	bare := card(persona.Persona{Seat: persona.Seat{Key: "x", Name: "X Y", Role: "Tester"}})
	if want := "## x: X Y, Tester"; bare != want {
		t.Errorf("got %q, want %q", bare, want)
	}
}
