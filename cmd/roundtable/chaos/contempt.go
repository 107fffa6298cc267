package chaos

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/engine/invariant"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// The bounds that the team's talks are held to while rogues are about. growth is by how
// much a replica may grow over what it had when it was idle.
const growth = 96 << 10 // KiB

// What is measured while rogues are about.
const (
	slowest     = "99 of 100 acknowledgements to the team came within ms"
	acks        = "acknowledgements to the team"
	givenUp     = "events that Slack gave up"
	limitedName = "calls that Slack refused for their rate"
	hastyName   = "calls before Slack's Retry-After had passed"
	idleName    = "the largest replica when idle, in MiB"
	mostName    = "the largest replica at its largest, in MiB"
	roguesOwn   = "inputs of rogues put aside"
)

// measures holds what was measured against the bounds.
func (j *court) measures() {
	g := j.gauge
	wait, n := g.percentile(99)
	g.mu.Lock() // the replicas are weighed until the test ends
	defer g.mu.Unlock()
	j.log.add(slowest, int(wait.Milliseconds()))
	j.log.add(acks, n)
	j.log.add(givenUp, j.town.GivenUp())
	j.log.add(limitedName, g.limited)
	j.log.add(idleName, g.idle>>10)
	j.log.add(mostName, g.most>>10)
	if j.plan.Prompt > 0 && j.plan.Kills == 0 && wait > j.plan.Prompt {
		j.log.violation("NFR-002", "99 of 100 acknowledgements to the team took up to %s, want %s", wait, j.plan.Prompt)
	}
	if n := j.town.GivenUp(); n > 0 {
		j.log.violation("NFR-003", "Slack gave up %d events", n)
	}
	if g.most > g.idle+growth {
		j.log.violation("memory", "a replica grew from %d to %d MiB, by more than %d", g.idle>>10, g.most>>10, growth>>10)
	}
	for method, n := range g.hasty {
		j.log.add(hastyName, n)
		j.log.violation("pace", "%s was called %d times before Slack's Retry-After had passed", method, n)
	}
}

// rights says who may open, end and decide in a discussion, and whose words may not decide
// there or not be heard (FR-108, I12). Nobody who may do so ever raises a limit or quiets the
// panel in the team's threads.
func (j *court) rights(h held) invariant.Rights {
	r := invariant.Rights{
		Entitled:   func(p thread.Person) bool { return p.ID == "" || j.town.entitled(p.ID, h.ref.Channel) },
		Undeciding: []string{guestmark}, Unheard: []string{"the robot decides"}, Untouched: j.talkOf[h.ref.ID] != nil,
	}
	if h.ref.Channel == vault || strings.Contains(h.state.Topic, "planted by") {
		r.Unbidden = []string{"what was planted"}
	}
	return r
}

// doubted: nobody of the team was told that Slack would not say who they are. It is asked
// before the replicas are replaced, which must get to know everybody anew at Slack's rate.
func (c *campaign) doubted() {
	var e invariant.Evidence
	for _, p := range c.town.team() {
		texts := c.town.whispers(p.ID)
		if slices.ContainsFunc(texts, func(s string) bool { return strings.Contains(s, thread.SayPersonUnknown()) }) {
			e.TurnedAway = append(e.TurnedAway, p.ID)
		}
	}
	c.log.judge("the team", e)
}

// links: nothing that the app wrote shows another address than it leads to (NFR-103).
func (j *court) links() {
	for _, room := range j.town.everywhere() {
		for _, m := range j.town.Messages(room) {
			if m.BotID == "" || m.BotID == robot {
				continue
			}
			for _, lie := range append(disguisedIn(m.Blocks), disguisedText(m.Text)...) {
				j.log.violation("NFR-103", "%s at %s in %s: %s", key(m), m.TS, room, lie)
			}
		}
	}
}

// disguisedIn are the links in blocks whose words name another host.
func disguisedIn(v any) (lies []string) {
	switch v := v.(type) {
	case []any:
		for _, each := range v {
			lies = append(lies, disguisedIn(each)...)
		}
	case map[string]any:
		label, _ := v["text"].(string)
		target, _ := v["url"].(string)
		if v["type"] == "link" && deceives(label, target) {
			lies = append(lies, fmt.Sprintf("a link shows %q and leads to %s", label, target))
		}
		if v["type"] == "markdown" || v["type"] == "mrkdwn" {
			lies = append(lies, disguisedText(label)...)
		}
		for name, each := range v {
			if name != "text" || v["type"] != "link" {
				lies = append(lies, disguisedIn(each)...)
			}
		}
	}
	return lies
}

// markedLink finds links with words of their own in mrkdwn and in Markdown.
var markedLink = regexp.MustCompile(`<(https?://[^|>\s]+)\|([^>]+)>|\[([^\[\]]+)\]\((https?://[^)\s]+)\)`)

// disguisedText are the links in marked-up text whose words name another host.
func disguisedText(text string) (lies []string) {
	for _, m := range markedLink.FindAllStringSubmatch(text, -1) {
		label, target := m[2]+m[3], m[1]+m[4]
		if deceives(label, target) {
			lies = append(lies, fmt.Sprintf("a link shows %q and leads to %s", label, target))
		}
	}
	return lies
}

// anyHost finds what a reader takes for an address; an address that is written so that
// nobody can follow it is none.
var anyHost = regexp.MustCompile(`(?i)(?:https?://|\b)((?:[a-z0-9-]+\.)+(?:com|example|org|net))\b`)

// deceives reports whether the words of a link name a host and do not name its own.
func deceives(label, target string) bool {
	if label == "" || label == target {
		return false
	}
	host := regexp.MustCompile(`^https?://([^/?#]+)`).FindStringSubmatch(target)
	if host == nil {
		return false
	}
	shown := anyHost.FindAllStringSubmatch(label, -1)
	return len(shown) > 0 && !slices.ContainsFunc(shown, func(s []string) bool { return strings.EqualFold(s[1], host[1]) })
}

// roguish reports whether an input that was put aside is what a rogue wrote: that may be, and
// nothing else.
func (j *court) roguish(l engine.DeadLetter) bool {
	in, err := roundtable.DecodeInput(l.Mail.Body)
	by := author(in)
	return err == nil && by != "" && j.plan.Mode == Hostile && !j.town.honest(by)
}

// author is who did what an input tells.
func author(in roundtable.Input) string {
	if e, ok := in.Event.(roundtable.Opened); ok {
		return e.By.ID
	}
	by, _ := roundtable.Actor(in.Event)
	return by.ID
}
