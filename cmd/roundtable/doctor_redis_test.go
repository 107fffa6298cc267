package main

import (
	"context"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/roundtable-chat/app/storage/storagetest"
)

// TestDoctorOfRedis examines real servers with other settings.
func TestDoctorOfRedis(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, c := range map[string]struct {
		args         []string
		flags        []string
		check, level string
		words        []string
	}{
		"as it comes":            {nil, nil, "append-only file", "warning", []string{"in memory only", "[1 3 4 5]", "CONFIG SET appendonly yes"}},
		"snapshots":              {[]string{"--save", "900 1"}, nil, "append-only file", "warning", []string{"save 900 1", "since the last snapshot"}},
		"left to the system":     {[]string{"--appendonly", "yes", "--appendfsync", "no"}, nil, "append-only file", "warning", []string{"appendfsync is no"}},
		"every second":           {[]string{"--appendonly", "yes"}, nil, "append-only file", "advice", []string{"everysec", "two seconds"}},
		"evicting":               {[]string{"--maxmemory", "512mb", "--maxmemory-policy", "allkeys-random"}, nil, "memory", "warning", []string{"allkeys-random", "512 MiB", "noeviction"}},
		"full":                   {[]string{"--maxmemory", "1"}, nil, "writing", "failure", []string{"OOM", "raise maxmemory"}},
		"writes alone":           {nil, nil, "writing", "ok", []string{"accepted a write"}},
		"waits for nobody":       {nil, []string{"--redis-replicas", "1"}, "writing", "failure", []string{"0 of 1", "lower --redis-replicas"}},
		"none is online":         {nil, []string{"--redis-replicas", "1"}, "replicas", "failure", []string{"0 replicas online, 1 must confirm"}},
		"alone, and must not be": {[]string{"--min-replicas-to-write", "1"}, nil, "min-replicas-to-write", "failure", []string{"is 1, with 0 replicas online"}},
		"it notifies":            {[]string{"--notify-keyspace-events", "KEA"}, nil, "notify-keyspace-events", "advice", []string{"does not listen"}},
		"CONFIG renamed":         {[]string{"--rename-command", "CONFIG", ""}, nil, "CONFIG", "advice", []string{"unknown command", "+config|get"}},
		"a replica":              {[]string{"--replicaof", "127.0.0.1", "1"}, nil, "writing", "failure", []string{"READONLY", "master's address"}},
		"scripts forbidden":      {[]string{"--user", "default", "on", "nopass", "~*", "&*", "+@all", "-@scripting"}, nil, "writing", "failure", []string{"NOPERM", "ACL SETUSER"}},
		"open to this machine":   {nil, nil, "password", "advice", []string{"none is required", "every program on this machine", "ACL SETUSER roundtable"}},
		"open to everybody":      {[]string{"--protected-mode", "no"}, nil, "password", "warning", []string{"none is required, and protected-mode is off", "[1 4 6]"}},
		"one machine":            {nil, nil, "encryption", "ok", []string{"none is needed"}},
	} {
		t.Run(name, func(t *testing.T) {
			server := storagetest.Redis(t, c.args...)
			examined(t, map[string]string{"REDIS_URL": server.URL}, c.flags...).expect(t, "redis", c.check, c.level, c.words...)
		})
	}
}

// TestDoctorOfRedisThatIsNotThere says what to do about every way in which no
// server answers.
func TestDoctorOfRedisThatIsNotThere(t *testing.T) {
	t.Chdir(t.TempDir())
	guarded := storagetest.RedisTCP(t, "--user", "app", "on", ">"+canaryPassword, "~*", "+@all")
	at := func(userinfo string) string { return strings.Replace(guarded.URL, "redis://", "redis://"+userinfo, 1) }
	for name, c := range map[string]struct {
		url   string
		words []string
	}{
		"nobody":                   {"redis://127.0.0.1:1", []string{"connection refused", "no server listens at this address"}},
		"a wrong secret":           {at("app:" + canaryPassword + "x@"), []string{"WRONGPASS", "correct REDIS_URL"}},
		"TLS":                      {strings.Replace(guarded.URL, "redis://", "rediss://", 1), []string{"Redis does not answer in time", "whether the port speaks TLS"}},
		"no sentinel":              {"redis+sentinel://127.0.0.1:1?master=main", []string{"no sentinel in REDIS_URL"}},
		"no cluster":               {"redis+cluster://127.0.0.1:1", []string{"no server listens at this address"}},
		"no cluster, but a server": {strings.Replace(guarded.URL, "redis://", "redis+cluster://", 1), []string{"cluster support disabled", "write redis:// instead of redis+cluster://"}},
	} {
		t.Run(name, func(t *testing.T) {
			examined(t, map[string]string{"REDIS_URL": c.url}).expect(t, "redis", "address", "failure", c.words...)
		})
	}
}

