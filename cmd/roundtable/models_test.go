package main

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/roundtable-chat/app/bot/llm"
	"github.com/roundtable-chat/app/bot/slacksim"
	"github.com/roundtable-chat/app/cmd/roundtable/config"
	"github.com/roundtable-chat/app/storage/storagetest"
)

// modelServer speaks as OpenAI's API does, for models by name: "down" is
// overloaded, any other answers each question in its form. It counts its answers.
type modelServer struct {
	url     string
	answers atomic.Int32
	// halt, if set, keeps the first round from being told to its end: it stands still
	// after the first contribution until whoever asked is gone.
	halt chan struct{}
}

func newModelServer(t *testing.T) *modelServer {
	m := &modelServer{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var q struct {
			Model  string `json:"model"`
			Format struct {
				Schema struct {
					Name string `json:"name"`
				} `json:"json_schema"`
			} `json:"response_format"`
		}
		if err := json.NewDecoder(r.Body).Decode(&q); err != nil || r.Header.Get("authorization") != "Bearer "+canaryToken {
			http.Error(w, `{"error":{"code":"invalid_api_key"}}`, http.StatusUnauthorized)
			return
		}
		if q.Model == "down" {
			w.Header().Set("content-type", "application/json")
			w.Header().Set("retry-after", "60")
			w.WriteHeader(http.StatusServiceUnavailable)
			io.WriteString(w, `{"error":{"type":"overloaded_error","message":"`+canaryToken+`"}}`)
			return
		}
		m.answers.Add(1)
		standsStill := false
		if q.Format.Schema.Name == "round" && m.halt != nil {
			select {
			case <-m.halt:
			default:
				standsStill = true
			}
		}
		w.Header().Set("content-type", "text/event-stream")
		for _, piece := range append(strings.SplitAfter(modelAnswers[q.Format.Schema.Name], ","), "") {
			text, _ := json.Marshal(piece)
			finish := "null"
			if piece == "" {
				finish = `"stop"`
			}
			if standsStill && strings.Contains(piece, `{"speaker":"system-designer"`) {
				_ = http.NewResponseController(w).Flush()
				<-r.Context().Done()
				return
			}
			fmt.Fprintf(w, "data: {\"id\":\"c\",\"model\":%q,\"choices\":[{\"index\":0,\"delta\":{\"content\":%s},\"finish_reason\":%s}]}\n\n", q.Model, text, finish)
		}
		io.WriteString(w, "data: {\"id\":\"c\",\"choices\":[],\"usage\":{\"prompt_tokens\":900,\"completion_tokens\":100,\"total_tokens\":1000}}\n\ndata: [DONE]\n\n")
	}))
	t.Cleanup(s.Close)
	m.url = s.URL + "/v1"
	return m
}

// modelAnswers are by the name of the schema that is asked for.
var modelAnswers = map[string]string{
	"framing": `{"summary":"","focus":"Which conflicts matter to people on a train?","ask":"solutions-architect"}`,
	"round": `{"relevance":{"verdict":"on","turn":null,"subject":null,"belongs":null},"contributions":[` +
		`{"speaker":"solutions-architect","stance":"add","reply_to":1,"text":"Queue every write on the device and replay it in order once the network is back, then measure how often two writes meet."},` +
		`{"speaker":"system-designer","stance":"disagree","reply_to":1,"text":"An ordered replay hides the error path from people; show a rejected write as a state of its own with a way to repair it."},` +
		`{"speaker":"business-analyst","stance":"question","reply_to":1,"text":"Which customers lose work today when the train enters a tunnel, and how would they notice that this got better?"}],"conflict":null}`,
	"inquiry": `{"criteria":` + turnTwo + `,"prompts":` + turnTwo + `,"enough":true,"summary":null,` +
		`"reflection":"Then the tills decide how large this gets, since each of them writes while it is cut off.","prompt":1,"question":"Which parts of the shop would notice, and who runs them?"}`,
	"composition": `{"criteria":` + turnTwo + `,"parts":[{"place":1,"document":null,"groups":[{"label":"Parts","columns":[],"entries":[` +
		`{"turns":[2],"basis":"said","cells":["The tills and the stock list are concerned."]},{"turns":[1],"basis":"said","cells":["The website is not."]}]}]}],"summary":"Tills and stock.","point":null}`,
	"synthesis": `{"insights":[{"turns":[2],"text":"Writes are replayed in order","why":null}],"decisions":[],"open_questions":[],"action_items":[],"summary":"Replay writes in order."}`,
}

