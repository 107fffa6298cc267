package bot

import (
	"slices"
	"strings"

	"github.com/roundtable-chat/app/roundtable"
)

// heard remembers the hosts that people linked to in a thread: a model may link
// there, and nowhere else, so that no injected text can lead people, or what
// they wrote, to an address nobody chose (reference: text safety). What this
// process has forgotten or never saw is shown as text; that is the safe side.
type heard struct {
	always []string
	hosts  *recent[spot, []string]
}

// maxHosts bounds what is remembered of one thread.
const maxHosts = 64

func newHeard(always []string) *heard {
	h := &heard{hosts: newRecent[spot, []string](2_000)}
	for _, host := range always {
		h.always = append(h.always, strings.ToLower(host))
	}
	return h
}

// listen takes in what a person wrote, in Slack's wire form.
func (h *heard) listen(channel, thread, text string) {
	if !strings.Contains(text, "://") {
		return
	}
	at := spot{channel, thread}
	known, _ := h.hosts.get(at)
	hosts := slices.Clone(known)
	for _, raw := range bareURL.FindAllString(strings.ReplaceAll(text, "|", " "), maxHosts) {
		if host := hostOf(raw); host != "" && !slices.Contains(hosts, host) && len(hosts) < maxHosts {
			hosts = append(hosts, host)
		}
	}
	if len(hosts) > len(known) {
		h.hosts.put(at, hosts)
	}
}

// allows reports whether a URL may be clickable in a place.
func (h *heard) allows(place roundtable.Place, url string) bool {
	host := hostOf(url)
	if host == "" {
		return false
	}
	if slices.Contains(h.always, host) {
		return true
	}
	known, _ := h.hosts.get(spot{place.Channel, place.Thread})
	return slices.Contains(known, host)
}
