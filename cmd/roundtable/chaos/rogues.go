package chaos

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/roundtable-chat/app/bot/slacksim"
	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// The people who mean harm, and what each may do by the settings of a campaign: the
// member may end and decide as everybody may, the others may do neither.
var (
	mallory = slacksim.Person{ID: "U0MALLORY", Name: "mallory", RealName: "Mallory Crane"}                        // a member
	nell    = slacksim.Person{ID: "U0NELL001", Name: "nell", RealName: "Nell Varga"}                              // a member who is in none of the team's rooms
	gina    = slacksim.Person{ID: "U0GUEST01", Name: "gina", RealName: "Gina Holt", IsRestricted: true}           // a guest
	gus     = slacksim.Person{ID: "U0GUEST02", Name: "gus", RealName: "Gus Brand", IsRestricted: true}            // another guest
	otto    = slacksim.Person{ID: "U0OTTO001", Name: "otto", RealName: "Otto Kern", TeamID: "T0OTHER01"}          // of another workspace
	robot   = "B0OTHER01"                                                                                         // another app
	hushed  = []string{"quokka", "guestmark", "Ledger", "ledger-", "Fridays", "evil.example", botToken, appToken} // what no log may hold
)

// staffed is how many colleagues there are whom a message can name.
const staffed = 300

// quokka stands in everything that the rogues write, so that a log that repeats it is
// found; guestmark in what must never become a decision.
const (
	quokka    = "quokka"
	guestmark = "guestmark"
)

// The rogues' own rooms. In elsewhere no discussion is ever held; to the vault only the
// team belongs.
const (
	elsewhere = "C0ELSEWH01"
	vault     = "C0VAULT001"
	alleys    = 8
	strewn    = 240 // messages that lie about elsewhere
)

func alley(n int) string { return fmt.Sprintf("C0ALLEY%03d", n%alleys) }

// rogue is somebody who means harm, with dice of their own.
type rogue struct {
	*campaign
	dice *rand.Rand
	acts []misdeed
	// scrap is the message that is edited again and again; names the thread in which
	// colleagues are named.
	scrap struct{ room, ts string }
	names target
}

// misdeed is one thing that a rogue does, by the name that the report gives it. An act
// that Slack or the app refuses has failed, which is all that one can wish for.
type misdeed struct {
	name string
	do   func(r *rogue, ctx context.Context)
}

// misdeeds are what each of the rogues does, in the order of the report.
func misdeeds() [][]misdeed {
	return [][]misdeed{
		{
			{"bursts of text that is slow to parse, each with an end", (*rogue).burst},
			{"documents that are slow to parse, put where the team's lie", (*rogue).plant},
			{"floods of long messages while a panel frames", (*rogue).flood},
		},
		{{"rounds of edits of one message of 39,000 characters", (*rogue).rewrite}},
		{{"messages that name ten colleagues, by the half dozen", (*rogue).roll}},
		{{"marks on forty messages where no discussion is", (*rogue).strew}},
		{
			{"links that show another address", (*rogue).disguise},
			{"messages under an id that strikes another's", (*rogue).strike},
			{"wishes that what others hold be forgotten", (*rogue).forget},
		},
		{
			{"words of guests and strangers that would end or decide", (*rogue).presume},
			{"marks of guests in the team's threads", (*rogue).approve},
			{"buttons that guests press", (*rogue).click},
		},
		{
			{"buttons that nobody was shown", (*rogue).forgeClick},
			{"forms for channels that their sender is not in", (*rogue).forgeForm},
			{"commands of guests and strangers", (*rogue).command},
			{"words of another app", (*rogue).automate},
		},
	}
}

// besiege lets the rogues do what they do until the violence ends, and returns what
// waits for them.
func (c *campaign) besiege() (leave func()) {
	c.litter()
	var all errgroup.Group
	for i, acts := range misdeeds() {
		r := &rogue{campaign: c, dice: c.plan.dice(diceRogues + uint64(i)), acts: acts}
		all.Go(func() error {
			for c.violent.Err() == nil {
				m := r.acts[r.dice.IntN(len(r.acts))]
				c.log.add(m.name, 1)
				m.do(r, c.violent)
				pass(c.violent, 200*time.Millisecond+time.Duration(r.dice.IntN(400))*time.Millisecond)
			}
			return nil
		})
	}
	return func() { _ = all.Wait() } // rogues return no error
}

