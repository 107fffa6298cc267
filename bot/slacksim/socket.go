package slacksim

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/coder/websocket"
)

const (
	connectionLimit = 10
	ticketLife      = 30 * time.Second
	ackLimit        = 20 << 10 // bytes; Slack drops longer acknowledgements silently
	debugLife       = 360 * time.Second
	writeWait       = 5 * time.Second
	// lingering is how long a connection that was told to go may stay.
	lingering = time.Second
)

// ticket is a one-use right to connect.
type ticket struct {
	until time.Time
}

// conn is one Socket Mode connection.
type conn struct {
	id      string
	ws      *websocket.Conn
	out     chan []byte // frames to write; the writer owns the socket's sending side
	cut     context.CancelFunc
	leaving bool      // told to disconnect: gets no more envelopes
	warned  bool      // was sent the warning that precedes a refresh
	refresh time.Time // when Slack will replace it; zero: never
}

// openConnection is apps.connections.open.
func (w *Workspace) openConnection(*call) (object, error) {
	for id, t := range w.tickets {
		if w.now().After(t.until) {
			delete(w.tickets, id)
		}
	}
	id := secret()
	w.tickets[id] = ticket{until: w.now().Add(ticketLife)}
	out := object{"url": "ws" + strings.TrimPrefix(w.origin(), "http") + socketPath + "?ticket=" + id + "&app_id=" + w.opts.AppID}
	if w.opts.SocketModeOff {
		out["response_metadata"] = object{"messages": []string{"[WARN] Socket Mode is not turned on."}}
	}
	return out, nil
}

// serveSocket is a Socket Mode connection from its ticket to its end.
func (w *Workspace) serveSocket(rw http.ResponseWriter, r *http.Request) {
	w.mu.Lock()
	id := r.URL.Query().Get("ticket")
	t, ok := w.tickets[id]
	delete(w.tickets, id)
	ok = ok && !w.now().After(t.until) && !w.closed
	if ok {
		w.alive.Add(1)
	}
	w.mu.Unlock()
	if !ok {
		http.Error(rw, "invalid ticket", http.StatusForbidden)
		return
	}
	defer w.alive.Done()
	// The door has judged Host, Origin and fetch metadata. The library's own check of
	// the origin knows one's own only, and slack-go sends Slack's.
	ws, err := websocket.Accept(rw, r, &websocket.AcceptOptions{InsecureSkipVerify: true})
	if err != nil {
		return
	}
	defer func() { _ = ws.CloseNow() }()
	ws.SetReadLimit(1 << 20)
	ctx, cancel := context.WithCancel(context.WithoutCancel(r.Context()))
	defer cancel()
	c := &conn{id: secret()[:8], ws: ws, out: make(chan []byte, 4096), cut: cancel}
	life := w.opts.Timing.Refresh
	if r.URL.Query().Get("debug_reconnects") == "true" {
		life = debugLife
	}
	if life > 0 {
		c.refresh = w.now().Add(life)
	}
	if !w.enter(c, life) {
		_ = ws.Write(ctx, websocket.MessageText, disconnectFrame("too_many_websockets", r.Host))
		_ = ws.Close(websocket.StatusNormalClosure, "too_many_websockets")
		return
	}
	writing, pinging := make(chan struct{}), make(chan struct{})
	go func() { defer close(writing); w.writeFrames(ctx, c) }()
	go func() { defer close(pinging); w.ping(ctx, c) }()
	w.readAcks(ctx, c)
	w.leave(c)
	cancel()
	<-writing
	<-pinging
}

// enter registers a connection and greets it; false when there are ten already.
func (w *Workspace) enter(c *conn, life time.Duration) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.conns) >= connectionLimit || w.closed {
		return false
	}
	w.conns = append(w.conns, c)
	w.send(c, mustJSON(object{
		"type": "hello", "num_connections": len(w.conns), "connection_info": object{"app_id": w.opts.AppID},
		"debug_info": object{"host": "applink-" + c.id, "started": w.now().UTC().Format("2006-01-02 15:04:05.000"), "build_number": 1,
			"approximate_connection_time": int(max(0, life).Seconds())},
	}))
	w.showApp()
	w.rouse()
	return true
}

