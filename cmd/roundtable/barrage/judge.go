package barrage

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	redis "github.com/redis/go-redis/v9"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/analysis"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// storeClient reads the keys of Redis themselves, of which the store lists only those
// of discussions that are open.
type storeClient = redis.UniversalClient

// growth is by how much the program's memory may grow after a tenth of the envelopes.
const growth = 64 << 10 // KiB

// hushed are words that no log may hold: forged ones, the people's, the tokens.
var hushed = []string{quokka, guestmark, "Ledger", "Keepsake", "keepsake", "What about case", "xoxb-", "xapp-", "evil.example"}

// judge looks at what is left.
func (b *barrage) judge() {
	if !b.alive() {
		b.fail("the program has ended: see %s", b.log)
	}
	if b.report.Early > 0 && b.report.Late > b.report.Early+growth {
		b.fail("memory grew from %d to %d MiB", b.report.Early>>10, b.report.Late>>10)
	}
	ctx := context.Background()
	for _, look := range []func(context.Context) error{b.judgeMatters, b.judgeParked, b.judgeKept} {
		if err := look(ctx); err != nil {
			b.fail("the evidence cannot be read: %v", err)
		}
	}
	if err := b.judgeLog(); err != nil {
		b.fail("the log cannot be read: %v", err)
	}
	b.judgePosts()
}

// judgeMatters: nobody opened, ended or decided anything without the right (FR-108, I12).
func (b *barrage) judgeMatters(ctx context.Context) error {
	scan := b.client.Scan(ctx, 0, "{rt1:*}:t:*", 1000).Iterator()
	seen := make(map[string]bool)
	for scan.Next(ctx) {
		_, member, _ := strings.Cut(scan.Val(), "}:t:")
		part := strings.SplitN(member, "/", 3)
		if len(part) != 3 || seen[member] {
			continue
		}
		seen[member] = true
		ref := engine.Ref{Team: part[0], Channel: part[1], ID: part[2]}
		state, log, err := b.store.Read(ctx, ref)
		if errors.Is(err, engine.ErrNotFound) || err == nil && state == nil {
			continue
		}
		if err != nil {
			return err
		}
		if err := b.judgeMatter(ref, state, log); err != nil {
			return err
		}
	}
	return scan.Err()
}

func (b *barrage) judgeMatter(ref engine.Ref, state []byte, log [][]byte) error {
	forbid := func(by thread.Person, did string) {
		if by.ID != "" && !entitled(by.ID, ref.Channel) {
			b.fail("%s in %s: %q %s", ref.ID, ref.Channel, by.ID, did)
		}
	}
	if ref.Team != team {
		b.fail("%s in %s is of workspace %s", ref.ID, ref.Channel, ref.Team)
	}
	if thread.KindOf(state) == analysis.StateKind {
		b.report.Analyses++
		a, err := analysis.Decode(state)
		forbid(a.Opener, "began the analysis")
		return err
	}
	if thread.KindOf(state) != "" {
		return nil // a forgetting, of which judgeKept judges what became
	}
	b.report.Discussions++
	d, err := roundtable.Decode(state)
	if err != nil {
		return err
	}
	entries, err := thread.DecodeLog(ref.ID, log)
	if err != nil {
		return err
	}
	forbid(d.Opener, "opened it")
	if at, ok, err := b.store.FindThread(context.Background(), team, ref.Channel, d.Place.Thread); err == nil && ok && at != ref && d.State != roundtable.StateClosed {
		b.fail("%s in %s: its thread was taken by %s, so that it hears nobody", ref.ID, ref.Channel, at.ID)
	}
	if d.Exit != nil && d.Exit.By != nil {
		forbid(*d.Exit.By, "ended it")
	}
	for _, c := range d.Decided {
		forbid(c.By, "chose in it")
	}
	for _, m := range thread.ReadTranscript(entries).Marks {
		if m.Kind == thread.MarkDecision {
			forbid(m.By, "decided in it")
		}
	}
	for _, e := range entries {
		if e.Person != nil && (e.Person.ID == otto || e.Person.ID == nell && ref.Channel != side) {
			b.fail("%s in %s: words of %s are in the log", ref.ID, ref.Channel, e.Person.ID)
		}
	}
	if d.Outcome != nil {
		for _, p := range d.Outcome.Decisions {
			if strings.Contains(p.Text, guestmark) {
				b.fail("%s in %s: the word of somebody who may only write is a decision of the synthesis", ref.ID, ref.Channel)
			}
		}
	}
	return nil
}

