package invariant

import (
	"regexp"
	"slices"
	"strings"
	"time"
)

// Pace is what Slack allows a channel: a post every so often, some at once.
type Pace struct {
	Every time.Duration
	Burst int
}

// secrets: nothing that must stay secret, and no text of people, is in the logs
// (I11).
func (c *checker) secrets() {
	for i, canary := range c.Canaries {
		if canary != "" && strings.Contains(c.Logs, canary) {
			c.broken("I11", "the logs contain canary %d", i) // which must not get into the next log, either
		}
	}
}

// notifying is what notifies somebody in Slack's wire form.
var notifying = regexp.MustCompile(`<(?:!(?:channel|here|everyone)|!subteam\^|@([A-Z0-9]+))`)

// mentions: a post, as Slack was given it, notifies nobody but whom the rules named
// (I12).
func (c *checker) mentions() {
	for _, m := range c.Slack {
		for _, found := range notifying.FindAllStringSubmatch(c.Rendered[m.TS], -1) {
			if found[1] == "" || !slices.Contains(m.Message.Notified(), found[1]) {
				c.broken("I12", "%s notifies with %s", m.Key, found[0])
			}
		}
	}
}

// pace: in no span of time were there more posts in the channel than its pace
// permits. One more is allowed for, because a post takes time after it was permitted.
func (c *checker) pace() {
	if c.Pace == (Pace{}) {
		return
	}
	for first := range c.Channel {
		for last := first + 1; last < len(c.Channel); last++ {
			span := c.Channel[last].Sub(c.Channel[first])
			if permitted := c.Pace.Burst + 1 + int(span/c.Pace.Every); last-first+1 > permitted {
				c.broken("pace", "%d posts within %v", last-first+1, span)
				return
			}
		}
	}
}
