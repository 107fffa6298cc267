package wire

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"mime"
	"net"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/roundtable-chat/app/bot/llm"
)

// Exchange watches one HTTP exchange with a provider that a library makes for us.
// It sees what the libraries let pass (silence, an HTML page in place of a
// stream, an answer without end), reads refusals in every form that servers write
// them, and names failures without any of what was sent or received.
type Exchange struct {
	opt     Options
	cancel  context.CancelCauseFunc
	release context.CancelFunc
	silence *time.Timer
	began   time.Time

	mu        sync.Mutex
	idle      time.Duration
	sent      bool
	status    int
	requestID string
	received  int64
	first     time.Duration
}

// Options say whom an exchange is with and how long it may take.
type Options struct {
	// Model is the model's name in errors; Secret what they must never repeat.
	Model, Secret string
	// Idle is the longest silence, 30 s by default; Timeout bounds it all, 3 min
	// by default.
	Idle, Timeout time.Duration
}

// Reasons for which an exchange is ended by us.
var (
	errSilent  = errors.New("the provider fell silent")
	errTooLong = errors.New("the answer took too long")
	errTooMuch = errors.New("the answer is too large")
	errEnded   = errors.New("the exchange is over")
)

const (
	defaultIdle    = 30 * time.Second
	defaultTimeout = 3 * time.Minute
	// streamLimit bounds what is read of a stream, faultLimit what is read of a
	// refusal.
	streamLimit = 8 << 20
	faultLimit  = 64 << 10
)

// New begins to watch. The caller makes its request with the context that
// it returns, which ends with silence or when time is up, and with Middleware, and
// calls End when it has read what it wanted.
func New(ctx context.Context, o Options) (*Exchange, context.Context) {
	if o.Idle <= 0 {
		o.Idle = defaultIdle
	}
	if o.Timeout <= 0 {
		o.Timeout = defaultTimeout
	}
	x := &Exchange{opt: o, idle: o.Idle, began: time.Now()}
	ctx, x.release = context.WithTimeoutCause(ctx, o.Timeout, errTooLong)
	ctx, x.cancel = context.WithCancelCause(ctx)
	x.silence = time.AfterFunc(o.Idle, func() { x.cancel(errSilent) })
	return x, ctx
}

// End stops watching and closes what is still open.
func (x *Exchange) End() {
	x.silence.Stop()
	x.cancel(errEnded)
	x.release()
}

// Client returns an HTTP client for exchanges. It follows no redirect, because a
// key in a header of the provider's own would follow it, too, and has no time
// limit of its own. base is copied; nil means Go's default.
func Client(base *http.Transport) *http.Client {
	if base == nil {
		base, _ = http.DefaultTransport.(*http.Transport)
	}
	var transport http.RoundTripper
	if base != nil {
		base = base.Clone()
		base.MaxIdleConnsPerHost = 16
		transport = base
	}
	return &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// Middleware is what both libraries call around the request. It returns a
// response only if that is a stream of events; else the error is an *Error.
func (x *Exchange) Middleware(req *http.Request, next func(*http.Request) (*http.Response, error)) (*http.Response, error) {
	trace := &httptrace.ClientTrace{WroteRequest: func(i httptrace.WroteRequestInfo) {
		if i.Err == nil {
			x.mu.Lock()
			x.sent = true
			x.mu.Unlock()
		}
	}}
	resp, err := next(req.WithContext(httptrace.WithClientTrace(req.Context(), trace)))
	if err != nil {
		return nil, x.Fail(req.Context(), err)
	}
	x.mu.Lock()
	x.silence.Reset(x.idle)
	x.status = resp.StatusCode
	x.requestID = identifier(cmp.Or(resp.Header.Get("request-id"), resp.Header.Get("x-request-id")), x.opt.Secret)
	x.mu.Unlock()
	// Servers and proxies mislabel what they send, so the first byte decides.
	from := bufio.NewReader(resp.Body)
	first, _ := from.Peek(1)
	if resp.StatusCode < 300 && !bytes.ContainsAny(first, "<{[") {
		resp.Body = &watched{x: x, body: struct {
			io.Reader
			io.Closer
		}{from, resp.Body}}
		return resp, nil
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(from, faultLimit))
	if err != nil && req.Context().Err() != nil {
		return nil, x.Fail(req.Context(), err)
	}
	return nil, x.refused(resp, body)
}

// Document is Middleware for a request that is answered by one JSON document
// instead of a stream.
func (x *Exchange) Document(req *http.Request, next func(*http.Request) (*http.Response, error)) (*http.Response, error) {
	resp, err := next(req)
	if err != nil {
		return nil, x.Fail(req.Context(), err)
	}
	x.mu.Lock()
	x.silence.Reset(x.idle)
	x.status = resp.StatusCode
	x.mu.Unlock()
	media, _, _ := mime.ParseMediaType(resp.Header.Get("content-type"))
	if resp.StatusCode < 300 && strings.HasSuffix(media, "json") {
		resp.Body = &watched{x: x, body: resp.Body}
		return resp, nil
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode < 300 {
		return nil, x.Problem(llm.Transient, llm.NotJSON)
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, faultLimit))
	if err != nil && req.Context().Err() != nil {
		return nil, x.Fail(req.Context(), err)
	}
	return nil, x.refused(resp, body)
}

// refused reads what the provider said in place of a stream.
func (x *Exchange) refused(resp *http.Response, body []byte) *llm.Error {
	f := readFault(body)
	if resp.StatusCode < 300 && f == (fault{}) {
		return x.Problem(llm.Transient, llm.NoStream) // perhaps an answer all the same
	}
	e := x.fault(resp.StatusCode, f)
	e.After = max(e.After, retryAfter(resp.Header, time.Now()))
	x.turnedAway()
	return e
}

// turnedAway notes that nothing will be charged.
func (x *Exchange) turnedAway() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.sent = false
}

