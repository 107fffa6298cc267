package chaos

import (
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/roundtable-chat/app/bot/slacksim"
)

// trouble is something that Slack's Web API does to some calls.
type trouble struct {
	name    string
	chance  float64
	verdict slacksim.Verdict
	// reads strikes what is read back, otherwise posts.
	reads bool
	// late performs the post after all, when it has been given up and sent again.
	late bool
}

// troubles are the bad days of the Web API. Those in doubt are rare, because each
// costs its discussion the settling time.
var troubles = []trouble{
	{name: "post refused with 429", chance: .3, verdict: slacksim.Verdict{Status: http.StatusTooManyRequests, RetryAfter: time.Second}},
	{name: "post failed with 503, not performed", chance: .06, verdict: slacksim.Verdict{Status: http.StatusServiceUnavailable}},
	{name: "post performed, then failed with 502", chance: .06, verdict: slacksim.Verdict{Status: http.StatusBadGateway, AfterPerforming: true}},
	{name: "post cut before it was performed", chance: .06, verdict: slacksim.Verdict{Cut: true}},
	{name: "post performed, then cut", chance: .06, verdict: slacksim.Verdict{Cut: true, AfterPerforming: true}},
	{name: "post performed, then answered internal_error", chance: .06, verdict: slacksim.Verdict{Error: "internal_error", AfterPerforming: true}},
	{name: "post delayed by 0.8 s", chance: .3, verdict: slacksim.Verdict{Delay: 800 * time.Millisecond}},
	{name: "post delayed past the lease", chance: .04, verdict: slacksim.Verdict{Delay: lease + time.Second}},
	{name: lateName, chance: .06, verdict: slacksim.Verdict{Cut: true}, late: true},
	{name: "read lagged by 2 s", chance: .5, verdict: slacksim.Verdict{Lag: 2 * time.Second}, reads: true},
	{name: "read failed with 503", chance: .4, verdict: slacksim.Verdict{Status: http.StatusServiceUnavailable}, reads: true},
}

// lateName names the trouble that no settling time prevents: it makes doubles, which an
// audit has to heal.
const (
	lateName = "post cut, and performed after it was sent again"
	lateBy   = settle + 1500*time.Millisecond
)

// hindrance is what may befall calls that come seldom, or that nobody waits for.
// Unlike a trouble it is about all the time, or it would never meet them.
type hindrance struct {
	name    string // of the call, in the report
	methods []string
	chance  float64 // that a call fails in one of its ways
}

// hindrances strike the healing of doubles hardest, because there is so little of
// it. What Slack does with a failed delete or update is documented no better than
// for posts: it was performed or it was not.
var hindrances = []hindrance{
	{name: "delete", methods: []string{"chat.delete"}, chance: .7},
	{name: "update", methods: []string{"chat.update"}, chance: .25},
	{name: "status or reaction", methods: []string{"assistant.threads.setStatus", "reactions.add"}, chance: .25},
}

// ways are the ways in which a hindered call fails.
var ways = []struct {
	name    string
	verdict slacksim.Verdict
}{
	{"refused with 429", slacksim.Verdict{Status: http.StatusTooManyRequests, RetryAfter: time.Second}},
	{"failed with 503, not performed", slacksim.Verdict{Status: http.StatusServiceUnavailable}},
	{"performed, then failed with 502", slacksim.Verdict{Status: http.StatusBadGateway, AfterPerforming: true}},
	{"cut before it was performed", slacksim.Verdict{Cut: true}},
	{"performed, then cut", slacksim.Verdict{Cut: true, AfterPerforming: true}},
}

// mischief is something that happens to deliveries to the app.
type mischief struct {
	name  string
	fault slacksim.Fault
}

