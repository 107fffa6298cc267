package storage

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/roundtable-chat/app/roundtable/engine"
)

// Options say where discussions are kept and how. The zero value of every field
// but URL is useful.
type Options struct {
	// URL is redis://, rediss://, unix://, redis+sentinel:// or redis+cluster://;
	// see ParseURL. Not needed with Client.
	URL string
	// Client is used instead of a client made from URL, and not closed by Close.
	// The store then asks for the server's run id only once.
	Client redis.UniversalClient
	// Prefix begins every key; "rt1" by default. It names the layout of the keys.
	Prefix string
	// Shards is the number of hash tags, 64 by default. It must never change while
	// anything is stored.
	Shards int
	// Lease is how long a discussion stays with a holder that is not heard of;
	// 30 s by default.
	Lease time.Duration
	// Replicas is how many replicas must have received a delivery or a commit
	// before it counts; WaitFor bounds the wait, 250 ms by default.
	Replicas int
	WaitFor  time.Duration
	// Patience is how long an operation is repeated while the server does not
	// answer, on top of the last attempt; 5 s by default, enough for a failover.
	Patience time.Duration
	// MailboxLimit is how much mail may wait in one discussion, 200 by default.
	MailboxLimit int
	// Retention is how long a closed discussion is kept when its commit does not
	// say; 30 days by default.
	Retention time.Duration
	// AuditRetention is how long a line of the audit record is kept; 400 days by
	// default.
	AuditRetention time.Duration
	// PaceRate is how many posts a second a channel bears, 1 by default, and
	// PaceBurst how many it bears at once, 3 by default.
	PaceRate  float64
	PaceBurst int
	// Logger hears of repeated operations; nothing is logged by default.
	Logger *slog.Logger
}

// lettersKept is about how many dead letters a shard keeps.
const lettersKept = 10_000

// Redis is a store in Redis. It implements engine.Store and engine.Items and may
// be used by many goroutines.
type Redis struct {
	client    redis.UniversalClient
	owned     bool
	runs      *runs
	keys      keys
	lease     time.Duration
	replicas  int
	waitFor   time.Duration
	patience  time.Duration
	mailbox   int
	retention time.Duration
	audited   time.Duration // how long the audit record is kept
	interval  time.Duration
	burst     int
	logger    *slog.Logger
	older     older
	// nonce and count make operation ids that no other process makes.
	nonce string
	count atomic.Uint64
}

var (
	_ engine.Store = (*Redis)(nil)
	_ engine.Items = (*Redis)(nil)
	_ engine.Acts  = (*Redis)(nil)
)

// ErrNotDurable means that a change was applied but too few replicas confirmed
// it in time. It must not be relied on.
var ErrNotDurable = errors.New("too few replicas confirmed the change")

// Open connects to a store and checks that it answers. Errors never contain the
// URL, which may hold a password.
func Open(ctx context.Context, o Options) (*Redis, error) {
	o = withDefaults(o)
	if err := check(o); err != nil {
		return nil, fmt.Errorf("open store: %w", err)
	}
	r := &Redis{
		client: o.Client, runs: newRuns(), keys: keys{prefix: o.Prefix, shards: o.Shards},
		lease: o.Lease, replicas: o.Replicas, waitFor: o.WaitFor, patience: o.Patience,
		mailbox: o.MailboxLimit, retention: o.Retention, audited: o.AuditRetention,
		interval: time.Duration(float64(time.Second) / o.PaceRate), burst: o.PaceBurst,
		logger: o.Logger, nonce: rand.Text()[:12],
	}
	if r.client == nil {
		target, err := ParseURL(o.URL)
		if err != nil {
			return nil, fmt.Errorf("open store: %w", err)
		}
		r.client, r.owned = target.connect(r.runs), true
	} else {
		r.runs.readOnce(ctx, r.client)
	}
	if err := r.Ping(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("open store: %w", err), r.Close())
	}
	return r, nil
}

func withDefaults(o Options) Options {
	if o.Prefix == "" {
		o.Prefix = "rt1"
	}
	if o.Shards == 0 {
		o.Shards = 64
	}
	if o.Lease == 0 {
		o.Lease = 30 * time.Second
	}
	if o.WaitFor == 0 {
		o.WaitFor = 250 * time.Millisecond
	}
	if o.Patience == 0 {
		o.Patience = 5 * time.Second
	}
	if o.MailboxLimit == 0 {
		o.MailboxLimit = 200
	}
	if o.Retention == 0 {
		o.Retention = 30 * 24 * time.Hour
	}
	if o.AuditRetention == 0 {
		o.AuditRetention = 400 * 24 * time.Hour
	}
	if o.PaceRate == 0 {
		o.PaceRate = 1
	}
	if o.PaceBurst == 0 {
		o.PaceBurst = 3
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return o
}

func check(o Options) error {
	var errs []error
	require := func(ok bool, problem string) {
		if !ok {
			errs = append(errs, errors.New(problem))
		}
	}
	require(o.URL != "" || o.Client != nil, "a Redis URL is needed")
	require(o.Shards > 0, "shards must be positive")
	require(o.Lease >= time.Millisecond, "the lease must be at least a millisecond")
	require(o.Replicas >= 0, "replicas must not be negative")
	// WAIT 0 waits for ever.
	require(o.WaitFor >= time.Millisecond, "the wait for replicas must be at least a millisecond")
	require(o.Patience >= 0, "patience must not be negative")
	require(o.MailboxLimit > 0, "the mailbox limit must be positive")
	require(o.Retention >= time.Millisecond, "the retention must be at least a millisecond")
	require(o.AuditRetention >= time.Millisecond, "the retention of the audit record must be at least a millisecond")
	require(o.PaceRate > 0 && o.PaceRate <= 1000, "the pace must be between 0 and 1000 posts a second")
	require(o.PaceBurst > 0, "the pace's burst must be positive")
	return errors.Join(errs...)
}

// Close ends the connections that Open made.
func (r *Redis) Close() error {
	if !r.owned {
		return nil
	}
	if err := r.client.Close(); err != nil {
		return fmt.Errorf("close store: %w", err)
	}
	return nil
}

// Ping reports whether the store answers.
func (r *Redis) Ping(ctx context.Context) error {
	if err := r.client.Ping(ctx).Err(); err != nil {
		return fmt.Errorf("ping redis: %w", err)
	}
	return nil
}

// operation returns a new operation id. It contains neither space nor newline.
func (r *Redis) operation() string {
	return r.nonce + "." + strconv.FormatUint(r.count.Add(1), 36)
}

// deadline returns the local time until which a claim may be used when the
// operation that confirmed it was first sent at sent: two thirds of the lease
// later. The reply may have been read much later, so its time proves nothing.
func (r *Redis) deadline(sent time.Time) time.Time { return sent.Add(r.lease * 2 / 3) }
