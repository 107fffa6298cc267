package engine

import (
	"context"
	"errors"
	"time"
)

// Ref names a discussion and the channel it belongs to. All keys of a channel's
// discussions live in one shard of the store.
type Ref struct{ Team, Channel, ID string }

// Mail is one undecided input in a discussion's mailbox. ID is the input's id
// (roundtable.Input.ID); Body its wire form, opaque to the store.
type Mail struct {
	ID   string
	Body []byte
}

// Delivery is one input on its way into a mailbox.
type Delivery struct {
	Ref  Ref
	Mail Mail
	// Also are further identities of the same input (a client_msg_id, an event
	// id): if any was seen before, the input is a duplicate.
	Also []string
	// Opens creates the discussion if it does not exist.
	Opens bool
	// Thread, with Opens, is the thread's root timestamp when it is known
	// already, so that FindThread finds the discussion at once.
	Thread string
	// Claim asks for the discussion in the same round trip, if it is free.
	Claim *Claimant
}

// Claimant is who asks for a discussion. LogFrom is the number of log entries
// the caller already has; the store returns those after it.
type Claimant struct {
	Owner   string
	LogFrom int
}

// Reception is what became of a delivery.
type Reception string

// The receptions. Only Stored and Duplicate mean that the input is safe.
const (
	Stored    Reception = "stored"
	Duplicate Reception = "duplicate"
	Unknown   Reception = "unknown" // no such discussion
	Closed    Reception = "closed"  // the discussion is closed and takes nothing
	Full      Reception = "full"    // the mailbox is at its limit; deliver again later
)

// Intent is an effect in the outbox: its key and its wire form.
type Intent struct {
	Key  string
	Body []byte
}

// Holding is a claimed discussion: the exclusive right to change it, until the
// deadline, and everything needed to go on with it.
type Holding struct {
	Ref Ref
	// Token fences: every change presents it and receives the next one.
	Token Token
	// Until is the local time after which nothing may be done in the holding's
	// name: sending time of the last successful request plus two thirds of the
	// lease (reliability §1.3).
	Until time.Time
	// Now is the store's clock at the reply.
	Now time.Time
	// State is the stored state, nil when the discussion is new.
	State []byte
	// Mail is what waits, in no particular order.
	Mail []Mail
	// Outbox holds what is still to be performed, oldest first.
	Outbox []Intent
	// Attempted is when the head was marked as attempted; zero if it was not.
	// Attempts counts them.
	Attempted time.Time
	Attempts  int
	// Log holds the entries from Claimant.LogFrom on; LogLen is their total.
	Log    [][]byte
	LogLen int
	// Crashes counts claims since the last commit whose holder never let go. Some
	// never knew that they were one: the store was away when they claimed.
	Crashes int
	// Tried is what a holder announced last that it would work on, and Tries how
	// often in a row without a commit after it; empty if there was one.
	Tried string
	Tries int
	// Rewound is true when the store's run id differs from the one under which
	// the discussion was last committed: writes may have been lost, so Slack must
	// be read before going on. Always false where the store cannot tell.
	Rewound bool
	// Run is the store's run id as far as it is known; empty where the store cannot
	// tell.
	Run string
}

// Token is the fencing token of a holding: the id of the last operation that
// was applied to the discussion.
type Token string

// Commit is one atomic change of a held discussion. Every part is optional.
type Commit struct {
	// State replaces the stored state unless nil.
	State []byte
	// Consumed are ids of mail that Step has taken in.
	Consumed []string
	// Append goes to the end of the log.
	Append [][]byte
	// Enqueue goes to the end of the outbox.
	Enqueue []Intent
	// Done is how many effects at the outbox's head have been performed or
	// given up.
	Done int
	// Attempt marks the head (after Done and Enqueue) as attempted, if the
	// channel's pace permits a post now; see Committed.Wait. Unattempt takes the
	// mark back because the request certainly never left.
	Attempt   bool
	Unattempt bool
	// PaceUntil, when set, tells all replicas that Slack refused posts to this
	// channel until then (429).
	PaceUntil time.Time
	// Alias makes FindThread find the discussion by this root timestamp.
	Alias string
	// Release gives the discussion back unless mail waits. Wake is when it next
	// needs somebody: zero for never. With a non-empty outbox Wake must be set.
	Release bool
	Wake    time.Time
	// Yield gives the discussion back although mail waits, to be due at Wake
	// (zero: at once): the holder stops working, waits for Slack to settle, or
	// cannot read what a newer version stored.
	Yield bool
	// Close ends it: it takes no more mail and its keys expire after Retention.
	// Refused (Committed.Released false) while mail or outbox is not empty.
	Close     bool
	Retention time.Duration
	// Park moves this mail to the dead letters with the reason, out of the way
	// (I1: refused with a reason). It counts as consumed.
	Park       []string
	ParkReason string
	// Doubt leaves Holding.Rewound to the next claim as it found it: the holder acts on
	// what it read in Slack after the store forgot, and whoever comes next has to read
	// it again.
	Doubt bool
}

