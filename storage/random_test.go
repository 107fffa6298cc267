package storage_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/engine/enginetest"
	"github.com/roundtable-chat/app/storage"
	"github.com/roundtable-chat/app/storage/storagetest"
	"github.com/roundtable-chat/app/storage/storagetest/contract"
)

// randomOperations is how many operations each seed performs.
const randomOperations = 1000

// TestRandomOperations holds the store against the model: several owners do
// whatever they like, also with tokens long gone and with replies lost on the
// way, and every answer must be the same (I1, I2, I5, I7).
func TestRandomOperations(t *testing.T) {
	t.Parallel()
	storagetest.EachServer(t, func(t *testing.T, s *storagetest.Server) {
		for seed := range uint64(4) {
			t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
				client := s.Client(t)
				defer func() { _ = client.Close() }()
				losing := &lossyReplies{rand: rand.New(rand.NewPCG(seed, 2))}
				client.AddHook(losing)
				p := &pair{
					T: t, server: s, rand: rand.New(rand.NewPCG(seed, 1)), ctx: t.Context(),
					holdings: make(map[int]both),
				}
				// The server's clock is read through the replies, so that both agree.
				p.model = &enginetest.Memory{Clock: func() time.Time { return p.now }, MailboxLimit: 6}
				o := storage.Options{Client: client, Prefix: fmt.Sprintf("seed%d", seed), MailboxLimit: 6, Shards: 3}
				if s.Real {
					// Time passes while a reply is lost, so a bucket must not fill meanwhile.
					p.model.Pace = 1000 * time.Second
					o.PaceRate = 1 / p.model.Pace.Seconds()
				}
				store, err := storage.Open(p.ctx, o)
				if err != nil {
					t.Fatal(err)
				}
				p.store, p.now = store, clock(t, client)
				losing.armed = true
				for p.step = range randomOperations {
					p.operate()
				}
				if losing.lost == 0 {
					t.Fatal("no reply was lost")
				}
			})
		}
	})
}

// both is one holding as the store and as the model know it.
type both struct{ real, model *engine.Claim }

// pair is a store and a model that are told the same.
type pair struct {
	*testing.T
	server   *storagetest.Server
	store    contract.Store
	model    *enginetest.Memory
	rand     *rand.Rand
	ctx      context.Context
	now      time.Time
	step     int
	holdings map[int]both // by a number; stale ones are kept and used
	count    int
}

func (p *pair) ref() engine.Ref {
	channel := fmt.Sprintf("C%d", p.rand.IntN(2))
	return engine.Ref{Team: "T", Channel: channel, ID: fmt.Sprintf("%s-d%d-%d", channel, p.rand.IntN(3), p.step/250)}
}

func (p *pair) id() string { return "m:" + p.ts() }

func (p *pair) ts() string { return fmt.Sprint(p.rand.IntN(40)) }

func (p *pair) same(what string, got, want any, how ...cmp.Option) {
	p.Helper()
	if diff := cmp.Diff(want, got, how...); diff != "" {
		p.Fatalf("operation %d, %s: model and store disagree (-model +store):\n%s", p.step, what, diff)
	}
}

func (p *pair) operate() {
	switch n := p.rand.IntN(100); {
	case n < 30:
		p.deliver()
	case n < 45:
		p.claim()
	case n < 80:
		p.commit()
	case n < 82:
		p.try()
	case n < 85:
		p.renew()
	case n < 90:
		p.read()
	case n < 93:
		p.replay()
	case n < 97:
		p.item()
	default:
		if !p.server.Real {
			d := time.Duration(p.rand.IntN(20_000)) * time.Millisecond
			p.server.Pass(d)
			p.now = p.now.Add(d)
		}
	}
}

