package e2e_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/roundtable-chat/app/bot/llm"
	"github.com/roundtable-chat/app/bot/llm/anthropic"
	"github.com/roundtable-chat/app/bot/llm/offline"
	"github.com/roundtable-chat/app/bot/llm/panel"
	"github.com/roundtable-chat/app/manifests"
	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/persona"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// countingServer speaks as Anthropic's API does and keeps account of a cache as the
// provider documents it: what a request marks is kept under its exact bytes and the
// schema, and read again by a later request that begins the same. A token is four
// bytes. It answers what it was told to.
type countingServer struct {
	mu      sync.Mutex
	kept    map[string]bool
	answers []string
	used    []llm.Usage
}

type textBlock struct {
	Text  string          `json:"text"`
	Cache json.RawMessage `json:"cache_control"`
}

func (s *countingServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var q struct {
		System   []textBlock `json:"system"`
		Messages []struct {
			Role    string      `json:"role"`
			Content []textBlock `json:"content"`
		} `json:"messages"`
		Output struct {
			Format struct {
				Schema json.RawMessage `json:"schema"`
			} `json:"format"`
		} `json:"output_config"`
	}
	if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
		http.Error(w, "not a request", http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	prompt := string(q.Output.Format.Schema)
	schema := len(prompt)
	read, marked := 0, 0
	take := func(b textBlock) {
		prompt += b.Text
		if b.Cache == nil {
			return
		}
		marked = len(prompt) - schema
		if s.kept[prompt] {
			read = marked
		}
		s.kept[prompt] = true
	}
	for _, b := range q.System {
		take(b)
	}
	for _, m := range q.Messages {
		prompt += m.Role
		for _, b := range m.Content {
			take(b)
		}
	}
	answer := s.answers[0]
	s.answers = s.answers[1:]
	u := llm.Usage{
		Input: tokens(len(prompt) - schema - marked), CacheRead: tokens(read), CacheWrite1h: tokens(marked - read), Output: tokens(len(answer)),
	}
	s.used = append(s.used, u)
	w.Header().Set("content-type", "text/event-stream")
	event := func(kind, body string) {
		_, _ = fmt.Fprintf(w, "event: %s\ndata: {\"type\":%q,%s}\n\n", kind, kind, body)
	}
	event("message_start", fmt.Sprintf(`"message":{"id":"m","type":"message","role":"assistant","model":"double","content":[],"usage":{"input_tokens":%d,`+
		`"cache_read_input_tokens":%d,"cache_creation_input_tokens":%d,"cache_creation":{"ephemeral_1h_input_tokens":%d,"ephemeral_5m_input_tokens":0},"output_tokens":0}}`,
		u.Input, u.CacheRead, u.CacheWrite1h, u.CacheWrite1h))
	event("content_block_start", `"index":0,"content_block":{"type":"text","text":""}`)
	text, _ := json.Marshal(answer)
	event("content_block_delta", `"index":0,"delta":{"type":"text_delta","text":`+string(text)+`}`)
	event("content_block_stop", `"index":0`)
	event("message_delta", fmt.Sprintf(`"delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":%d}`, u.Output))
	event("message_stop", `"index":0`)
}

func tokens(bytes int) int64 { return int64(bytes+3) / 4 }

// spoken is an answer in the form of a round's schema.
func spoken(said []roundtable.Contribution) string {
	type one struct {
		Speaker persona.Key   `json:"speaker"`
		Stance  thread.Stance `json:"stance"`
		ReplyTo *int          `json:"reply_to"`
		Text    string        `json:"text"`
	}
	var all []one
	for _, c := range said {
		o := one{Speaker: c.Persona, Stance: c.Stance, Text: c.Text}
		if c.ReplyTo > 0 {
			o.ReplyTo = &c.ReplyTo
		}
		all = append(all, o)
	}
	list, _ := json.Marshal(all)
	return `{"relevance":{"verdict":"on","turn":null,"subject":null,"belongs":null},"contributions":` + string(list) + `,"conflict":null}`
}

// counted is a panel whose model is the double.
func counted(t *testing.T) (*countingServer, *panel.Panel) {
	t.Helper()
	double := &countingServer{kept: map[string]bool{}}
	server := httptest.NewServer(double)
	t.Cleanup(server.Close)
	model, err := anthropic.New(anthropic.Options{Model: "double", Key: "k", BaseURL: server.URL + "/", Idle: startLimit})
	if err != nil {
		t.Fatal(err)
	}
	chain, err := llm.NewChain(llm.ChainOptions{Models: []llm.Model{model}, Ledger: free{}})
	if err != nil {
		t.Fatal(err)
	}
	panel, err := panel.New(panel.Options{Asker: chain, Secret: []byte("sixteen bytes at least")})
	if err != nil {
		t.Fatal(err)
	}
	return double, panel
}

// said is what people say, one message a round.
var said = []string{
	"Alex, what breaks first when two phones edit the same note?", "We have about 40 technicians who are offline for a whole day.",
	"Jordan, how should a conflict look in the list?", "Maya, which of them would notice a lost note?", "I worry about the size of attachments.",
	"Should we queue photos, or leave them out at first?", "What about old devices with little storage?", "Who decides which version wins?",
	"Everyone, what would you test before the pilot?", "Let's keep both copies and let people merge them.",
}

// A discussion of ten human turns asks once for the framing, once a round and once
// for the synthesis, and nothing twice; the prompt grows by what is said, and what
// stood in the last one is read from the cache (FR-114).
func TestDiscussionIsPaidOnce(t *testing.T) {
	set, err := manifests.Load(nil)
	if err != nil {
		t.Fatal(err)
	}
	puppets, err := offline.New(offline.Options{Roster: set.Roster})
	if err != nil {
		t.Fatal(err)
	}
	double, panel := counted(t)
	cast := set.Roster.Personas
	subject := roundtable.Subject{Discussion: "D1", Topic: "offline mode for notes", Step: roundtable.StepRef{ID: roundtable.FreeStep, Title: "offline mode for notes"}, Lead: cast[0].Key, Cast: cast}
	double.answers = []string{`{"summary":"","focus":"Which conflicts matter to people on a train?","ask":"` + string(cast[1].Key) + `"}`}
	framing, err := panel.Frame(t.Context(), subject)
	if err != nil {
		t.Fatal(err)
	}
	subject.Focus = framing.Focus
	var tr thread.Transcript
	add := func(turn thread.Turn) {
		turn.Number, turn.TS = len(tr.Turns)+1, fmt.Sprintf("17000000%02d.000100", len(tr.Turns))
		tr.Turns = append(tr.Turns, turn)
	}
	add(thread.Turn{Persona: cast[0].Key, Text: framing.Focus})
	round := func(kind roundtable.RoundKind, answers ...int) {
		request := engine.RoundRequest{Subject: subject, Transcript: tr, Round: roundtable.Round{
			Kind: kind, Answers: answers, Calls: []roundtable.Call{{Persona: cast[0].Key, Must: true}, {Persona: cast[1].Key, Must: true}},
		}}
		var script []roundtable.Contribution
		if _, err := puppets.Discuss(t.Context(), request, func(c roundtable.Contribution) error {
			c.Drift = nil
			script = append(script, c)
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		double.answers = []string{spoken(script)}
		heard := 0
		ending, err := panel.Discuss(t.Context(), request, func(c roundtable.Contribution) error {
			heard++
			add(thread.Turn{Persona: c.Persona, Text: c.Text, Stance: c.Stance, ReplyTo: c.ReplyTo})
			return nil
		})
		if err != nil || ending.Incomplete || heard != len(script) {
			t.Fatalf("round after turn %d: %d of %d contributions, %+v, %v", len(tr.Turns), heard, len(script), ending, err)
		}
	}
	round(roundtable.RoundOpening)
	for i, text := range said {
		add(thread.Turn{Person: thread.Person{ID: "U1", Name: []string{"Priya", "Sam"}[i%2]}, Text: text})
		round(roundtable.RoundAnswer, len(tr.Turns))
	}
	double.answers = []string{`{"insights":[{"turns":[2],"text":"Both copies are kept","why":null}],"decisions":[],"open_questions":[],"action_items":[],"summary":"Keep both copies."}`}
	if _, err := panel.Synthesise(t.Context(), subject, tr, ""); err != nil {
		t.Fatal(err)
	}

	if got, want := len(double.used), 1+1+len(said)+1; got != want {
		t.Errorf("got %d calls, want %d: framing, opening, %d rounds, synthesis", got, want, len(said))
	}
	const model = "anthropic:double"
	price, _ := llm.Prices{{Model: model, Input: 2e6, Output: 10e6, CacheRead: 1e5, CacheWrite5m: 25e5, CacheWrite1h: 4e6}}.At(model, time.Now())
	var all llm.Usage
	rows := []string{"call  prompt  cached  output  micro-dollars"}
	for i, u := range double.used {
		all = all.Add(u)
		rows = append(rows, fmt.Sprintf("%4d  %6d  %6d  %6d  %d", i+1, u.Prompt(), u.CacheRead, u.Output, price.Cost(u)))
		if i < 3 || i == len(double.used)-1 {
			continue // the first of its schema, or another schema
		}
		before := double.used[i-1]
		if u.CacheRead < before.CacheRead+before.CacheWrite1h-2 {
			t.Errorf("call %d read %d tokens from the cache, of %d that the call before had marked", i+1, u.CacheRead, before.CacheRead+before.CacheWrite1h)
		}
		if grown := u.Prompt() - before.Prompt(); grown > 500 {
			t.Errorf("call %d: the prompt grew by %d tokens", i+1, grown)
		}
	}
	t.Logf("\n%s\n%d calls, %d prompt tokens, %d of them cached, %d tokens of output: %d micro-dollars a human turn", strings.Join(rows, "\n"),
		len(double.used), all.Prompt(), all.CacheRead, all.Output, price.Cost(all)/int64(len(said)))
}