// turnTwo shows everything that a step may ask for by the second turn.
const turnTwo = `[{"number":1,"turns":[2]},{"number":2,"turns":[2]},{"number":3,"turns":[2]},{"number":4,"turns":[2]},{"number":5,"turns":[2]},` +
	`{"number":6,"turns":[2]},{"number":7,"turns":[2]},{"number":8,"turns":[2]}]`

// modelEnv lets a replica speak through a double.
func modelEnv(w *workspace, server *storagetest.Server, m *modelServer, more ...string) []string {
	return append(append(serveEnv(w, server), "OPENAI_API_KEY="+canaryToken, "OPENAI_BASE_URL="+m.url, "ROUNDTABLE_LOG_LEVEL=debug"), more...)
}

// TestServeModels: a replica whose first model is down speaks through the second,
// and says so; what that costs stands in the introduction, in status and in the
// metrics; the keys stand nowhere (FR-109, FR-114, I11).
func TestServeModels(t *testing.T) {
	t.Parallel()
	w, server, m := localSlack(t, slacksim.Options{}), storagetest.RedisTCP(t), newModelServer(t)
	p := start(t, t.TempDir(), modelEnv(w, server, m, "ROUNDTABLE_MODEL=openai:down,openai:up", "ROUNDTABLE_BUDGET_DAY=5000000,$5",
		"ROUNDTABLE_PRICES=[{model: 'openai:up', input: 2, output: 10}, {model: 'openai:down', input: 1, output: 1}]"), "serve")
	address := ready(t, p)
	d := person{w, priya, product}.open("offline mode")
	d.until("", "Alex speaks through the model", by("Alex"))
	floor := d.until("", "the room has the floor", containing("The floor is yours"))
	if shown := get(w.url + "/sim/state"); !strings.Contains(shown, "Queue every write") || !strings.Contains(shown, "Answered by openai:up") {
		t.Errorf("the thread does not show who spoke:\n%s", shown)
	}
	done := d.say("done")
	d.until(done, "the synthesis is there", containing("Writes are replayed in order"))
	d.until(floor.TS, "the menu is back", containing(menu))

	eventually(t, "the introduction shows what it cost", func() string { return d.transcript(d.root) }, func() bool {
		return strings.Contains(d.transcript(d.root), "3,000 tokens ($0.0084)")
	})
	d.command("status")
	eventually(t, "status shows the budget", func() string { return get(w.url + "/sim/state") }, func() bool {
		return strings.Contains(get(w.url+"/sim/state"), "3,000 tokens ($0.0084) of 5,000,000 tokens, $5.00")
	})
	metrics := get(address + "/metrics")
	for _, want := range []string{
		`roundtable_model_tokens_total{kind="input",model="openai:up"} 2700`, `roundtable_budget_tokens{part="spent",scope="day"} 3000`,
		`roundtable_model_stand_ins_total{model="openai:up"} 3`, `roundtable_model_call_seconds_count{model="openai:down",outcome="overloaded"} 1`,
	} {
		if !strings.Contains(metrics, want) {
			t.Errorf("the metrics lack %s:\n%s", want, regexp.MustCompile(`(?m)^roundtable_(model|budget).*$`).FindAllString(metrics, -1))
		}
	}
	if got := p.terminate(); got != 0 {
		t.Errorf("exit code %d after SIGTERM, want 0", got)
	}
	if strings.Contains(p.output.String(), canaryToken) {
		t.Errorf("the key is in the log:\n%s", &p.output)
	}
}

