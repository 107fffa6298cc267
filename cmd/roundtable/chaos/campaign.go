package chaos

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/roundtable-chat/app/roundtable/engine/invariant"
)

// Plan says how violent a campaign is and how long it lasts.
type Plan struct {
	// Binary is the roundtable program.
	Binary string
	// Older is a program of an earlier version, or empty. The replicas' first lives are its,
	// and then each life is the other program's: an upgrade and its taking back, again and
	// again.
	Older string
	// Commit names the source of Binary for the report; it may be empty.
	Commit string
	// Mode chooses the Redis and what befalls it.
	Mode Mode
	// Seed decides the schedule and the conversations.
	Seed uint64
	// For is how long the violence lasts, Kills how many kills it is spread over.
	For   time.Duration
	Kills int
	// Upsets is how often Redis restarts or fails over.
	Upsets int
	// Replicas is how many processes serve, Tables how many discussions or pairs of
	// discussions are held at once.
	Replicas, Tables int
	// LateRoots lets introductions, too, be performed long after they were given up
	// and sent again.
	LateRoots bool
	// Prompt is within what 99 of 100 acknowledgements to the team must come while rogues
	// are about and nobody is killed; zero does not judge it, for a machine that has
	// other things to do.
	Prompt time.Duration
	// Patience bounds the wait for everything to come to rest after healing.
	Patience time.Duration
}

// binary is the program of a replica's life.
func (p Plan) binary(life int) string {
	if p.Older != "" && life%2 == 0 {
		return p.Older
	}
	return p.Binary
}

// campaign is one run of a plan.
type campaign struct {
	t      testing.TB
	plan   Plan
	log    *journal
	town   *town
	ground *ground
	fleet  *fleet
	store  *window
	gauge  *gauge // nil unless rogues are about
	// violent ends when the violence does; people then bring their discussions to
	// an end.
	violent context.Context

	mu    sync.Mutex
	talks []*talk
}

// Run plays a plan to its end and judges it. What it cannot set up fails the test;
// what it finds stands in the verdict.
func Run(t testing.TB, p Plan) Verdict {
	t.Helper()
	c := &campaign{t: t, plan: p, log: newJournal()}
	c.ground = newGround(t, p.Mode)
	c.town = newTown(t, p, c.log)
	c.gauge = c.town.gauge
	c.store = newWindow(t, c.ground)
	c.fleet = newFleet(t, p, c.town, c.ground, c.log)
	begun := time.Now()
	c.ready()

	violent, calm := context.WithTimeout(context.Background(), p.For)
	defer calm()
	c.violent = violent
	everybody, leave := context.WithTimeoutCause(context.Background(), p.For+p.Patience, errors.New("not everybody could finish in time"))
	defer leave()
	var people errgroup.Group
	for i := range p.Tables {
		people.Go(func() error { return c.table(everybody, i) })
	}
	c.suffer()
	c.heal()
	if err := people.Wait(); err != nil {
		c.log.judge("the campaign", invariant.Evidence{Restless: fmt.Sprintf("people could not finish: %v", err)})
	}
	c.rest(everybody)
	c.fleet.stop()
	return c.judge(begun)
}

// keep remembers a talk for the judgement.
func (c *campaign) keep(t *talk) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.talks = append(c.talks, t)
}

// ready waits until every replica is connected.
func (c *campaign) ready() {
	ctx, cancel := context.WithTimeoutCause(context.Background(), 30*time.Second, errors.New("the replicas took too long to start"))
	defer cancel()
	if err := until(ctx, "all replicas are connected", 20*time.Millisecond, func() bool { return c.town.Connections() >= 2*c.plan.Replicas }); err != nil {
		c.t.Fatal(err)
	}
}

// dice are the seeded dice of one part of the campaign, so that no part disturbs
// the throws of another.
func (p Plan) dice(part uint64) *rand.Rand { return rand.New(rand.NewPCG(p.Seed, part)) }

// Parts of a campaign that throw dice; tables come after them.
const (
	diceNemesis = iota + 1
	diceWeather
	diceRogues
	diceTables = 1000
)

// suffer lets the violence happen until its time is over, that of the rogues with it.
// Then all replicas are replaced, each of which must end in time whatever runs, and
// load whatever has gathered.
func (c *campaign) suffer() {
	if c.plan.Mode != Hostile {
		c.rage()
		return
	}
	weighing, weighed := context.WithCancel(context.Background())
	var scales errgroup.Group
	scales.Go(func() error {
		c.gauge.weigh(weighing, c.fleet)
		return nil
	})
	c.t.Cleanup(func() {
		weighed()
		_ = scales.Wait()
	})
	gone := c.besiege()
	if c.plan.Kills > 0 {
		c.rage()
	}
	<-c.violent.Done()
	gone()
	c.doubted()
	c.fleet.wake()
	for _, r := range c.fleet.replicas {
		if err := r.replace(context.Background()); err != nil {
			c.log.violation("process", "%v", fmt.Errorf("after the rogues had gone: %w", err))
		}
		c.log.add(drained, 1)
	}
}

// rage lets the violence happen until its time is over. It runs on the test's own
// goroutine, because the servers of storagetest want that.
func (c *campaign) rage() {
	n := newNemesis(c)
	for c.violent.Err() == nil {
		n.act()
	}
}

// heal ends every fault and wakes whoever was halted.
func (c *campaign) heal() {
	c.town.clear()
	c.ground.heal(c.t)
	c.fleet.wake()
}

// pass waits, or less if ctx ends first, and reports whether it has not.
func pass(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// until polls until something holds, or ctx ends; then it says what did not come
// about.
func until(ctx context.Context, what string, every time.Duration, holds func() bool) error {
	for !holds() {
		if !pass(ctx, every) {
			return fmt.Errorf("wait until %s: %w", what, context.Cause(ctx))
		}
	}
	return nil
}
