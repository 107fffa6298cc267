package engine

import (
	"context"
	"errors"
	"fmt"
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
	// already, so that FindThread finds the discussion at once. A thread is one
	// discussion's until that is closed or removed: another is not opened in it.
	Thread string
	// Claim asks for the discussion in the same round trip, if it is free.
	Claim *Claimant
	// From is the id of the person whose doing it is, or empty. Nobody fills a mailbox
	// alone: from where it is a quarter full the store notes whose mail comes in, and once it
	// is half full a person who has a quarter of it among that gets no more in.
	From string
}

// Claimant is the replica that asks for a discussion. LogFrom is the number of log entries
// the caller already has, as of LogRev; the store returns those after it, or all if
// entries were rewritten since.
type Claimant struct {
	Owner   string
	LogFrom int
	LogRev  LogRev
}

// LogRev names the state of a log's rewritten entries: the commit that rewrote any last;
// empty where none did. Of two copies of a log with one revision, the shorter is the
// beginning of the longer.
type LogRev string

// Reception is what became of a delivery.
type Reception string

// The receptions. Only Stored and Duplicate mean that the input is safe.
const (
	Stored    Reception = "stored"
	Duplicate Reception = "duplicate"
	Unknown   Reception = "unknown" // no such discussion
	Closed    Reception = "closed"  // the discussion is closed and takes nothing
	Full      Reception = "full"    // the mailbox, or the person's share of it, is at its limit; deliver again later
	Taken     Reception = "taken"   // the thread is that of another discussion, and nothing was opened
)

// Delivered is the reply to a delivery.
type Delivered struct {
	Reception Reception
	// Claim is set when the claim that the delivery asked for succeeded.
	Claim *Claim
	// Busy is true when another replica holds the discussion.
	Busy bool
}

// OutboxEntry is an effect in the outbox: its key and its wire form.
type OutboxEntry struct {
	Key  string
	Body []byte
}