// TestServeModelsLead: a model leads an analysis: it asks, takes up the answer, and
// writes the step down with the name of who said it. Which engine spoke is shown, and
// the analysis has a budget of its own (FR-109, FR-116, FR-114).
func TestServeModelsLead(t *testing.T) {
	t.Parallel()
	w, server, m := localSlack(t, slacksim.Options{}), storagetest.RedisTCP(t), newModelServer(t)
	p := start(t, t.TempDir(), modelEnv(w, server, m, "ROUNDTABLE_MODEL=openai:down,openai:up", "ROUNDTABLE_BUDGET_DISCUSSION=1", "ROUNDTABLE_BUDGET_ANALYSIS=5000000"), "serve")
	ready(t, p)
	d := person{w, priya, product}.openBy("analyze Offline mode", "Offline mode")
	asked := d.until("", "the model asks", containing("Which parts of the shop would notice"))
	said := d.say("The tills in the 40 shops, and the stock list; complexity is medium, 12 files.")
	d.until(said, "the model takes it up", containing("Then the tills decide"))
	d.until(asked.TS, "the menu", containing("[C]"))
	if shown := get(w.url + "/sim/state"); !strings.Contains(shown, "Answered by openai:up") {
		t.Error("the thread does not show which engine spoke")
	}
	if got := d.transcript(d.root); !strings.Contains(got, "Created quick-scan.md") {
		t.Errorf("no change is announced in\n%s", got)
	}
	d.command("export offline-mode")
	link := regexp.MustCompile(`/files/[^"]+\.zip`)
	eventually(t, "the documents are there", func() string { return get(w.url + "/sim/state") }, func() bool { return link.MatchString(get(w.url + "/sim/state")) })
	document := unpacked(t, w.url+link.FindString(get(w.url+"/sim/state")), "quick-scan.md")
	for _, want := range []string{"- [Priya Nair] The tills and the stock list are concerned.", "- [Assumption] The website is not."} {
		if !strings.Contains(document, want) {
			t.Errorf("the document lacks %q:\n%s", want, document)
		}
	}
	if got := m.answers.Load(); got != 4 { // two questions, a draft, and what it lacked
		t.Errorf("the model answered %d times, want 4", got)
	}
	if got := p.terminate(); got != 0 {
		t.Errorf("exit code %d after SIGTERM, want 0:\n%s", got, &p.output)
	}
}