// Committed is the reply to a commit.
type Committed struct {
	Token Token
	Until time.Time
	Now   time.Time
	// Mail is all mail that waits now (without what was consumed).
	Mail []Mail
	// Wait is how long the channel's pace asks to wait before Attempt is tried
	// again; zero means the mark was set.
	Wait time.Duration
	// Released is true when the discussion was given back (or closed).
	Released bool
}

// Store keeps discussions. Every method that changes something carries its own
// operation id inside and may be repeated safely; the implementation does so.
type Store interface {
	// Deliver stores an input before Slack is told that it was received (I1).
	// A non-nil Holding is returned when the claim asked for succeeded; busy is
	// true when somebody else holds the discussion.
	Deliver(ctx context.Context, d Delivery) (r Reception, h *Holding, busy bool, err error)
	// Claim takes a discussion that is due and free; nil without error when it
	// is not.
	Claim(ctx context.Context, ref Ref, by Claimant) (*Holding, error)
	// Commit applies a change. ErrFenced when the holding is no longer ours:
	// the caller drops everything it was about to do.
	Commit(ctx context.Context, h *Holding, c Commit) (Committed, error)
	// Try announces what the holder is about to work on, so that what ends its
	// holders can be told from what was near when they ended. It changes nothing
	// else but the token and the lease; the next commit takes it back.
	Try(ctx context.Context, h *Holding, what string) (Committed, error)
	// Renew extends the lease and returns mail that arrived.
	Renew(ctx context.Context, h *Holding) (Committed, error)
	// Due lists up to limit discussions of all shards that need somebody by now.
	// When some shards do not answer it returns those of the others with the error.
	Due(ctx context.Context, limit int) ([]Ref, error)
	// FindThread returns the discussion whose root has this timestamp.
	FindThread(ctx context.Context, team, channel, thread string) (Ref, bool, error)
	// List returns discussions of a channel that are not closed, most recently
	// active first, with their stored states.
	List(ctx context.Context, team, channel string, limit int) ([]Listed, error)
	// ListOpen returns up to limit discussions of all channels that are not
	// closed, most recently active first, with their stored states.
	ListOpen(ctx context.Context, limit int) ([]Listed, error)
	// Read returns a discussion's state and whole log without claiming it.
	Read(ctx context.Context, ref Ref) (state []byte, log [][]byte, err error)
	// Log returns the log's entries from index from on.
	Log(ctx context.Context, ref Ref, from int) ([][]byte, error)
	// MayRead takes a permit to read threads of a workspace back from Slack, after
	// which the next is given only when every has passed. All replicas share it. With
	// wait > 0 it was not given, and asking makes sense after that time.
	MayRead(ctx context.Context, team string, every time.Duration) (wait time.Duration, err error)
	// First reports whether nobody has asked about this before: what is to be done
	// once, by whoever comes first, is then the caller's to do. It is remembered for
	// 30 days.
	First(ctx context.Context, what string) (bool, error)
}

// Letters is what Commit.Park put aside. The engine never reads it; operators do.
type Letters interface {
	// DeadLetters lists parked mail, newest first.
	DeadLetters(ctx context.Context, limit int) ([]DeadLetter, error)
	// Replay puts a letter back. ErrNotFound when there is no such letter, ErrClosed
	// when there is nothing to put it back into.
	Replay(ctx context.Context, letter string) error
}

// Listed is a discussion in a listing.
type Listed struct {
	Ref   Ref
	State []byte
}

// DeadLetter is a parked input.
type DeadLetter struct {
	ID     string
	Ref    Ref
	Mail   Mail
	Reason string
	At     time.Time
}

// ErrFenced means that somebody else holds the discussion now.
var ErrFenced = errors.New("the discussion is held by somebody else")

// ErrNotFound means that there is no such discussion, item or letter.
var ErrNotFound = errors.New("not found")

// ErrClosed means that a discussion takes no more mail.
var ErrClosed = errors.New("the discussion is closed")

// ErrTooLarge means that the store refuses a change for its size, and always will.
var ErrTooLarge = errors.New("too large to be stored")