// litter leaves messages where no discussion is held.
func (c *campaign) litter() {
	for i := range strewn {
		if _, err := c.town.Say(c.town.people[i%len(c.town.people)].ID, elsewhere, "", fmt.Sprintf("Note %d of the day.", i)); err != nil {
			c.t.Error(err)
		}
	}
}

// colleagues are the people whom a message can name, and who join the talks late.
func colleagues() []slacksim.Person {
	all := make([]slacksim.Person, staffed)
	for i := range all {
		all[i] = slacksim.Person{ID: fmt.Sprintf("U0STAFF%03d", i), Name: fmt.Sprintf("staff%03d", i), RealName: fmt.Sprintf("Colleague Nr%03d", i)}
	}
	return all
}

// target is a thread of the team's, with what stands in it.
type target struct {
	room, thread, id string
	messages         []*slacksim.Message
}

// target picks a thread of the team's, if there is one.
func (r *rogue) target() (t target, ok bool) {
	rooms := r.town.used()
	if len(rooms) == 0 {
		return t, false
	}
	recent := rooms[max(0, len(rooms)-2*r.plan.Tables):]
	t.room = recent[r.dice.IntN(len(recent))]
	all := r.town.Messages(t.room)
	for _, m := range all {
		if id := discussionOf(m); id != "" && (m.ThreadTS == "" || m.ThreadTS == m.TS) {
			t.thread, t.id = m.TS, id
		}
	}
	for _, m := range all {
		if m.TS == t.thread || m.ThreadTS == t.thread {
			t.messages = append(t.messages, m)
		}
	}
	return t, t.thread != ""
}

// utter posts for somebody what only a client can.
func (r *rogue) utter(by slacksim.Person, room, thread, text string) (ts string, ok bool) {
	ts, err := r.town.Utter(by.ID, slacksim.Utterance{Channel: room, Thread: thread, Text: text})
	return ts, err == nil
}

// serial makes topics unique.
var serial atomic.Int64

// open opens a discussion in an alley, waits until it is introduced, and returns its
// thread and its item.
func (r *rogue) open(ctx context.Context) (t target, ok bool) {
	t.room = alley(r.dice.IntN(alleys))
	topic := fmt.Sprintf("Matter %d of the %s", serial.Add(1), quokka)
	if _, err := r.town.act(ctx, "command", map[string]any{"as": mallory.ID, "channel": t.room, "command": "/roundtable", "text": topic}); err != nil {
		return t, false
	}
	patience, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	err := until(patience, "the rogue's introduction stands", 50*time.Millisecond, func() bool {
		for _, m := range r.town.Messages(t.room) {
			if strings.Contains(m.Text, topic) && discussionOf(m) != "" && !isReply(m) {
				t.thread, t.id = m.TS, discussionOf(m)
			}
		}
		return t.thread != ""
	})
	return t, err == nil
}

func isReply(m *slacksim.Message) bool { return m.ThreadTS != "" && m.ThreadTS != m.TS }

// size is how many characters a rogue's longest message has: a little less than what
// Slack takes.
const size = 39_000

// intricate are pieces of text of which many are slow to parse.
var intricate = []string{"[](", "[a](", "[a](b(c(", ">", "[", "![](", "*a _b ", "`", "<a ", "- ", "&lt;", "|a", "[a][", "**[", "> 1. "}

// tangle is a long text of one of these pieces.
func (r *rogue) tangle(n int) string {
	return strings.Repeat(intricate[r.dice.IntN(len(intricate))], n)[:n]
}

