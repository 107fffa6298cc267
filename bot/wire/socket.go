package wire

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"net"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gorilla/websocket"
)

// Frames of RFC 6455 that this file knows.
const (
	finalText     = 0x81
	finalClose    = 0x88
	maskedTwo     = 0x82
	closeNormal   = 1000
	handshakeTime = 20 * time.Second
	// frameBuffer holds any answer whole: Slack drops answers that arrive in
	// several frames, and refuses those of 20 KiB.
	frameBuffer = 32 << 10
)

// A Line is a session's view of its connection on the wire. The library shows
// neither pings nor whether an acknowledgement was written, and closes without a
// word, which leaves a ghost registered with Slack; the bytes tell.
type Line struct {
	// Heard is when bytes last arrived, in Unix nanoseconds; written counts
	// text frames that were handed to the network.
	heard   atomic.Int64
	written atomic.Int64
	// blind is set behind a proxy, where the bytes are encrypted: written is
	// then not known and no farewell is said.
	blind bool
}

// Dialer returns a dialer whose connections report to the line.
func (l *Line) Dialer(base *http.Transport) *websocket.Dialer {
	d := &websocket.Dialer{HandshakeTimeout: handshakeTime, WriteBufferSize: frameBuffer, Proxy: http.ProxyFromEnvironment}
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	dial := (&net.Dialer{Timeout: handshakeTime, KeepAlive: 15 * time.Second}).DialContext
	if base != nil {
		if base.TLSClientConfig != nil {
			config = base.TLSClientConfig.Clone()
		}
		if base.DialContext != nil {
			dial = base.DialContext
		}
		d.Proxy = base.Proxy
	}
	config.NextProtos = []string{"http/1.1"}
	d.TLSClientConfig = config
	d.NetDialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
		return l.tap(dial(ctx, network, addr))
	}
	if l.blind = proxied(d.Proxy); l.blind {
		return d
	}
	d.Proxy = nil
	d.NetDialTLSContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
		raw, err := dial(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		c := config.Clone()
		if c.ServerName == "" {
			c.ServerName, _, _ = net.SplitHostPort(addr)
		}
		secure := tls.Client(raw, c)
		if err := secure.HandshakeContext(ctx); err != nil {
			_ = raw.Close() // the handshake error is the one that counts
			return nil, err
		}
		return l.tap(secure, nil)
	}
	return d
}

// proxied reports whether Slack's sockets are reached through a proxy.
func proxied(proxy func(*http.Request) (*url.URL, error)) bool {
	if proxy == nil {
		return false
	}
	u, err := proxy(&http.Request{URL: &url.URL{Scheme: "https", Host: "wss-primary.slack.com"}})
	return u != nil || err != nil
}

func (l *Line) tap(c net.Conn, err error) (net.Conn, error) {
	if err != nil {
		return nil, err
	}
	t := &tappedConn{Conn: c, line: l}
	l.Hear()
	t.in = newFrames(hearing{c, l}, func() { t.open.Store(true) })
	return t, nil
}

// Hear notes that bytes arrived, or might have.
func (l *Line) Hear() { l.heard.Store(time.Now().UnixNano()) }

// Heard is when bytes last arrived.
func (l *Line) Heard() time.Time { return time.Unix(0, l.heard.Load()) }

// Written counts the text frames that were handed to the network.
func (l *Line) Written() int64 { return l.written.Load() }

// Blind reports whether the bytes are encrypted here, as behind a proxy: what was written
// is then not known.
func (l *Line) Blind() bool { return l.blind }

// hearing is a connection that tells its line when something arrives.
type hearing struct {
	net.Conn
	line *Line
}

// Read implements io.Reader.
func (h hearing) Read(b []byte) (int, error) {
	n, err := h.Conn.Read(b)
	if n > 0 {
		h.line.Hear()
	}
	return n, err
}

// tappedConn counts what passes, makes events smaller, and says goodbye when it is
// closed.
type tappedConn struct {
	net.Conn
	line *Line
	in   *frames
	mu   sync.Mutex
	// open is set once the server has agreed to speak WebSocket.
	open   atomic.Bool
	closed sync.Once
}

// Read implements net.Conn.
func (c *tappedConn) Read(b []byte) (int, error) { return c.in.Read(b) }

// Write implements net.Conn. The library writes each frame in one piece.
func (c *tappedConn) Write(b []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	n, err := c.Conn.Write(b)
	if err == nil && len(b) > 0 && b[0] == finalText && c.open.Load() {
		c.line.written.Add(1)
	}
	return n, err
}

// Close says goodbye with a close frame, if nothing is being written, and closes
// the connection.
func (c *tappedConn) Close() error {
	c.closed.Do(func() {
		if !c.open.Load() || !c.mu.TryLock() {
			return
		}
		defer c.mu.Unlock()
		if err := c.SetWriteDeadline(time.Now().Add(250 * time.Millisecond)); err == nil {
			// A connection that is gone cannot be told so.
			_, _ = c.Conn.Write(farewell())
		}
	})
	return c.Conn.Close()
}

// farewell is a masked close frame that says that all is well.
func farewell() []byte {
	frame := []byte{finalClose, maskedTwo, 0, 0, 0, 0, closeNormal >> 8, closeNormal & 0xff}
	mask := frame[2:6]
	_, _ = rand.Read(mask) // never fails since Go 1.24
	frame[6] ^= mask[0]
	frame[7] ^= mask[1]
	return frame
}
