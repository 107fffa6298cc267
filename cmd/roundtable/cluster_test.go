package main

import (
	"fmt"
	"testing"

	"github.com/roundtable-chat/app/bot/slacksim"
	"github.com/roundtable-chat/app/storage/storagetest"
)

// TestServeOnACluster leads discussions in several channels on a Redis Cluster of
// three nodes with a replica each, whose confirmation is waited for. In the middle
// one master dies and its replica takes over; every discussion comes to its end and
// is held against the invariants (NFR-101; I1 to I5).
func TestServeOnACluster(t *testing.T) {
	t.Parallel()
	cluster := storagetest.ClusterOf(t, 3, 2)
	var o slacksim.Options
	for i := range 6 {
		o.Channels = append(o.Channels, slacksim.Channel{ID: fmt.Sprintf("C0ROOM00%d", i), Name: fmt.Sprintf("room-%d", i)})
	}
	o.Timing.Retry = retries
	w := localSlack(t, o)
	env := append(serveEnv(w, cluster.Server()), "ROUNDTABLE_LEASE=3s", "ROUNDTABLE_SETTLE=10100ms", "ROUNDTABLE_REDIS_REPLICAS=1")
	p := start(t, t.TempDir(), env, "serve")
	ready(t, p)
	var discussions []discussion
	for i, c := range o.Channels {
		discussions = append(discussions, person{w, priya, c.ID}.open(fmt.Sprintf("room %d", i)))
	}
	said := make([][]string, len(discussions))
	for i, d := range discussions {
		d.until("", "the room has the floor", containing("The floor is yours"))
		said[i] = append(said[i], d.as(sam).say("Alex, what breaks first when we ship?"))
	}
	nodes := 0
	for _, keys := range cluster.Keys(t, "*:t:*") {
		if len(keys) > 0 {
			nodes++
		}
	}
	if nodes < 2 {
		t.Errorf("the discussions lie on %d nodes, want several", nodes)
	}
	cluster.Masters[0].Kill()
	for i, d := range discussions {
		said[i] = append(said[i], d.say("Decision: the ledger stays"))
	}
	cluster.AwaitOK(t, cluster.Masters[1])
	for i, d := range discussions {
		d.until(said[i][0], "Alex answers", by("Alex"))
		end := d.say("done")
		d.until(end, "the menu is back", containing(menu))
	}
	for i, d := range discussions {
		judge(t, cluster.Server(), d, said[i]...)
	}
	if got := p.terminate(); got != 0 {
		t.Errorf("exit code %d after SIGTERM, want 0", got)
	}
	p.calm()
}
