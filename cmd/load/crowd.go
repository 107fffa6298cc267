package main

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/roundtable-chat/app/bot/slacksim"
)

// load is how much is asked of a bot.
type load struct {
	discussions int
	people      int
	group       int     // every how many messages everyone is asked; 0: never
	rate        float64 // human turns a second; 0: as many as are answered
	warm, span  time.Duration
}

// Times of people.
const (
	// breath is the least time between a person's message and the next in the same
	// discussion. Slack takes about one post a second in a channel, and so does a bot
	// that keeps to it.
	breath = 1200 * time.Millisecond
	// patience is how long people wait for an answer before they speak on.
	patience = 20 * time.Second
	// hush is how long nothing is posted once an opening is over; a bot that paces
	// itself lets up to a second pass between posts.
	hush = 2500 * time.Millisecond
	// opening is the least number of posts in an opening: the introduction, the
	// framing, and a contribution.
	opening = 3
)

// crowd is the people of a workspace, and what they see of the bot. There is one
// discussion in each channel.
type crowd struct {
	workplace interface {
		Say(person, channel, thread, text string) (string, error)
	}
	people  []string
	threads []*conversation
	in      map[string]*conversation // by channel

	mu    sync.Mutex
	on    bool
	tally tally
}

// conversation is one discussion as people see it.
type conversation struct {
	channel string
	topic   string
	root    string
	posts   chan time.Time // when the bot posted
	said    int            // messages of people, from a number of its own so that threads differ
}

func newCrowd(l load) *crowd {
	c := &crowd{in: make(map[string]*conversation, l.discussions)}
	for i := range l.people {
		c.people = append(c.people, fmt.Sprintf("U0CROWD%02d", i))
	}
	for i := range l.discussions {
		t := &conversation{channel: fmt.Sprintf("C0L%06d", i), topic: topics[i%len(topics)], said: i, posts: make(chan time.Time, 64)}
		c.threads = append(c.threads, t)
		c.in[t.channel] = t
	}
	return c
}

// workspace is what the crowd needs to stand in.
func (c *crowd) workspace() (people []slacksim.Person, channels []slacksim.Channel) {
	for i, id := range c.people {
		name := string(rune('a'+i)) + "da"
		people = append(people, slacksim.Person{ID: id, Name: name, RealName: strings.ToUpper(name[:1]) + name[1:] + " Crowd"})
	}
	for i, t := range c.threads {
		channels = append(channels, slacksim.Channel{ID: t.channel, Name: fmt.Sprintf("load-%d", i)})
	}
	return people, channels
}

// called notes posts of the bot as they stand, and counts its calls.
func (c *crowd) called(r slacksim.CallRecord) {
	now := time.Now()
	c.mu.Lock()
	if c.on {
		c.tally.calls[r.Method]++
	}
	c.mu.Unlock()
	if t := c.in[r.Args["channel"]]; t != nil && r.Method == "chat.postMessage" && r.Performed {
		select {
		case t.posts <- now:
		default: // nobody in this thread counts any more
		}
	}
}

