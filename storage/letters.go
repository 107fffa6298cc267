package storage

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/roundtable-chat/app/roundtable/engine"
)

// DeadLetters lists up to limit parked mails, newest first. The id of a letter is
// its shard and its place in the shard's stream.
func (r *Redis) DeadLetters(ctx context.Context, limit int) ([]engine.DeadLetter, error) {
	if limit <= 0 {
		return nil, nil
	}
	cmds := make([]*redis.XMessageSliceCmd, r.keys.shards)
	if _, err := r.client.Pipelined(ctx, func(p redis.Pipeliner) error {
		for shard := range cmds {
			cmds[shard] = p.XRevRangeN(ctx, r.keys.letters(shard), "+", "-", int64(limit))
		}
		return nil
	}); err != nil {
		return nil, fmt.Errorf("list dead letters: %w", err)
	}
	var out []engine.DeadLetter
	for shard, c := range cmds {
		for _, m := range c.Val() {
			letter, err := readLetter(shard, m)
			if err != nil {
				return nil, fmt.Errorf("list dead letters: %w", err)
			}
			out = append(out, letter)
		}
	}
	slices.SortStableFunc(out, func(a, b engine.DeadLetter) int { return cmp.Compare(b.At.UnixMilli(), a.At.UnixMilli()) })
	return out[:min(limit, len(out))], nil
}

func readLetter(shard int, m redis.XMessage) (engine.DeadLetter, error) {
	field := func(name string) string { s, _ := m.Values[name].(string); return s }
	letter := engine.DeadLetter{ID: strconv.Itoa(shard) + "-" + m.ID, Reason: field("why")}
	var err error
	if letter.Ref, err = parseMember(field("ref")); err != nil {
		return letter, fmt.Errorf("letter %s: %w", letter.ID, err)
	}
	if letter.Mail, err = unpackMail(field("mail")); err != nil {
		return letter, fmt.Errorf("letter %s: %w", letter.ID, err)
	}
	at, err := strconv.ParseInt(field("at"), 10, 64)
	if err != nil {
		return letter, fmt.Errorf("letter %s has no time", letter.ID)
	}
	letter.At = time.UnixMilli(at).UTC()
	return letter, nil
}

// Replay puts a dead letter back into its discussion's mailbox, where it is due at
// once, and takes it off the list. ErrNotFound when there is no such letter,
// engine.ErrClosed when there is nothing to put it back into; it is kept then.
func (r *Redis) Replay(ctx context.Context, id string) error {
	number, entry, _ := strings.Cut(id, "-")
	shard, err := strconv.Atoi(number)
	if err != nil || shard < 0 || shard >= r.keys.shards || !isStreamID(entry) {
		return fmt.Errorf("replay letter: %w", engine.ErrNotFound)
	}
	found, err := r.client.XRange(ctx, r.keys.letters(shard), entry, entry).Result()
	if err != nil {
		return fmt.Errorf("replay letter %s: %w", id, err)
	}
	if len(found) == 0 {
		return fmt.Errorf("replay letter %s: %w", id, engine.ErrNotFound)
	}
	letter, err := readLetter(shard, found[0])
	if err != nil {
		return fmt.Errorf("replay: %w", err)
	}
	answer, _, err := r.do(ctx, call{
		script: replayScript,
		keys:   []string{r.keys.thread(letter.Ref), r.keys.mailbox(letter.Ref), r.keys.due(shard), r.keys.letters(shard)},
		args:   []any{member(letter.Ref), mark(letter.Mail.ID), packMail(letter.Mail), entry, r.operation()}, durable: true,
	})
	switch {
	case err != nil:
		return fmt.Errorf("replay letter %s: %w", id, err)
	case answer == "missing":
		return fmt.Errorf("replay letter %s: %w", id, engine.ErrNotFound)
	case answer == "closed":
		return fmt.Errorf("replay letter %s: %w", id, engine.ErrClosed)
	}
	return nil
}

func isStreamID(s string) bool {
	ms, n, ok := strings.Cut(s, "-")
	_, err1 := strconv.ParseUint(ms, 10, 64)
	_, err2 := strconv.ParseUint(n, 10, 64)
	return ok && err1 == nil && err2 == nil
}
