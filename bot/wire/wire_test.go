package wire

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"
	gorilla "github.com/gorilla/websocket"
)

// trusting is a transport that trusts a test server.
func trusting(server *httptest.Server) *http.Transport {
	pool := x509.NewCertPool()
	pool.AddCert(server.Certificate())
	return &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}}
}

// TestLineOverTLS shows that frames are counted and a farewell is said above the
// encryption, which is where Slack's connections live.
func TestLineOverTLS(t *testing.T) {
	got, code := make(chan string, 1), make(chan websocket.StatusCode, 1)
	server := httptest.NewTLSServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		c, err := websocket.Accept(rw, r, nil)
		if err != nil {
			t.Error(err)
			return
		}
		defer c.CloseNow()
		_, b, err := c.Read(r.Context())
		if err != nil {
			t.Error(err)
			return
		}
		got <- string(b)
		_, _, err = c.Read(r.Context())
		code <- websocket.CloseStatus(err)
	}))
	defer server.Close()
	l := &Line{}
	c, answer, err := l.Dialer(trusting(server)).DialContext(t.Context(), strings.Replace(server.URL, "https", "wss", 1), nil)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if n := l.Written(); n != 0 {
		t.Errorf("frames before any was written: got %d", n)
	}
	if err := c.WriteMessage(gorilla.TextMessage, []byte("ack")); err != nil {
		t.Fatal(err)
	}
	if text := <-got; text != "ack" || l.Written() != 1 || l.Heard().Unix() == 0 {
		t.Errorf("got %q, %d frames written, heard at %s", text, l.Written(), l.Heard())
	}
	c.Close()
	if s := <-code; s != websocket.StatusNormalClosure {
		t.Errorf("got %d, want %d", s, websocket.StatusNormalClosure)
	}
}

// TestGateOverTLS shows that the gate finds its connection below the encryption,
// also when the connection is used again.
func TestGateOverTLS_I7(t *testing.T) {
	var arrived atomic.Int32
	server := httptest.NewTLSServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		arrived.Add(1)
	}))
	defer server.Close()
	client := &http.Client{Transport: NewGate(trusting(server), time.Second)}
	defer client.CloseIdleConnections()
	post := func(change func(*Passage)) (*Passage, error) {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		ctx, p := WithPassage(ctx)
		change(p)
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, server.URL, strings.NewReader("x=1"))
		if err != nil {
			t.Fatal(err)
		}
		r, err := client.Do(req)
		if err == nil {
			_, _ = io.Copy(io.Discard, r.Body)
			r.Body.Close()
		}
		return p, err
	}
	if p, err := post(func(*Passage) {}); err != nil || !p.Left() {
		t.Fatalf("in time: got %v, left %v", err, p.Left())
	}
	p, err := post(func(p *Passage) { p.until = time.Now().Add(-time.Second) })
	if !errors.Is(err, ErrTooLate) || p.Left() {
		t.Errorf("too late: got %v, left %v; want %v, nothing left", err, p.Left(), ErrTooLate)
	}
	if n := arrived.Load(); n != 1 {
		t.Errorf("requests that arrived: got %d, want 1", n)
	}
}
