package panel

import (
	"cmp"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/roundtable-chat/app/bot/llm"
	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/persona"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// reply is what a scripted model says to one question.
type reply struct {
	text string
	// piece is how many bytes arrive at a time, all at once if 0; pace passes
	// before each.
	piece int
	pace  time.Duration
	// stop and err are how it ends: by default with StopEnd.
	stop llm.Stop
	err  error
	// calls is what the provider calls the model, by default its name.
	calls string
}

// scripted is a model that answers by the book, and remembers what it was asked.
// With nothing left to say it says the last again.
type scripted struct {
	name    string
	replies []reply
	// answer, if set, takes the place of replies.
	answer func(n int, r llm.Request) reply

	mu    sync.Mutex
	asked []llm.Request
}

func (m *scripted) Name() string { return m.name }

func (m *scripted) Stream(ctx context.Context, r llm.Request, text func(string) error) (llm.Result, error) {
	m.mu.Lock()
	m.asked = append(m.asked, r)
	n := len(m.asked)
	m.mu.Unlock()
	var say reply
	if m.answer != nil {
		say = m.answer(n, r)
	} else {
		say = m.replies[min(n, len(m.replies))-1]
	}
	result := llm.Result{Model: cmp.Or(say.calls, m.name), Sent: true, Stop: say.stop}
	for rest := say.text; rest != ""; {
		piece := rest
		if say.piece > 0 {
			piece = rest[:min(say.piece, len(rest))]
		}
		rest = rest[len(piece):]
		if say.pace > 0 {
			select {
			case <-time.After(say.pace):
			case <-ctx.Done():
				return result, &llm.Error{Kind: llm.Cancelled, Model: m.name, Err: context.Cause(ctx)}
			}
		}
		if err := text(piece); err != nil {
			return result, err
		}
	}
	switch {
	case say.err != nil:
		return result, say.err
	case say.stop == llm.StopLength:
		return result, &llm.Error{Kind: llm.Truncated, Model: m.name}
	case say.stop == llm.StopRefusal:
		return result, &llm.Error{Kind: llm.Refused, Model: m.name}
	}
	result.Stop = llm.StopEnd
	return result, ctx.Err()
}

// requests returns what was asked.
func (m *scripted) requests() []llm.Request {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]llm.Request(nil), m.asked...)
}

// puppet is a model that gives these answers in order.
func puppet(texts ...string) *scripted {
	m := &scripted{name: "test:model"}
	for _, t := range texts {
		m.replies = append(m.replies, reply{text: t})
	}
	return m
}

const (
	maya   = persona.Key("business-analyst")
	alex   = persona.Key("solutions-architect")
	jordan = persona.Key("system-designer")
)

// shipped reads the personas that ship with the product, once.
var shipped = sync.OnceValues(func() (personas []persona.Persona, err error) {
	for _, key := range []persona.Key{maya, alex, jordan} {
		raw, err := os.ReadFile(filepath.Join("..", "..", "..", "manifests", "personas", string(key)+".yaml"))
		var p persona.Persona
		if err == nil {
			err = yaml.Unmarshal(raw, &p)
		}
		if err != nil {
			return nil, err
		}
		personas = append(personas, p)
	}
	return personas, nil
})

// cast is the cast that ships with the product, to be changed at will.
func cast(t testing.TB) []persona.Persona {
	t.Helper()
	personas, err := shipped()
	if err != nil {
		t.Fatal(err)
	}
	return slices.Clone(personas)
}

func subject(t testing.TB) roundtable.Subject {
	t.Helper()
	return roundtable.Subject{
		Discussion: "D1", Topic: "Offline mode for notes", Item: "offline-mode", Lead: maya, Cast: cast(t),
		Step: roundtable.StepRef{ID: "01-02", Title: "User Needs Discovery", Summary: "Field staff lose drafts."}, Focus: "Which notes must never be lost?",
	}
}

var testSecret = []byte("a secret of sixteen bytes or more")

// panelOf makes a panel of a model.
func panelOf(t testing.TB, m llm.Model, change ...func(*Options)) *Panel {
	t.Helper()
	o := Options{Asker: llm.Only(m), Secret: testSecret}
	for _, c := range change {
		c(&o)
	}
	p, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// talk is a transcript: "who: text" in order, where who is a persona's key or a
// person's name.
func talk(lines ...string) thread.Transcript {
	var t thread.Transcript
	for i, l := range lines {
		who, text, _ := strings.Cut(l, ": ")
		turn := thread.Turn{Number: i + 1, Text: text}
		if strings.Contains(who, "-") {
			turn.Persona, turn.Stance = persona.Key(who), thread.StanceAdd
		} else {
			turn.Person = thread.Person{ID: "U" + strings.ToUpper(who), Name: who}
		}
		t.Turns = append(t.Turns, turn)
	}
	return t
}

// opened is a discussion in which Priya asks something as turn 4.
func opened() thread.Transcript {
	return talk("business-analyst: We just covered needs. Which notes must never be lost?", "solutions-architect: Two ways to keep them.",
		"system-designer: A draft has a version.", "Priya: Everyone, what about refunds?")
}

// asking is a round that answers Priya's turn: those whose key ends in "!" must
// speak.
func asking(t testing.TB, called ...persona.Key) engine.RoundRequest {
	t.Helper()
	r := engine.RoundRequest{Subject: subject(t), Transcript: opened()}
	r.Round = roundtable.Round{Kind: roundtable.RoundAnswer, Answers: []int{4}, Askers: []string{"Priya"}}
	for _, c := range called {
		key, must := strings.CutSuffix(string(c), "!")
		r.Round.Calls = append(r.Round.Calls, roundtable.Call{Persona: persona.Key(key), Must: must})
	}
	return r
}

// utters is a contribution as a model writes it.
func utters(who persona.Key, text string) string {
	return line(said{Speaker: who, Stance: thread.StanceAdd, Text: text})
}

// silent is a persona that has nothing to add.
func silent(who persona.Key) string {
	return line(said{Speaker: who, Stance: "silent", Text: "nothing new"})
}

// spoken is an answer of these contributions.
func spoken(contributions ...string) string { return spokenWith("null", contributions...) }

func spokenWith(conflict string, contributions ...string) string {
	return `{"relevance":{"verdict":"on","turn":null,"subject":null,"belongs":null},"contributions":[` + strings.Join(contributions, ",") + `],"conflict":` + conflict + `}`
}

// play lets a panel answer a round and returns what was handed on, as "key: text".
func play(t testing.TB, p *Panel, r engine.RoundRequest) (said []string, all []roundtable.Contribution, ending roundtable.Ending, err error) {
	t.Helper()
	ending, err = p.Discuss(t.Context(), r, func(c roundtable.Contribution) error {
		all = append(all, c)
		if c.Drift != nil {
			raw, err := json.Marshal(c.Drift)
			said = append(said, "drift: "+string(raw))
			return err
		}
		said = append(said, string(c.Persona)+": "+c.Text)
		return nil
	})
	return said, all, ending, err
}