// Claim is a claimed discussion: the exclusive right to change it, until the
// deadline, and everything needed to go on with it.
type Claim struct {
	Ref Ref
	// Token fences: every change presents it and receives the next one.
	Token Token
	// Until is the local time after which nothing may be done in the claim's
	// name: sending time of the last successful request plus two thirds of the
	// lease.
	Until time.Time
	// Now is the store's clock at the reply.
	Now time.Time
	// State is the stored state, nil when the discussion is new.
	State []byte
	// Mail is what waits, in no particular order.
	Mail []Mail
	// Outbox holds what is still to be performed, oldest first.
	Outbox []OutboxEntry
	// Attempted is when the head was marked as attempted; zero if it was not.
	// Attempts counts them.
	Attempted time.Time
	Attempts  int
	// Log holds entries from the index LogFrom on, as many as one reply takes; LogLen is
	// how many the log has in all, and LogRev its revision.
	Log     [][]byte
	LogFrom int
	LogLen  int
	LogRev  LogRev
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

// Token is the fencing token of a claim: the id of the last operation that
// was applied to the discussion.
type Token string

// Commit is one atomic change of a held discussion. Every part is optional.
type Commit struct {
	// State replaces the stored state unless nil.
	State []byte
	// Consumed are ids of mail that Step has taken in.
	Consumed []string
	// Append goes to the end of the log. Rewrite replaces entries of it, which changes
	// its revision to the token that the commit returns.
	Append  [][]byte
	Rewrite []Rewrite
	// Enqueue goes to the end of the outbox.
	Enqueue []OutboxEntry
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
	// Posted are the timestamps of posts of the discussion that stand in Slack now, so
	// that FindMessage finds it by them.
	Posted []string
	// Alias makes FindThread find the discussion by this root timestamp, unless the thread is
	// that of another discussion which goes on; see Committed.Occupied.
	Alias string
	// Mode says what becomes of the claim. Wake, with ModeRelease and ModeYield, is when
	// the discussion needs a replica next; Retention, with ModeClose, how long the store
	// keeps it from then on.
	Mode      CommitMode
	Wake      time.Time
	Retention time.Duration
	// Park moves this mail to the dead letters with the reason, out of the way
	// (I1: refused with a reason). It counts as consumed.
	Park       []string
	ParkReason string
	// Acts go to the audit record: each is there if and only if the rest was committed.
	// After a torn write one may be there twice, under the same id.
	Acts []Act
	// Doubt leaves Claim.Rewound to the next claim as it found it: the holder acts on
	// what it read in Slack after the store forgot, and the next holder has to read
	// it again.
	Doubt bool
}

// CommitMode is what becomes of the claim with a commit.
type CommitMode int

// The modes. What the store could not do shows in Committed.Released.
const (
	// ModeKeep extends the claim.
	ModeKeep CommitMode = iota
	// ModeRelease gives the discussion back unless mail waits. Wake zero means that no
	// replica is needed before new mail; with a non-empty outbox Wake must be set.
	ModeRelease
	// ModeYield gives the discussion back although mail waits, to be due at Wake (zero:
	// at once): the holder stops working, waits for Slack to settle, or cannot read what
	// a newer version stored.
	ModeYield
	// ModeClose ends the discussion unless mail waits or effects are outstanding: it
	// takes no more mail, and the store forgets it after Retention.
	ModeClose
)

// Rewrite is what an entry of the log is replaced by. A replica that reads the log anew
// after the commit was cut off half way may see it without the rest of the commit.
type Rewrite struct {
	Index int
	Line  []byte
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
	// Occupied is true when the thread of Alias is that of another discussion, which keeps
	// it: what is said there is said to that one. Everything else was applied.
	Occupied bool
}

// Mailbox is the store as a worker uses it. Every method that changes something carries
// its own operation id inside and may be repeated safely; the implementation does so.
type Mailbox interface {
	// Deliver stores an input before Slack is told that it was received (I1).
	Deliver(ctx context.Context, d Delivery) (Delivered, error)
	// Claim takes a discussion that is due and free; nil without error when it
	// is not.
	Claim(ctx context.Context, ref Ref, by Claimant) (*Claim, error)
	// Commit applies a change. ErrFenced when the claim is no longer ours:
	// the caller drops everything it was about to do.
	Commit(ctx context.Context, by *Claim, c Commit) (Committed, error)
	// Try announces what the holder is about to work on, so that what ends its
	// holders can be told from what was near when they ended. It changes nothing
	// else but the token and the lease; the next commit takes it back.
	Try(ctx context.Context, by *Claim, what string) (Committed, error)
	// Renew extends the lease and returns mail that arrived.
	Renew(ctx context.Context, by *Claim) (Committed, error)
	// Due lists up to limit discussions of all shards that need a replica by now.
	// When some shards do not answer it returns those of the others with the error.
	Due(ctx context.Context, limit int) ([]Ref, error)
	LogReader
}

// Finder is the store as an edge uses it that knows only a place in Slack.
type Finder interface {
	// FindThread returns the discussion whose root has this timestamp.
	FindThread(ctx context.Context, team, channel, thread string) (Ref, bool, error)
	// FindMessage returns the discussion that a message of a channel belongs to, or
	// those that it may belong to.
	FindMessage(ctx context.Context, team, channel, ts string) (Sighting, error)
}

// Store is all that an engine needs of a store.
type Store interface {
	Mailbox
	Finder
	StateReader
	Permits
}

// DeadLetters is what Commit.Park put aside. The engine never reads it; operators do.
type DeadLetters interface {
	// DeadLetters lists parked mail, newest first.
	DeadLetters(ctx context.Context, limit int) ([]DeadLetter, error)
	// Replay puts a letter back. ErrNotFound when there is no such letter, ErrClosed
	// when there is nothing to put it back into.
	Replay(ctx context.Context, letter string) error
}

// Sighting says to which discussion a message belongs, as far as the store knows.
type Sighting struct {
	// Ref is the discussion, if it is Known.
	Ref   Ref
	Known bool
	// Perhaps are, when it is not, the open discussions of the channel whose thread
	// began before the message, most recently active first: the message may not have
	// been delivered yet, or been posted by a version that did not note its own posts.
	// With none the message is no discussion's.
	Perhaps []Ref
}

// DeadLetter is a parked input.
type DeadLetter struct {
	ID     string
	Ref    Ref
	Mail   Mail
	Reason string
	At     time.Time
}

// ErrFenced means that another claim holds the discussion now.
var ErrFenced = errors.New("the discussion is held by somebody else")

// ErrNotFound means that there is no such discussion, item or letter.
var ErrNotFound = errors.New("not found")

// ErrForgotten means that a discussion is out of sight, because it was forgotten and can
// still be taken back. Who does not care finds that there is none.
var ErrForgotten = fmt.Errorf("forgotten: %w", ErrNotFound)

// ErrBusy means that something cannot be forgotten now: a replica is at work on it, or
// something waits for one.
var ErrBusy = errors.New("a discussion is being worked on")

// ErrClosed means that a discussion takes no more mail.
var ErrClosed = errors.New("the discussion is closed")

// ErrTooLarge means that the store refuses a change for its size, and always will.
var ErrTooLarge = errors.New("too large to be stored")
