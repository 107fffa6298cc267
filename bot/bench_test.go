package bot

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/persona"
)

// openInbox takes everything.
type openInbox struct{ gateInbox }

func (*openInbox) Receive(context.Context, engine.Delivery) (engine.Reception, error) {
	return engine.Stored, nil
}

// BenchmarkEventToAck measures our own part of an event's way: from the frame
// that leaves Slack to the acknowledgement that reaches it, one at a time, with
// a store that takes no time.
func BenchmarkEventToAck(b *testing.B) {
	links := make(chan *websocket.Conn, 1)
	mux := http.NewServeMux()
	mux.HandleFunc("/api/auth.test", func(rw http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(rw, `{"ok":true,"team_id":"T1","user_id":"UBOT","bot_id":"BBOT"}`)
	})
	mux.HandleFunc("/api/users.info", func(rw http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(rw, `{"ok":true,"user":{"id":"U1","name":"priya"}}`)
	})
	mux.HandleFunc("/api/apps.connections.open", func(rw http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(rw, `{"ok":true,"url":"ws://%s/link/"}`, r.Host)
	})
	gone := make(chan struct{})
	mux.HandleFunc("/link/", func(rw http.ResponseWriter, r *http.Request) {
		c, err := websocket.Accept(rw, r, &websocket.AcceptOptions{InsecureSkipVerify: true})
		if err != nil {
			return
		}
		links <- c
		<-gone
	})
	server := httptest.NewServer(mux)
	defer server.Close()
	defer close(gone)
	seats := []persona.Persona{{Seat: persona.Seat{Key: "a", Name: "A B"}}, {Seat: persona.Seat{Key: "c", Name: "C D"}}}
	in := &openInbox{}
	bot, err := Connect(b.Context(), Options{
		APIURL: server.URL + "/api/", BotToken: "xoxb-x", AppToken: "xapp-x", Threads: in, Reader: engine.NewReader(in), Slug: strings.ToLower, Roster: persona.Roster{Personas: seats}, Connections: 1, Transport: &http.Transport{},
	})
	if err != nil {
		b.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- bot.Run(ctx, in) }()
	defer func() {
		stop()
		<-done
	}()
	c := <-links
	took := make([]time.Duration, 0, b.N)
	for i := 0; b.Loop(); i++ {
		began := time.Now()
		if err := c.Write(ctx, websocket.MessageText, []byte(said(fmt.Sprint("E", i), fmt.Sprintf("2.%06d", i)))); err != nil {
			b.Fatal(err)
		}
		_, frame, err := c.Read(ctx)
		if err != nil || !json.Valid(frame) {
			b.Fatal(err)
		}
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-µs")
}