// TestDoctorOfReplicas has a master with a replica that keeps nothing, watched by
// one sentinel, and then a cluster that has lost slots.
func TestDoctorOfReplicas(t *testing.T) {
	t.Chdir(t.TempDir())
	master := storagetest.RedisTCP(t, "--appendonly", "yes", "--appendfsync", "always")
	storagetest.RedisTCP(t, "--replicaof", "127.0.0.1", strconv.Itoa(master.Port), "--repl-diskless-sync-delay", "0")
	sentinel := storagetest.Sentinel(t, master)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	client := master.Client(t)
	defer client.Close()
	for { // until the replica takes part
		if n, err := client.Wait(ctx, 1, time.Second).Result(); err != nil {
			t.Fatal(err)
		} else if n == 1 {
			break
		}
	}
	r := examined(t, map[string]string{"REDIS_URL": sentinel.URL})
	r.expect(t, "redis", "replicas", "warning", "1 replica, but --redis-replicas is 0", "stalled")
	r.expect(t, "redis", "min-replicas-to-write", "warning", "[1 2 3]")
	r.expect(t, "redis", "append-only file", "warning", "ok 127.0.0.1:"+strconv.Itoa(master.Port), "after a failover this server is the master")
	r.expect(t, "redis", "sentinels", "warning", "1 sentinel watching, quorum 1")
	r.expect(t, "redis", "password", "advice", "none is required", "127.0.0.1:"+strconv.Itoa(master.Port)+",")
	r.expect(t, "redis", "sentinel password", "advice", "make a server of their own the master")
	r = examined(t, map[string]string{"REDIS_URL": sentinel.URL}, "--redis-replicas", "1")
	r.expect(t, "redis", "replicas", "advice", "1 replica online, 1 must confirm")
	r.expect(t, "redis", "writing", "ok", "confirmed by 1")

	cluster := storagetest.Cluster(t)
	r = examined(t, map[string]string{"REDIS_URL": cluster.URL})
	r.expect(t, "redis", "cluster", "ok", "16384 of 16384 slots are served by 1 master")
	r.expect(t, "redis", "password", "advice", "every program on this machine")
	r.expect(t, "redis", "encryption", "ok", "none is needed")
	r = examined(t, map[string]string{"REDIS_URL": strings.Replace(cluster.URL, "127.0.0.1", "0.0.0.0", 1)})
	r.expect(t, "redis", "encryption", "warning", "does not ask for TLS")
	node := cluster.Client(t)
	defer node.Close()
	for name, value := range map[string]string{"bind": "127.0.0.1 -192.0.2.7", "protected-mode": "no"} {
		if err := node.ConfigSet(ctx, name, value).Err(); err != nil {
			t.Fatal(err)
		}
	}
	r = examined(t, map[string]string{"REDIS_URL": cluster.URL})
	r.expect(t, "redis", "password", "warning", "none is required, and protected-mode is off", "[1 4 6]")
	if err := node.ClusterDelSlots(ctx, 5).Err(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the cluster misses its slot", func() string { return "" }, func() bool {
		info, err := node.ClusterInfo(ctx).Result()
		return err == nil && strings.Contains(info, "cluster_state:fail")
	})
	r = examined(t, map[string]string{"REDIS_URL": cluster.URL})
	r.expect(t, "redis", "cluster", "failure", "16383 of 16384", "--cluster fix")
	r.expect(t, "redis", "writing", "failure", "CLUSTERDOWN")
}

// TestDoctorOfAccess examines real servers as other users, and under a name that may
// be another machine's.
func TestDoctorOfAccess(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, c := range map[string]struct {
		args, user   string
		check, level string
		words        []string
	}{
		"a password for all":   {"--requirepass " + canaryPassword, ":" + canaryPassword + "@", "user", "advice", []string{"default user", "FLUSHALL"}},
		"it is asked for":      {"--requirepass " + canaryPassword, ":" + canaryPassword + "@", "password", "ok", nil},
		"a user's is not":      {"--user default off --user app on nopass ~* &* +@all", "app:x@", "password", "warning", []string{"nopass", "ACL SETUSER app resetpass"}},
		"an open default user": {"--user app on >" + canaryPassword + " ~* &* +@all", "app:" + canaryPassword + "@", "password", "advice", []string{"every program on this machine"}},
		"open to the network":  {"--protected-mode no --bind 127.0.0.1 -192.0.2.7 --user app on >" + canaryPassword + " ~* &* +@all", "app:" + canaryPassword + "@", "password", "warning", []string{"protected-mode is off"}},
	} {
		t.Run(name, func(t *testing.T) {
			server := storagetest.RedisTCP(t, strings.Fields(c.args)...)
			at := strings.Replace(server.URL, "redis://", "redis://"+c.user, 1)
			examined(t, map[string]string{"REDIS_URL": at}).expect(t, "redis", c.check, c.level, c.words...)
			// This address leads here, too, but is none of loopback's.
			r := examined(t, map[string]string{"REDIS_URL": strings.Replace(at, "127.0.0.1", "0.0.0.0", 1)})
			r.expect(t, "redis", "encryption", "warning", "does not ask for TLS", "rediss://")
		})
	}
}
