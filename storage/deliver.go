package storage

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/roundtable-chat/app/roundtable/engine"
)

// Deliver stores an input in its discussion's mailbox (I1); see engine.Store.
//
// An input counts as a duplicate if its id or one of Also was the id or among the
// Also of an input that waits or was consumed, in this discussion, also after it
// was closed. A duplicate is never claimed. Busy is true when the discussion
// is held, by whomever; its holder sees the mail in its next reply, and if the
// holder dies the poller finds it when the lease ends.
func (r *Redis) Deliver(ctx context.Context, d engine.Delivery) (engine.Delivered, error) {
	fail := func(err error) (engine.Delivered, error) {
		return engine.Delivered{}, fmt.Errorf("deliver to discussion %s: %w", d.Ref.ID, err)
	}
	if err := checkRef(d.Ref); err != nil {
		return fail(err)
	}
	if d.Mail.ID == "" {
		return fail(fmt.Errorf("mail needs an id"))
	}
	if err := checkSize("mail", d.Mail.Body); err != nil {
		return fail(err)
	}
	k := []string{r.keys.thread(d.Ref), r.keys.mailbox(d.Ref), r.keys.log(d.Ref), r.keys.seen(d.Ref)}
	shard := r.keys.shard(d.Ref.Team, d.Ref.Channel)
	k = append(k, r.keys.due(shard), r.keys.act(shard), r.keys.channel(d.Ref.Team, d.Ref.Channel))
	if d.Thread != "" {
		k = append(k, r.keys.alias(d.Ref.Team, d.Ref.Channel, d.Thread))
	}
	var by engine.Claimant
	if d.Claim != nil {
		if by = *d.Claim; by.Owner == "" {
			return fail(fmt.Errorf("a claimant needs a name"))
		}
	}
	args := []any{
		member(d.Ref), mark(d.Mail.ID), packMail(d.Mail), r.mailbox, d.Opens, d.Thread,
		by.Owner, by.LogFrom, string(by.LogRev), r.lease.Milliseconds(), r.run(ctx, k[0]), d.From, "",
	}
	for _, m := range marks(d.Also) {
		args = append(args, m)
	}
	answer, sent, err := r.deliver(ctx, k, append(args, r.operation()))
	if err != nil {
		return fail(err)
	}
	got := newReply(answer)
	delivered := engine.Delivered{Reception: engine.Reception(got.text()), Busy: got.flag()}
	if delivered.Reception == engine.Taken {
		return delivered, got.err
	}
	if got.more() {
		if delivered.Claim, err = newReply(got.next()).claim(d.Ref, r.deadline(sent), r.run(ctx, k[0])); err != nil {
			return fail(err)
		}
	}
	if got.err != nil {
		return fail(got.err)
	}
	return delivered, nil
}

// mostNamed bounds how often whose a thread is changes while a delivery looks at it.
const mostNamed = 5

// deliver runs the script. Every key that a script reads is known before it runs, so that
// the discussion whose thread it is has to be named where that is another: then the script
// looks whether that goes on, and whose the thread is has not changed meanwhile.
func (r *Redis) deliver(ctx context.Context, k []string, args []any) (answer any, sent time.Time, err error) {
	const named = 12 // its place among the arguments
	for range mostNamed {
		if answer, sent, err = r.do(ctx, call{deliverScript, k, args, true}); err != nil {
			return nil, sent, err
		}
		got := newReply(answer)
		if engine.Reception(got.text()) != engine.Taken {
			break
		}
		got.flag()
		holder := got.text()
		if got.err != nil || holder == args[named] {
			break
		}
		other, err := parseMember(holder)
		if err != nil {
			return nil, sent, err
		}
		k, args = append(slices.Clip(k[:8]), r.keys.thread(other), r.keys.mailbox(other)), slices.Clone(args)
		args[named] = holder
	}
	return answer, sent, nil
}
