package simulation

import (
	"context"
	"time"

	"github.com/roundtable-chat/app/roundtable/engine"
)

// storePort is the store as a replica sees it. What the engine never calls by
// itself is not there and would panic.
type storePort struct {
	engine.Store
	through
}

// Deliver implements engine.Store.
func (s storePort) Deliver(ctx context.Context, d engine.Delivery) (got engine.Delivered, err error) {
	sent := time.Now()
	err = s.w.gate.pass(&call{replica: s.r, port: portStore, name: "deliver", about: d.Ref.ID + " " + d.Mail.ID, ctx: ctx, delivery: true, do: func() (err error) {
		got, err = s.w.store.deliver(d, sent)
		return err
	}})
	if err != nil {
		return engine.Delivered{}, err
	}
	return got, nil
}

// Claim implements engine.Store.
func (s storePort) Claim(ctx context.Context, ref engine.Ref, by engine.Claimant) (h *engine.Claim, err error) {
	sent := time.Now()
	err = s.pass(ctx, portStore, "claim", ref.ID, func() (err error) {
		h, err = s.w.store.claim(ref, by, sent)
		return err
	})
	if err != nil {
		return nil, err
	}
	return h, nil
}

// Commit implements engine.Store.
func (s storePort) Commit(ctx context.Context, h *engine.Claim, c engine.Commit) (r engine.Committed, err error) {
	sent, held := time.Now(), *h
	waits := &call{replica: s.r, port: portStore, name: commitName(c), about: h.Ref.ID, ctx: ctx, turn: true}
	waits.do = func() (err error) {
		intrudes := s.w.intrudes(s.r, held.Ref)
		if s.w.flaw.Unfenced {
			_, held.Token = s.w.store.memory.Holder(held.Ref)
		}
		r, err = s.w.store.commit(&held, c, sent)
		if err == nil && intrudes {
			s.w.intrusions[held.Ref]++
		}
		switch {
		case r.Wait > 0:
			waits.rest = r.Wait + time.Millisecond
		case c.Unattempt && c.Mode != engine.ModeYield:
			waits.rest = longestRest
		}
		return err
	}
	err = s.w.gate.pass(waits)
	if err != nil {
		return engine.Committed{}, err
	}
	return r, nil
}

// longestRest is how long a turn waits at most before it tries a post again, unless
// it gives the discussion back.
const longestRest = 5 * time.Second

// commitName tells commits apart by what matters most in them.
func commitName(c engine.Commit) string {
	name := "commit"
	for _, part := range [...]struct {
		has  bool
		name string
	}{
		{len(c.Consumed) > 0, "+mail"},
		{c.Done > 0, "+done"},
		{len(c.Enqueue) > 0, "+effects"},
		{c.Attempt, "+attempt"},
		{c.Unattempt, "+unattempt"},
		{c.Mode == engine.ModeRelease || c.Mode == engine.ModeYield, "+release"},
		{c.Mode == engine.ModeYield, "+yield"},
		{c.Mode == engine.ModeClose, "+close"},
		{len(c.Park) > 0, "+park"},
	} {
		if part.has {
			name += part.name
		}
	}
	return name
}

// Try implements engine.Store.
func (s storePort) Try(ctx context.Context, h *engine.Claim, what string) (r engine.Committed, err error) {
	sent, held := time.Now(), *h
	err = s.pass(ctx, portStore, "try", h.Ref.ID, func() (err error) {
		r, err = s.w.store.try(&held, what, sent)
		return err
	})
	if err != nil {
		return engine.Committed{}, err
	}
	return r, nil
}

// Renew implements engine.Store.
func (s storePort) Renew(ctx context.Context, h *engine.Claim) (r engine.Committed, err error) {
	sent, held := time.Now(), *h
	err = s.pass(ctx, portStore, "renew", h.Ref.ID, func() (err error) {
		r, err = s.w.store.renew(&held, sent)
		return err
	})
	if err != nil {
		return engine.Committed{}, err
	}
	return r, nil
}

// Due implements engine.Store.
func (s storePort) Due(ctx context.Context, limit int) (due []engine.Ref, err error) {
	err = s.w.gate.pass(&call{replica: s.r, port: portStore, name: "due", ctx: ctx, poll: true, do: func() (err error) {
		due, err = s.w.store.memory.Due(ctx, limit)
		return err
	}})
	if err != nil {
		return nil, err
	}
	return due, nil
}

// States implements engine.Store.
func (s storePort) States(ctx context.Context, refs []engine.Ref) (states []engine.StoredState, err error) {
	err = s.pass(ctx, portStore, "read", refs[0].ID, func() (err error) {
		states, err = s.w.store.memory.States(ctx, refs)
		return err
	})
	if err != nil {
		return nil, err
	}
	return states, nil
}

// MayRead implements engine.Store.
func (s storePort) MayRead(ctx context.Context, team string, every time.Duration) (wait time.Duration, err error) {
	err = s.pass(ctx, portStore, "may_read", team, func() (err error) {
		wait, err = s.w.store.memory.MayRead(ctx, team, every)
		return err
	})
	return wait, err
}

// First implements engine.Store.
func (s storePort) First(ctx context.Context, what string) (first bool, err error) {
	err = s.pass(ctx, portStore, "first", what, func() (err error) {
		first, err = s.w.store.memory.First(ctx, what)
		return err
	})
	return first, err
}

// ListOpen implements engine.Store.
func (s storePort) ListOpen(ctx context.Context, limit int) (l []engine.Listed, err error) {
	err = s.w.gate.pass(&call{replica: s.r, port: portStore, name: "list open", ctx: ctx, do: func() (err error) {
		l, err = s.w.store.memory.ListOpen(ctx, limit)
		return err
	}})
	if err != nil {
		return nil, err
	}
	return l, nil
}

// Log implements engine.Store.
func (s storePort) Log(ctx context.Context, ref engine.Ref, from int) (lines [][]byte, err error) {
	err = s.pass(ctx, portStore, "log", ref.ID, func() (err error) {
		lines, err = s.w.store.memory.Log(ctx, ref, from)
		return err
	})
	if err != nil {
		return nil, err
	}
	return lines, nil
}
