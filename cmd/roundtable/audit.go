package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"time"

	"github.com/roundtable-chat/app/cmd/roundtable/config"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// auditFlags are those of the command that are no settings.
type auditFlags struct {
	since, until, channel string
	json                  bool
}

// auditLine is a line of the audit record as programs read it. Fields are only added.
type auditLine struct {
	ID      string    `json:"id"`
	At      time.Time `json:"at"`
	Act     string    `json:"act"`
	By      string    `json:"by,omitempty"`
	Team    string    `json:"team"`
	Channel string    `json:"channel"`
	Thread  string    `json:"thread,omitempty"`
	Item    string    `json:"item,omitempty"`
	Detail  string    `json:"detail,omitempty"`
	Number  int       `json:"number,omitempty"`
}

// runAudit prints the audit record: who did what, when and where, without a word of what
// anybody wrote (FR-111).
func runAudit(ctx context.Context, s streams, args []string) (err error) {
	var f auditFlags
	c, rest, err := configure(s, "audit", args, config.Variant{Needs: []string{"redis-url"}, Flags: func(set *flag.FlagSet) {
		set.StringVar(&f.since, "since", "", "leave out what is older: a time (2026-11-21, 2026-11-21T08:00:00Z) or an age (24h)")
		set.StringVar(&f.until, "until", "", "leave out what is newer, given in the same way")
		set.StringVar(&f.channel, "channel", "", "id of one channel (default all)")
		set.BoolVar(&f.json, "json", false, "print one JSON object per line")
	}})
	if err != nil {
		return err
	}
	if err := exactly(rest, 0); err != nil {
		return err
	}
	q, err := f.query(time.Now())
	if err != nil {
		return err
	}
	store, err := openStore(ctx, c, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	if !f.json {
		if _, err := fmt.Fprintln(s.err, "AT\tACT\tBY\tCHANNEL\tTHREAD\tITEM\tDETAIL\tNUMBER"); err != nil {
			return err
		}
	}
	out := json.NewEncoder(s.out)
	return store.ReadActs(ctx, q, func(a engine.Act) error {
		l := auditLine{a.ID, a.At, string(a.Kind), a.By, a.Team, a.Channel, a.Thread, a.Item, string(a.Detail), a.Number}
		if f.json {
			return out.Encode(l)
		}
		_, err := fmt.Fprintf(s.out, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%d\n", l.At.Format(time.RFC3339), l.Act, l.By, l.Channel, l.Thread, l.Item, l.Detail, l.Number)
		return err
	})
}

// noteOperator adds what an operator did with an item to the audit record. Where the
// documents are in a directory and no Redis is named, there is none.
func noteOperator(ctx context.Context, c config.Config, ref engine.ItemRef, kind thread.AuditKind) error {
	if c.RedisURL == "" {
		return nil
	}
	store, err := openStore(ctx, c, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	return errors.Join(store.NoteAct(ctx, engine.Act{
		ID: rand.Text(), Team: ref.Team, Channel: ref.Channel, Item: thread.ItemMark(ref.Slug),
		Audit: thread.Audit{Kind: kind, Detail: thread.DetailItem},
	}), store.Close())
}

// query reads the flags at a time.
func (f auditFlags) query(now time.Time) (q engine.ActQuery, err error) {
	if q.Since, err = pointInTime(f.since, now); err != nil {
		return q, config.Usagef("--since: %w", err)
	}
	if q.Until, err = pointInTime(f.until, now); err != nil {
		return q, config.Usagef("--until: %w", err)
	}
	q.Channel = f.channel
	return q, nil
}

// pointInTime reads a day or a time of UTC, or how long ago it was; nothing is no time.
func pointInTime(text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	for _, form := range []string{time.RFC3339, time.DateOnly} {
		if t, err := time.Parse(form, text); err == nil {
			return t, nil
		}
	}
	if ago, err := time.ParseDuration(text); err == nil && ago >= 0 {
		return now.Add(-ago), nil
	}
	return time.Time{}, fmt.Errorf("%q is neither a time such as 2026-11-21 or 2026-11-21T08:00:00Z nor a duration such as 24h", text)
}
