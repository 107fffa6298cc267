package wire

import (
	"bytes"
	"io"
	"net/http"
	"slices"
	"strings"
)

// unread are the members of Slack's messages and events that nobody here reads and
// that are most of their bytes: every post of ours comes back with them, as the answer
// to the request and as an event.
var unread = []string{
	"blocks", "attachments", "metadata", "bot_profile", "icons", "authorizations", "event_context",
	"token", "api_app_id", "app_id", "context_team_id",
}

// words are what a message says and under what name. Of bots' messages nobody reads
// them either: they are nobody's turn, whatever they say.
var words = []string{"text", "username"}

// slimDepth is how deep messages stand in what Slack sends: in the event, in the
// payload, in the envelope.
const slimDepth = 4

// slim puts null in the place of the members that nobody reads, without decoding
// anything: the library decodes every byte that is left several times. It works in b
// itself and returns what remains. What it cannot follow it leaves as it was, for the
// reader to judge.
//
// Where messages are read back (conversations.replies) their metadata is needed; those
// answers stay whole.
func slim(b []byte) []byte {
	w := slimmer{in: b}
	w.space()
	if w.object(slimDepth); w.space() != end || w.lost || len(w.cuts) == 0 {
		return b
	}
	slices.SortFunc(w.cuts, func(a, b span) int { return a.from - b.from })
	out, kept := b[:0], 0
	for _, c := range w.cuts {
		out = append(append(out, b[kept:c.from]...), "null"...)
		kept = c.to
	}
	return append(out, b[kept:]...)
}

// slimmer goes over JSON and notes what is to be cut.
type slimmer struct {
	in   []byte
	i    int
	cuts []span
	// lost is set where the bytes are not JSON.
	lost bool
}

// span is a piece of bytes.
type span struct{ from, to int }

// end is what is found behind the last byte.
const end = 0

// here is the byte that comes next, or end.
func (w *slimmer) here() byte {
	if w.lost || w.i >= len(w.in) {
		return end
	}
	return w.in[w.i]
}

// space passes over white space and returns what comes next.
func (w *slimmer) space() byte {
	for {
		switch c := w.here(); c {
		case ' ', '\t', '\r', '\n':
			w.i++
		default:
			return c
		}
	}
}

// must passes over one byte, which has to be c.
func (w *slimmer) must(c byte) {
	if w.here() != c {
		w.lost = true
	}
	w.i++
}

// object goes over an object and notes which of its members, and of the objects in
// it down to a depth, are to be cut.
func (w *slimmer) object(depth int) {
	var said []span
	bot := false
	w.must('{')
	for first := true; w.space() != '}' && !w.lost; first = false {
		if !first {
			w.must(',')
			w.space()
		}
		key := w.text()
		w.space()
		w.must(':')
		c, from := w.space(), w.i
		if c == '{' && depth > 1 && !slices.Contains(unread, string(key)) {
			w.object(depth - 1)
			continue
		}
		w.value()
		switch name := string(key); {
		case name == "bot_id":
			bot = c == '"'
		case w.i-from <= len("null"):
		case slices.Contains(unread, name):
			w.cuts = append(w.cuts, span{from, w.i})
		case slices.Contains(words, name):
			said = append(said, span{from, w.i})
		}
	}
	if w.must('}'); bot {
		w.cuts = append(w.cuts, said...)
	}
}

// text passes over a string and returns what stands between its quotes.
func (w *slimmer) text() []byte {
	w.must('"')
	from := w.i
	for !w.lost {
		n := bytes.IndexByte(w.in[w.i:], '"')
		if n < 0 {
			break
		}
		w.i += n + 1
		escapes := 0
		for at := w.i - 2; at >= from && w.in[at] == '\\'; at-- {
			escapes++
		}
		if escapes%2 == 0 {
			return w.in[from : w.i-1]
		}
	}
	w.lost = true
	return nil
}

// value passes over a value of any kind.
func (w *slimmer) value() {
	for depth := 0; !w.lost; {
		switch c := w.here(); c {
		case '"':
			w.text()
		case '{', '[':
			depth++
			w.i++
			continue
		case '}', ']':
			depth--
			w.i++
		case ',', ':', ' ', '\t', '\r', '\n':
			w.i++
			continue
		case end:
			w.lost = true
		default:
			w.scalar()
		}
		if depth <= 0 {
			w.lost = w.lost || depth < 0
			return
		}
	}
}

// scalar passes over a number or a literal.
func (w *slimmer) scalar() {
	for {
		switch w.here() {
		case ',', ':', '}', ']', ' ', '\t', '\r', '\n', '"', '{', '[', end:
			return
		}
		w.i++
	}
}

// repeats reports whether the answer to a request says again what was posted.
func repeats(path string) bool {
	return strings.HasSuffix(path, "/chat.postMessage") || strings.HasSuffix(path, "/chat.update")
}

// answerMost is how much of an answer is looked into, in bytes; what follows passes as
// it is.
const answerMost = 1 << 20

// slimBody reads an answer and returns what is left of it. An error of reading comes
// where it came.
func slimBody(answer *http.Response) io.ReadCloser {
	b := bytes.NewBuffer(make([]byte, 0, min(max(answer.ContentLength, 2<<10), answerMost)+bytes.MinRead))
	_, err := b.ReadFrom(io.LimitReader(answer.Body, answerMost))
	return &readAnswer{ready: bytes.NewReader(slim(b.Bytes())), err: err, rest: answer.Body}
}

// readAnswer is the body of an answer that was read, and of which something may remain.
type readAnswer struct {
	ready *bytes.Reader
	err   error
	rest  io.ReadCloser
}

// Read implements io.Reader.
func (a *readAnswer) Read(b []byte) (int, error) {
	switch {
	case a.ready.Len() > 0:
		return a.ready.Read(b)
	case a.err != nil:
		return 0, a.err
	}
	return a.rest.Read(b)
}

// Close implements io.Closer.
func (a *readAnswer) Close() error { return a.rest.Close() }
