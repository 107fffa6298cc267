package slacksim_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/coder/websocket"
)

// frame is what the workspace sends over a socket.
type frame struct {
	Type         string         `json:"type"`
	EnvelopeID   string         `json:"envelope_id"`
	Payload      map[string]any `json:"payload"`
	Accepts      bool           `json:"accepts_response_payload"`
	RetryAttempt *int           `json:"retry_attempt"`
	RetryReason  *string        `json:"retry_reason"`
	Connections  int            `json:"num_connections"`
	Reason       string         `json:"reason"`

	raw map[string]any
}

// inner is the inner event of an events_api frame.
func (f frame) inner() map[string]any {
	event, _ := f.Payload["event"].(map[string]any)
	return event
}

// wire is a bare Socket Mode connection that acknowledges only when told to.
type wire struct {
	t      *testing.T
	ws     *websocket.Conn
	frames chan frame
}

// dial connects and takes the greeting.
func (r *running) dial() *wire {
	r.t.Helper()
	w := r.dialRaw()
	if f := w.next(); f.Type != "hello" {
		r.t.Fatalf("first frame: got %s %s, want hello", f.Type, f.Reason)
	}
	return w
}

func (r *running) dialRaw() *wire {
	r.t.Helper()
	_, url, err := r.api.StartSocketModeContext(r.t.Context())
	if err != nil {
		r.t.Fatal(err)
	}
	ws, _, err := websocket.Dial(r.t.Context(), url, &websocket.DialOptions{HTTPClient: r.web})
	if err != nil {
		r.t.Fatal(err)
	}
	w := &wire{t: r.t, ws: ws, frames: make(chan frame, 1000)}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer close(w.frames)
		for {
			_, raw, err := ws.Read(context.Background())
			if err != nil {
				return
			}
			var f frame
			if json.Unmarshal(raw, &f) == nil && json.Unmarshal(raw, &f.raw) == nil {
				w.frames <- f
			}
		}
	}()
	r.t.Cleanup(func() { _ = ws.CloseNow(); <-ended })
	return w
}

// next waits for a frame; the zero frame means that the connection ended.
func (w *wire) next() frame {
	w.t.Helper()
	select {
	case f := <-w.frames:
		return f
	case <-time.After(10 * time.Second):
		w.t.Fatal("no frame within 10 s")
		return frame{}
	}
}

// event waits for an inner event of a type, without acknowledging anything.
func (w *wire) event(kind string) frame {
	w.t.Helper()
	for {
		f := w.next()
		if f.Type == "" {
			w.t.Fatalf("connection ended before %s", kind)
		}
		if f.inner()["type"] == kind {
			return f
		}
	}
}

func (w *wire) ack(f frame, payload ...any) {
	w.t.Helper()
	answer := map[string]any{"envelope_id": f.EnvelopeID}
	if len(payload) > 0 {
		answer["payload"] = payload[0]
	}
	raw, err := json.Marshal(answer)
	if err != nil {
		w.t.Fatal(err)
	}
	if err := w.ws.Write(context.Background(), websocket.MessageText, raw); err != nil {
		w.t.Fatalf("ack: %v", err)
	}
}

// quiet reports that no event comes for a while that is long against the test's
// timing.
func (w *wire) quiet(d time.Duration) {
	w.t.Helper()
	select {
	case f, open := <-w.frames:
		if open {
			w.t.Errorf("unexpected frame: %s %v", f.Type, f.inner()["type"])
		}
	case <-time.After(d):
	}
}
