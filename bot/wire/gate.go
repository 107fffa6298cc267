package wire

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptrace"
	"sync/atomic"
	"time"
)

// ErrTooLate means that a request was held back because its deadline had passed
// when its bytes were about to leave.
var ErrTooLate = errors.New("the deadline passed before the request could be sent")

// A Passage is one request's way to the wire: until when its bytes may leave,
// and whether any did. A discussion's lease ends at that deadline, and a process
// that was suspended in the middle must not speak for a discussion that somebody
// else holds by now (I7).
type Passage struct {
	until time.Time
	left  atomic.Bool
}

type passageKey struct{}

// Left reports whether any byte of the request was handed to the network.
func (p *Passage) Left() bool { return p.left.Load() }

// WithPassage attaches a passage to a request's context.
func WithPassage(ctx context.Context) (context.Context, *Passage) {
	p := &Passage{}
	p.until, _ = ctx.Deadline()
	return context.WithValue(ctx, passageKey{}, p), p
}

// gatedConn is a connection of which every write is let through by the passage
// of the request that uses it. HTTP/1.1 gives a connection to one request at a
// time.
type gatedConn struct {
	net.Conn
	current atomic.Pointer[Passage]
}

func (c *gatedConn) Write(b []byte) (int, error) {
	if p := c.current.Load(); p != nil {
		if !p.until.IsZero() && !time.Now().Before(p.until) {
			return 0, ErrTooLate
		}
		p.left.Store(true)
	}
	return c.Conn.Write(b)
}

// gate is a transport whose connections obey passages.
type gate struct{ base *http.Transport }

// NewGate builds the transport on a copy of base, or of the default, and waits for the
// head of an answer as long as it is told. It speaks HTTP/1.1, because connections that
// carry several requests at once could not tell whose bytes they send.
func NewGate(base *http.Transport, answer time.Duration) *gate {
	if base == nil {
		base = http.DefaultTransport.(*http.Transport)
	}
	t := base.Clone()
	t.ForceAttemptHTTP2 = false
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	t.Protocols = protocols
	// As many as discussions are worked on at once: a further connection would be
	// made, and thrown away, for every request.
	t.MaxIdleConnsPerHost = 64
	// A connection that the other side closes while it idles costs a doubt.
	t.IdleConnTimeout = 30 * time.Second
	t.ResponseHeaderTimeout = answer
	dial := t.DialContext
	if dial == nil {
		dial = (&net.Dialer{Timeout: 5 * time.Second, KeepAlive: 30 * time.Second}).DialContext
	}
	t.DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := dial(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		return &gatedConn{Conn: conn}, nil
	}
	return &gate{base: t}
}

// RoundTrip implements http.RoundTripper.
func (g *gate) RoundTrip(req *http.Request) (*http.Response, error) {
	p, _ := req.Context().Value(passageKey{}).(*Passage)
	trace := &httptrace.ClientTrace{GotConn: func(info httptrace.GotConnInfo) {
		if c := gated(info.Conn); c != nil {
			c.current.Store(p)
		}
	}}
	answer, err := g.base.RoundTrip(req.WithContext(httptrace.WithClientTrace(req.Context(), trace)))
	if err == nil && repeats(req.URL.Path) {
		answer.Body = slimBody(answer)
	}
	return answer, err
}

// CloseIdleConnections lets go of connections nobody uses.
func (g *gate) CloseIdleConnections() { g.base.CloseIdleConnections() }

// gated finds our connection below whatever TLS put around it.
func gated(conn net.Conn) *gatedConn {
	for conn != nil {
		if c, ok := conn.(*gatedConn); ok {
			return c
		}
		inner, ok := conn.(interface{ NetConn() net.Conn })
		if !ok {
			return nil
		}
		conn = inner.NetConn()
	}
	return nil
}
