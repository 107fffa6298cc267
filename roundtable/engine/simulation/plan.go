package simulation

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// Plan is everything that a run depends on, besides the code. The same plan always
// gives the same run.
type Plan struct {
	// Seed decides the order of calls, how long they take and where faults befall.
	Seed uint64
	// Replicas is how many engines run at once; Discussions how many people open.
	Replicas    int
	Discussions int
	Settings    roundtable.Settings
	// Acts are what people do, after one another.
	Acts []Act
	// Hazards draw faults. With Faults not nil, those befall and no others.
	Hazards Hazards
	Faults  []Fault
	// Skew is how far the store's clock is ahead of Slack's and of the replicas'.
	Skew time.Duration
	// Slow is how long the panel thinks at most. Linger is engine.Options.Linger.
	Slow   time.Duration
	Linger time.Duration
	// Guest makes person 2 a guest of the workspace.
	Guest bool
	// Hostile judges what rogues may not bring about, and lets the store refuse what is
	// too large, as the real one does.
	Hostile bool
	// Over plays on until the discussions are over, a week after their end.
	Over bool
	// Prompt lets every call go at once and in the order of their names: the calmest
	// of schedules, to which Shrink tries to come.
	Prompt bool
}

// Act is one thing that a person does.
type Act struct {
	// After is how long after the act before.
	After time.Duration
	// In is the number of the discussion, from 1.
	In int
	// Who is the person, 1 or 2, a rogue from 3 on; 0: nobody does anything.
	Who int
	// One of: a message; an edit, or the deletion, of the message that the act of
	// that number (from 1) said; an emoji on the nth contribution; a button.
	Say    string
	Edit   int
	Delete int
	React  int
	Text   string
	Press  thread.ButtonKind
	Value  string
	// Unknown: Slack does not say who the person is when this happens.
	Unknown bool
	// Lost: Slack never tells of it, though it stands there. Twice: it tells twice.
	Lost, Twice bool
}

func (a Act) String() string {
	if a.Who == 0 {
		return fmt.Sprintf("after %v, nothing", a.After)
	}
	s := fmt.Sprintf("after %v, U%d in D%d ", a.After, a.Who, a.In)
	switch {
	case a.Say != "":
		s += fmt.Sprintf("says %.60q", a.Say)
	case a.Edit > 0:
		s += fmt.Sprintf("edits act %d to %.60q", a.Edit, a.Text)
	case a.Delete > 0:
		s += fmt.Sprintf("deletes act %d", a.Delete)
	case a.React > 0:
		s += fmt.Sprintf("puts %s on contribution %d", a.Text, a.React)
	default:
		s += fmt.Sprintf("presses %s %s", a.Press, a.Value)
	}
	if a.Unknown {
		s += " (unknown)"
	}
	if a.Lost {
		s += " (never delivered)"
	}
	if a.Twice {
		s += " (delivered twice)"
	}
	return s
}

// String is the plan as a person should read it.
func (p Plan) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "seed %d: %d replicas, %d discussions of %d turns, gathering %v, silence %v", p.Seed, p.Replicas, p.Discussions,
		p.Settings.MaxTurns, p.Settings.Gather, p.Settings.Silence)
	fmt.Fprintf(&b, ", the store's clock %v ahead, the panel within %v, lingering %v", p.Skew, p.Slow, p.Linger)
	for _, odd := range []struct {
		is   bool
		what string
	}{{p.Hostile, "rogues about"}, {p.Guest, "U2 a guest"}, {p.Prompt, "everything prompt"}, {p.Over, "played until all is over"}} {
		if odd.is {
			b.WriteString(", " + odd.what)
		}
	}
	b.WriteByte('\n')
	for i, a := range p.Acts {
		fmt.Fprintf(&b, "  act %d: %v\n", i+1, a)
	}
	for _, f := range p.Faults {
		fmt.Fprintf(&b, "  fault: %v\n", f)
	}
	return b.String()
}

