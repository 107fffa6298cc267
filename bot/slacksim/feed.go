package slacksim

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"sync"
)

// feedMemory is how many page events can be resumed.
const feedMemory = 4096

// audience says who may see a page event: one person, the members of a channel,
// or, when empty, everybody.
type audience struct {
	user    string
	channel string
}

// feedEvent is one Server-Sent Event.
type feedEvent struct {
	seq  int64
	to   audience
	name string
	data []byte
}

// feed remembers recent page events and wakes the streams that wait for more.
type feed struct {
	epoch string

	mu     sync.Mutex
	last   int64
	events []feedEvent
	more   chan struct{} // closed and replaced at each event
	ended  chan struct{}
	once   sync.Once
}

func newFeed(epoch string) *feed {
	return &feed{epoch: epoch, more: make(chan struct{}), ended: make(chan struct{})}
}

func (f *feed) version() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.name(f.last)
}

func (f *feed) name(seq int64) string { return fmt.Sprintf("%s-%d", f.epoch, seq) }

func (f *feed) add(to audience, name string, data []byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.last++
	if len(f.events) == feedMemory {
		f.events = append([]feedEvent(nil), f.events[feedMemory/2:]...)
	}
	f.events = append(f.events, feedEvent{seq: f.last, to: to, name: name, data: data})
	close(f.more)
	f.more = make(chan struct{})
}

// after gives the events since a version and a channel that closes when there
// are more; ok is false when they are not all remembered.
func (f *feed) after(seq int64) (events []feedEvent, more <-chan struct{}, ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	missed := f.last - seq
	if missed < 0 || missed > int64(len(f.events)) {
		return nil, f.more, false
	}
	return f.events[int64(len(f.events))-missed:], f.more, true
}

// position reads a version of this feed.
func (f *feed) position(version string) (int64, bool) {
	epoch, n, ok := strings.Cut(version, "-")
	seq, err := strconv.ParseInt(n, 10, 64)
	return seq, ok && epoch == f.epoch && err == nil
}

// close ends all streams.
func (f *feed) close() { f.once.Do(func() { close(f.ended) }) }

// show tells the page something. The caller holds w.mu.
func (w *Workspace) show(to audience, name string, value any) {
	raw, err := json.Marshal(value)
	if err != nil {
		w.log.Error("encode page event", "event", name, "error", err)
		return
	}
	w.feed.add(to, name, raw)
}

func (w *Workspace) showMessage(ch *channel, m *Message) {
	w.show(audience{channel: ch.ID}, "message", object{"channel": ch.ID, "message": m.forReader(false)})
}

func (w *Workspace) showChannel(ch *channel) {
	for _, p := range w.people {
		if ch.visibleTo(p.ID) {
			w.show(audience{user: p.ID}, "channel", object{"channel": w.channelForPage(ch, p.ID, false)})
		}
	}
}

func (w *Workspace) showApp() {
	for _, p := range w.people {
		if !p.IsBot {
			w.show(audience{user: p.ID}, "app", object{"app": w.appForPage(p.ID)})
		}
	}
}

func (w *Workspace) showModals(user string) {
	w.show(audience{user: user}, "views", object{"views": w.modalsForPage(user)})
}

func (w *Workspace) showHome(user string) {
	w.show(audience{user: user}, "home", object{"home": w.homes[user].body})
}

// mayHear reports whether a person may get a page event.
func (w *Workspace) mayHear(to audience, user string) bool {
	if to.user != "" {
		return to.user == user
	}
	if to.channel == "" {
		return true
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	ch := w.byID[to.channel]
	return ch != nil && ch.visibleTo(user)
}
