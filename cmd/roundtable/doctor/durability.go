package doctor

import (
	"fmt"
	"slices"
	"strings"

	"github.com/roundtable-chat/app/storage"
)

// room is what helps where Redis cannot write to its disk.
const room = "make room on the disk or repair it; Redis's log says what is wrong"

// failed reports whether something is known to have failed.
func failed(f storage.Fact[bool]) bool { return f.Known && !f.Value }

// persistence is what a server still has after it restarted, whether it can write that
// down, and what becomes of it when memory is short. Where replicas must confirm a write,
// a crash of one machine does not take it.
func persistence() []check {
	return []check{
		{"append-only file", serving, []answer{
			{when: func(s server) bool { return !s.AppendOnly.Known }, level: Advice, found: "the server does not say whether it keeps one",
				means: "nothing is known of what it has after a restart", do: "look in the service's console: appendonly yes, appendfsync everysec"},
			{when: func(s server) bool { return !s.AppendOnly.Value }, level: Warning, say: withoutLog,
				do: "redis-cli CONFIG SET appendonly yes, and in redis.conf: appendonly yes, appendfsync everysec"},
			{when: func(s server) bool { return s.AppendFsync.Value == "no" }, level: Warning, found: "appendonly is yes, but appendfsync is no",
				means:    "when the machine fails (not when Redis alone is killed), what its system had not written yet is lost, usually half a minute",
				promises: []int{1, 3}, do: "redis-cli CONFIG SET appendfsync everysec, and the same in redis.conf"},
			{when: func(s server) bool { return s.AppendFsync.Value == "everysec" && s.want > 0 }, found: "appendonly is yes, appendfsync is everysec, and replicas confirm"},
			{when: func(s server) bool { return s.AppendFsync.Value == "everysec" }, level: Advice, found: "appendonly is yes, appendfsync is everysec",
				means:    "when the machine fails, up to two seconds of what was acknowledged are lost; a killed or restarted Redis loses nothing",
				promises: []int{1}, do: "accept it, or redis-cli CONFIG SET appendfsync always, which is slower, or have a replica confirm: --redis-replicas 1"},
			{when: func(s server) bool { return s.AppendFsync.Known }, found: "appendonly is yes, appendfsync is %s",
				say: found(func(s server) []any { return []any{s.AppendFsync.Value} })},
			{found: "appendonly is yes; appendfsync is unknown"},
		}},
		{"no-appendfsync-on-rewrite", serving, []answer{{when: func(s server) bool { return s.AppendOnly.Value && s.NoFsyncOnRewrite.Value }, level: Advice,
			found: "is yes", means: "while the file is rewritten, a failing machine loses up to half a minute", promises: []int{1},
			do: "redis-cli CONFIG SET no-appendfsync-on-rewrite no, and the same in redis.conf"}}},
		{"disk", serving, []answer{{when: func(s server) bool { return s.AppendOnly.Value && failed(s.AppendOK) }, level: Failure,
			found: "the last write of the append-only file failed", means: "Redis refuses every write until it succeeds: roundtable takes nothing in", do: room}}},
		{"disk", serving, []answer{{when: func(s server) bool { return s.AppendOnly.Value && failed(s.RewriteOK) }, level: Warning,
			found: "the last rewriting of the append-only file failed", means: "the file grows until the disk is full, and then Redis refuses writes", do: room + "; then BGREWRITEAOF"}}},
		{"disk", serving, []answer{
			// Redis refuses writes only if it saves by itself.
			{when: func(s server) bool { return failed(s.SnapshotOK) && s.StopWrites.Value && s.Save.Value != "" }, level: Failure,
				found: "the last snapshot failed, and stop-writes-on-bgsave-error is yes", means: "Redis refuses every write until one succeeds: roundtable takes nothing in", do: room + "; then BGSAVE"},
			{when: func(s server) bool { return failed(s.SnapshotOK) }, level: Warning, found: "the last snapshot failed",
				means: "the one before it is what a restart without an append-only file goes back to, and a replica cannot be filled", do: room + "; then BGSAVE"},
		}},
		{"memory", serving, memory()},
	}
}

