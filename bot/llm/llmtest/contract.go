// Package llmtest holds what the tests of all providers share: servers on the
// loopback that answer as they are told, and the contract that every llm.Model
// keeps, whatever its provider's frames look like. It is for tests, and knows no
// provider: frames and endpoints are told it by a Protocol.
package llmtest

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/roundtable-chat/app/bot/llm"
)

// Limits are how long a model waits; 0 is its default.
type Limits struct{ Idle, Timeout time.Duration }

// Protocol is how a provider's models are made and how its stream looks. An answer
// is Begin, any number of Say and Alive, and Last.
type Protocol struct {
	// New makes a model that asks the server at url with Key.
	New func(t testing.TB, url string, l Limits) llm.Model
	// Begin opens an answer and may be empty; Alive holds no text.
	Begin, Alive string
	Say          func(text string) string
	// Last is what must come before an answer counts as complete.
	Last string
	// Overloaded is the body with which the provider turns requests away.
	Overloaded string
	// Environment names the variables that the provider's library would read.
	Environment []string
}

// asked makes a model and the server that it asks.
func (p Protocol) asked(t testing.TB, l Limits, handle http.HandlerFunc) llm.Model {
	t.Helper()
	return p.New(t, Serve(t, handle), l)
}

// RunContract checks that a model keeps the promises of llm.Model.
func RunContract(t *testing.T, p Protocol) {
	t.Helper()
	for name, test := range map[string]func(*testing.T, Protocol){
		"answers": answers, "not sent": notSent, "silence": silence, "signs of life": signsOfLife, "too long": tooLong, "too much": tooMuch,
		"cancelled": cancelled, "the reader stops": readerStops, "unreachable": unreachable, "one attempt": oneAttempt, "environment": environment,
	} {
		t.Run(name, func(t *testing.T) { test(t, p) })
	}
}

// answers reads what any server may send, and takes nothing for an answer that does
// not say that it is complete.
func answers(t *testing.T, p Protocol) {
	const chunked = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
	begun := p.Begin + p.Say("Hi")
	broken := func(detail string) *llm.Error { return &llm.Error{Kind: llm.Transient, Detail: detail} }
	for name, a := range map[string]Answer{
		"a whole answer":             {From: Stream(p.Begin, p.Say("Hi, "), p.Alive, p.Say("all."), p.Last), Text: "Hi, all.", Stop: llm.StopEnd, Sent: true},
		"an end without a marker":    {From: Stream(p.Begin, p.Say("Hi")), Text: "Hi", Sent: true, Err: broken("no_end")},
		"nothing at all":             {From: Stream(), Sent: true, Err: broken("no_end")},
		"a page of HTML, status 200": {From: Reply(200, "text/html", "<html>login"), Sent: true, Err: broken(llm.NoStream)},
		"HTML that calls itself SSE": {From: Reply(200, "text/event-stream", "<html>login"), Sent: true, Err: broken(llm.NoStream)},
		"SSE that calls itself JSON": {From: JSON(200, begun+p.Last), Text: "Hi", Stop: llm.StopEnd, Sent: true},
		"a reset in the middle":      {From: Reset(Stream(begun)), Text: "Hi", Sent: true, Err: broken("connection")},
		"a malformed piece":          {From: Raw(chunked + "zz\r\nwhat\r\n"), Sent: true, Err: broken("unreadable")},
		"a piece that is too short":  {From: Raw(chunked + "ff\r\n" + Key), Sent: true, Err: broken("connection")},
		"no HTTP":                    {From: Raw("SSH-2.0-OpenSSH " + Key + "\r\n"), Sent: true, Err: broken("unreadable")},
		"hung up on":                 {From: Raw(""), Sent: true, Err: broken("connection")},
		"502 in HTML":                {From: Reply(502, "text/html", "<h1>bad gateway "+Key), Err: &llm.Error{Kind: llm.Transient, Status: 502}},
		"503 in plain text":          {From: Reply(503, "text/plain", "busy"), Err: &llm.Error{Kind: llm.Overloaded, Status: 503}},
		"a redirect":                 {From: Reply(307, "text/plain", "", "location", "http://127.0.0.1:1/"), Err: &llm.Error{Kind: llm.Config, Status: 307}},
		"a redirect that forgets":    {From: Reply(302, "text/plain", "", "location", "http://127.0.0.1:1/"), Err: &llm.Error{Kind: llm.Config, Status: 302}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a.Check(t, p.asked(t, Limits{}, a.From))
		})
	}
}

