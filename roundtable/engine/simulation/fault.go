package simulation

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Kind is a kind of fault.
type Kind string

// The faults. The first group befalls a replica, the second a request to the store,
// the third one to Slack, the fourth the panel.
const (
	CrashBefore Kind = "crash before"
	CrashAfter  Kind = "crash after"
	PauseBefore Kind = "pause before"    // the replica stands still, longer than its lease
	PauseAfter  Kind = "pause after"     // the same, with the reply unread
	Stop        Kind = "orderly restart" // the replica is told to stop, and another takes its place
	Outage      Kind = "outage"          // all replicas crash, and others come only much later

	LostReply Kind = "lost reply" // performed, and the caller learns of an error
	Refusal   Kind = "refusal"    // not performed; 429 if it is Slack that refuses
	Failover  Kind = "failover"   // another server takes over and may lack what nobody was told of
	Rollback  Kind = "rollback"   // another server takes over and lacks the newest writes, told or not
	StoreAway Kind = "store away" // nothing is performed and all fails, for minutes

	Fail      Kind = "server error" // a post is not performed, and nobody can know
	Late      Kind = "late"         // a post is performed after its request failed, before Slack has settled
	Hidden    Kind = "hidden"       // a post stands, but reading does not show it until Slack has settled
	Tardy     Kind = "tardy"        // a post is performed after Slack should have settled
	Reject    Kind = "rejection"    // a post is refused for good
	Shut      Kind = "shut"         // a post is refused because of the channel, which takes the next
	SlackAway Kind = "Slack away"   // nothing is performed and nobody can know, for minutes

	PanelFails Kind = "panel fails"
)

// Kinds lists all faults.
func Kinds() []Kind {
	return []Kind{
		CrashBefore, CrashAfter, PauseBefore, PauseAfter, Stop, Outage, LostReply, Refusal, Failover, Rollback,
		StoreAway, Fail, Late, Hidden, Tardy, Reject, Shut, SlackAway, PanelFails,
	}
}

// Fault is a fault and the call that it befalls: by its key, or the nth that is
// let go, counted from 1 over all replicas.
type Fault struct {
	Key  string
	Nth  int
	Kind Kind
}

func (f Fault) String() string {
	if f.Nth != 0 {
		return fmt.Sprintf("%s, call %d", f.Kind, f.Nth)
	}
	return fmt.Sprintf("%s: %s", f.Kind, f.Key)
}

// Hazards say how faults are drawn: at so many of ten thousand calls, of these
// kinds, until there were so many.
type Hazards struct {
	Rate  int
	Most  int
	Kinds []Kind
}

// befalls reports whether a kind of fault can befall a call.
func (k Kind) befalls(c *call) bool {
	switch k {
	case CrashBefore, PauseBefore, Stop, Outage:
		return true
	case CrashAfter, PauseAfter, LostReply, Refusal:
		return c.port != portPanel
	case Failover, Rollback, StoreAway:
		return c.port == portStore || c.port == portItems
	case SlackAway:
		return c.port == portSlack
	case Fail, Late, Hidden, Tardy:
		return c.post != nil
	case Reject, Shut:
		return c.post != nil && !strings.HasSuffix(c.post.Key, "/root")
	case PanelFails:
		return c.port == portPanel
	default:
		return false
	}
}

// disturbs reports whether a fault may end a holding in a way that the next holder
// takes for a crash.
func (k Kind) disturbs() bool {
	return slices.Contains([]Kind{CrashBefore, CrashAfter, PauseBefore, PauseAfter, Stop, Outage, LostReply, Refusal, Failover, Rollback, StoreAway}, k)
}

// The bounds of faults that take time.
const (
	leaseTime  = 30 * time.Second // of the store
	shortPause = leaseTime + 5*time.Second
	longPause  = 3 * leaseTime
	// outageFrom and outageTo are how long an outage lasts.
	outageFrom, outageTo = time.Minute, time.Hour
	// awayFrom and awayTo are how long the store or Slack is away.
	awayFrom, awayTo = 5 * time.Second, 15 * time.Minute
	// settling is how long after a request left Slack may still perform or hide it:
	// Options.Settle without Options.PostTimeout, less a margin.
	settling = 2900 * time.Millisecond
	// tardiness is when a tardy post is performed.
	tardyFrom, tardyTo = 20 * time.Second, 40 * time.Second
)

// fault decides what befalls a call.
func (w *world) fault(c *call) Kind {
	if w.plan.Faults != nil {
		for _, f := range w.plan.Faults {
			if f.Key == c.key || f.Nth != 0 && f.Nth == w.released {
				if f.Kind.befalls(c) {
					return f.Kind
				}
			}
		}
		return ""
	}
	h := w.plan.Hazards
	if len(w.faults) >= h.Most || len(h.Kinds) == 0 || w.calm || int(w.dice.roll("fault", c.key)%10_000) >= h.Rate {
		return ""
	}
	if k := h.Kinds[w.dice.below(len(h.Kinds), "kind", c.key)]; k.befalls(c) {
		return k
	}
	return ""
}