// burst writes seven messages that are slow to parse into a thread and ends it.
func (r *rogue) burst(ctx context.Context) {
	t, ok := r.open(ctx)
	if !ok {
		return
	}
	for i := range 7 {
		r.utter(mallory, t.room, t.thread, fmt.Sprintf("Decision: %d %s %s", i, quokka, r.tangle(size)))
	}
	r.utter(mallory, t.room, t.thread, "done")
	if near, ok := r.target(); ok && r.dice.IntN(4) == 0 { // and one where the team talks
		r.utter(mallory, near.room, near.thread, fmt.Sprintf("Decision: %s %s", quokka, r.tangle(size)))
	}
}

// flood writes forty long messages while the panel frames, and somebody of the team
// says a word among them.
func (r *rogue) flood(ctx context.Context) {
	t, ok := r.open(ctx)
	if !ok {
		return
	}
	for range 40 {
		r.utter(mallory, t.room, t.thread, quokka+strings.Repeat("議", size/3))
	}
	r.utter(r.town.people[0], t.room, t.thread, "Decision: the bystander was heard.")
}

// rewrite edits one long message again and again. The first act writes it.
func (r *rogue) rewrite(ctx context.Context) {
	if r.scrap.ts == "" {
		t, ok := r.open(ctx)
		if !ok {
			return
		}
		if r.scrap.ts, ok = r.utter(mallory, t.room, t.thread, "a first draft"); !ok {
			return
		}
		r.scrap.room = t.room
	}
	for range 40 {
		if ctx.Err() != nil || r.town.Amend(mallory.ID, r.scrap.room, r.scrap.ts, fmt.Sprintf("%d %s", serial.Add(1), strings.Repeat(quokka+" ", size/7-10))) != nil {
			return
		}
		r.log.add(rewrites, 1)
		pass(ctx, 10*time.Millisecond)
	}
}

// roll writes messages that name ten colleagues each.
func (r *rogue) roll(ctx context.Context) {
	if r.names.thread == "" {
		t, ok := r.open(ctx)
		if !ok {
			return
		}
		r.names = t
		r.utter(mallory, t.room, t.thread, "mute")
	}
	for range 6 {
		names := make([]string, 10)
		for i := range names {
			names[i] = fmt.Sprintf("<@U0STAFF%03d>", r.dice.IntN(staffed))
		}
		r.utter([]slacksim.Person{gina, mallory}[r.dice.IntN(2)], r.names.room, r.names.thread, quokka+" "+strings.Join(names, " "))
	}
}

// strew puts marks on messages elsewhere, each on another one.
func (r *rogue) strew(ctx context.Context) {
	all := r.town.Messages(elsewhere)
	from := r.dice.IntN(max(1, len(all)-strewnAtOnce))
	for _, m := range all[from:min(len(all), from+strewnAtOnce)] {
		for _, remove := range []bool{true, false} {
			what := map[string]any{"as": mallory.ID, "channel": elsewhere, "ts": m.TS, "name": "white_check_mark", "remove": remove}
			if _, err := r.town.act(ctx, "react", what); err == nil {
				r.log.add(strewnMarks, 1)
			}
		}
	}
}

// strewnAtOnce is how many messages one act marks.
const strewnAtOnce = 40

// What the rogues do by the dozen.
const (
	rewrites    = "edits in all"
	strewnMarks = "marks elsewhere in all"
)

// The address that a disguised link leads to, and those that it shows.
const evil = "evil.example"

var pretended = []string{"accounts.google.com", "pay.bank.com", "login.microsoftonline.com"}

// disguise writes links whose words are another address.
func (r *rogue) disguise(context.Context) {
	if t, ok := r.target(); ok {
		r.utter(mallory, t.room, t.thread, fmt.Sprintf("Decision: %s log in at <https://%s/login|https://%s> today", quokka, evil, pretended[r.dice.IntN(len(pretended))]))
	}
}

// strike writes under an id that another's deletion or edit would have.
func (r *rogue) strike(context.Context) {
	t, ok := r.target()
	if !ok {
		return
	}
	for _, m := range t.messages {
		if m.User == "" || m.User == mallory.ID || m.BotID != "" || r.dice.IntN(3) > 0 {
			continue
		}
		id := "d:" + m.TS
		if r.dice.IntN(4) == 0 {
			id = fmt.Sprintf("e:%s:%d.000000", m.TS, time.Now().Unix()+int64(r.dice.IntN(3)))
		}
		_, _ = r.town.Utter(mallory.ID, slacksim.Utterance{Channel: t.room, Thread: t.thread, Text: quokka + " by the way", ClientMsgID: id})
		return
	}
}

