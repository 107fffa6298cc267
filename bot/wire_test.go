package bot

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
	"github.com/slack-go/slack/socketmode"
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
	l := &line{}
	c, answer, err := l.dialer(trusting(server)).DialContext(t.Context(), strings.Replace(server.URL, "https", "wss", 1), nil)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if n := l.written.Load(); n != 0 {
		t.Errorf("frames before any was written: got %d", n)
	}
	if err := c.WriteMessage(gorilla.TextMessage, []byte("ack")); err != nil {
		t.Fatal(err)
	}
	if text := receive(t, got, "the frame"); text != "ack" || l.written.Load() != 1 || l.heard.Load() == 0 {
		t.Errorf("got %q, %d frames written, heard at %d", text, l.written.Load(), l.heard.Load())
	}
	c.Close()
	if s := receive(t, code, "the close frame"); s != websocket.StatusNormalClosure {
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
	client := &http.Client{Transport: newGate(trusting(server))}
	defer client.CloseIdleConnections()
	post := func(change func(*passage)) (*passage, error) {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		ctx, p := withPassage(ctx)
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
	if p, err := post(func(*passage) {}); err != nil || !p.left.Load() {
		t.Fatalf("in time: got %v, left %v", err, p.left.Load())
	}
	p, err := post(func(p *passage) { p.until = time.Now().Add(-time.Second) })
	if !errors.Is(err, errTooLate) || p.left.Load() {
		t.Errorf("too late: got %v, left %v; want %v, nothing left", err, p.left.Load(), errTooLate)
	}
	if n := arrived.Load(); n != 1 {
		t.Errorf("requests that arrived: got %d, want 1", n)
	}
}

func TestRenewalComesBeforeSlacks(t *testing.T) {
	w := newWireSlack(t, func(context.Context, *websocket.Conn, int) {})
	for _, c := range []struct {
		name    string
		seconds int
		want    bool
	}{{"an announced life", 18060, true}, {"none announced", 0, false}, {"too short to matter", 5, false}} {
		t.Run(c.name, func(t *testing.T) {
			s := wireBot(t, w, &gateInbox{}, nil).newSession(t.Context(), renewAt)
			r := &socketmode.Request{}
			r.DebugInfo.ApproximateConnectionTime = c.seconds
			s.hello(r)
			if got := s.renew != nil; got != c.want {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}
