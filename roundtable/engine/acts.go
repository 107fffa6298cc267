package engine

import (
	"context"
	"crypto/sha256"
	"encoding/base32"
	"strings"
	"time"

	"github.com/roundtable-chat/app/roundtable/thread"
)

// Act is a line of the audit record: what somebody did, and where (FR-111).
type Act struct {
	// ID follows from what happened, so that a line that was written twice is known
	// for one.
	ID string
	// At is when the store recorded it, by the store's clock; it is not given to it.
	At            time.Time
	Team, Channel string
	// Thread is the id of the discussion, the analysis or the forgetting that it belongs
	// to; empty for none.
	Thread string
	// Item is the item's mark (roundtable.ItemMark), never its name.
	Item string
	thread.Audit
}

// ActQuery says which lines of the audit record are wanted. Zero times and an empty
// channel leave open.
type ActQuery struct {
	Since, Until time.Time
	Channel      string
}

// Acts is the audit record as those see it who read it, or do something beside the
// rules of a discussion.
type Acts interface {
	// NoteAct adds a line. Adding it again, under the same id, changes nothing that a
	// reader sees.
	NoteAct(ctx context.Context, a Act) error
	// ReadActs hands over the lines of a workspace's record, oldest first, each once.
	ReadActs(ctx context.Context, q ActQuery, each func(Act) error) error
}

// ActID makes a line's id of what happened: a digest, because what happened has a long
// name and there are many lines.
func ActID(what ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(what, "\x00")))
	return base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(sum[:10])
}