func (p *pair) deliver() {
	d := engine.Delivery{Ref: p.ref(), Mail: engine.Mail{ID: p.id(), Body: []byte("b")}, Opens: p.rand.IntN(4) > 0}
	for range p.rand.IntN(3) {
		d.Also = append(d.Also, p.id())
	}
	if p.rand.IntN(3) == 0 {
		d.Thread = fmt.Sprintf("thread %d", p.rand.IntN(5))
	}
	if n := p.rand.IntN(4); n > 0 {
		d.From = fmt.Sprintf("U%d", n/2)
	}
	var rev *both
	if p.rand.IntN(2) == 0 {
		rev = p.known()
		d.Claim = &engine.Claimant{Owner: "o", LogFrom: p.rand.IntN(3), LogRev: rev.real.LogRev}
	}
	got, err := p.store.Deliver(p.ctx, d)
	if err != nil {
		p.Fatal(err)
	}
	if got.Claim != nil {
		p.now = got.Claim.Now
	}
	if rev != nil {
		d.Claim.LogRev = rev.model.LogRev
	}
	want, _ := p.model.Deliver(p.ctx, d)
	p.same("reception", got.Reception, want.Reception)
	p.same("busy", got.Busy, want.Busy)
	p.holding(got.Claim, want.Claim)
}

func (p *pair) claim() {
	rev := p.known()
	ref, by := p.ref(), engine.Claimant{Owner: "o", LogFrom: p.rand.IntN(3), LogRev: rev.real.LogRev}
	h1, err := p.store.Claim(p.ctx, ref, by)
	if err != nil {
		p.Fatal(err)
	}
	if h1 != nil {
		p.now = h1.Now
	}
	by.LogRev = rev.model.LogRev
	h2, _ := p.model.Claim(p.ctx, ref, by)
	p.holding(h1, h2)
}

// known is a holding of which a claimant may know the log's revision, or none.
func (p *pair) known() *both {
	h, ok := p.holdings[p.rand.IntN(8)]
	if !ok {
		h = both{&engine.Claim{}, &engine.Claim{}}
	}
	return &h
}

// holding compares two holdings in everything but token, deadline and the name of the
// server's run, and keeps them.
func (p *pair) holding(h1, h2 *engine.Claim) {
	p.Helper()
	if h1 == nil || h2 == nil {
		p.same("held", h1 != nil, h2 != nil)
		return
	}
	a, b := *h1, *h2
	a.Token, b.Token, a.Until, b.Until = "", "", time.Time{}, time.Time{}
	a.Run, b.Run = "", ""
	p.same("log rewritten", a.LogRev != "", b.LogRev != "")
	a.LogRev, b.LogRev = "", "" // named by operations, which differ
	p.same("held mail", sorted(a.Mail), sorted(b.Mail))
	a.Mail, b.Mail = nil, nil
	if p.server.Real && a.Attempted.IsZero() == b.Attempted.IsZero() {
		a.Attempted, b.Attempted = time.Time{}, time.Time{}
	}
	if len(a.Outbox) == 0 && len(b.Outbox) == 0 {
		a.Outbox, b.Outbox = nil, nil
	}
	if len(a.Log) == 0 && len(b.Log) == 0 {
		a.Log, b.Log = nil, nil
	}
	p.same("holding", a, b)
	p.holdings[p.rand.IntN(8)] = both{h1, h2}
}

func sorted(mail []engine.Mail) []string {
	var out []string
	for _, m := range mail {
		out = append(out, m.ID+"="+string(m.Body))
	}
	slices.Sort(out)
	return out
}

