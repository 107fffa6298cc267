package storage

import (
	"context"
	"fmt"

	"github.com/roundtable-chat/app/roundtable/engine"
)

// Deliver stores an input in its discussion's mailbox (I1); see engine.Store.
//
// An input counts as a duplicate if its id or one of Also was the id or among the
// Also of an input that waits or was consumed, in this discussion, also after it
// was closed. A duplicate is never claimed. busy is true when the discussion
// is held, by whomever; its holder sees the mail in its next reply, and if the
// holder dies the poller finds it when the lease ends.
func (r *Redis) Deliver(ctx context.Context, d engine.Delivery) (engine.Reception, *engine.Holding, bool, error) {
	fail := func(err error) (engine.Reception, *engine.Holding, bool, error) {
		return "", nil, false, fmt.Errorf("deliver to discussion %s: %w", d.Ref.ID, err)
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
	k = append(k, r.keys.due(shard), r.keys.act(shard))
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
		by.Owner, by.LogFrom, r.lease.Milliseconds(), r.run(ctx, k[0]),
	}
	for _, m := range marks(d.Also) {
		args = append(args, m)
	}
	answer, sent, err := r.do(ctx, call{deliverScript, k, append(args, r.operation()), true})
	if err != nil {
		return fail(err)
	}
	got := newReply(answer)
	reception, busy := engine.Reception(got.text()), got.flag()
	var h *engine.Holding
	if got.more() {
		if h, err = newReply(got.next()).holding(d.Ref, r.deadline(sent), r.run(ctx, k[0])); err != nil {
			return fail(err)
		}
	}
	if got.err != nil {
		return fail(got.err)
	}
	return reception, h, busy, nil
}
