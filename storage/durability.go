package storage

import (
	"net"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Fact is what a server said about one thing. Known is false where it did not say:
// the embedded server knows little of itself, and managed services refuse CONFIG.
type Fact[T any] struct {
	Value T
	Known bool
}

// Server is what one data server says of itself, as far as it bears on whether
// what it acknowledged will still be there later, and on who else can get at it. Names
// follow redis.conf.
type Server struct {
	Access

	// Addr is host:port or the path of a socket.
	Addr string
	// Err is why the server could not be asked; everything below is then unknown.
	Err error
	// ConfigErr is why CONFIG GET was refused, nil where it was not; what only
	// CONFIG tells is then unknown.
	ConfigErr error

	// Version is Redis's, or the one that a relative of Redis claims to be like.
	Version Fact[string]
	// Replica is whether the server follows a master; LinkUp, of a replica,
	// whether it is in touch with it.
	Replica, LinkUp Fact[bool]
	// Replicas are those that follow the server.
	Replicas []Follower
	// MinReplicas is min-replicas-to-write, MinReplicasMaxLag its measure.
	MinReplicas, MinReplicasMaxLag Fact[int64]
	DisklessLoad                   Fact[string]

	AppendOnly       Fact[bool]
	AppendFsync      Fact[string]
	NoFsyncOnRewrite Fact[bool]
	// Save is the schedule of snapshots, "seconds changes …"; empty for none.
	Save Fact[string]
	// AppendOK, RewriteOK and SnapshotOK are whether the last write of the
	// append-only file, its last rewriting and the last snapshot succeeded.
	// StopWrites is whether a failed snapshot stops writes.
	AppendOK, RewriteOK, SnapshotOK, StopWrites Fact[bool]

	MaxMemory, UsedMemory, EvictedKeys Fact[int64]
	MaxMemoryPolicy                    Fact[string]
	// Notifications is notify-keyspace-events.
	Notifications Fact[string]

	// Skew is how far the server's clock is ahead of ours, to within half of Trip,
	// the median time of a round trip.
	Skew, Trip time.Duration
}

// Follower is a replica as its master sees it.
type Follower struct {
	Addr string
	// Online is whether it receives what the master writes.
	Online bool
}

// Silent reports whether the server told nothing of itself, as the embedded one.
func (s Server) Silent() bool { return !s.Version.Known && !s.AppendOnly.Known }

// Online counts the replicas that receive what the server writes.
func (s Server) Online() int {
	n := 0
	for _, f := range s.Replicas {
		if f.Online {
			n++
		}
	}
	return n
}

// Older reports whether the server's version is known and below major.minor.
func (s Server) Older(major, minor int) bool {
	first, rest, _ := strings.Cut(s.Version.Value, ".")
	second, _, _ := strings.Cut(rest, ".")
	a, err := strconv.Atoi(first)
	if err != nil || !s.Version.Known {
		return false
	}
	b, err := strconv.Atoi(second)
	return a < major || a == major && err == nil && b < minor
}

// settingNames are what CONFIG GET is asked for.
var settingNames = []string{
	"appendonly", "appendfsync", "no-appendfsync-on-rewrite", "save", "stop-writes-on-bgsave-error", "maxmemory", "maxmemory-policy",
	"min-replicas-to-write", "min-replicas-max-lag", "repl-diskless-load", "notify-keyspace-events", "protected-mode", "bind",
}

// readInfo takes in what INFO said.
func (s *Server) readInfo(info string) {
	text := func(name string) Fact[string] {
		v := infoField(info, name)
		return Fact[string]{v, v != ""}
	}
	number := func(name string) Fact[int64] { return wholeNumber(text(name)) }
	is := func(name, yes string) Fact[bool] {
		v := text(name)
		return Fact[bool]{v.Value == yes, v.Known}
	}
	s.Version = text("redis_version")
	s.Replica, s.LinkUp = is("role", "slave"), is("master_link_status", "up")
	s.AppendOnly = is("aof_enabled", "1")
	s.AppendOK, s.RewriteOK = is("aof_last_write_status", "ok"), is("aof_last_bgrewrite_status", "ok")
	s.SnapshotOK = is("rdb_last_bgsave_status", "ok")
	s.MaxMemory, s.UsedMemory, s.EvictedKeys = number("maxmemory"), number("used_memory"), number("evicted_keys")
	s.MaxMemoryPolicy = text("maxmemory_policy")
	for n := 0; ; n++ {
		f, ok := parseFollower(infoField(info, "slave"+strconv.Itoa(n)))
		if !ok {
			break
		}
		s.Replicas = append(s.Replicas, f)
	}
}

// readSettings takes in what CONFIG GET said, which is what is in force; a setting
// that the server does not have is missing.
func (s *Server) readSettings(settings map[string]string) {
	text := func(name string) Fact[string] {
		v, ok := settings[name]
		return Fact[string]{v, ok}
	}
	flag := func(name string) Fact[bool] {
		v := text(name)
		return Fact[bool]{v.Value == "yes", v.Known}
	}
	prefer(&s.AppendOnly, flag("appendonly"))
	prefer(&s.MaxMemoryPolicy, text("maxmemory-policy"))
	prefer(&s.MaxMemory, wholeNumber(text("maxmemory")))
	s.AppendFsync, s.NoFsyncOnRewrite = text("appendfsync"), flag("no-appendfsync-on-rewrite")
	s.Save, s.StopWrites = text("save"), flag("stop-writes-on-bgsave-error")
	s.MinReplicas, s.MinReplicasMaxLag = wholeNumber(text("min-replicas-to-write")), wholeNumber(text("min-replicas-max-lag"))
	s.DisklessLoad, s.Notifications = text("repl-diskless-load"), text("notify-keyspace-events")
	s.ProtectedMode, s.Bind = flag("protected-mode"), text("bind")
}

// prefer puts a fact in the place of another if it is one.
func prefer[T any](old *Fact[T], fresh Fact[T]) {
	if fresh.Known {
		*old = fresh
	}
}

func wholeNumber(text Fact[string]) Fact[int64] {
	n, err := strconv.ParseInt(text.Value, 10, 64)
	return Fact[int64]{n, text.Known && err == nil}
}

// parseFollower reads "ip=…,port=…,state=online,…".
func parseFollower(line string) (Follower, bool) {
	fields := map[string]string{}
	for field := range strings.SplitSeq(line, ",") {
		name, value, _ := strings.Cut(field, "=")
		fields[name] = value
	}
	if fields["ip"] == "" || fields["port"] == "" {
		return Follower{}, false
	}
	return Follower{Addr: net.JoinHostPort(fields["ip"], fields["port"]), Online: fields["state"] == "online"}, true
}

// median is the middle of some durations, 0 of none.
func median(all []time.Duration) time.Duration {
	if len(all) == 0 {
		return 0
	}
	slices.Sort(all)
	return all[len(all)/2]
}
