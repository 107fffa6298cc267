package storage

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/roundtable-chat/app/roundtable/engine"
)

// Commit applies one change of a held discussion; see engine.Store. The claim is
// not changed: the caller carries Committed.Token and Committed.Until over.
//
// Without a permit for Attempt everything else is applied, the mark is left as
// it was, and Wait is positive. Unattempt keeps the count in Attempts, which
// begins anew with the next head. ModeYield without a new State
// leaves Rewound as it found it, and so does Doubt. Whatever is impossible (more done than
// the outbox holds, an attempt with nothing in it, a release with effects
// outstanding and no Wake) is an error and changes nothing.
func (r *Redis) Commit(ctx context.Context, h *engine.Claim, c engine.Commit) (engine.Committed, error) {
	fail := func(err error) (engine.Committed, error) {
		return engine.Committed{}, fmt.Errorf("commit discussion %s: %w", h.Ref.ID, err)
	}
	if err := checkCommit(h.Ref, c); err != nil {
		return fail(err)
	}
	thread := c.Alias
	if c.Mode == engine.ModeClose && thread == "" {
		// The alias must expire with the discussion. It is known to nobody but the
		// store, and only a holder changes it.
		var err error
		if thread, err = r.client.HGet(ctx, r.keys.thread(h.Ref), "th").Result(); err != nil && !errors.Is(err, redis.Nil) {
			return fail(fmt.Errorf("read the alias: %w", err))
		}
	}
	op := r.operation()
	answer, sent, err := r.commit(ctx, r.commitKeys(h.Ref, thread), r.commitArgs(h, c, op))
	if err != nil {
		return fail(err)
	}
	got := newReply(answer)
	switch verdict := got.text(); verdict {
	case "ok":
	case "fenced":
		return fail(engine.ErrFenced)
	default:
		return fail(fmt.Errorf("%s: %s", verdict, got.text()))
	}
	done := engine.Committed{Token: engine.Token(op), Until: r.deadline(sent), Now: got.instant()}
	done.Wait = time.Duration(got.number()) * time.Millisecond
	done.Released = got.flag()
	done.Occupied = got.flag()
	done.Mail = got.mail()
	if got.err != nil {
		return fail(got.err)
	}
	return done, nil
}

// commit runs the script. Where the alias of a new root names another discussion, that has to
// be among the keys, as in deliver.
func (r *Redis) commit(ctx context.Context, k []string, args []any) (answer any, sent time.Time, err error) {
	const named = 19 // its place among the arguments
	for range mostNamed {
		if answer, sent, err = r.do(ctx, call{commitScript, k, args, true}); err != nil {
			return nil, sent, err
		}
		got := newReply(answer)
		if got.text() != "taken" {
			return answer, sent, got.err
		}
		holder := got.text()
		other, err := parseMember(holder)
		if err != nil {
			return nil, sent, err
		}
		k, args = append(slices.Clip(k[:11]), r.keys.thread(other), r.keys.mailbox(other)), slices.Clone(args)
		args[named] = holder
	}
	return nil, sent, fmt.Errorf("whose the thread is changed %d times meanwhile", mostNamed)
}

func (r *Redis) commitKeys(ref engine.Ref, thread string) []string {
	shard := r.keys.shard(ref.Team, ref.Channel)
	k := []string{
		r.keys.thread(ref), r.keys.mailbox(ref), r.keys.log(ref), r.keys.seen(ref),
		r.keys.due(shard), r.keys.act(shard), r.keys.pace(ref.Team, ref.Channel), r.keys.letters(shard),
		r.keys.channel(ref.Team, ref.Channel), r.keys.audit(shard),
	}
	if thread != "" {
		k = append(k, r.keys.alias(ref.Team, ref.Channel, thread))
	}
	return k
}

// commitArgs are the arguments in the order that commit.lua documents.
func (r *Redis) commitArgs(h *engine.Claim, c engine.Commit, op string) []any {
	attempt := ""
	switch {
	case c.Attempt:
		attempt = "mark"
	case c.Unattempt:
		attempt = "unmark"
	}
	release := 0
	switch c.Mode {
	case engine.ModeYield:
		release = 2
	case engine.ModeRelease:
		release = 1
	case engine.ModeKeep, engine.ModeClose:
	}
	retention := c.Retention
	if retention <= 0 {
		retention = r.retention
	}
	args := []any{
		member(h.Ref), string(h.Token), r.lease.Milliseconds(), c.Done, attempt, millis(c.PaceUntil),
		release, millis(c.Wake), c.Mode == engine.ModeClose, retention.Milliseconds(), r.interval.Milliseconds(), r.burst,
		c.State != nil, c.State, c.Alias, c.ParkReason, lettersKept, c.Doubt,
		r.audited.Milliseconds(), "",
	}
	add := func(n int, at func(int) any) {
		args = append(args, n)
		for i := range n {
			args = append(args, at(i))
		}
	}
	add(len(c.Consumed), func(i int) any { return mark(c.Consumed[i]) })
	add(len(c.Park), func(i int) any { return mark(c.Park[i]) })
	add(len(c.Append), func(i int) any { return c.Append[i] })
	add(len(c.Enqueue), func(i int) any { return packEntry(c.Enqueue[i]) })
	add(len(c.Posted), func(i int) any { return c.Posted[i] })
	add(len(c.Acts), func(i int) any { return packAct(c.Acts[i]) })
	args = append(args, len(c.Rewrite))
	for _, w := range c.Rewrite {
		args = append(args, w.Index, w.Line)
	}
	return append(args, op)
}

// millis returns a time in ms, rounded up so that no timer fires early (I9), and
// 0 for no time.
func millis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.Add(time.Millisecond - 1).UnixMilli()
}

func checkCommit(ref engine.Ref, c engine.Commit) error {
	if err := checkRef(ref); err != nil {
		return err
	}
	if c.Done < 0 {
		return errors.New("a negative number of effects done")
	}
	if c.Attempt && c.Unattempt {
		return errors.New("an attempt marked and taken back at once")
	}
	if err := checkSize("state", c.State); err != nil {
		return err
	}
	for _, e := range c.Append {
		if err := checkSize("entry", e); err != nil {
			return err
		}
	}
	for _, w := range c.Rewrite {
		if err := checkSize("entry", w.Line); err != nil {
			return err
		}
	}
	if slices.ContainsFunc(c.Posted, func(ts string) bool { return digits(ts) == "" }) {
		return errors.New("a post without a timestamp")
	}
	for _, i := range c.Enqueue {
		if i.Key == "" || strings.Contains(i.Key, "\n") {
			return errors.New("an effect needs a key without a line break")
		}
		if err := checkSize("effect", i.Body); err != nil {
			return err
		}
	}
	return nil
}