var mischiefs = []mischief{
	{"acknowledgement dropped", slacksim.Fault{Event: "*", DropAck: true, Probability: .3}},
	{"acknowledgement late, taken after the event was sent again", slacksim.Fault{Event: "*", LateAck: true, Probability: .3}},
	{"event delivered late", slacksim.Fault{Event: "message", LateMS: 1500, Probability: .5}},
	{"event delivered twice", slacksim.Fault{Event: "*", Duplicate: true, Probability: .5}},
	{"event overtaken by the next", slacksim.Fault{Event: "message", Swap: true, Probability: .5}},
	{"socket cut on delivery", slacksim.Fault{Event: "*", CutSocket: true, Probability: .1}},
}

// strikes bounds how often one mischief happens in a row, and lets its uses be
// counted: what is left of it when it ends did not happen.
const strikes = 1000

// weather decides what befalls calls and deliveries. At most one trouble and one
// mischief are about at a time, and with them all hindrances.
type weather struct {
	log   *journal
	roots bool // introductions may be late

	mu    sync.Mutex
	dice  *rand.Rand
	now   *trouble
	armed *mischief
	// landing counts the late posts about to be performed, by their metadata.
	landing map[string]int
	flying  sync.WaitGroup
}

func newWeather(p Plan, j *journal) *weather {
	return &weather{log: j, roots: p.LateRoots, dice: p.dice(diceWeather), landing: make(map[string]int)}
}

// judge is slacksim.Options.Before. perform performs a post, late.
func (w *weather) judge(method string, args map[string]string, perform func(map[string]string)) slacksim.Verdict {
	if method == "chat.postMessage" && w.lands(args["metadata"]) {
		return slacksim.Verdict{}
	}
	if method == "chat.postMessage" {
		w.log.add(posts, 1)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	b := w.now
	if b == nil {
		return slacksim.Verdict{}
	}
	if !b.strikes(method) || b.late && args["thread_ts"] == "" && !w.roots || w.dice.Float64() >= b.chance {
		return w.hinder(method)
	}
	w.log.add(b.name, 1)
	if b.late {
		again := maps.Clone(args)
		w.flying.Go(func() {
			<-time.After(lateBy)
			w.mu.Lock()
			w.landing[again["metadata"]]++
			w.mu.Unlock()
			perform(again)
		})
	}
	return b.verdict
}

// hinder throws the dice over a call that hindrances may befall. The caller holds
// mu.
func (w *weather) hinder(method string) slacksim.Verdict {
	for _, h := range hindrances {
		if slices.Contains(h.methods, method) && w.dice.Float64() < h.chance {
			way := ways[w.dice.IntN(len(ways))]
			w.log.add(h.name+" "+way.name, 1)
			return way.verdict
		}
	}
	return slacksim.Verdict{}
}

// performed is slacksim.Options.After: it counts the doubles that are really gone.
func (w *weather) performed(c slacksim.CallRecord) {
	if c.Method == "chat.delete" && c.Performed {
		w.log.add(retracted, 1)
	}
}

// lands reports whether a post is one that is performed late.
func (w *weather) lands(metadata string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.landing[metadata] == 0 {
		return false
	}
	w.landing[metadata]--
	return true
}

func (b *trouble) strikes(method string) bool {
	if b.reads {
		return strings.HasPrefix(method, "conversations.")
	}
	return method == "chat.postMessage"
}

// change puts another trouble and another mischief in place of those before.
func (w *weather) change(s *slacksim.Workspace, dice *rand.Rand) {
	w.settle(s)
	bad := mischiefs[dice.IntN(len(mischiefs))]
	w.mu.Lock()
	w.now, w.armed = &troubles[dice.IntN(len(troubles))], &bad
	w.mu.Unlock()
	f := bad.fault
	f.Count = strikes
	s.Arm(f)
}

// settle ends the mischief that is about and counts what it did.
func (w *weather) settle(s *slacksim.Workspace) {
	w.mu.Lock()
	was := w.armed
	w.armed = nil
	w.mu.Unlock()
	if was == nil {
		return
	}
	for _, f := range s.Armed() {
		w.log.add(was.name, strikes-f.Count)
	}
	s.Disarm()
}

// clear ends the trouble that is about, and with it the hindrances.
func (w *weather) clear() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now = nil
}