func (p *pair) change(h *engine.Claim) engine.Commit {
	chance := func(percent int) bool { return p.rand.IntN(100) < percent }
	p.count++
	var c engine.Commit
	if chance(50) {
		c.State = fmt.Appendf(nil, "state %d", p.count)
	}
	for _, m := range h.Mail {
		switch {
		case chance(70):
			c.Consumed = append(c.Consumed, m.ID)
		case chance(20):
			c.Park, c.ParkReason = append(c.Park, m.ID), "why"
		}
	}
	for i := range p.rand.IntN(3) {
		c.Append = append(c.Append, fmt.Appendf(nil, "entry %d %d", p.count, i))
		c.Enqueue = append(c.Enqueue, engine.OutboxEntry{Key: fmt.Sprintf("k%d-%d", p.count, i), Body: []byte("b")})
	}
	for i := range min(h.LogLen, 3) {
		if chance(15) {
			c.Rewrite = append(c.Rewrite, engine.Rewrite{Index: i, Line: fmt.Appendf(nil, "rewritten %d", p.count)})
		}
	}
	if chance(2) {
		c.Rewrite = append(c.Rewrite, engine.Rewrite{Index: 1000})
	}
	if chance(70) {
		c.Done = max(len(h.Outbox)+p.rand.IntN(2)-p.rand.IntN(2), 0)
	}
	switch {
	case chance(30):
		c.Attempt = true
	case chance(20):
		c.Unattempt = true
	}
	if chance(5) {
		c.PaceUntil = p.now.Add(time.Hour)
	}
	if chance(10) {
		c.Alias = fmt.Sprintf("thread %d", p.rand.IntN(5))
	}
	for range p.rand.IntN(2) {
		c.Posted = append(c.Posted, p.ts())
	}
	switch {
	case chance(10):
		c.Mode = engine.ModeClose
	case chance(10):
		c.Mode = engine.ModeYield
	case chance(40):
		c.Mode = engine.ModeRelease
	}
	switch p.rand.IntN(3) {
	case 0:
		c.Wake = p.now.Add(-time.Minute)
	case 1:
		c.Wake = p.now.Add(time.Hour)
	}
	return c
}

func (p *pair) commit() {
	at := p.rand.IntN(8)
	h, ok := p.holdings[at]
	if !ok {
		return
	}
	c := p.change(h.model)
	done1, err1 := p.store.Commit(p.ctx, h.real, c)
	if err1 == nil {
		p.now = done1.Now
	}
	done2, err2 := p.model.Commit(p.ctx, h.model, c)
	p.same("commit's failure", kind(err1), kind(err2))
	if err1 != nil {
		return
	}
	p.same("must wait", done1.Wait > 0, done2.Wait > 0)
	if !p.server.Real {
		p.same("wait", done1.Wait, done2.Wait)
	}
	p.same("released", done1.Released, done2.Released)
	p.same("mail", sorted(done1.Mail), sorted(done2.Mail))
	// Holdings are copied, so that stale ones stay as they were.
	next := both{&engine.Claim{}, &engine.Claim{}}
	*next.real, *next.model = *h.real, *h.model
	next.real.Token, next.model.Token = done1.Token, done2.Token
	if len(c.Rewrite) > 0 {
		next.real.LogRev, next.model.LogRev = engine.LogRev(done1.Token), engine.LogRev(done2.Token)
	}
	next.model.Mail = done2.Mail
	next.model.Outbox = append(slices.Clone(h.model.Outbox), c.Enqueue...)[c.Done:]
	p.holdings[at] = next
}

func kind(err error) string {
	switch {
	case err == nil:
		return ""
	case errors.Is(err, engine.ErrFenced):
		return "fenced"
	case errors.Is(err, engine.ErrConflict):
		return "conflict"
	case errors.Is(err, engine.ErrNotFound):
		return "not found"
	case errors.Is(err, engine.ErrClosed):
		return "closed"
	}
	return "refused"
}

func (p *pair) renew() {
	h, ok := p.holdings[p.rand.IntN(8)]
	if !ok {
		return
	}
	done1, err1 := p.store.Renew(p.ctx, h.real)
	if err1 == nil {
		p.now = done1.Now
	}
	done2, err2 := p.model.Renew(p.ctx, h.model)
	p.same("renewal's failure", kind(err1), kind(err2))
	p.same("mail at renewal", sorted(done1.Mail), sorted(done2.Mail))
}

func (p *pair) try() {
	h, ok := p.holdings[p.rand.IntN(8)]
	if !ok {
		return
	}
	what := p.id()
	done1, err1 := p.store.Try(p.ctx, h.real, what)
	if err1 == nil {
		p.now = done1.Now
	}
	done2, err2 := p.model.Try(p.ctx, h.model, what)
	p.same("announcement's failure", kind(err1), kind(err2))
	p.same("mail at an announcement", sorted(done1.Mail), sorted(done2.Mail))
	if err1 == nil {
		h.real.Token, h.model.Token = done1.Token, done2.Token
	}
}
