package simulation

import (
	"strings"

	"github.com/roundtable-chat/app/roundtable/engine"
)

// intrudes reports whether another replica has taken over the discussion that one is
// about to change (I7), whether or not it still holds it. That a lease ran out is not
// enough: if nobody took over, nobody is in the way. After a rollback the store may
// not know of the newest holder.
func (w *world) intrudes(r *replica, ref engine.Ref) bool {
	holder, _ := w.store.memory.Holder(ref)
	return holder != "" && holder != r.name && w.counted[Rollback] == 0
}

// noteIntrusion notes a post that leaves after another replica took over
// its discussion. What counts is when it leaves: Slack may perform it later.
func (w *world) noteIntrusion(c *call) {
	if c.post == nil {
		return
	}
	id, _, _ := strings.Cut(c.post.Key, "/")
	if ref := (engine.Ref{Team: team, Channel: channel, ID: id}); w.intrudes(c.replica, ref) {
		w.intrusions[ref]++
	}
}