// withoutLog says what a server keeps that has no append-only file.
func withoutLog(s server, f *Finding) {
	if s.Save.Known && s.Save.Value == "" {
		f.Found = "appendonly is no and save is empty: everything is in memory only"
		f.Means, f.Promises = "when Redis restarts, every discussion, timer and artifact is gone", []int{1, 3, 4, 5}
		if len(s.Replicas) > 0 {
			f.Means += "; its replicas then copy the emptiness"
		}
	} else {
		f.Found = "appendonly is no: only snapshots are kept"
		if s.Save.Known {
			f.Found += fmt.Sprintf(" (save %s)", s.Save.Value)
		}
		f.Means, f.Promises = "when Redis is killed or its machine fails, what happened since the last snapshot is forgotten, artifacts and new discussions with it", []int{1, 3, 4}
	}
	if s.Replica.Value {
		f.Means = "after a failover this server is the master, and then: " + f.Means
	}
}

// The part of maxmemory from which it is time to act.
const nearlyFull = 0.9

// memory is what happens when memory is short.
func memory() []answer {
	const (
		filling = "maxmemory-policy is noeviction; %.0f %% of %s are used"
		relief  = "raise maxmemory, shorten --retention, or delete what else is stored there"
		keep    = "redis-cli CONFIG SET maxmemory-policy noeviction, and the same in redis.conf"
	)
	used := func(s server) float64 { return float64(s.UsedMemory.Value) / float64(s.MaxMemory.Value) }
	keeps := func(s server) bool { return s.MaxMemoryPolicy.Value == "noeviction" }
	limited := func(s server) bool { return s.MaxMemory.Known && s.MaxMemory.Value > 0 }
	full := found(func(s server) []any { return []any{100 * used(s), bytesText(s.MaxMemory.Value)} })
	evicting := func(s server, f *Finding) {
		f.Found = fmt.Sprintf("maxmemory-policy is %s, maxmemory is %s", s.MaxMemoryPolicy.Value, bytesText(s.MaxMemory.Value))
		if n := s.EvictedKeys.Value; n > 0 {
			f.Found += fmt.Sprintf("; %d keys were evicted since it started", n)
		}
	}
	known := func(when func(s server) bool) func(s server) bool {
		return func(s server) bool { return s.MaxMemoryPolicy.Known && when(s) }
	}
	return []answer{
		{when: known(func(s server) bool { return keeps(s) && !limited(s) }), found: "maxmemory-policy is noeviction"},
		{when: known(func(s server) bool { return keeps(s) && used(s) >= 1 }), level: Failure, found: filling, say: full,
			means: "Redis refuses every write: nothing is acknowledged until there is room", do: relief},
		{when: known(func(s server) bool { return keeps(s) && used(s) >= nearlyFull }), level: Warning, found: filling, say: full,
			means: "when it is full, Redis refuses every write; nothing is acknowledged until there is room", do: relief},
		{when: known(keeps), found: filling, say: full},
		{when: known(func(s server) bool { return !limited(s) }), level: Advice, found: "maxmemory-policy is %s",
			say:   found(func(s server) []any { return []any{s.MaxMemoryPolicy.Value} }),
			means: "nothing is evicted while maxmemory is not set; whoever sets it has Redis delete discussions", do: keep},
		{when: known(func(s server) bool { return strings.HasPrefix(s.MaxMemoryPolicy.Value, "volatile-") }), level: Warning, say: evicting,
			means: "when memory is short, Redis forgets closed discussions before their time and how fast a channel may be posted to", do: keep + "; watch used_memory instead"},
		{when: known(func(server) bool { return true }), level: Warning, say: evicting,
			means: "when memory is short, Redis deletes discussions, their mail, their timers and artifacts, and says nothing", promises: []int{1, 2, 4, 5}, do: keep + "; watch used_memory instead"},
	}
}

