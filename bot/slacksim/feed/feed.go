// Package feed is the stream of events that keeps a person's page up to date: it
// remembers the latest, so that a page that lost its connection goes on where it was, and
// sends each to those who may see it, as Server-Sent Events.
//
// What an event means and who is a member of a channel is the workspace's to say.
package feed

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// memory is how many events can be resumed.
const memory = 4096

// Audience says who may see an event: one person, the members of a channel, or, when
// empty, everybody.
type Audience struct {
	User    string
	Channel string
}

// event is one Server-Sent Event.
type event struct {
	seq  int64
	to   Audience
	name string
	data []byte
}

// Feed remembers recent events and wakes the streams that wait for more.
type Feed struct {
	epoch string

	mu     sync.Mutex
	last   int64
	events []event
	more   chan struct{} // closed and replaced at each event
	ended  chan struct{}
	once   sync.Once
}

// New makes a feed. The epoch distinguishes its event ids from those of another process.
func New(epoch string) *Feed {
	return &Feed{epoch: epoch, more: make(chan struct{}), ended: make(chan struct{})}
}

// Version is the id of the last event.
func (f *Feed) Version() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.name(f.last)
}

func (f *Feed) name(seq int64) string { return fmt.Sprintf("%s-%d", f.epoch, seq) }

// Add tells an audience something.
func (f *Feed) Add(to Audience, name string, data []byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.last++
	if len(f.events) == memory {
		f.events = append([]event(nil), f.events[memory/2:]...)
	}
	f.events = append(f.events, event{seq: f.last, to: to, name: name, data: data})
	close(f.more)
	f.more = make(chan struct{})
}

// after gives the events since a version and a channel that closes when there
// are more; ok is false when they are not all remembered.
func (f *Feed) after(seq int64) (events []event, more <-chan struct{}, ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	missed := f.last - seq
	if missed < 0 || missed > int64(len(f.events)) {
		return nil, f.more, false
	}
	return f.events[int64(len(f.events))-missed:], f.more, true
}

// position reads a version of this feed.
func (f *Feed) position(version string) (int64, bool) {
	epoch, n, ok := strings.Cut(version, "-")
	seq, err := strconv.ParseInt(n, 10, 64)
	return seq, ok && epoch == f.epoch && err == nil
}

// Ended is closed when the feed is.
func (f *Feed) Ended() <-chan struct{} { return f.ended }

// Close ends all streams.
func (f *Feed) Close() { f.once.Do(func() { close(f.ended) }) }

// Serve streams the events that one person may hear, from the id that their page heard
// last, until the feed or the request ends. A page that asks for what is no longer
// remembered is told to start anew.
func (f *Feed) Serve(rw http.ResponseWriter, r *http.Request, mayHear func(to Audience, user string) bool) {
	flush := http.NewResponseController(rw)
	rw.Header().Set("Content-Type", "text/event-stream")
	rw.Header().Set("Cache-Control", "no-store")
	version := r.Header.Get("Last-Event-ID")
	if version == "" {
		version = r.URL.Query().Get("after")
	}
	user := r.URL.Query().Get("as")
	at, ok := f.position(version)
	if version == "" {
		at, ok = f.position(f.Version())
	}
	if _, _, known := f.after(at); !ok || !known {
		fmt.Fprintf(rw, "event: reset\ndata: {\"version\":%q}\n\n", f.Version())
		_ = flush.Flush()
		return
	}
	fmt.Fprintf(rw, "retry: 1000\nevent: hello\ndata: {\"version\":%q}\n\n", f.name(at))
	ping := time.NewTicker(15 * time.Second)
	defer ping.Stop()
	for {
		events, more, known := f.after(at)
		if !known {
			fmt.Fprintf(rw, "event: reset\ndata: {\"version\":%q}\n\n", f.Version())
			_ = flush.Flush()
			return
		}
		for _, e := range events {
			at = e.seq
			if mayHear(e.to, user) {
				fmt.Fprintf(rw, "id: %s\nevent: %s\ndata: %s\n\n", f.name(e.seq), e.name, e.data)
			}
		}
		if flush.Flush() != nil {
			return
		}
		select {
		case <-more:
		case <-ping.C:
			fmt.Fprint(rw, ": ping\n\n")
		case <-f.ended:
			return
		case <-r.Context().Done():
			return
		}
	}
}
