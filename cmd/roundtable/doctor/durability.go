package doctor

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/roundtable-chat/app/cmd/roundtable/config"
	"github.com/roundtable-chat/app/storage"
)

// room is what helps where Redis cannot write to its disk.
const room = "free space on the disk or repair it; Redis's log says what is wrong"

// failed reports whether something is known to have failed.
func failed(f storage.Fact[bool]) bool { return f.Known && !f.Value }

// persistence is what a server still has after it restarted, whether it can write that
// down, and what becomes of it when memory is short. Where replicas must confirm a write,
// a crash of one machine does not take it.
func persistence() []row {
	return []row{
		of(serving, "append-only file", []answer[server]{
			{when: func(s server) bool { return !s.AppendOnly.Known }, level: Advice, found: "the server does not report whether it keeps one",
				means: "it is unknown what the server has after a restart", do: "look in the service's console for appendonly yes, appendfsync everysec"},
			{when: func(s server) bool { return !s.AppendOnly.Value }, level: Warning, say: withoutLog,
				do: "redis-cli CONFIG SET appendonly yes, and in redis.conf: appendonly yes, appendfsync everysec"},
			{when: func(s server) bool { return s.AppendFsync.Value == "no" }, level: Warning, found: "appendonly is yes, but appendfsync is no",
				means:    "when the machine fails (not when only Redis is killed), writes that its system had not yet put on disk are lost, usually half a minute of them",
				promises: []int{1, 3}, do: "redis-cli CONFIG SET appendfsync everysec, and the same in redis.conf"},
			{when: func(s server) bool { return s.AppendFsync.Value == "everysec" && s.want > 0 }, found: "appendonly is yes, appendfsync is everysec, and replicas confirm"},
			{when: func(s server) bool { return s.AppendFsync.Value == "everysec" }, level: Advice, found: "appendonly is yes, appendfsync is everysec",
				means:    "when the machine fails, up to two seconds of acknowledged messages are lost; a killed or restarted Redis loses nothing",
				promises: []int{1}, do: "accept it, or redis-cli CONFIG SET appendfsync always, which is slower, or have a replica confirm: --redis-replicas 1"},
			{when: func(s server) bool { return s.AppendFsync.Known }, found: "appendonly is yes, appendfsync is %s", args: func(s server) []any { return []any{s.AppendFsync.Value} }},
			{found: "appendonly is yes; appendfsync is unknown"},
		}),
		of(serving, "no-appendfsync-on-rewrite", []answer[server]{{when: func(s server) bool { return s.AppendOnly.Value && s.NoFsyncOnRewrite.Value }, level: Advice,
			found: "is yes", means: "a machine that fails while Redis rewrites the file loses up to half a minute", promises: []int{1},
			do: "redis-cli CONFIG SET no-appendfsync-on-rewrite no, and the same in redis.conf"}}),
		of(serving, "disk", []answer[server]{{when: func(s server) bool { return s.AppendOnly.Value && failed(s.AppendOK) }, level: Failure,
			found: "the last write to the append-only file failed", means: "Redis refuses every write until one succeeds, so Roundtable takes nothing in", do: room}}),
		of(serving, "disk", []answer[server]{{when: func(s server) bool { return s.AppendOnly.Value && failed(s.RewriteOK) }, level: Warning,
			found: "the last rewrite of the append-only file failed", means: "the file grows until the disk is full, and then Redis refuses writes", do: room + "; then BGREWRITEAOF"}}),
		of(serving, "disk", []answer[server]{
			// Redis refuses writes only if it saves by itself.
			{when: func(s server) bool { return failed(s.SnapshotOK) && s.StopWrites.Value && s.Save.Value != "" }, level: Failure,
				found: "the last snapshot failed, and stop-writes-on-bgsave-error is yes", means: "Redis refuses every write until a snapshot succeeds, so Roundtable takes nothing in", do: room + "; then BGSAVE"},
			{when: func(s server) bool { return failed(s.SnapshotOK) }, level: Warning, found: "the last snapshot failed",
				means: "without an append-only file, a restart goes back to the snapshot before it; and a replica cannot be filled", do: room + "; then BGSAVE"},
		}),
		of(serving, "memory", memory()),
	}
}

