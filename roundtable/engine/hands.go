package engine

import "sync"

// line is where discussions wait that need somebody while no hand is free. Channels
// take turns, and the discussions of one channel are served in the order in which
// they came: whoever waits longest is next, and a flood in one channel keeps nobody
// of another waiting (SPEC §8). It is a hint and may be lost: the store knows what is
// due, too.
type line struct {
	mu       sync.Mutex
	channels []channel // those with somebody waiting, the next one first
	waiting  map[channel][]Ref
	known    map[Ref]struct{}
}

// channel is a channel of a team.
type channel struct{ team, id string }

// lineMost bounds the line. Whoever comes later is found by looking for work.
const lineMost = 4096

// join puts a discussion at the end, unless it waits already or the line is full. It
// reports whether it did.
func (l *line) join(ref Ref) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, known := l.known[ref]; known || len(l.known) >= lineMost {
		return false
	}
	if l.known == nil {
		l.known, l.waiting = make(map[Ref]struct{}), make(map[channel][]Ref)
	}
	l.known[ref] = struct{}{}
	c := channel{ref.Team, ref.Channel}
	if len(l.waiting[c]) == 0 {
		l.channels = append(l.channels, c)
	}
	l.waiting[c] = append(l.waiting[c], ref)
	return true
}

// next takes out whoever is next; false if nobody waits.
func (l *line) next() (Ref, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.channels) == 0 {
		return Ref{}, false
	}
	c := l.channels[0]
	l.channels = l.channels[1:]
	ref, rest := l.waiting[c][0], l.waiting[c][1:]
	if delete(l.known, ref); len(rest) == 0 {
		delete(l.waiting, c)
		return ref, true
	}
	l.waiting[c] = rest
	l.channels = append(l.channels, c)
	return ref, true
}

// len is how many wait.
func (l *line) len() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.known)
}

// handFree gives a hand back, to whoever holds a discussion and waits for one, else to
// whoever is next in line.
func (e *Engine) handFree() {
	<-e.slots
	e.serve()
}

// busy reports whether no hand is free.
func (e *Engine) busy() bool { return len(e.slots) == cap(e.slots) }

// serve lets those in line have the hands that are free.
func (e *Engine) serve() {
	for e.line.len() > 0 && take(e.slots) {
		if !e.serveNext() {
			<-e.slots
		}
	}
}

// serveNext has whoever is next worked on, with the hand that the caller took. It
// reports whether the hand is in use.
func (e *Engine) serveNext() bool {
	for {
		ref, ok := e.line.next()
		if !ok {
			return false
		}
		if e.holds(ref) || e.newer.avoids(ref) {
			continue
		}
		return e.start(ref, func(r *run, me *holder) { e.claim(r, me, ref) })
	}
}