// forget wishes that items and discussions of the team's be forgotten for good.
func (r *rogue) forget(ctx context.Context) {
	rooms := r.town.used()
	if len(rooms) == 0 {
		return
	}
	room := rooms[r.dice.IntN(len(rooms))]
	for _, m := range r.town.Messages(room) {
		if isReply(m) || discussionOf(m) == "" {
			continue
		}
		topic, _, _ := strings.Cut(strings.TrimSpace(m.Text[max(0, strings.Index(m.Text, "Ledger")):]), "\n")
		link := fmt.Sprintf("https://local.slack.com/archives/%s/p%s", room, strings.ReplaceAll(m.TS, ".", ""))
		for _, what := range []string{topic, strings.ToLower(strings.ReplaceAll(topic, " ", "-")), link} {
			by := []slacksim.Person{mallory, gina}[r.dice.IntN(2)]
			_, _ = r.town.act(ctx, "command", map[string]any{"as": by.ID, "channel": room, "command": "/roundtable", "text": "forget " + what + " for good"})
		}
	}
}

// unentitled are those who may write in a thread at the most.
func (r *rogue) unentitled() slacksim.Person {
	return []slacksim.Person{gina, gus, otto}[r.dice.IntN(3)]
}

// presume writes words that would end a discussion or decide in it.
func (r *rogue) presume(context.Context) {
	if t, ok := r.target(); ok {
		words := []string{"Decision: " + guestmark + " we give the car away.", "done", "Done, thanks!", "Let us call it a day."}
		r.utter(r.unentitled(), t.room, t.thread, words[r.dice.IntN(len(words))])
	}
}

// approve puts marks on what stands in the team's threads.
func (r *rogue) approve(ctx context.Context) {
	t, ok := r.target()
	if !ok {
		return
	}
	by := r.unentitled()
	for _, m := range t.messages[max(0, len(t.messages)-8):] {
		_, _ = r.town.act(ctx, "react", map[string]any{"as": by.ID, "channel": t.room, "ts": m.TS, "name": "white_check_mark"})
	}
}

// Buttons of which each would change something.
var levers = []thread.ButtonKind{
	roundtable.ButtonWrapUp, roundtable.ButtonExtend, roundtable.ButtonChoose, roundtable.ButtonQuiet, roundtable.ButtonMute, roundtable.ButtonShare,
	roundtable.ButtonAgain, roundtable.ButtonAnalyse,
}

// click presses what a guest is shown.
func (r *rogue) click(ctx context.Context) {
	t, ok := r.target()
	if !ok {
		return
	}
	by := r.unentitled()
	for _, m := range t.messages {
		for _, kind := range levers {
			if block, ok := button(m, "rt:"+string(kind)); ok {
				_, _ = r.town.act(ctx, "act", map[string]any{"as": by.ID, "channel": t.room, "message_ts": m.TS, "block_id": block, "action_id": "rt:" + string(kind)})
			}
		}
	}
}

// command types commands that open something.
func (r *rogue) command(ctx context.Context) {
	if t, ok := r.target(); ok {
		text := []string{"planted by the %s %d", "analyze planted by the %s %d"}[r.dice.IntN(2)]
		_, _ = r.town.act(ctx, "command", map[string]any{"as": r.unentitled().ID, "channel": t.room, "command": "/roundtable", "text": fmt.Sprintf(text, quokka, serial.Add(1))})
	}
}

// automate writes as another app.
func (r *rogue) automate(context.Context) {
	if t, ok := r.target(); ok {
		text := []string{"done", "Decision: " + guestmark + " the robot decides."}[r.dice.IntN(2)]
		_, _ = r.town.Utter(mallory.ID, slacksim.Utterance{Channel: t.room, Thread: t.thread, Text: text, App: robot})
	}
}
