package llmtest

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
)

// Serve answers every request with handle until the test ends, and returns the
// address.
func Serve(t testing.TB, handle http.HandlerFunc) (url string) {
	t.Helper()
	s := httptest.NewServer(handle)
	t.Cleanup(s.Close)
	return s.URL
}

// Stream answers with server-sent events, each as soon as the one before has left.
func Stream(events ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("content-type", "text/event-stream; charset=utf-8")
		for _, e := range events {
			_, _ = io.WriteString(w, e)
			w.(http.Flusher).Flush()
		}
	}
}

// Reply answers with one body, and with headers given as name and value in turn.
func Reply(status int, media, body string, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("content-type", media)
		for i := 0; i+1 < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// JSON answers with one JSON document, and with headers as Reply does.
func JSON(status int, body string, header ...string) http.HandlerFunc {
	return Reply(status, "application/json", body, header...)
}

// Reset answers as handle does and resets the connection in the middle of it.
func Reset(handle http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		handle(w, r)
		hangUp(w, "", true)
	}
}

// Raw answers with these bytes in place of HTTP and hangs up.
func Raw(answer string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		hangUp(w, answer, false)
	}
}

// hangUp closes the connection after some last bytes.
func hangUp(w http.ResponseWriter, last string, reset bool) {
	conn, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		return // the client was faster
	}
	_, _ = io.WriteString(conn, last)
	if tcp, ok := conn.(*net.TCPConn); ok && reset {
		_ = tcp.SetLinger(0)
	}
	_ = conn.Close()
}