// acknowledged notes how long messages of people waited for their acknowledgement.
// The bot's own posts come back to it as events too; nothing depends on those.
func (c *crowd) acknowledged(a slacksim.Ack) {
	if a.Name != "message" || !strings.Contains(string(a.Payload), `"client_msg_id"`) {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.on {
		return
	}
	c.tally.acks = append(c.tally.acks, a.Took)
	if a.Attempt > 0 {
		c.tally.again++
	}
}

// count begins to count from nothing, or ends it, and returns what was counted.
func (c *crowd) count(on bool) tally {
	c.mu.Lock()
	defer c.mu.Unlock()
	counted := c.tally
	c.on, c.tally = on, tally{calls: map[string]int{}}
	return counted
}

// open has a person mention the bot with a topic, and returns once the opening is
// over, with the time until the first post.
func (c *crowd) open(ctx context.Context, t *conversation) (time.Duration, error) {
	said := time.Now()
	root, err := c.workplace.Say(c.people[0], t.channel, "", "@Roundtable "+t.topic)
	if err != nil {
		return 0, err
	}
	t.root = root
	first, err := c.await(ctx, t, 1)
	if err != nil {
		return 0, fmt.Errorf("open a discussion in %s: %w", t.channel, err)
	}
	if _, err := c.await(ctx, t, opening-1); err != nil {
		return 0, fmt.Errorf("open a discussion in %s: %w", t.channel, err)
	}
	for {
		quiet := time.NewTimer(hush)
		select {
		case <-t.posts:
			quiet.Stop()
		case <-quiet.C:
			return first.Sub(said), nil
		case <-ctx.Done():
			quiet.Stop()
			return 0, context.Cause(ctx)
		}
	}
}

// await waits for n posts and returns when the last of them stood.
func (c *crowd) await(ctx context.Context, t *conversation, n int) (at time.Time, err error) {
	limit := time.NewTimer(patience)
	defer limit.Stop()
	for range n {
		select {
		case at = <-t.posts:
		case <-limit.C:
			return at, errUnanswered
		case <-ctx.Done():
			return at, context.Cause(ctx)
		}
	}
	return at, nil
}

// openAll opens every discussion, so many a second, has after go on with each, and
// returns how long each took until its introduction.
func (c *crowd) openAll(ctx context.Context, perSecond float64, after func(context.Context, *conversation) error) ([]time.Duration, error) {
	took := make([]time.Duration, len(c.threads))
	err := each(ctx, perSecond, len(c.threads), func(ctx context.Context, i int) (err error) {
		if took[i], err = c.open(ctx, c.threads[i]); err != nil || after == nil {
			return err
		}
		return after(ctx, c.threads[i])
	})
	return took, err
}

// hushed asks the personas to speak only when they are addressed, so that everybody
// knows how many posts will answer a message.
func (c *crowd) hushed(ctx context.Context, t *conversation) error {
	if _, err := c.workplace.Say(c.people[0], t.channel, t.root, "quiet"); err != nil {
		return err
	}
	if _, err := c.await(ctx, t, 1); err != nil {
		return fmt.Errorf("ask for quiet in %s: %w", t.channel, err)
	}
	return nil
}

// remark is a human turn that nobody answers in a hushed room.
func (c *crowd) remark(t *conversation) error {
	if _, err := c.workplace.Say(c.people[0], t.channel, t.root, aside); err != nil {
		return fmt.Errorf("remark something in %s: %w", t.channel, err)
	}
	return nil
}

// converse has people speak in every discussion until ctx ends. Nobody speaks
// before the last message is answered.
func (c *crowd) converse(ctx context.Context, l load) {
	every := breath
	if l.rate > 0 {
		every = time.Duration(float64(len(c.threads)) / l.rate * float64(time.Second))
	}
	var talking sync.WaitGroup
	for i, t := range c.threads {
		talking.Go(func() {
			for next := time.Now().Add(every * time.Duration(i) / time.Duration(len(c.threads))); pass(ctx, time.Until(next)) == nil; {
				c.speak(ctx, t, l.group)
				if next = next.Add(every); next.Before(time.Now()) {
					next = time.Now()
				}
			}
		})
	}
	talking.Wait()
}

// speak is one human turn: a message, and the posts that answer it.
func (c *crowd) speak(ctx context.Context, t *conversation, group int) {
	for len(t.posts) > 0 {
		<-t.posts
		c.note(func(y *tally) { y.strays++ })
	}
	text, answers := line(t.said, group)
	who := c.people[t.said%len(c.people)]
	t.said++
	said := time.Now()
	if _, err := c.workplace.Say(who, t.channel, t.root, text); err != nil {
		c.note(func(y *tally) { y.unanswered++ })
		return
	}
	first, err := c.await(ctx, t, 1)
	if err != nil {
		c.unanswered(ctx)
		return
	}
	last := first
	if answers > 1 {
		if last, err = c.await(ctx, t, answers-1); err != nil {
			c.unanswered(ctx)
			return
		}
	}
	c.note(func(y *tally) {
		y.posts += answers
		y.first = append(y.first, first.Sub(said))
		y.last = append(y.last, last.Sub(said))
	})
}

func (c *crowd) unanswered(ctx context.Context) {
	if ctx.Err() == nil { // else the crowd was sent home
		c.note(func(y *tally) { y.unanswered++ })
	}
}

func (c *crowd) note(change func(*tally)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.on {
		change(&c.tally)
	}
}