// judgeParked: nothing that people wrote was put aside (I1).
func (b *barrage) judgeParked(ctx context.Context) error {
	letters, err := b.store.DeadLetters(ctx, 100_000)
	if err != nil {
		return err
	}
	b.report.Parked = len(letters)
	for _, l := range letters {
		if b.heard[strings.TrimPrefix(l.Mail.ID, "m:")] {
			b.fail("%s of %s was put aside: %s", l.Mail.ID, l.Ref.ID, l.Reason)
		}
	}
	return nil
}

// judgeKept: what nobody had the right to forget is there, the thread and the document.
func (b *barrage) judgeKept(ctx context.Context) error {
	if _, _, err := b.store.Read(ctx, refOf(&b.kept)); err != nil {
		b.fail("the thread that Priya had held to its end was forgotten: %v", err)
	}
	item, err := b.store.ReadItem(ctx, engine.ItemRef{Team: team, Channel: b.kept.room, Slug: "keepsake"})
	if err != nil && !errors.Is(err, engine.ErrNotFound) {
		return err
	}
	if len(item.Files) == 0 {
		b.fail("the document that Priya's discussion wrote was forgotten")
	}
	return nil
}

// judgeLog: no panic, no words, no token (I11).
func (b *barrage) judgeLog() (err error) {
	f, err := os.Open(b.log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	leaks := make(map[string]int)
	shown := make(map[string]string)
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		line := lines.Text()
		b.report.LogBytes += int64(len(line)) + 1
		for _, word := range hushed {
			if strings.Contains(line, word) {
				leaks[word]++
				shown[word] = line[:min(len(line), 300)]
			}
		}
		if strings.HasPrefix(line, "panic:") || strings.HasPrefix(line, "fatal error:") || strings.Contains(line, "handler panicked") {
			b.fail("it panicked: %s", line[:min(len(line), 2000)])
		}
	}
	for word, n := range leaks {
		b.fail("%q stands in %d lines of the log, at last in %s", word, n, shown[word])
	}
	return lines.Err()
}

// judgePosts: the app called nobody together (I12).
func (b *barrage) judgePosts() {
	for _, room := range rooms() {
		for _, m := range b.town.Messages(room) {
			if m.BotID == "" {
				continue
			}
			for _, call := range []string{"<!channel", "<!here", "<!everyone", "<!subteam"} {
				if strings.Contains(m.Text, call) {
					b.fail("the message at %s in %s holds %s", m.TS, room, call)
				}
			}
			if kind := calling(m.Blocks); kind != "" {
				b.fail("the message at %s in %s holds an element %s", m.TS, room, kind)
			}
		}
	}
}

// calling is the type of an element that notifies many, or empty.
func calling(v any) string {
	switch v := v.(type) {
	case []any:
		for _, each := range v {
			if kind := calling(each); kind != "" {
				return kind
			}
		}
	case object:
		if kind, _ := v["type"].(string); kind == "broadcast" || kind == "usergroup" {
			return kind
		}
		for _, each := range v {
			if kind := calling(each); kind != "" {
				return kind
			}
		}
	}
	return ""
}

// closed reports whether a talk is over, or gone.
func (b *barrage) closed(t *talk) bool {
	state, _, err := b.store.Read(context.Background(), refOf(t))
	if err != nil || state == nil {
		return false
	}
	d, err := roundtable.Decode(state)
	return err == nil && d.State == roundtable.StateClosed
}

// weigh is how much memory the program has, in KiB; 0 where nobody can tell.
func (b *barrage) weigh() int {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", b.process.Process.Pid))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(raw), "VmRSS:")
	field, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
	n, _ := strconv.Atoi(field)
	return n
}