// withoutLog says what a server keeps that has no append-only file.
func withoutLog(s server, f *Finding) {
	if s.Save.Known && s.Save.Value == "" {
		f.Found = "appendonly is no and save is empty: everything is in memory only"
		f.Means, f.Promises = "when Redis restarts, every discussion, timer and artifact is gone", []int{1, 3, 4, 5}
		if len(s.Replicas) > 0 {
			f.Means += "; its replicas then copy the empty server"
		}
	} else {
		f.Found = "appendonly is no: Redis keeps snapshots only"
		if s.Save.Known {
			f.Found += fmt.Sprintf(" (save %s)", s.Save.Value)
		}
		f.Means, f.Promises = "when Redis is killed or its machine fails, everything since the last snapshot is lost, including artifacts and new discussions", []int{1, 3, 4}
	}
	if s.Replica.Value {
		f.Means = "after a failover this server is the master, and then " + f.Means
	}
}

// The part of maxmemory from which it is time to act.
const nearlyFull = 0.9

// memory is what happens when memory is short.
func memory() []answer[server] {
	const (
		filling = "maxmemory-policy is noeviction; %.0f %% of %s is used"
		relief  = "raise maxmemory, shorten --retention, or delete other data in this Redis"
		keep    = "redis-cli CONFIG SET maxmemory-policy noeviction, and the same in redis.conf"
		evicts  = "maxmemory-policy is %s, maxmemory is %s%s"
	)
	used := func(s server) float64 { return float64(s.UsedMemory.Value) / float64(s.MaxMemory.Value) }
	keeps := func(s server) bool { return s.MaxMemoryPolicy.Value == "noeviction" }
	limited := func(s server) bool { return s.MaxMemory.Known && s.MaxMemory.Value > 0 }
	full := func(s server) []any { return []any{100 * used(s), bytesText(s.MaxMemory.Value)} }
	evicting := func(s server) []any {
		evicted := ""
		if n := s.EvictedKeys.Value; n > 0 {
			evicted = fmt.Sprintf("; Redis has evicted %d keys since it started", n)
		}
		return []any{s.MaxMemoryPolicy.Value, bytesText(s.MaxMemory.Value), evicted}
	}
	return []answer[server]{
		{when: func(s server) bool { return keeps(s) && !limited(s) }, found: "maxmemory-policy is noeviction"},
		{when: func(s server) bool { return keeps(s) && used(s) >= 1 }, level: Failure, found: filling, args: full,
			means: "Redis refuses every write, so Roundtable acknowledges nothing until there is room", do: relief},
		{when: func(s server) bool { return keeps(s) && used(s) >= nearlyFull }, level: Warning, found: filling, args: full,
			means: "once memory is full, Redis refuses every write, and Roundtable acknowledges nothing until there is room", do: relief},
		{when: keeps, found: filling, args: full},
		{when: func(s server) bool { return s.MaxMemoryPolicy.Known && !limited(s) }, level: Advice, found: "maxmemory-policy is %s",
			args:  func(s server) []any { return []any{s.MaxMemoryPolicy.Value} },
			means: "Redis evicts nothing while maxmemory is not set; once somebody sets it, Redis deletes discussions", do: keep},
		{when: func(s server) bool { return strings.HasPrefix(s.MaxMemoryPolicy.Value, "volatile-") }, level: Warning, found: evicts, args: evicting,
			means: "when memory is short, Redis forgets closed discussions too early, and how fast Roundtable may post to a channel", do: keep + "; watch used_memory instead"},
		{when: func(s server) bool { return s.MaxMemoryPolicy.Known }, level: Warning, found: evicts, args: evicting,
			means: "when memory is short, Redis silently deletes discussions, their mail, timers and artifacts", promises: []int{1, 2, 4, 5}, do: keep + "; watch used_memory instead"},
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
func following() []row {
	const (
		start   = "start the missing replicas, or lower "
		isolate = "redis-cli CONFIG SET min-replicas-to-write 1 and redis-cli CONFIG SET min-replicas-max-lag 3, and the same in redis.conf"
		online  = "%s online, %d must confirm a write"
	)
	alone := func(s server) bool { return len(s.Replicas) == 0 }
	confirm := func(s server) []any { return []any{counted(s.Online(), "replica"), s.want} }
	lag := func(s server) []any { return []any{s.MinReplicas.Value, s.MinReplicasMaxLag.Value} }
	diskless := func(s server) []any { return []any{s.DisklessLoad.Value} }
	return []row{
		of(masters, "replicas", []answer[server]{
			{when: func(s server) bool { return s.want > s.Online() }, level: Failure, found: online, args: confirm,
				means: "no write is confirmed, so Roundtable acknowledges nothing and stands still", do: start + "--redis-replicas"},
			{when: func(s server) bool { return alone(s) && s.among.Sentinels != nil }, level: Warning, found: "the master has none",
				means: "when it fails, no server can take over, and Roundtable stands still until it is back", do: "add a replica: replicaof <master> <port>"},
			{when: func(s server) bool { return alone(s) && s.among.Cluster != nil }, level: Advice, found: "this master has none",
				means: "when it fails, the channels in its slots stand still until it is back", do: "add a replica: redis-cli --cluster add-node … --cluster-slave"},
			{when: alone, found: "none, and Roundtable waits for none"},
			{when: func(s server) bool { return s.want == 0 }, level: Warning, found: "%s, but --redis-replicas is 0: Roundtable waits for none",
				args:  func(s server) []any { return []any{counted(len(s.Replicas), "replica")} },
				means: "a failover after replication has stalled loses acknowledged messages", promises: []int{1, 3}, do: "set --redis-replicas 1, or ROUNDTABLE_REDIS_REPLICAS=1"},
			{when: func(s server) bool { return s.want == len(s.Replicas) }, level: Advice, found: online, args: confirm,
				means: "as soon as one is missing, no write is confirmed, and Roundtable stands still",
				say: func(s server, f *Finding) {
					f.Do = fmt.Sprintf("run one replica more than the %d that must confirm", s.want)
				}},
			{found: online, args: confirm},
		}),
		// What a master does that is cut off from its replicas.
		of(masters, "min-replicas-to-write", []answer[server]{
			{when: func(s server) bool { return s.MinReplicas.Known && int(s.MinReplicas.Value) > s.Online() }, level: Failure, found: "is %d, with %s online",
				args:  func(s server) []any { return []any{s.MinReplicas.Value, counted(s.Online(), "replica")} },
				means: "Redis refuses every write, so Roundtable acknowledges nothing and stands still", do: start + "min-replicas-to-write"},
			{when: func(s server) bool { return s.MinReplicas.Known && !alone(s) && s.MinReplicas.Value == 0 }, level: Warning, found: "is 0",
				means: "a master that is cut off from its replicas goes on taking writes, which the failover then throws away", promises: []int{1, 2, 3}, do: isolate},
			{when: func(s server) bool {
				most := s.MinReplicasMaxLag
				return s.MinReplicas.Value > 0 && most.Known && (most.Value == 0 || most.Value > usualLag)
			}, level: Advice, found: "is %d, but min-replicas-max-lag is %d", args: lag,
				means: "a replica that has been silent for long still counts", promises: []int{3}, do: "redis-cli CONFIG SET min-replicas-max-lag 3, and the same in redis.conf"},
			{when: func(s server) bool { return s.MinReplicas.Value > 0 }, found: "is %d, with a lag of at most %d s", args: lag},
		}),
		of(replicas, "replication", []answer[server]{{when: func(s server) bool { return failed(s.LinkUp) }, level: Warning, found: "the replica is not connected to its master",
			means: "if it takes over now, the writes that it missed are lost", promises: []int{1, 3}, do: "look in its log for the reason: the network, masterauth, or a first synchronisation that is still going on"}}),
		of(replicas, "repl-diskless-load", []answer[server]{
			{when: func(s server) bool { return s.DisklessLoad.Value == "swapdb" }, level: Advice, found: "is swapdb",
				means: "a full synchronisation takes twice the memory, and the replica crashes if there is less", do: "redis-cli CONFIG SET repl-diskless-load disabled, unless there is enough memory"},
			{when: func(s server) bool {
				return !slices.Contains([]string{"", "disabled", "on-empty-db"}, s.DisklessLoad.Value)
			}, level: Warning, found: "is %s", args: diskless,
				means: "the replica throws its data away before it has the new; if the master fails meanwhile, everything is gone", promises: []int{1, 3, 4, 5},
				do: "redis-cli CONFIG SET repl-diskless-load disabled, and the same in redis.conf"},
		}),
	}
}

// soundSentinels is how few sentinels still decide when one of them is gone, and
// cannot be wrong by themselves.
const soundSentinels = 3

// together is who decides that a master is dead, who can mislead them, and whether every
// channel has a place.
func together() []row {
	const (
		watching  = "%s watching, quorum %d; %d of %d in REDIS_URL answer"
		covered   = "%d of 16384 slots are served by %s"
		misled    = "anyone who can reach a sentinel can make a server of their own the master, and then " + opened
		secretToo = "set requirepass and sentinel sentinel-pass on every sentinel, and put the password into REDIS_URL as sentinel_password"
	)
	watch := func(s storage.Survey) []any {
		return []any{counted(s.Sentinels.Watching, "sentinel"), s.Sentinels.Quorum, s.Sentinels.Answering, s.Sentinels.Asked}
	}
	slots := func(s storage.Survey) []any { return []any{s.Cluster.Slots, counted(len(s.Masters()), "master")} }
	open := func(s storage.Survey) bool { return s.Sentinels != nil && len(s.Sentinels.Open) > 0 }
	remote := func(addr string) bool { return !(storage.Server{Addr: addr}).Local() }
	return []row{
		check[storage.Survey]{name: "sentinels", learn: whole(func(s storage.Survey) bool { return s.Sentinels != nil }), answers: []answer[storage.Survey]{
			{when: func(s storage.Survey) bool { return s.Sentinels.QuorumErr != nil }, level: Warning, found: watching + "; %v",
				args:  func(s storage.Survey) []any { return append(watch(s), s.Sentinels.QuorumErr) },
				means: "when the master fails, no server takes over, and Roundtable stands still until it is back", do: "start the missing sentinels"},
			{when: func(s storage.Survey) bool { return s.Sentinels.Watching < soundSentinels }, level: Warning, found: watching, args: watch,
				means: "when a sentinel's machine fails together with the master's, no server takes over", do: "run three sentinels on machines of their own, with quorum 2"},
			{when: func(s storage.Survey) bool { return s.Sentinels.Answering < s.Sentinels.Asked }, level: Warning, found: watching, args: watch,
				means: "if one more fails, Roundtable may not find the master", do: "start the missing sentinels, or remove them from REDIS_URL"},
			{when: func(s storage.Survey) bool { return s.Sentinels.Asked == 1 }, level: Advice, found: watching, args: watch,
				means: "when this one is gone, Roundtable cannot find the master when it starts", do: "name all of them in REDIS_URL: redis+sentinel://a:26379,b:26379,c:26379?master=…"},
			{found: watching, args: watch},
		}},
		check[storage.Survey]{name: "sentinel password", learn: whole(open), where: func(s storage.Survey) []string { return s.Sentinels.Open }, answers: []answer[storage.Survey]{
			{when: func(s storage.Survey) bool { return slices.ContainsFunc(s.Sentinels.Open, remote) }, level: Warning, found: "none is required",
				means: misled, promises: broughtDown(), do: secretToo},
			{level: Advice, found: "none is required", means: misled, do: secretToo},
		}},
		check[storage.Survey]{name: "cluster", learn: whole(func(s storage.Survey) bool { return s.Cluster != nil }), answers: []answer[storage.Survey]{
			{when: func(s storage.Survey) bool { return s.Cluster.Covered() }, found: covered, args: slots},
			{level: Failure, found: covered, args: slots,
				means: "channels in the other slots stand still, and with cluster-require-full-coverage yes, all do", do: "redis-cli --cluster check <host:port>, then --cluster fix"},
		}},
	}
}

// whole learns a survey as a whole, if it has something.
func whole(has func(storage.Survey) bool) func(context.Context, *visit) ([]storage.Survey, error) {
	return surveyed(func(s storage.Survey, _ config.Config) []storage.Survey {
		return slices.DeleteFunc([]storage.Survey{s}, func(s storage.Survey) bool { return !has(s) })
	})
}
