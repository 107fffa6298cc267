package chaos

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/engine"
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

// contempt judges what only a hostile campaign can break.
func (j *court) contempt() {
	j.measures()
	for _, h := range j.held {
		if a := h.analysis; a != nil {
			j.log.violation("rights", "%s in %s: %s began an analysis", h.ref.ID, h.ref.Channel, a.Opener.ID)
			continue
		}
		j.entitlement(h)
		j.finished(h)
		if t := j.talkOf[h.ref.ID]; t != nil {
			j.own(h, t)
		}
	}
	j.links()
}

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

// entitlement: whoever opened, ended or decided had the right to (FR-108, I12).
func (j *court) entitlement(h held) {
	forbid := func(by roundtable.Person, did string) {
		if by.ID != "" && !j.town.entitled(by.ID, h.ref.Channel) {
			j.log.violation("rights", "%s in %s: %s %s", h.ref.ID, h.ref.Channel, by.ID, did)
		}
	}
	forbid(h.state.Opener, "opened it")
	if e := h.state.Exit; e != nil && e.By != nil {
		forbid(*e.By, "ended it")
	}
	for _, d := range h.state.Decided {
		forbid(d.By, "chose in it")
	}
	for _, m := range roundtable.ReadTranscript(h.entries).Marks {
		if m.Kind == roundtable.MarkDecision {
			forbid(m.By, "decided in it")
		}
	}
	if o := h.state.Outcome; o != nil {
		for _, p := range o.Decisions {
			if strings.Contains(p.Text, guestmark) {
				j.log.violation("rights", "%s in %s: the word of somebody who may only write is a decision of the synthesis", h.ref.ID, h.ref.Channel)
			}
		}
	}
	for _, e := range h.entries {
		if strings.Contains(e.Text, "the robot decides") {
			j.log.violation("rights", "%s in %s: another app's words are in the log", h.ref.ID, h.ref.Channel)
		}
	}
	if h.ref.Channel == vault || strings.Contains(h.state.Topic, "planted by") {
		j.log.violation("rights", "%s in %s: it was planted", h.ref.ID, h.ref.Channel)
	}
	// Nobody who may do so ever raises a limit or quiets the panel in the team's threads.
	if j.talkOf[h.ref.ID] != nil && (h.state.Extended > 0 || h.state.Floor != roundtable.FloorOpen) {
		j.log.violation("rights", "%s in %s: its limit was raised by %d, its floor is %q", h.ref.ID, h.ref.Channel, h.state.Extended, h.state.Floor)
	}
}

// finished: every discussion ended with a synthesis and left its trace in the
// document, whatever was said in it (I10).
func (j *court) finished(h held) {
	d := h.state
	if d.State == roundtable.StateClosed && d.Turns > 0 && d.Converted == nil && (d.Outcome == nil || d.Enriching == "") {
		j.log.violation("I10", "%s in %s: it was closed without a synthesis", h.ref.ID, h.ref.Channel)
	}
}

// own: what people of the team took back is gone, and what somebody who came late
// decided is decided (I1, NFR-003).
func (j *court) own(h held, t *talk) {
	if !t.strict {
		return
	}
	for _, s := range t.said {
		if s.deleted && !struck(h.entries, s.ts) {
			j.log.violation("I1", "%s in %s: message %s was deleted and still stands", h.ref.ID, h.ref.Channel, s.ts)
		}
		if o := h.state.Outcome; s.decides && o != nil && !slices.ContainsFunc(o.Decisions, func(p roundtable.Point) bool { return slices.Contains(p.TS, s.ts) }) {
			j.log.violation("I1", "%s in %s: the decision %s of %s is not in the synthesis", h.ref.ID, h.ref.Channel, s.ts, s.by.ID)
		}
	}
}

// struck reports whether a log strikes a message, or never had it.
func struck(entries []roundtable.Entry, ts string) bool {
	said := false
	for _, e := range entries {
		if e.TS == ts && e.Kind == roundtable.EntryStrike {
			return true
		}
		said = said || e.TS == ts && e.Person != nil
	}
	return !said
}

// doubted: nobody of the team was told that Slack would not say who they are. It is asked
// before the replicas are replaced, which must get to know everybody anew at Slack's rate.
func (c *campaign) doubted() {
	for _, p := range c.town.team() {
		texts := c.town.whispers(p.ID)
		if slices.ContainsFunc(texts, func(s string) bool { return strings.Contains(s, roundtable.SayPersonUnknown()) }) {
			c.log.violation("rights", "%s of the team was turned away as unknown", p.ID)
		}
	}
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

// aside judges what was put aside: what a rogue wrote may be, what anybody else wrote
// may not (I1).
func (j *court) aside(l engine.DeadLetter) {
	in, err := roundtable.DecodeInput(l.Mail.Body)
	if by := author(in); err == nil && by != "" && j.plan.Mode == Hostile && !j.town.honest(by) {
		j.log.add(roguesOwn, 1)
		return
	}
	j.log.violation("I1", "%s in %s: input %s was put aside as %q, and nothing was wrong with it", l.Ref.ID, l.Ref.Channel, l.Mail.ID, l.Reason)
}

// author is who did what an input tells.
func author(in roundtable.Input) string {
	if e, ok := in.Event.(roundtable.Opened); ok {
		return e.By.ID
	}
	by, _ := roundtable.Actor(in.Event)
	return by.ID
}

// leaks reports which word, that no log may hold, stands in a line of one.
func leaks(line string) string {
	for _, word := range hushed {
		if strings.Contains(line, word) {
			return word
		}
	}
	return ""
}
