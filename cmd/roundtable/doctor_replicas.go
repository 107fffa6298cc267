package main

import (
	"fmt"

	"github.com/roundtable-chat/app/storage"
)

// The largest min-replicas-max-lag that is Redis's own default, in seconds.
const usualLag = 10

// replication judges a master with those that follow it. want is how many must
// confirm a write.
func (e *serverExam) replication(s storage.Survey, want int) {
	const check = "replicas"
	x := e.server
	have, online := len(x.Replicas), x.Online()
	const doReplicas = "start the replicas that are missing, or lower --redis-replicas"
	f := finding{Check: check, Found: fmt.Sprintf("%s online, %d must confirm a write", counted(online, "replica"), want)}
	switch {
	case want > online:
		f.Level, f.Means, f.Do = failure, "no write is confirmed, so nothing is acknowledged and roundtable stands still", doReplicas
	case have == 0 && s.Sentinels != nil:
		f.Level, f.Found = warning, "the master has none"
		f.Means, f.Do = "when it fails there is nothing to fail over to: roundtable stands still until it is back", "add a replica: replicaof <master> <port>"
	case have == 0 && s.Cluster != nil:
		f.Level, f.Found = advice, "this master has none"
		f.Means, f.Do = "when it fails, the channels in its slots stand still until it is back", "add a replica: redis-cli --cluster add-node … --cluster-slave"
	case have == 0:
		f.Found = "none, and none is waited for"
	case want == 0:
		f.Level, f.Found = warning, fmt.Sprintf("%s, but --redis-replicas is 0: none is waited for", counted(have, "replica"))
		f.Means, f.Promises = "a failover after replication has stalled loses messages that were acknowledged", []int{1, 3}
		f.Do = "--redis-replicas 1, or ROUNDTABLE_REDIS_REPLICAS=1"
	case want == have:
		f.Level, f.Means = advice, "as soon as one is missing nothing is confirmed, and roundtable stands still"
		f.Do = fmt.Sprintf("run one replica more than the %d that must confirm", want)
	}
	e.say(f)
	e.isolation(have, online)
}

// isolation judges what a master does that is cut off from its replicas.
func (e *serverExam) isolation(have, online int) {
	const check = "min-replicas-to-write"
	least, lag := e.server.MinReplicas, e.server.MinReplicasMaxLag
	if !least.Known {
		return
	}
	const remedy = "redis-cli CONFIG SET min-replicas-to-write 1 and redis-cli CONFIG SET min-replicas-max-lag 3, and the same in redis.conf"
	switch {
	case int(least.Value) > online:
		e.say(finding{Check: check, Level: failure, Found: fmt.Sprintf("is %d, and %s online", least.Value, counted(online, "replica")),
			Means: "Redis refuses every write: nothing is acknowledged and roundtable stands still", Do: "start the replicas that are missing, or lower min-replicas-to-write"})
	case have > 0 && least.Value == 0:
		e.say(finding{Check: check, Level: warning, Found: "is 0",
			Means: "a master that is cut off from its replicas goes on taking writes, which the failover then throws away", Promises: []int{1, 2, 3}, Do: remedy})
	case least.Value > 0 && lag.Known && (lag.Value == 0 || lag.Value > usualLag):
		e.say(finding{Check: check, Level: advice, Found: fmt.Sprintf("is %d, but min-replicas-max-lag is %d", least.Value, lag.Value),
			Means: "a replica that has not been heard of for long still counts", Promises: []int{3}, Do: "redis-cli CONFIG SET min-replicas-max-lag 3, and the same in redis.conf"})
	case least.Value > 0:
		e.say(finding{Check: check, Found: fmt.Sprintf("is %d, with a lag of at most %d s", least.Value, lag.Value)})
	}
}

// following judges a replica by how it follows its master.
func (e *serverExam) following() {
	x := e.server
	if x.LinkUp.Known && !x.LinkUp.Value {
		e.say(finding{Check: "replication", Level: warning, Found: "the replica is not in touch with its master",
			Means: "what it misses is lost if it takes over now", Promises: []int{1, 3}, Do: "look at its log: the network, masterauth, or a first filling that is still going on"})
	}
	switch how := x.DisklessLoad; how.Value {
	case "", "disabled", "on-empty-db":
	case "swapdb":
		e.say(finding{Check: "repl-diskless-load", Level: advice, Found: "is swapdb", Means: "while the replica is filled anew it needs twice the memory, and ends when there is less", Do: "redis-cli CONFIG SET repl-diskless-load disabled, unless the memory is there"})
	default:
		e.say(finding{Check: "repl-diskless-load", Level: warning, Found: "is " + how.Value,
			Means: "the replica throws away what it has before it has the new; if the master fails meanwhile, everything is gone", Promises: []int{1, 3, 4, 5},
			Do: "redis-cli CONFIG SET repl-diskless-load disabled, and the same in redis.conf"})
	}
}

// soundSentinels is how few sentinels still decide when one of them is gone, and
// cannot be wrong by themselves.
const soundSentinels = 3

// judgeSentinels judges who decides that the master is dead.
func judgeSentinels(s storage.Survey) []finding {
	if s.Sentinels == nil {
		return nil
	}
	const check = "sentinels"
	w := s.Sentinels
	found := fmt.Sprintf("%s watching, quorum %d; %d of %d in REDIS_URL answer", counted(w.Watching, "sentinel"), w.Quorum, w.Answering, w.Asked)
	switch {
	case w.QuorumErr != nil:
		return []finding{{Check: check, Level: warning, Found: found + "; " + w.QuorumErr.Error(),
			Means: "when the master fails nobody takes over, and roundtable stands still until it is back", Do: "start the sentinels that are missing"}}
	case w.Watching < soundSentinels:
		return []finding{{Check: check, Level: warning, Found: found, Means: "when a sentinel's machine fails together with the master's, nobody takes over",
			Do: "run three sentinels on machines of their own, with quorum 2"}}
	case w.Answering < w.Asked:
		return []finding{{Check: check, Level: warning, Found: found, Means: "one more that fails, and roundtable may not find the master", Do: "start it, or take it out of REDIS_URL"}}
	case w.Asked == 1:
		return []finding{{Check: check, Level: advice, Found: found, Means: "when this one is gone, a replica that starts does not find the master", Do: "name all of them in REDIS_URL: redis+sentinel://a:26379,b:26379,c:26379?master=…"}}
	}
	return []finding{{Check: check, Found: found}}
}

// judgeCluster judges whether every channel has a place.
func judgeCluster(s storage.Survey) []finding {
	if s.Cluster == nil {
		return nil
	}
	f := finding{Check: "cluster", Found: fmt.Sprintf("%d of 16384 slots are served by %s", s.Cluster.Slots, counted(len(s.Masters()), "master"))}
	if !s.Cluster.Covered() {
		f.Level, f.Means, f.Do = failure, "channels in the other slots stand still, and with cluster-require-full-coverage yes, all do", "redis-cli --cluster check <host:port>, then --cluster fix"
	}
	return []finding{f}
}

// counted is a number with its noun.
func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