// bytesText is a size for people.
func bytesText(n int64) string {
	switch {
	case n == 0:
		return "not set"
	case n >= 1<<30:
		return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
	case n >= 1<<20:
		return fmt.Sprintf("%.0f MiB", float64(n)/(1<<20))
	}
	return fmt.Sprintf("%d bytes", n)
}

// The largest min-replicas-max-lag that is Redis's own default, in seconds.
const usualLag = 10

// following is how a master and those that follow it stand together.
func following() []check {
	const (
		start   = "start the replicas that are missing, or lower "
		isolate = "redis-cli CONFIG SET min-replicas-to-write 1 and redis-cli CONFIG SET min-replicas-max-lag 3, and the same in redis.conf"
	)
	alone := func(s server) bool { return len(s.Replicas) == 0 }
	confirm := found(func(s server) []any { return []any{counted(s.Online(), "replica"), s.want} })
	least := func(s server) int64 { return s.MinReplicas.Value }
	return []check{
		{"replicas", masters, []answer{
			{when: func(s server) bool { return s.want > s.Online() }, level: Failure, found: "%s online, %d must confirm a write", say: confirm,
				means: "no write is confirmed, so nothing is acknowledged and roundtable stands still", do: start + "--redis-replicas"},
			{when: func(s server) bool { return alone(s) && s.among.Sentinels != nil }, level: Warning, found: "the master has none",
				means: "when it fails there is nothing to fail over to: roundtable stands still until it is back", do: "add a replica: replicaof <master> <port>"},
			{when: func(s server) bool { return alone(s) && s.among.Cluster != nil }, level: Advice, found: "this master has none",
				means: "when it fails, the channels in its slots stand still until it is back", do: "add a replica: redis-cli --cluster add-node … --cluster-slave"},
			{when: alone, found: "none, and none is waited for"},
			{when: func(s server) bool { return s.want == 0 }, level: Warning, found: "%s, but --redis-replicas is 0: none is waited for",
				say:   found(func(s server) []any { return []any{counted(len(s.Replicas), "replica")} }),
				means: "a failover after replication has stalled loses messages that were acknowledged", promises: []int{1, 3}, do: "--redis-replicas 1, or ROUNDTABLE_REDIS_REPLICAS=1"},
			{when: func(s server) bool { return s.want == len(s.Replicas) }, level: Advice, means: "as soon as one is missing nothing is confirmed, and roundtable stands still",
				say: func(s server, f *Finding) {
					f.Found = fmt.Sprintf("%s online, %d must confirm a write", counted(s.Online(), "replica"), s.want)
					f.Do = fmt.Sprintf("run one replica more than the %d that must confirm", s.want)
				}},
			{found: "%s online, %d must confirm a write", say: confirm},
		}},
		// What a master does that is cut off from its replicas.
		{"min-replicas-to-write", masters, []answer{
			{when: func(s server) bool { return s.MinReplicas.Known && int(least(s)) > s.Online() }, level: Failure, found: "is %d, and %s online",
				say:   found(func(s server) []any { return []any{least(s), counted(s.Online(), "replica")} }),
				means: "Redis refuses every write: nothing is acknowledged and roundtable stands still", do: start + "min-replicas-to-write"},
			{when: func(s server) bool { return s.MinReplicas.Known && !alone(s) && least(s) == 0 }, level: Warning, found: "is 0",
				means: "a master that is cut off from its replicas goes on taking writes, which the failover then throws away", promises: []int{1, 2, 3}, do: isolate},
			{when: func(s server) bool {
				lag := s.MinReplicasMaxLag
				return least(s) > 0 && lag.Known && (lag.Value == 0 || lag.Value > usualLag)
			}, level: Advice, found: "is %d, but min-replicas-max-lag is %d",
				say:   found(func(s server) []any { return []any{least(s), s.MinReplicasMaxLag.Value} }),
				means: "a replica that has not been heard of for long still counts", promises: []int{3}, do: "redis-cli CONFIG SET min-replicas-max-lag 3, and the same in redis.conf"},
			{when: func(s server) bool { return least(s) > 0 }, found: "is %d, with a lag of at most %d s",
				say: found(func(s server) []any { return []any{least(s), s.MinReplicasMaxLag.Value} })},
		}},
		{"replication", replicas, []answer{{when: func(s server) bool { return failed(s.LinkUp) }, level: Warning, found: "the replica is not in touch with its master",
			means: "what it misses is lost if it takes over now", promises: []int{1, 3}, do: "look at its log: the network, masterauth, or a first filling that is still going on"}}},
		{"repl-diskless-load", replicas, []answer{
			{when: func(s server) bool { return s.DisklessLoad.Value == "swapdb" }, level: Advice, found: "is swapdb",
				means: "while the replica is filled anew it needs twice the memory, and ends when there is less", do: "redis-cli CONFIG SET repl-diskless-load disabled, unless the memory is there"},
			{when: func(s server) bool {
				return !slices.Contains([]string{"", "disabled", "on-empty-db"}, s.DisklessLoad.Value)
			}, level: Warning, found: "is %s",
				say:   found(func(s server) []any { return []any{s.DisklessLoad.Value} }),
				means: "the replica throws away what it has before it has the new; if the master fails meanwhile, everything is gone", promises: []int{1, 3, 4, 5},
				do: "redis-cli CONFIG SET repl-diskless-load disabled, and the same in redis.conf"},
		}},
	}
}

