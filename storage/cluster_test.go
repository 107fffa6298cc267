package storage_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/storage"
	"github.com/roundtable-chat/app/storage/storagetest"
	"github.com/roundtable-chat/app/storage/storagetest/contract"
)

// TestContractOnThreeNodes holds the store to its contract on a cluster whose slots
// are spread: no script leaves its slot, and what looks at all shards sees all nodes.
func TestContractOnThreeNodes(t *testing.T) {
	t.Parallel()
	cluster := storagetest.ClusterOf(t, 3, 0).Server()
	t.Run("cluster", func(t *testing.T) {
		contract.Run(t, func(t *testing.T) contract.Subject {
			o := storage.Options{Prefix: "t" + t.Name(), Lease: 2 * time.Second, MailboxLimit: 5}
			return contract.Subject{
				Store: storagetest.Open(t, cluster, o), Lease: o.Lease, MailboxLimit: o.MailboxLimit, Pass: cluster.Pass,
			}
		})
	})
}

// placeOf is a discussion in one of many channels.
func placeOf(channel, n int) engine.Ref {
	return engine.Ref{Team: "T1", Channel: fmt.Sprintf("C%03d", channel), ID: fmt.Sprintf("d%d", n)}
}

// TestChannelsSpreadOverNodes shows where keys lie: everything of a channel in one
// slot, channels on every node, and due discussions of all nodes in one list.
func TestChannelsSpreadOverNodes(t *testing.T) {
	t.Parallel()
	cluster := storagetest.ClusterOf(t, 3, 0)
	store := storagetest.Open(t, cluster.Server(), storage.Options{})
	const channels = 60
	for c := range channels {
		for n := range 2 {
			d := delivery("open")
			d.Ref, d.Thread = placeOf(c, n), fmt.Sprintf("17637156%02d.000100", n)
			if r, err := store.Deliver(t.Context(), d); err != nil || r.Reception != engine.Stored {
				t.Fatalf("Deliver = %q, %v", r.Reception, err)
			}
		}
		ref := engine.ItemRef{Team: "T1", Channel: placeOf(c, 0).Channel, Slug: "ledgers"}
		if err := store.WriteItem(t.Context(), ref, engine.ItemWrite{Key: "k", Meta: []byte("{}")}); err != nil {
			t.Fatal(err)
		}
	}
	due, err := store.Due(t.Context(), 10*channels)
	if err != nil || len(due) != 2*channels {
		t.Fatalf("Due lists %d discussions, %v, want %d", len(due), err, 2*channels)
	}
	nodeOf, tagOf := make(map[string]int), make(map[string]string)
	keys := cluster.Keys(t, "*")
	for node, all := range keys {
		for _, key := range all {
			tag := key[:strings.IndexByte(key, '}')+1]
			_, rest, found := strings.Cut(key, "T1/")
			if !found {
				continue // the index of a shard
			}
			channel, _, _ := strings.Cut(rest, "/")
			if was, ok := nodeOf[channel]; ok && (was != node || tagOf[channel] != tag) {
				t.Errorf("keys of %s lie under %s on node %d and under %s on node %d", channel, tagOf[channel], was, tag, node)
			}
			nodeOf[channel], tagOf[channel] = node, tag
		}
	}
	if len(nodeOf) != channels {
		t.Errorf("found keys of %d channels, want %d", len(nodeOf), channels)
	}
	perNode := make([]int, len(keys))
	for _, node := range nodeOf {
		perNode[node]++
	}
	if slices.Min(perNode) < channels/10 {
		t.Errorf("the nodes have %v channels: not spread", perNode)
	}
}

// traffic delivers to many channels, works off what is due, and remembers what was
// acknowledged.
type traffic struct {
	t     *testing.T
	store *storage.Redis
	stop  chan struct{}
	done  sync.WaitGroup

	mu       sync.Mutex
	stored   map[engine.Ref][]string
	refused  int
	rewounds int
}

const trafficChannels = 24

func newTraffic(t *testing.T, store *storage.Redis) *traffic {
	w := &traffic{t: t, store: store, stop: make(chan struct{}), stored: make(map[engine.Ref][]string)}
	for worker := range 4 {
		w.done.Go(func() { w.people(worker) })
	}
	w.done.Go(w.replica)
	return w
}

func (w *traffic) people(worker int) {
	for n := 0; ; n++ {
		select {
		case <-w.stop:
			return
		default:
		}
		ref := placeOf((worker+4*n)%trafficChannels, 0)
		id := fmt.Sprintf("m%d.%d", worker, n)
		delivered, err := w.store.Deliver(context.Background(), engine.Delivery{Ref: ref, Mail: engine.Mail{ID: id, Body: []byte(id)}, Opens: true})
		r := delivered.Reception
		w.mu.Lock()
		if err == nil && (r == engine.Stored || r == engine.Duplicate) {
			w.stored[ref] = append(w.stored[ref], id)
		} else {
			w.refused++ // not acknowledged: Slack would deliver it again
		}
		w.mu.Unlock()
	}
}

// replica consumes mail into the log.
func (w *traffic) replica() {
	for {
		select {
		case <-w.stop:
			return
		default:
		}
		due, _ := w.store.Due(context.Background(), 8)
		for _, ref := range due {
			w.work(ref)
		}
	}
}

func (w *traffic) work(ref engine.Ref) bool {
	h, err := w.store.Claim(context.Background(), ref, engine.Claimant{Owner: "replica"})
	if err != nil || h == nil {
		return false
	}
	if h.Rewound {
		w.mu.Lock()
		w.rewounds++
		w.mu.Unlock()
	}
	c := engine.Commit{State: []byte("s"), Mode: engine.ModeYield}
	for _, m := range h.Mail {
		c.Consumed, c.Append = append(c.Consumed, m.ID), append(c.Append, []byte(m.ID))
	}
	_, err = w.store.Commit(context.Background(), h, c)
	return err == nil
}

