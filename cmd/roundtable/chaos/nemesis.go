package chaos

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"
)

// What the journal counts besides faults of the weather.
const (
	posts      = "posts asked for"
	retracted  = "doubles retracted"
	killed     = "replica kill -9"
	drained    = "replica replaced (SIGTERM, rolling restart)"
	paused     = "replica halted for longer than a lease (SIGSTOP)"
	refreshed  = "sockets refreshed by Slack"
	severed    = "all sockets cut"
	openings   = "discussions asked for"
	messages   = "messages written"
	edits      = "messages edited"
	deletions  = "messages deleted"
	reactions  = "marks put on messages"
	clicks     = "buttons pressed"
	unanswered = "acts that the app did not answer in time"
)

// nemesis is who causes the violence.
type nemesis struct {
	*campaign
	dice *rand.Rand
	// kill, weather and upset are when the next of each is due; every is the mean
	// time between kills.
	kill, storm, upset time.Time
	every, upsetEvery  time.Duration
	halted             map[*replica]time.Time
}

func newNemesis(c *campaign) *nemesis {
	n := &nemesis{campaign: c, dice: c.plan.dice(diceNemesis), halted: make(map[*replica]time.Time)}
	n.every = c.plan.For / time.Duration(max(c.plan.Kills, 1))
	n.upsetEvery = c.plan.For / time.Duration(c.plan.Upsets+1)
	now := time.Now()
	n.kill, n.storm, n.upset = now.Add(n.every), now, now.Add(n.upsetEvery)
	return n
}

// act does what is due next, or waits a little.
func (n *nemesis) act() {
	now := time.Now()
	for r, until := range n.halted {
		if now.After(until) {
			r.wake()
			delete(n.halted, r)
		}
	}
	switch {
	case now.After(n.storm):
		n.storm = now.Add(time.Second + n.span(time.Second))
		n.town.weather.change(n.town.Workspace, n.dice)
	case now.After(n.upset) && n.plan.Upsets > n.log.count(upsets):
		if what := n.ground.upset(n.t); what != "" {
			n.log.add(what, 1)
			n.log.add(upsets, 1)
			n.upset = now.Add(n.upsetEvery)
		} else {
			n.upset = now.Add(time.Second)
		}
	case now.After(n.kill):
		n.strike()
		n.kill = now.Add(n.pause(now))
	default:
		pass(n.violent, 20*time.Millisecond)
	}
}

// pause is the time to the next kill, so that in the time that is left all kills
// that are left find room.
func (n *nemesis) pause(now time.Time) time.Duration {
	mean := n.every
	if end, ok := n.violent.Deadline(); ok {
		mean = min(mean, end.Sub(now)/time.Duration(max(n.plan.Kills-n.log.count(killed), 1)))
	}
	return mean/2 + n.span(mean+1)
}

// span is a random time below d.
func (n *nemesis) span(d time.Duration) time.Duration {
	return time.Duration(n.dice.Int64N(max(int64(d), 1)))
}

// upsets counts what happened to Redis, of whatever kind.
const upsets = "Redis upsets"

// strike hits one replica: it is mostly killed, sometimes something else.
func (n *nemesis) strike() {
	r := n.fleet.replicas[n.dice.IntN(len(n.fleet.replicas))]
	switch throw := n.dice.IntN(20); {
	case throw == 0 && len(n.halted) == 0:
		n.roll()
	case throw <= 2 && len(n.halted) == 0:
		if r.halt() {
			n.log.add(paused, 1)
			n.halted[r] = time.Now().Add(lease + time.Second + n.span(2*time.Second))
		}
	case throw == 3:
		n.log.add(refreshed, 1)
		n.town.Disconnect("refresh_requested")
	case throw == 4:
		n.log.add(severed, 1)
		n.town.Disconnect("cut")
	}
	// Whatever else happened, somebody is killed who is awake.
	awake := slices.DeleteFunc(slices.Clone(n.fleet.replicas), func(r *replica) bool { _, asleep := n.halted[r]; return asleep })
	if len(awake) > 0 && awake[n.dice.IntN(len(awake))].kill() {
		n.log.add(killed, 1)
	}
}

// roll replaces one replica after the other, as a deployment does.
func (n *nemesis) roll() {
	for _, r := range n.fleet.replicas {
		if n.violent.Err() != nil {
			return
		}
		if err := r.replace(n.violent); err != nil && n.violent.Err() == nil {
			n.log.violation("process", "%v", fmt.Errorf("rolling restart: %w", err))
			return
		}
		n.log.add(drained, 1)
	}
}