// notSent: what no provider would take does not leave.
func notSent(t *testing.T, p Protocol) {
	m := p.asked(t, Limits{}, func(http.ResponseWriter, *http.Request) { t.Error("a request was sent") })
	for name, change := range map[string]func(*llm.Request){
		"no message":       func(r *llm.Request) { r.Messages = nil },
		"a prefilled one":  func(r *llm.Request) { r.Messages[0].Role = llm.Assistant },
		"no room":          func(r *llm.Request) { r.MaxTokens = 0 },
		"an empty message": func(r *llm.Request) { r.Messages[0].Blocks = []llm.Block{{Text: ""}} },
	} {
		t.Run(name, func(t *testing.T) {
			r := Request()
			change(&r)
			_, result, err := Ask(t.Context(), m, r)
			CheckError(t, err, &llm.Error{Kind: llm.Config})
			if result.Sent {
				t.Error("nothing was sent, and it may be charged")
			}
		})
	}
}

// silence: an answer that stops coming is given up, also before its beginning.
func silence(t *testing.T, p Protocol) {
	for name, before := range map[string][]string{"before the headers": nil, "in the middle": {p.Begin, p.Say("Hi")}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := p.asked(t, Limits{Idle: 30 * time.Millisecond}, func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				if before != nil {
					Stream(before...)(w, r)
				}
				<-r.Context().Done()
			})
			_, result, err := Ask(t.Context(), m, Request())
			CheckError(t, err, &llm.Error{Kind: llm.Transient})
			if err != nil && !strings.Contains(err.Error(), "silent") || !result.Sent {
				t.Errorf("got %v, sent %v", err, result.Sent)
			}
		})
	}
}

// signsOfLife: what holds no text is no silence. The signs come for longer than
// silence is borne.
func signsOfLife(t *testing.T, p Protocol) {
	t.Parallel()
	const idle = 300 * time.Millisecond
	m := p.asked(t, Limits{Idle: idle}, func(w http.ResponseWriter, r *http.Request) {
		Stream(p.Begin)(w, r)
		tick := time.NewTicker(idle / 15)
		defer tick.Stop()
		for range 25 {
			<-tick.C
			Stream(p.Alive)(w, r)
		}
		Stream(p.Say("Hi"), p.Last)(w, r)
	})
	if text, _, err := Ask(t.Context(), m, Request()); err != nil || text != "Hi" {
		t.Errorf("got %q, %v", text, err)
	}
}

// tooLong: an answer has a time in which it must be whole.
func tooLong(t *testing.T, p Protocol) {
	t.Parallel()
	m := p.asked(t, Limits{Timeout: 30 * time.Millisecond}, func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
	})
	_, _, err := Ask(t.Context(), m, Request())
	CheckError(t, err, &llm.Error{Kind: llm.Transient})
}

// tooMuch: an answer that never ends is given up.
func tooMuch(t *testing.T, p Protocol) {
	flood := p.Say(strings.Repeat("x", 1<<16))
	m := p.asked(t, Limits{}, func(w http.ResponseWriter, r *http.Request) {
		Stream(p.Begin)(w, r)
		for r.Context().Err() == nil {
			Stream(flood)(w, r)
		}
	})
	_, _, err := Ask(t.Context(), m, Request())
	CheckError(t, err, &llm.Error{Kind: llm.Transient})
}