// Said is the failure that a provider announced in the middle of a stream.
func (x *Exchange) Said(data []byte) *llm.Error {
	x.mu.Lock()
	status := x.status
	x.mu.Unlock()
	return x.fault(status, readFault(data))
}

func (x *Exchange) fault(status int, f fault) *llm.Error {
	kind, after := f.kind(status)
	e := x.Problem(kind, f.detail(x.opt.Secret))
	e.After = after
	return e
}

// Word is a provider's word for programs if it is fit to be logged, else nothing.
func (x *Exchange) Word(w string) string { return fault{Code: w}.detail(x.opt.Secret) }

// Problem is a failure of the exchange by kind and a word for programs.
func (x *Exchange) Problem(kind llm.Kind, detail string) *llm.Error {
	x.mu.Lock()
	defer x.mu.Unlock()
	e := &llm.Error{Kind: kind, Model: x.opt.Model, Detail: detail, RequestID: x.requestID}
	if x.status >= 300 {
		e.Status = x.status
	}
	return e
}

// Fail says what an error of a library or the network means. Nothing of it is
// kept but what is known to hold no text. ctx is the exchange's.
func (x *Exchange) Fail(ctx context.Context, err error) *llm.Error {
	if e, ok := errors.AsType[*llm.Error](err); ok {
		return e
	}
	if cause := context.Cause(ctx); cause != nil {
		kind := llm.Cancelled
		if errors.Is(cause, errSilent) || errors.Is(cause, errTooLong) || errors.Is(cause, errTooMuch) {
			kind = llm.Transient
		}
		e := x.Problem(kind, "")
		e.Err = cause
		return e
	}
	e := x.Problem(llm.Transient, "unreadable")
	if e.Err = plainCause(err); e.Err != nil {
		e.Detail = "connection"
	}
	return e
}

// plainCause finds the part of an error that speaks of connections only.
func plainCause(err error) error {
	if e, ok := errors.AsType[*net.OpError](err); ok {
		return e
	}
	if e, ok := errors.AsType[*net.DNSError](err); ok {
		return e
	}
	if e, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return e
	}
	if e, ok := errors.AsType[x509.HostnameError](err); ok {
		return e
	}
	if e, ok := errors.AsType[tls.RecordHeaderError](err); ok {
		return errors.New(e.Msg)
	}
	if e, ok := errors.AsType[syscall.Errno](err); ok {
		return e
	}
	for _, e := range []error{io.ErrUnexpectedEOF, io.EOF} {
		if errors.Is(err, e) {
			return e
		}
	}
	return nil
}

// Hasten shortens the silence that is borne from now on.
func (x *Exchange) Hasten(idle time.Duration) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.idle = min(x.idle, idle)
	x.silence.Reset(x.idle)
}

// Arrived notes that text came.
func (x *Exchange) Arrived() {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.first == 0 {
		x.first = time.Since(x.began)
	}
}

// Fill adds to a result what the exchange knows.
func (x *Exchange) Fill(r *llm.Result) {
	x.mu.Lock()
	defer x.mu.Unlock()
	r.Sent, r.First = x.sent, x.first
	if r.RequestID == "" {
		r.RequestID = x.requestID
	}
}

// watched is a body that reports life and bounds itself.
type watched struct {
	x    *Exchange
	body io.ReadCloser
}

func (w *watched) Read(p []byte) (int, error) {
	n, err := w.body.Read(p)
	if n == 0 {
		return n, err
	}
	w.x.mu.Lock()
	defer w.x.mu.Unlock()
	w.x.silence.Reset(w.x.idle)
	if w.x.received += int64(n); w.x.received > streamLimit {
		w.x.cancel(errTooMuch)
		return n, errTooMuch
	}
	return n, err
}

func (w *watched) Close() error { return w.body.Close() }
