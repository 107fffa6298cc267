package main

import (
	"fmt"
	"strings"
)

// persistence judges what the server still has after it restarted. replicas is how
// many must confirm a write: what they have, a crash of one machine does not take.
func (e *serverExam) persistence(replicas int) {
	const check = "append-only file"
	x := e.server
	switch {
	case !x.AppendOnly.Known:
		e.say(finding{Check: check, Level: advice, Found: "the server does not say whether it keeps one", Means: "nothing is known of what it has after a restart",
			Do: "look in the service's console: appendonly yes, appendfsync everysec"})
	case !x.AppendOnly.Value:
		e.say(e.withoutLog(check))
	case x.AppendFsync.Value == "no":
		e.say(finding{Check: check, Level: warning, Found: "appendonly is yes, but appendfsync is no",
			Means: "when the machine fails (not when Redis alone is killed), what its system had not written yet is lost, usually half a minute", Promises: []int{1, 3},
			Do: "redis-cli CONFIG SET appendfsync everysec, and the same in redis.conf"})
	case x.AppendFsync.Value == "everysec" && replicas > 0:
		e.say(finding{Check: check, Found: "appendonly is yes, appendfsync is everysec, and replicas confirm"})
	case x.AppendFsync.Value == "everysec":
		e.say(finding{Check: check, Level: advice, Found: "appendonly is yes, appendfsync is everysec",
			Means: "when the machine fails, up to two seconds of what was acknowledged are lost; a killed or restarted Redis loses nothing", Promises: []int{1},
			Do: "accept it, or redis-cli CONFIG SET appendfsync always, which is slower, or have a replica confirm: --redis-replicas 1"})
	case x.AppendFsync.Known:
		e.say(finding{Check: check, Found: "appendonly is yes, appendfsync is " + x.AppendFsync.Value})
	default:
		e.say(finding{Check: check, Found: "appendonly is yes; appendfsync is unknown"})
	}
	if x.AppendOnly.Value && x.NoFsyncOnRewrite.Value {
		e.say(finding{Check: "no-appendfsync-on-rewrite", Level: advice, Found: "is yes", Means: "while the file is rewritten, a failing machine loses up to half a minute", Promises: []int{1},
			Do: "redis-cli CONFIG SET no-appendfsync-on-rewrite no, and the same in redis.conf"})
	}
}

// withoutLog is the finding where there is no append-only file.
func (e *serverExam) withoutLog(check string) finding {
	x := e.server
	f := finding{Check: check, Level: warning, Do: "redis-cli CONFIG SET appendonly yes, and in redis.conf: appendonly yes, appendfsync everysec"}
	switch {
	case x.Save.Known && x.Save.Value == "":
		f.Found = "appendonly is no and save is empty: everything is in memory only"
		f.Means = "when Redis restarts, every discussion, timer and artifact is gone"
		f.Promises = []int{1, 3, 4, 5}
		if len(x.Replicas) > 0 {
			f.Means += "; its replicas then copy the emptiness"
		}
	default:
		f.Found = "appendonly is no: only snapshots are kept"
		if x.Save.Known {
			f.Found += fmt.Sprintf(" (save %s)", x.Save.Value)
		}
		f.Means = "when Redis is killed or its machine fails, what happened since the last snapshot is forgotten, artifacts and new discussions with it"
		f.Promises = []int{1, 3, 4}
	}
	if x.Replica.Value {
		f.Means = "after a failover this server is the master, and then: " + f.Means
	}
	return f
}

// disk judges whether the last writing to disk succeeded.
func (e *serverExam) disk() {
	x := e.server
	const room = "make room on the disk or repair it; Redis's log says what is wrong"
	failed := func(ok bool, known bool) bool { return known && !ok }
	if x.AppendOnly.Value && failed(x.AppendOK.Value, x.AppendOK.Known) {
		e.say(finding{Check: "disk", Level: failure, Found: "the last write of the append-only file failed", Means: "Redis refuses every write until it succeeds: roundtable takes nothing in", Do: room})
	}
	if x.AppendOnly.Value && failed(x.RewriteOK.Value, x.RewriteOK.Known) {
		e.say(finding{Check: "disk", Level: warning, Found: "the last rewriting of the append-only file failed", Means: "the file grows until the disk is full, and then Redis refuses writes", Do: room + "; then BGREWRITEAOF"})
	}
	if !failed(x.SnapshotOK.Value, x.SnapshotOK.Known) {
		return
	}
	f := finding{Check: "disk", Level: warning, Found: "the last snapshot failed", Means: "the one before it is what a restart without an append-only file goes back to, and a replica cannot be filled", Do: room + "; then BGSAVE"}
	// Redis refuses writes only if it saves by itself.
	if x.StopWrites.Value && x.Save.Value != "" {
		f.Level, f.Found, f.Means = failure, "the last snapshot failed, and stop-writes-on-bgsave-error is yes", "Redis refuses every write until one succeeds: roundtable takes nothing in"
	}
	e.say(f)
}

// The part of maxmemory from which it is time to act.
const nearlyFull = 0.9

// memory judges what happens when memory is short.
func (e *serverExam) memory() {
	const check = "memory"
	x := e.server
	policy, limit := x.MaxMemoryPolicy, x.MaxMemory
	if !policy.Known {
		return
	}
	limited := limit.Known && limit.Value > 0
	f := finding{Check: check, Found: fmt.Sprintf("maxmemory-policy is %s, maxmemory is %s", policy.Value, bytesText(limit.Value))}
	switch {
	case policy.Value == "noeviction" && !limited:
		f.Found = "maxmemory-policy is noeviction"
	case policy.Value == "noeviction":
		f = e.filling(f)
	case !limited:
		f.Level, f.Found = advice, fmt.Sprintf("maxmemory-policy is %s", policy.Value)
		f.Means, f.Do = "nothing is evicted while maxmemory is not set; whoever sets it has Redis delete discussions", "redis-cli CONFIG SET maxmemory-policy noeviction, and the same in redis.conf"
	default:
		f.Level, f.Do = warning, "redis-cli CONFIG SET maxmemory-policy noeviction, and the same in redis.conf; watch used_memory instead"
		f.Means, f.Promises = "when memory is short, Redis deletes discussions, their mail, their timers and artifacts, and says nothing", []int{1, 2, 4, 5}
		if strings.HasPrefix(policy.Value, "volatile-") {
			f.Means, f.Promises = "when memory is short, Redis forgets closed discussions before their time and how fast a channel may be posted to", nil
		}
		if n := x.EvictedKeys.Value; n > 0 {
			f.Found += fmt.Sprintf("; %d keys were evicted since it started", n)
		}
	}
	e.say(f)
}

// filling judges how full the memory of a server is that evicts nothing.
func (e *serverExam) filling(f finding) finding {
	used, limit := e.server.UsedMemory.Value, e.server.MaxMemory.Value
	part := float64(used) / float64(limit)
	f.Found = fmt.Sprintf("maxmemory-policy is noeviction; %.0f %% of %s are used", 100*part, bytesText(limit))
	switch {
	case part >= 1:
		f.Level, f.Means = failure, "Redis refuses every write: nothing is acknowledged until there is room"
	case part >= nearlyFull:
		f.Level, f.Means = warning, "when it is full, Redis refuses every write; nothing is acknowledged until there is room"
	default:
		return f
	}
	f.Do = "raise maxmemory, shorten --retention, or delete what else is stored there"
	return f
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
