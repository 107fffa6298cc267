package wire

import (
	"bufio"
	"encoding/binary"
	"io"
	"math"
	"strings"
)

// frames reads the server's side of a WebSocket connection, from its handshake on, and
// makes Slack's events smaller on the way to the library. Everything else passes as it
// came: other frames, those that come in pieces, and whatever is no WebSocket.
type frames struct {
	in *bufio.Reader
	// opened is called when the server has agreed to speak WebSocket.
	opened func()
	greet  greeting
	ready  []byte // made smaller, to be read next
	pass   int64  // bytes that pass as they come
	whole  []byte // of one frame; kept for the next
}

// greeting is how far the handshake has come.
type greeting int

const (
	greetBegin   greeting = iota // nothing was read
	greetHeaders                 // the server agreed
	greetOver
)

// Sizes of frames, in bytes. Events are a few thousand; what is larger than slimMost
// passes as it is, and the buffer of what is larger than keepMost is not kept.
const (
	readBuffer = 16 << 10
	slimMost   = 1 << 20
	keepMost   = 64 << 10
)

func newFrames(in io.Reader, opened func()) *frames {
	return &frames{in: bufio.NewReaderSize(in, readBuffer), opened: opened}
}

// Read implements io.Reader.
func (f *frames) Read(b []byte) (int, error) {
	if len(f.ready) == 0 && f.pass == 0 {
		if err := f.next(); err != nil {
			return 0, err
		}
	}
	if len(f.ready) > 0 {
		n := copy(b, f.ready)
		f.ready = f.ready[n:]
		return n, nil
	}
	n, err := f.in.Read(b[:min(int64(len(b)), f.pass)])
	f.pass -= int64(n)
	return n, err
}

// next finds out what comes next.
func (f *frames) next() error {
	if f.greet != greetOver {
		return f.handshake()
	}
	head, err := f.in.Peek(2)
	if err != nil {
		return err
	}
	size := 2
	switch head[1] {
	case 126:
		size = 4
	case 127:
		size = 10
	}
	if head, err = f.in.Peek(size); err != nil {
		return err
	}
	length := uint64(head[1])
	switch size {
	case 4:
		length = uint64(binary.BigEndian.Uint16(head[2:]))
	case 10:
		length = binary.BigEndian.Uint64(head[2:])
	}
	switch {
	case length >= 1<<62, head[1] > 127: // nothing that a server may send; the library says so
		f.pass = math.MaxInt64
	case head[0] != finalText || length > slimMost:
		f.pass = int64(size) + int64(length) //nolint:gosec // below 1<<62
	default:
		return f.shorten(size, int(length)) //nolint:gosec // at most slimMost
	}
	return nil
}

// handshake reads one line of the server's answer to the handshake.
func (f *frames) handshake() error {
	line, err := f.in.ReadSlice('\n')
	f.ready = line // of the buffer, which is not touched before it was read
	if len(line) > 0 {
		err = nil // comes again
	}
	switch {
	case f.greet == greetBegin && !strings.HasPrefix(string(line), switching):
		f.greet, f.pass = greetOver, math.MaxInt64
	case f.greet == greetBegin:
		f.greet = greetHeaders
	case string(line) == "\r\n":
		f.greet = greetOver
		f.opened()
	}
	return err
}

// switching begins the answer of a server that agrees.
const switching = "HTTP/1.1 101"

// shorten reads a whole text frame with a head of so many bytes and makes it smaller.
func (f *frames) shorten(head, length int) error {
	if cap(f.whole) < head+length {
		f.whole = make([]byte, head+length)
	}
	f.whole = f.whole[:head+length]
	if _, err := io.ReadFull(f.in, f.whole); err != nil {
		return err
	}
	text := slim(f.whole[head:])
	f.ready = f.whole[:head+len(text)]
	if len(text) < length {
		f.ready = relabel(f.whole, head, text)
	}
	if cap(f.whole) > keepMost {
		f.whole = nil
	}
	return nil
}

// relabel writes the head of a text frame right in front of its text, which stands in
// frame behind a head that was as long or longer.
func relabel(frame []byte, head int, text []byte) []byte {
	size := 2
	switch n := len(text); {
	case n > math.MaxUint16:
		size = 10
	case n > 125:
		size = 4
	}
	frame = frame[head-size : head+len(text)]
	frame[0], frame[1] = finalText, byte(len(text)) //nolint:gosec // read only where it fits
	switch size {
	case 4:
		frame[1] = 126
		binary.BigEndian.PutUint16(frame[2:], uint16(len(text))) //nolint:gosec // checked above
	case 10:
		frame[1] = 127
		binary.BigEndian.PutUint64(frame[2:], uint64(len(text)))
	}
	return frame
}
