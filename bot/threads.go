package bot

import (
	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/roundtable-chat/app/bot/recent"
	"github.com/roundtable-chat/app/roundtable/engine"
)

// A spot is a message's or a thread's place in the workspace.
type spot struct{ channel, ts string }

// threads remembers which discussion a thread belongs to and which thread a
// message stands in. Neither changes while the store keeps the discussion, so
// what is remembered stays true until the store says otherwise; what is not
// known is asked again every time, because a discussion may be opened in any
// thread at any moment.
//
// roots is also what is known of messages that are no discussion's: about each Slack is
// asked once while it is remembered.
type threads struct {
	discussions *lru.Cache[spot, engine.Ref]
	roots       *lru.Cache[spot, string]
}

func newThreads() *threads {
	return &threads{discussions: recent.New[spot, engine.Ref](20_000), roots: recent.New[spot, string](8_000)}
}

func (t *threads) keepMessage(channel, ts, root string) { t.roots.Add(spot{channel, ts}, root) }