// Draw draws a plan from a seed. Every seed has its own mixture: which kinds of
// faults can befall, how many, how fast everybody is and how many there are.
func Draw(seed uint64) Plan {
	d := dice(seed)
	p := Plan{
		Seed:        seed,
		Replicas:    2 + d.below(2, "replicas", ""),
		Discussions: 1 + d.below(4, "discussions", "")/3,
		Settings: roundtable.Settings{
			MaxTurns:  pick(d, "turns", 4, 6, 8, 12, 20),
			Gather:    pick(d, "gather", 0, 200*time.Millisecond, 3*time.Second),
			Silence:   pick(d, "silence", 0, 0, 10*time.Minute),
			MayExtend: true,
		},
		Skew:   pick(d, "skew", 0, 0, 2*time.Second, -2*time.Second, 25*time.Second, -25*time.Second),
		Slow:   pick(d, "slow", 300*time.Millisecond, 3*time.Second, 12*time.Second, 50*time.Second, 110*time.Second),
		Linger: pick(d, "linger", 5*time.Second, 5*time.Second, 500*time.Millisecond, -1),
		Over:   d.chance(100, "over", ""),
		Guest:  d.chance(200, "guest", ""),
	}
	for i := range 2 + d.below(6, "acts", "") {
		p.Acts = append(p.Acts, drawAct(d, i, p))
	}
	p.Hazards = Hazards{Rate: pick(d, "rate", 100, 300, 800), Most: d.below(8, "most", "")}
	for _, k := range Kinds() {
		if d.chance(400, "kind", string(k)) {
			p.Hazards.Kinds = append(p.Hazards.Kinds, k)
		}
	}
	// Whatever is performed after Slack's time may only be healed at the end.
	tardy := slices.Contains(p.Hazards.Kinds, Tardy)
	p.Over = p.Over || tardy
	if tardy || d.chance(500, "finish", "") {
		for i := range p.Discussions {
			after := 20 * time.Second
			if i > 0 { // nearly at once: both write the one item
				after = d.span(0, time.Second, "finish", fmt.Sprint(i))
			}
			p.Acts = append(p.Acts, Act{After: after, In: i + 1, Who: 1, Press: roundtable.ButtonWrapUp})
		}
	}
	return p
}

func pick[T any](d dice, about string, of ...T) T { return of[d.below(len(of), about, "")] }

// drawAct draws the ith act.
func drawAct(d dice, i int, p Plan) Act {
	name := fmt.Sprint(i)
	a := Act{
		In: 1 + d.below(p.Discussions, "in", name), Who: 1 + d.below(2, "who", name),
		After: d.span(50*time.Millisecond, 2*time.Second, "after", name),
		Lost:  d.chance(60, "event lost", name), Twice: d.chance(100, "event twice", name),
		Unknown: d.chance(150, "unknown", name),
	}
	switch d.below(10, "gap", name) {
	case 0, 1, 2, 3, 4:
		a.After = d.span(5*time.Second, 30*time.Second, "long", name)
	case 5:
		if p.Settings.Silence > 0 {
			a.After = p.Settings.Silence + d.span(time.Second, time.Minute, "silent", name)
		}
	}
	said := slices.IndexFunc(p.Acts, func(b Act) bool { return b.Say != "" && b.In == a.In }) + 1
	switch n := d.below(20, "what", name); {
	case n < 12:
		texts := sayings()
		if a.Say = texts[d.below(len(texts), "text", name)]; strings.Contains(a.Say, "%d") {
			a.Say = fmt.Sprintf(a.Say, i)
		}
	case n < 14 && said > 0:
		a.Edit, a.Text, a.Who = said, fmt.Sprintf("What about chargebacks, take %d?", i), p.Acts[said-1].Who
	case n < 15 && said > 0:
		a.Delete, a.Who = said, p.Acts[said-1].Who
	case n < 17:
		a.React, a.Text = 1+d.below(3, "which", name), pick(d, "emoji"+name, "white_check_mark", "question", "pushpin")
	default:
		buttons := []thread.ButtonKind{
			roundtable.ButtonContinue, roundtable.ButtonContinue, roundtable.ButtonExtend, roundtable.ButtonRetry, roundtable.ButtonChoose,
			roundtable.ButtonQuiet, roundtable.ButtonOpenFloor, roundtable.ButtonWrapUp, roundtable.ButtonKeepOn, roundtable.ButtonAgain,
		}
		a.Press = buttons[d.below(len(buttons), "button", name)]
		switch a.Press {
		case roundtable.ButtonExtend:
			a.Value = fmt.Sprint(p.Settings.MaxTurns)
		case roundtable.ButtonChoose:
			a.Value = "c1/0"
		default:
		}
	}
	return a
}

// exitWord ends a discussion.
const exitWord = "done"

// sayings are what people say, most of it with a number.
func sayings() []string {
	return []string{
		"What about refunds, case %d?", "What about fees, case %d?", "Alex, how does case %d scale?", "Everyone, what would you cut in case %d?",
		"Decision: one ledger for case %d.", "And who pays for case %d?", "<@U2> do you remember case %d?", "I agree with Maya on case %d.",
		"are we done?", exitWord,
	}
}
