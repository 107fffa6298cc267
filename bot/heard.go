package bot

import (
	"slices"
	"strings"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/roundtable-chat/app/bot/blocks"
	"github.com/roundtable-chat/app/bot/recent"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// heard remembers the addresses that people linked to in a thread: a model may
// link there, and nowhere else, so that no injected text can lead people, or what
// they wrote, to an address nobody chose. A host is not enough: whoever owns it
// would read what a model appends. What this process has forgotten or never saw is
// shown as text; that is the safe side.
type heard struct {
	// always are hosts that a deployment trusts with every address.
	always []string
	urls   *lru.Cache[spot, []string]
}

// maxAddresses bounds what is remembered of one thread, addressLimit one address
// in bytes.
const (
	maxAddresses = 32
	addressLimit = 1_000
)

func newHeard(always []string) *heard {
	h := &heard{urls: recent.New[spot, []string](2_000)}
	for _, host := range always {
		h.always = append(h.always, strings.ToLower(host))
	}
	return h
}

// listen takes in what a person wrote, in Slack's wire form: of a link the target, and
// never the label, which is words and may name any address.
func (h *heard) listen(channel, threadTS, text string) {
	if !strings.Contains(text, "://") {
		return
	}
	at := spot{channel, threadTS}
	known, _ := h.urls.Get(at)
	urls := slices.Clone(known)
	for _, raw := range blocks.BareURL.FindAllString(blocks.Unescape(thread.Pointed(text)), maxAddresses) {
		if blocks.HostOf(raw) != "" && len(raw) <= addressLimit && !slices.Contains(urls, raw) && len(urls) < maxAddresses {
			urls = append(urls, strings.Clone(raw))
		}
	}
	if len(urls) > len(known) {
		h.urls.Add(at, urls)
	}
}

// allows reports whether a URL may be clickable in a place.
func (h *heard) allows(place thread.Place, url string) bool {
	host := blocks.HostOf(url)
	if host == "" {
		return false
	}
	if slices.Contains(h.always, host) {
		return true
	}
	known, _ := h.urls.Get(spot{place.Channel, place.Thread})
	return slices.Contains(known, url)
}
