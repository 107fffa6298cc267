package panel

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/roundtable-chat/app/roundtable/persona"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// longTalk is a discussion at random: turns of people and personas of all lengths,
// some marked.
func longTalk(rng *rand.Rand, turns int) thread.Transcript {
	var t thread.Transcript
	for n := 1; n <= turns; n++ {
		turn := thread.Turn{Number: n, Text: fmt.Sprintf("Opening of turn %d. ", n) + strings.Repeat("and so on ", rng.IntN(200))}
		if rng.IntN(40) == 0 {
			turn.Text += strings.Repeat("a pasted log ", 5000)
		}
		if rng.IntN(2) == 0 {
			turn.Persona, turn.Stance = []persona.Key{maya, alex, jordan}[rng.IntN(3)], thread.StanceDisagree
		} else {
			i := rng.IntN(4)
			turn.Person = thread.Person{ID: fmt.Sprintf("U%d", i), Name: []string{"Priya", "Sam", "Priya", "李雷"}[i]}
		}
		t.Turns = append(t.Turns, turn)
		if rng.IntN(5) == 0 {
			by := thread.Person{ID: "U9", Name: "Ines"}
			t.Marks = append(t.Marks, thread.Marked{
				Mark: thread.Mark{Kind: thread.MarkDecision, By: by}, Body: fmt.Sprintf("Decided in turn %d: keep <it>.", n), Turn: n,
			})
		}
	}
	return t
}

// However long a discussion, a prompt stays within its bounds, and loses neither
// who said what nor anything that was marked (NFR-003).
func TestCompactionKeepsMarksAndAttribution(t *testing.T) {
	const limit = 20_000
	p := panelOf(t, puppet(""), func(o *Options) { o.Transcript = limit })
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 1))
		r := asking(t, maya+"!")
		r.Transcript = longTalk(rng, 4+rng.IntN(80))
		r.Round.Answers = nil
		synthesis, err := p.synthesisQuestion(r.Subject, r.Transcript, "")
		if err != nil {
			t.Fatal(err)
		}
		for what, prompt := range map[string]string{"round": flat(requestOf(t, p, r)), "synthesis": flat(synthesis.Request)} {
			for _, turn := range r.Transcript.Turns {
				opening := fmt.Sprintf("Opening of turn %d.", turn.Number)
				at := strings.Index(prompt, opening)
				if at < 0 {
					t.Fatalf("seed %d: %s: turn %d is nowhere", seed, what, turn.Number)
				}
				begin := strings.LastIndexByte(prompt[:at], '{')
				if by := prompt[begin:at]; !strings.Contains(by, string(turn.Persona)) || !strings.Contains(by, turn.Person.Name) {
					t.Fatalf("seed %d: %s: turn %d is said by %s, want %s%s", seed, what, turn.Number, by, turn.Persona, turn.Person.Name)
				}
			}
			for _, m := range r.Transcript.Marks {
				if !strings.Contains(prompt, jsonText(m.Body)) {
					t.Fatalf("seed %d: %s: %q is not in the prompt", seed, what, m.Body)
				}
			}
		}
		tr := newTranscript("n", r.Transcript, limit)
		if n := len(tr.record()); n > limit*3/2 {
			t.Errorf("seed %d: %d turns take %d bytes, want at most about %d", seed, len(tr.turns), n, limit)
		}
		last := tr.turns[len(tr.turns)-1]
		if tr.short == len(tr.turns) || tr.quote(last).Text == "" {
			t.Errorf("seed %d: the newest turn is not told in full", seed)
		}
	}
}

// Shortening follows from the turns, and only ever goes further; it happens
// seldom, because it changes what was cached.
func TestShorteningIsRare(t *testing.T) {
	tr := longTalk(rand.New(rand.NewPCG(3, 3)), 120)
	last, changes := 0, 0
	for n := range tr.Turns {
		short := shortened(tr.Turns[:n+1], DefaultTranscript)
		if short < last {
			t.Fatalf("after %d turns %d are short, before it were %d", n+1, short, last)
		}
		if short > last {
			changes++
		}
		last = short
	}
	if changes == 0 || changes > 12 {
		t.Errorf("in 120 turns the beginning changed %d times, want a few", changes)
	}
	t.Logf("in 120 turns the beginning changed %d times", changes)
}

// Two people of one name stay two, and one without a name is somebody.
func TestPeoplesNames(t *testing.T) {
	turns := []thread.Turn{
		{Person: thread.Person{ID: "U1", Name: "Priya"}, Text: "a"}, {Persona: maya, Text: "b"}, {Person: thread.Person{ID: "U2", Name: " Priya\n"}, Text: "c"},
		{Person: thread.Person{ID: "U1", Name: "Priya S."}, Text: "d"}, {Person: thread.Person{ID: "U3"}, Text: "e"},
	}
	got := newTranscript("n", thread.Transcript{Turns: turns}, DefaultTranscript).names
	want := map[string]string{"U1": "Priya", "U2": "Priya (2)", "U3": "Somebody"}
	for id, name := range want {
		if got[id] != name {
			t.Errorf("%s is %q, want %q", id, got[id], name)
		}
	}
	if len(got) != len(want) {
		t.Errorf("got %v", got)
	}
}

// What is struck is not told to anybody (FR-103).
func TestStruckIsNotTold(t *testing.T) {
	tr := opened()
	tr.Turns[1].Text, tr.Turns[1].Struck = "", true
	tr.Late = []thread.Turn{{Person: thread.Person{ID: "U7", Name: "Kim"}, Text: "One more thing."}, {Text: "", Struck: true}}
	told := newTranscript("n", tr, DefaultTranscript)
	if got := told.record(); strings.Contains(got, `"turn":2`) || !strings.Contains(got, `{"person":"Kim","text":"One more thing."}`) {
		t.Errorf("got %s", got)
	}
}

func TestReadable(t *testing.T) {
	names := map[string]string{"U1": "Priya"}
	tests := map[string]string{
		"<@U1> and <@U2|sam> and <@W3>":                     "@Priya and @sam and @somebody",
		"<!channel> <!here|here> <!subteam^S1|@ops>":        "@channel @here @ops",
		"see <https://a.example/x?a=1&amp;b=2|the page>":    "see the page (https://a.example/x?a=1&b=2)",
		"<https://a.example> <mailto:a@b.example|a@b>":      "https://a.example a@b (mailto:a@b.example)",
		"<#C1|general> &lt;b&gt; a&amp;b":                   "#general <b> a&b",
		"tab\there\r\nline\x00\u200b\u2066x\u2069":          "tab here\nlinex",
		"flags \U0001F469\u200D\U0001F4BB stay \U000E0041.": "flags \U0001F469\u200D\U0001F4BB stay .",
		"bad \xff byte": "bad \uFFFD byte",
	}
	for text, want := range tests {
		if got := readable(text, names); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestExcerpt(t *testing.T) {
	text := strings.Repeat("ä", 100)
	got := excerpt(text, 40)
	if want := strings.Repeat("ä", 15) + "\n[… 80 characters left out …]\n" + strings.Repeat("ä", 5); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := excerpt("short", 40); got != "short" {
		t.Errorf("got %q", got)
	}
	if got := bounded("One. Two is longer. Three", 20); got != "One. Two is longer." {
		t.Errorf("got %q", got)
	}
	if got := bounded(strings.Repeat("x", 50), 20); len([]rune(got)) > 20 {
		t.Errorf("got %q", got)
	}
}