// cancelled: whoever asked may stop asking, and is told their own reason.
func cancelled(t *testing.T, p Protocol) {
	cause := errors.New("moved on")
	ctx, cancel := context.WithCancelCause(t.Context())
	m := p.asked(t, Limits{}, func(w http.ResponseWriter, r *http.Request) {
		Stream(p.Begin, p.Say("Hi"))(w, r)
		<-r.Context().Done()
	})
	_, err := m.Stream(ctx, Request(), func(string) error { cancel(cause); return nil })
	CheckError(t, err, &llm.Error{Kind: llm.Cancelled})
	if !errors.Is(err, cause) {
		t.Errorf("got %v, want the cause", err)
	}
}

// readerStops: an error of whoever reads ends the call and comes back as it is.
func readerStops(t *testing.T, p Protocol) {
	enough := errors.New("enough")
	m := p.asked(t, Limits{}, Stream(p.Begin, p.Say("Hi"), p.Last))
	if _, err := m.Stream(t.Context(), Request(), func(string) error { return enough }); !errors.Is(err, enough) {
		t.Errorf("got %v, want %v", err, enough)
	}
}

// unreachable: what nobody received is not charged, and the address, which may
// hold a secret, is not told.
func unreachable(t *testing.T, p Protocol) {
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	at := l.Addr().String()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	Answer{Err: &llm.Error{Kind: llm.Transient, Detail: "connection"}}.Check(t, p.New(t, "http://"+at+"/?token="+Key, Limits{}))
}

// oneAttempt: whoever retries is the chain.
func oneAttempt(t *testing.T, p Protocol) {
	attempts := 0
	m := p.asked(t, Limits{}, func(w http.ResponseWriter, r *http.Request) {
		attempts++
		JSON(529, p.Overloaded, "x-should-retry", "true")(w, r)
	})
	if _, _, err := Ask(t.Context(), m, Request()); err == nil || attempts != 1 {
		t.Errorf("got %d attempts and %v, want 1 and an error", attempts, err)
	}
}

// environment: the program reads it, once; a library that reads it again would
// send what nobody configured.
func environment(t *testing.T, p Protocol) {
	const mark = "from-the-environment"
	for _, name := range p.Environment {
		switch {
		case strings.HasSuffix(name, "_URL"):
			t.Setenv(name, "http://127.0.0.1:1/"+mark)
		case strings.HasSuffix(name, "_HEADERS"):
			t.Setenv(name, "x-from: "+mark)
		default:
			t.Setenv(name, mark)
		}
	}
	var header http.Header
	m := p.asked(t, Limits{}, func(w http.ResponseWriter, r *http.Request) {
		header = r.Header
		Stream(p.Begin, p.Say("Hi"), p.Last)(w, r)
	})
	if _, _, err := Ask(t.Context(), m, Request()); err != nil {
		t.Fatal(err)
	}
	for name, values := range header {
		if strings.Contains(strings.Join(values, " "), mark) {
			t.Errorf("%s is %q", name, values)
		}
	}
}

// FuzzStream checks that whatever a server sends counts as an answer only if
// ended says that it holds what ends one, and that no failure shows the key.
func FuzzStream(f *testing.F, p Protocol, ended func(sent string) bool, seeds ...string) {
	for _, s := range append(seeds, "", p.Begin+p.Say("Hi")+p.Last, p.Begin+p.Last, p.Last, p.Say("Hi"), "data: {}\n\n", "data: [1]\n\n") {
		f.Add(s)
	}
	var body string
	m := p.asked(f, Limits{}, func(w http.ResponseWriter, r *http.Request) { Stream(body)(w, r) })
	f.Fuzz(func(t *testing.T, sent string) {
		body = sent
		_, result, err := Ask(t.Context(), m, Request())
		if err == nil && (result.Stop != llm.StopEnd || !ended(sent)) {
			t.Errorf("%q counts as an answer", sent)
		}
		if err != nil && strings.Contains(err.Error(), Key) {
			t.Errorf("%v shows the key", err)
		}
	})
}