// end stops the traffic, works off the rest and wants everything that was
// acknowledged in the log, once (I1, I2).
func (w *traffic) end() {
	close(w.stop)
	w.done.Wait()
	total := 0
	for ref, ids := range w.stored {
		total += len(ids)
		limit := time.Now().Add(20 * time.Second)
		for {
			w.work(ref)
			_, log, err := w.store.Read(context.Background(), ref)
			got := make(map[string]int)
			for _, line := range log {
				got[string(line)]++
			}
			missing := slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return got[id] == 1 })
			if err == nil && len(missing) == 0 {
				break
			}
			if time.Now().After(limit) {
				w.t.Errorf("%s: of %d acknowledged messages %d are not in the log once: %v (%v)", ref.Channel, len(ids), len(missing), missing[:min(3, len(missing))], err)
				break
			}
			<-time.After(20 * time.Millisecond) // the lease of who was cut off
		}
	}
	w.t.Logf("%d messages acknowledged, %d left for redelivery, %d claims told to verify", total, w.refused, w.rewounds)
	if total < 200 {
		w.t.Errorf("only %d messages were acknowledged: nothing was shown", total)
	}
}

// progress waits until so many more messages were acknowledged.
func (w *traffic) progress(more int) {
	w.t.Helper()
	count := func() (n int) {
		w.mu.Lock()
		defer w.mu.Unlock()
		for _, ids := range w.stored {
			n += len(ids)
		}
		return n
	}
	want, limit := count()+more, time.Now().Add(20*time.Second)
	for count() < want {
		if time.Now().After(limit) {
			w.t.Fatalf("only %d of %d messages were acknowledged in time", count(), want)
		}
		<-time.After(5 * time.Millisecond)
	}
}

// TestSlotMovesUnderLoad moves a slot with its discussions to another node, key by
// key, while people write and a replica works: nothing that was acknowledged is
// lost or taken in twice, with and without confirmation by replicas.
func TestSlotMovesUnderLoad(t *testing.T) {
	t.Parallel()
	for _, replicas := range []int{0, 1} {
		t.Run(fmt.Sprintf("%d replicas", replicas), func(t *testing.T) {
			t.Parallel()
			cluster := storagetest.ClusterOf(t, 3, replicas)
			store := storagetest.Open(t, cluster.Server(), storage.Options{Lease: time.Second, Shards: 4, Replicas: replicas, WaitFor: time.Second, MailboxLimit: 10_000})
			w := newTraffic(t, store)
			w.progress(200)
			slot, from := cluster.Slot(t, cluster.Keys(t, "*:due"))
			cluster.MoveSlot(t, slot, from, (from+1)%3, func(moved int) {
				if moved%20 == 0 {
					w.progress(5)
				}
			})
			w.progress(200)
			w.end()
			if got, node := cluster.Slot(t, cluster.Keys(t, "*:due")); got == slot && node == from {
				t.Error("the slot has not moved")
			}
		})
	}
}

// TestNodeFailsOverUnderLoad kills one of three masters while people write: the
// others go on meanwhile, a replica takes its place, and nothing is lost that was
// acknowledged with --redis-replicas 1.
func TestNodeFailsOverUnderLoad(t *testing.T) {
	t.Parallel()
	cluster := storagetest.ClusterOf(t, 3, 2)
	store := storagetest.Open(t, cluster.Server(), storage.Options{Lease: time.Second, Replicas: 1, WaitFor: time.Second, Patience: 500 * time.Millisecond, MailboxLimit: 10_000})
	w := newTraffic(t, store)
	w.progress(300)
	cluster.Masters[0].Kill()
	w.progress(20) // on the nodes that are left, or on the new master
	cluster.AwaitOK(t, cluster.Masters[1])
	w.progress(300)
	w.end()
	if w.rewounds == 0 {
		t.Error("no holder was told that its server is another one")
	}
}

// TestDueOfTheNodesThatAnswer shows that one node's silence hides no discussion of
// the others, nor holds them up: neither when it is gone nor when it hangs.
func TestDueOfTheNodesThatAnswer(t *testing.T) {
	t.Parallel()
	for name, silence := range map[string]func(*testing.T, *storagetest.Server){
		"gone":  func(_ *testing.T, node *storagetest.Server) { node.Kill() },
		"hangs": func(t *testing.T, node *storagetest.Server) { node.Stop(t) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cluster := storagetest.ClusterOf(t, 3, 0)
			for _, node := range cluster.Masters { // else the others stop serving as well
				node.Set(t, "cluster-require-full-coverage", "no")
			}
			store := storagetest.Open(t, cluster.Server(), storage.Options{})
			for c := range 30 {
				d := delivery("open")
				d.Ref = placeOf(c, 0)
				if r, err := store.Deliver(t.Context(), d); err != nil || r.Reception != engine.Stored {
					t.Fatalf("Deliver = %q, %v", r.Reception, err)
				}
			}
			silent := len(cluster.Keys(t, "*:t:*")[2])
			silence(t, cluster.Masters[2])
			ctx, cancel := context.WithTimeout(t.Context(), 2900*time.Millisecond) // go-redis alone waits 3 s for an answer
			defer cancel()
			due, err := store.Due(ctx, 100)
			if err == nil || ctx.Err() != nil {
				t.Errorf("Due with a silent node: %v, want its error, and in time", err)
			}
			if len(due) != 30-silent || silent == 0 {
				t.Errorf("Due lists %d discussions, want %d: all but the %d of the silent node", len(due), 30-silent, silent)
			}
		})
	}
}