// soundSentinels is how few sentinels still decide when one of them is gone, and
// cannot be wrong by themselves.
const soundSentinels = 3

// judgeSentinels judges who decides that the master is dead.
func judgeSentinels(s storage.Survey) []Finding {
	if s.Sentinels == nil {
		return nil
	}
	const check = "sentinels"
	w := s.Sentinels
	found := fmt.Sprintf("%s watching, quorum %d; %d of %d in REDIS_URL answer", counted(w.Watching, "sentinel"), w.Quorum, w.Answering, w.Asked)
	switch {
	case w.QuorumErr != nil:
		return []Finding{{Check: check, Level: Warning, Found: found + "; " + w.QuorumErr.Error(),
			Means: "when the master fails nobody takes over, and roundtable stands still until it is back", Do: "start the sentinels that are missing"}}
	case w.Watching < soundSentinels:
		return []Finding{{Check: check, Level: Warning, Found: found, Means: "when a sentinel's machine fails together with the master's, nobody takes over",
			Do: "run three sentinels on machines of their own, with quorum 2"}}
	case w.Answering < w.Asked:
		return []Finding{{Check: check, Level: Warning, Found: found, Means: "one more that fails, and roundtable may not find the master", Do: "start it, or take it out of REDIS_URL"}}
	case w.Asked == 1:
		return []Finding{{Check: check, Level: Advice, Found: found, Means: "when this one is gone, a replica that starts does not find the master", Do: "name all of them in REDIS_URL: redis+sentinel://a:26379,b:26379,c:26379?master=…"}}
	}
	return []Finding{{Check: check, Found: found}}
}

// judgeCluster judges whether every channel has a place.
func judgeCluster(s storage.Survey) []Finding {
	if s.Cluster == nil {
		return nil
	}
	f := Finding{Check: "cluster", Found: fmt.Sprintf("%d of 16384 slots are served by %s", s.Cluster.Slots, counted(len(s.Masters()), "master"))}
	if !s.Cluster.Covered() {
		f.Level, f.Means, f.Do = Failure, "channels in the other slots stand still, and with cluster-require-full-coverage yes, all do", "redis-cli --cluster check <host:port>, then --cluster fix"
	}
	return []Finding{f}
}

// counted is a number with its noun.
func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
