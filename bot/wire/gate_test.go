package wire

import (
	"errors"
	"io"
	"net"
	"testing"
	"time"
)

// TestWritesObeyTheDeadline shows that bytes are held back on a connection that
// is open already, as after a process was suspended between check and write.
func TestWritesObeyTheDeadline_I7(t *testing.T) {
	ours, theirs := net.Pipe()
	defer ours.Close()
	defer theirs.Close()
	go func() { _, _ = io.Copy(io.Discard, theirs) }()
	c := &gatedConn{Conn: ours}
	p := &Passage{until: time.Now().Add(-time.Nanosecond)}
	c.current.Store(p)
	if _, err := c.Write([]byte("late")); !errors.Is(err, ErrTooLate) {
		t.Errorf("got %v, want %v", err, ErrTooLate)
	}
	if p.Left() {
		t.Error("bytes are said to have left")
	}
}