// leave forgets a connection; what it did not acknowledge goes to another.
func (w *Workspace) leave(c *conn) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.conns = slices.DeleteFunc(w.conns, func(o *conn) bool { return o == c })
	for _, d := range w.unacknowledged(func(d *delivery) bool { return d.conn == c }) {
		w.failed(d, "connection_failed")
	}
	w.dispatch()
	w.showApp()
	w.rouse()
}

// send queues a frame. A client that does not read for thousands of frames is cut.
func (w *Workspace) send(c *conn, frame []byte) {
	select {
	case c.out <- frame:
	default:
		c.cut()
	}
}

func (w *Workspace) writeFrames(ctx context.Context, c *conn) {
	for {
		select {
		case frame := <-c.out:
			if frame == nil { // the last word: close in good order
				_ = c.ws.Close(websocket.StatusNormalClosure, "refresh")
				return
			}
			end, stop := context.WithTimeout(ctx, writeWait)
			err := c.ws.Write(end, websocket.MessageText, frame)
			stop()
			if err != nil {
				c.cut()
				return
			}
		case <-ctx.Done():
			return
		}
	}
}

// ping keeps the client's dead-man timer quiet and notices dead clients.
func (w *Workspace) ping(ctx context.Context, c *conn) {
	if w.opts.Timing.Ping < 0 {
		return
	}
	beat := time.NewTicker(w.opts.Timing.Ping)
	defer beat.Stop()
	for {
		end, stop := context.WithTimeout(ctx, max(3*w.opts.Timing.Ping, writeWait))
		err := c.ws.Ping(end)
		stop()
		if err != nil {
			c.cut()
			return
		}
		select {
		case <-beat.C:
		case <-ctx.Done():
			return
		}
	}
}

// readAcks takes acknowledgements until the connection ends.
func (w *Workspace) readAcks(ctx context.Context, c *conn) {
	for {
		_, frame, err := c.ws.Read(ctx)
		if err != nil {
			return
		}
		var ack struct {
			EnvelopeID string          `json:"envelope_id"`
			Payload    json.RawMessage `json:"payload"`
		}
		if json.Unmarshal(frame, &ack) != nil || ack.EnvelopeID == "" {
			continue // clients also send pings as text; Slack ignores what it does not know
		}
		if len(frame) >= ackLimit {
			w.mu.Lock()
			w.warn("acknowledgement of %d bytes dropped", len(frame))
			w.mu.Unlock()
			continue
		}
		w.acknowledge(ack.EnvelopeID, ack.Payload)
	}
}

func disconnectFrame(reason, host string) []byte {
	return mustJSON(object{"type": "disconnect", "reason": reason, "debug_info": object{"host": host}})
}

// Disconnect sends a disconnect frame to every connection: "warning" (they may
// stay), "refresh_requested" or "link_disabled" (they are closed after a moment).
// "cut" breaks them without a word.
func (w *Workspace) Disconnect(reason string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range slices.Clone(w.conns) {
		w.dismiss(c, reason)
	}
}

// dismiss tells one connection to go. The caller holds mu.
func (w *Workspace) dismiss(c *conn, reason string) {
	if reason == "cut" {
		c.cut()
		return
	}
	w.send(c, disconnectFrame(reason, "applink-"+c.id))
	if reason == "warning" {
		c.warned = true
		return
	}
	c.leaving = true
	c.refresh = w.now().Add(lingering)
	w.rouse()
}

// Connections is the number of open Socket Mode connections.
func (w *Workspace) Connections() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.conns)
}

// closeConnections ends all connections and admits no more.
func (w *Workspace) closeConnections() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed = true
	for _, c := range w.conns {
		c.cut()
	}
}