// unpacked is a file of a zip archive at an address, of any folder in it.
func unpacked(t *testing.T, url, name string) string {
	t.Helper()
	resp, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	archive, err := zip.NewReader(bytes.NewReader(raw), int64(len(raw)))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range archive.File {
		if path.Base(f.Name) != name {
			continue
		}
		body, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		defer body.Close()
		text, err := io.ReadAll(body)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	t.Fatalf("there is no %s", name)
	return ""
}

// TestServeKilledWhileTheModelSpeaks: a process that dies in the middle of a round that
// is being streamed, after its first contribution stands, leaves a discussion that goes
// on: nothing is said twice, and nothing is lost (I3, I4).
func TestServeKilledWhileTheModelSpeaks(t *testing.T) {
	t.Parallel()
	w, server, m := localSlack(t, slacksim.Options{}), storagetest.RedisTCP(t), newModelServer(t)
	m.halt = make(chan struct{})
	env := modelEnv(w, server, m, "ROUNDTABLE_MODEL=openai:up", "ROUNDTABLE_LEASE=2s", "ROUNDTABLE_SETTLE=10500ms")
	first := start(t, t.TempDir(), env, "serve")
	ready(t, first)
	d := person{w, priya, product}.open("offline mode")
	d.until("", "the first contribution stands", containing("Queue every write"))
	first.kill()
	close(m.halt)
	second := start(t, t.TempDir(), env, "serve")
	ready(t, second)
	d.until("", "the room has the floor", containing("The floor is yours"))
	shown := d.transcript(d.root)
	for _, once := range []string{"Queue every write", "An ordered replay hides", "Which conflicts matter", "The floor is yours"} {
		if n := strings.Count(shown, once); n != 1 {
			t.Errorf("%q is said %d times, want once:\n%s", once, n, shown)
		}
	}
	if strings.Index(shown, "Queue every write") > strings.Index(shown, "An ordered replay hides") {
		t.Errorf("the contributions are out of order:\n%s", shown)
	}
	second.calm()
}

// TestServeOverBudget: a budget that is used up is a stated stop with a way on,
// before anybody is asked (FR-109, I10).
func TestServeOverBudget(t *testing.T) {
	t.Parallel()
	w, server, m := localSlack(t, slacksim.Options{}), storagetest.RedisTCP(t), newModelServer(t)
	p := start(t, t.TempDir(), modelEnv(w, server, m, "ROUNDTABLE_MODEL=openai:up", "ROUNDTABLE_BUDGET_DAY=100"), "serve")
	ready(t, p)
	d := person{w, priya, product}.open("offline mode")
	stop := d.until("", "the budget stops it", containing("Today's budget for language models (100 tokens) is used up. It is renewed on "))
	d.press("retry")
	again := d.until(stop.TS, "it is still used up", containing("is used up"))
	d.press("wrap_up")
	d.until(again.TS, "the menu is back", containing(menu))
	if got := m.answers.Load(); got != 0 {
		t.Errorf("%d questions were asked", got)
	}
}

// TestServeStandIn: where no model answers, the discussion stops and says so with a
// way on; the rule-based personas stand in only where the deployment lists them,
// and under their own name (FR-114, I10).
func TestServeStandIn(t *testing.T) {
	t.Parallel()
	for models, want := range map[string]struct{ said, shown string }{
		"openai:down":         {"does not answer at the moment", "Try again"},
		"openai:down,offline": {"The floor is yours", "Answered by " + standInName},
	} {
		t.Run(models, func(t *testing.T) {
			t.Parallel()
			w, server, m := localSlack(t, slacksim.Options{}), storagetest.RedisTCP(t), newModelServer(t)
			p := start(t, t.TempDir(), modelEnv(w, server, m, "ROUNDTABLE_MODEL="+models), "serve")
			ready(t, p)
			d := person{w, priya, product}.open("offline mode")
			d.until("", "it goes on, or says why not", containing(want.said))
			if shown := get(w.url + "/sim/state"); !strings.Contains(shown, want.shown) {
				t.Errorf("%q is not shown:\n%s", want.shown, shown)
			}
		})
	}
}

// TestServeModelsMissing: a key that is missing is a mistake in how the program is
// called, and offline never stands in by itself.
func TestServeModelsMissing(t *testing.T) {
	t.Parallel()
	w, server := localSlack(t, slacksim.Options{}), storagetest.Mini(t)
	p := start(t, t.TempDir(), append(serveEnv(w, server), "ROUNDTABLE_MODEL=anthropic:m,openai:n"), "serve")
	if got := p.wait(patience); got != exitUsage {
		t.Errorf("exit code %d, want %d", got, exitUsage)
	}
	for _, want := range []string{"model anthropic:m: ANTHROPIC_API_KEY is missing", "model openai:n: OPENAI_API_KEY is missing"} {
		if !strings.Contains(p.output.String(), want) {
			t.Errorf("it does not say %q:\n%s", want, &p.output)
		}
	}
}

// TestGreet: the demo says who speaks.
func TestGreet(t *testing.T) {
	for models, want := range map[string]string{
		"offline":              "rule-based stand-in speaks for the personas: no model, no key, no network",
		"anthropic:a,openai:b": "speak through anthropic:a, then openai:b.",
		"openai:b,offline":     "speak through openai:b, then offline.",
	} {
		var out strings.Builder
		greet(&out, "http://127.0.0.1:1", demo{Config: config.Config{Models: strings.Split(models, ",")}})
		if !strings.Contains(out.String(), want) {
			t.Errorf("%s: %q is missing in\n%s", models, want, &out)
		}
	}
}

// TestNewModelReaches: what is configured is what a provider is sent.
func TestNewModelReaches(t *testing.T) {
	var at, key, body string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		at, key, body = r.URL.Path, r.Header.Get("x-api-key")+r.Header.Get("authorization"), string(raw)
		w.WriteHeader(http.StatusTeapot)
	}))
	defer s.Close()
	for name, want := range map[string]struct{ path, key, has, lacks string }{
		"anthropic:m-1":  {"/v1/messages", canaryToken, `"model":"m-1"`, `"effort"`},
		"openai:org/m:2": {"/v1/chat/completions", "Bearer " + canaryToken, `"max_tokens":50`, `"reasoning_effort"`},
	} {
		m, err := newModel(config.Config{
			AnthropicKey: canaryToken, AnthropicURL: s.URL, OpenAIKey: canaryToken, OpenAIURL: s.URL + "/v1/", OpenAIProfile: "openai,max_tokens_field=max_tokens",
		}, name)
		if err != nil {
			t.Fatal(err)
		}
		_, err = m.Stream(t.Context(), llm.Request{
			Messages: []llm.Message{{Role: llm.User, Blocks: []llm.Block{{Text: "x"}}}}, MaxTokens: 50, Effort: llm.EffortLow,
		}, func(string) error { return nil })
		if e, ok := errors.AsType[*llm.Error](err); !ok || e.Kind != llm.Config || e.Model != name {
			t.Errorf("%s: got %v", name, err)
		}
		if at != want.path || key != want.key || !strings.Contains(body, want.has) || strings.Contains(body, want.lacks) {
			t.Errorf("%s: got %s, %s, %s", name, at, key, body)
		}
	}
}
