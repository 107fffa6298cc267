package storage

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	redis "github.com/redis/go-redis/v9"

	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// packAct returns a line of the audit record as stored: id, kind, team, channel, thread,
// item, person, detail and number, separated by bars, of which none holds one. The time is
// that of the stream's entry. Fields are only ever added at the end.
func packAct(a engine.Act) string {
	number := ""
	if a.Number != 0 {
		number = strconv.Itoa(a.Number)
	}
	fields := []string{a.ID, string(a.Kind), a.Team, a.Channel, a.Thread, a.Item, a.By, string(a.Detail), number}
	for i := range fields {
		fields[i] = strings.ReplaceAll(fields[i], "|", "") // no id and no word of ours has one
	}
	return strings.TrimRight(strings.Join(fields, "|"), "|")
}

// unpackAct is the inverse of packAct.
func unpackAct(shard int, m redis.XMessage) (engine.Act, error) {
	packed, _ := m.Values["act"].(string)
	field := append(strings.Split(packed, "|"), make([]string, 9)...)
	a := engine.Act{
		ID: field[0], Team: field[2], Channel: field[3], Thread: field[4], Item: field[5],
		Audit: thread.Audit{Kind: thread.AuditKind(field[1]), By: field[6], Detail: thread.AuditDetail(field[7])},
	}
	ms, err := strconv.ParseInt(strings.SplitN(m.ID, "-", 2)[0], 10, 64)
	if err == nil && field[8] != "" {
		a.Number, err = strconv.Atoi(field[8])
	}
	if err != nil || a.ID == "" || a.Kind == "" {
		return a, fmt.Errorf("line %s of shard %d is damaged", m.ID, shard)
	}
	a.At = time.UnixMilli(ms).UTC()
	return a, nil
}

// checkAct refuses a line that says nothing.
func checkAct(a engine.Act) error {
	if a.ID == "" || a.Kind == "" {
		return fmt.Errorf("a line of the audit record needs an id and says what was done")
	}
	return checkChannel(a.Team, a.Channel)
}

// NoteAct adds a line to the audit record; see engine.Acts.
func (r *Redis) NoteAct(ctx context.Context, a engine.Act) error {
	if err := checkAct(a); err != nil {
		return fmt.Errorf("note an act: %w", err)
	}
	_, _, err := r.do(ctx, call{
		script: noteScript, keys: []string{r.keys.audit(r.keys.shard(a.Team, a.Channel))},
		args: []any{packAct(a), r.audited.Milliseconds(), r.operation()}, durable: true,
	})
	if err != nil {
		return fmt.Errorf("note an act: %w", err)
	}
	return nil
}

// actsAtOnce is how many lines of a shard are read in one request.
const actsAtOnce = 500

// ReadActs hands over the lines of the audit record, oldest first; see engine.Acts. It
// holds one page of each shard in memory, and the ids of what it handed over. A line that
// is older than the record is kept is not read, though it may not have been removed yet.
func (r *Redis) ReadActs(ctx context.Context, q engine.ActQuery, each func(engine.Act) error) error {
	now, err := r.clock(ctx)
	if err != nil {
		return fmt.Errorf("read the audit record: read the clock: %w", err)
	}
	if oldest := now.Add(-r.audited); q.Since.Before(oldest) {
		q.Since = oldest
	}
	pages := make([]*actPage, r.keys.shards)
	for shard := range pages {
		pages[shard] = &actPage{r: r, shard: shard, next: strconv.FormatInt(millis(q.Since), 10), last: "+"}
		if !q.Until.IsZero() {
			pages[shard].last = strconv.FormatInt(q.Until.UnixMilli(), 10)
		}
		if err := pages[shard].fill(ctx); err != nil {
			return fmt.Errorf("read the audit record: %w", err)
		}
	}
	seen := make(map[string]bool)
	for p := earliestPage(pages); p != nil; p = earliestPage(pages) {
		a := p.acts[0]
		if err := p.pop(ctx); err != nil {
			return fmt.Errorf("read the audit record: %w", err)
		}
		if seen[a.ID] || q.Channel != "" && a.Channel != q.Channel {
			continue
		}
		seen[a.ID] = true
		if err := each(a); err != nil {
			return err
		}
	}
	return nil
}

// actPage is where reading one shard's lines has come to.
type actPage struct {
	r          *Redis
	shard      int
	next, last string
	acts       []engine.Act
}

// earliestPage is the one whose next line is the oldest; nil when all are read.
func earliestPage(pages []*actPage) (first *actPage) {
	for _, p := range pages {
		if len(p.acts) > 0 && (first == nil || p.acts[0].At.Before(first.acts[0].At)) {
			first = p
		}
	}
	return first
}

// pop takes the next line off.
func (p *actPage) pop(ctx context.Context) error {
	if p.acts = p.acts[1:]; len(p.acts) > 0 || p.next == "" {
		return nil
	}
	return p.fill(ctx)
}

// fill reads the next page, which is empty when there is none.
func (p *actPage) fill(ctx context.Context) error {
	found, err := p.r.client.XRangeN(ctx, p.r.keys.audit(p.shard), p.next, p.last, actsAtOnce).Result()
	if err != nil {
		return err
	}
	p.acts, p.next = nil, ""
	for _, m := range found {
		a, err := unpackAct(p.shard, m)
		if err != nil {
			return err
		}
		p.acts = append(p.acts, a)
	}
	if len(found) == actsAtOnce {
		p.next = "(" + found[len(found)-1].ID
	}
	return nil
}
