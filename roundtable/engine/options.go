package engine

import (
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/analysis"
	"github.com/roundtable-chat/app/roundtable/persona"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// Options configure an engine. Zero durations and counts mean the defaults
// named below.
type Options struct {
	Store     Store
	Items     Items
	Workplace Workplace
	Panel     Panel
	// Roster gives the personas as configured now. Discussions keep the seats
	// they were opened with; the roster adds their voices.
	Roster func() persona.Roster
	// Inquirer thinks for the leads of analyses; nil: they ask the prompts of the
	// step files, and what is said is written down as it was said.
	Inquirer Inquirer
	// Catalogue gives the phases and steps of analyses as configured now; nil: none.
	Catalogue func() analysis.Catalogue
	// Farewells forget, for those who may; nil: nothing can be forgotten here, and what
	// was begun elsewhere waits.
	Farewells Farewells
	// Permalink gives the address of a message in a place's thread, for documents; empty
	// if it is not known. nil: none is known.
	Permalink func(place thread.Place, ts string) string
	// Owner names this replica in leases; unique among the replicas alive.
	Owner string

	// rules decide about discussions: roundtable.Step, unless a test of this package wants
	// to see what becomes of rules that fail.
	rules func(roundtable.Discussion, roundtable.Input) roundtable.Result

	Logger  *slog.Logger          // nil: discard
	Metrics prometheus.Registerer // nil: measure nothing

	// Workers bounds the discussions that are worked on at once: decided, committed,
	// posted. Those that wait, for the panel, for a permit to post or for people, do
	// not count. Default 64.
	Workers int
	// Asks bounds the questions that the panel is asked at once, and with them what
	// is held in memory. Beyond it a discussion is given back and asks again a few
	// seconds later. Default 16 for each of Workers.
	Asks int
	// Linger is how far ahead a wake-up may lie for a discussion to stay in
	// memory rather than be released and claimed again. Default and most 5 s;
	// negative: never linger.
	Linger time.Duration
	// PostTimeout bounds one request to Slack that is in the outbox. Default 10 s.
	PostTimeout time.Duration
	// Settle is how long after an attempt Slack may still perform it, or not yet
	// show it. Longer than PostTimeout; default PostTimeout + 3 s (ARCHITECTURE.md, “Posting exactly once”).
	Settle time.Duration
	// PanelTimeout bounds one question to the panel. Default 5 min.
	PanelTimeout time.Duration
	// Retention is how long the store keeps a discussion after its end. Default
	// 30 days.
	Retention time.Duration
	// Poll is how often the store is asked for work. Default 250 ms.
	Poll time.Duration
	// Drain is how long effects under way may take once Run is told to stop.
	// Default 20 s.
	Drain time.Duration
	// PoisonLimit is how often in a row its holder may end with what it had announced
	// before that is put aside. Default 3.
	PoisonLimit int
	// RecoverEvery is the pause between two threads of a workspace that are read for
	// messages which never came, over all replicas. Default 1.5 s: 40 a minute, of the
	// 50 that Slack allows.
	RecoverEvery time.Duration
	// LogBytes bounds about how much is kept in memory of the logs of discussions that
	// somebody just spoke in. Twice as much may be held by those that wait there for
	// people, for a permit to post or for Slack to settle. Default 32 MiB.
	LogBytes int
}

// withDefaults checks the options and fills in what is missing.
func (o Options) withDefaults() (Options, error) {
	switch {
	case o.Store == nil || o.Items == nil || o.Workplace == nil || o.Panel == nil || o.Roster == nil:
		return o, errors.New("new engine: Store, Items, Workplace, Panel and Roster are needed")
	case o.Owner == "":
		return o, errors.New("new engine: an Owner is needed")
	case o.Linger > maxLinger:
		return o, fmt.Errorf("new engine: Linger is %v, the most is %v", o.Linger, maxLinger)
	}
	if o.rules == nil {
		o.rules = roundtable.Step
	}
	if o.Catalogue == nil {
		o.Catalogue = func() analysis.Catalogue { return analysis.Catalogue{} }
	}
	if o.Permalink == nil {
		o.Permalink = func(thread.Place, string) string { return "" }
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	fill(&o.Workers, 64)
	fill(&o.Asks, 16*o.Workers)
	fill(&o.Linger, maxLinger)
	fill(&o.PostTimeout, 10*time.Second)
	fill(&o.Settle, o.PostTimeout+3*time.Second)
	fill(&o.PanelTimeout, 5*time.Minute)
	fill(&o.Retention, 30*24*time.Hour)
	fill(&o.Poll, 250*time.Millisecond)
	fill(&o.Drain, 20*time.Second)
	fill(&o.PoisonLimit, 3)
	fill(&o.LogBytes, 32<<20)
	fill(&o.RecoverEvery, 1500*time.Millisecond)
	if o.Settle <= o.PostTimeout {
		return o, fmt.Errorf("new engine: Settle %v must be longer than PostTimeout %v", o.Settle, o.PostTimeout)
	}
	return o, nil
}

func fill[T int | time.Duration](v *T, otherwise T) {
	if *v == 0 {
		*v = otherwise
	}
}
