package main

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/roundtable-chat/app/storage"
	"github.com/roundtable-chat/app/storage/storagetest"
)

func is[T any](v T) storage.Fact[T] { return storage.Fact[T]{Value: v, Known: true} }

// sound is a master that keeps all promises.
func sound() storage.Server {
	return storage.Server{
		Addr: "a:1", Version: is("7.2.4"), Replica: is(false), AppendOnly: is(true), AppendFsync: is("always"), NoFsyncOnRewrite: is(false), Save: is(""),
		AppendOK: is(true), RewriteOK: is(true), SnapshotOK: is(true), StopWrites: is(true), MaxMemory: is(int64(0)), UsedMemory: is(int64(1 << 20)), EvictedKeys: is(int64(0)),
		MaxMemoryPolicy: is("noeviction"), Notifications: is(""), MinReplicas: is(int64(0)), MinReplicasMaxLag: is(int64(10)), DisklessLoad: is("disabled"), Trip: 50 * time.Microsecond,
	}
}

func followed(n int) func(*storage.Server) {
	return func(s *storage.Server) {
		for i := range n {
			s.Replicas = append(s.Replicas, storage.Follower{Addr: "r:" + strconv.Itoa(i), Online: true})
		}
		s.MinReplicas, s.MinReplicasMaxLag = is(int64(min(n, 1))), is(int64(3))
	}
}

// unwell are the findings above ok, as "level check".
func unwell(all []finding) []string {
	var out []string
	for _, f := range all {
		if f.Level > fine {
			out = append(out, f.Level.String()+" "+f.Check)
		}
		if (f.Level > fine) != (f.Means != "") || (f.Level > fine) != (f.Do != "") || f.Found == "" {
			out = append(out, "incomplete: "+f.Check)
		}
	}
	return out
}

// TestJudgeServer changes one fact of a sound server, or two that belong together.
func TestJudgeServer(t *testing.T) {
	type change = func(*storage.Server)
	for name, c := range map[string]struct {
		change   change
		replicas int
		want     []string
		promises []int // of the first that is not well
	}{
		"sound":                         {change: func(*storage.Server) {}},
		"sound with replicas":           {change: followed(2), replicas: 1},
		"no log, no snapshots":          {change: func(s *storage.Server) { s.AppendOnly = is(false) }, want: []string{"warning append-only file"}, promises: []int{1, 3, 4, 5}},
		"no log, snapshots":             {change: func(s *storage.Server) { s.AppendOnly, s.Save = is(false), is("3600 1") }, want: []string{"warning append-only file"}, promises: []int{1, 3, 4}},
		"no log, snapshots untold":      {change: func(s *storage.Server) { s.AppendOnly, s.Save = is(false), storage.Fact[string]{} }, want: []string{"warning append-only file"}, promises: []int{1, 3, 4}},
		"log untold":                    {change: func(s *storage.Server) { s.AppendOnly = storage.Fact[bool]{} }, want: []string{"advice append-only file"}},
		"written when the system likes": {change: func(s *storage.Server) { s.AppendFsync = is("no") }, want: []string{"warning append-only file"}, promises: []int{1, 3}},
		"written every second":          {change: func(s *storage.Server) { s.AppendFsync = is("everysec") }, want: []string{"advice append-only file"}, promises: []int{1}},
		"every second, confirmed":       {change: func(s *storage.Server) { s.AppendFsync = is("everysec"); followed(2)(s) }, replicas: 1},
		"not while rewriting":           {change: func(s *storage.Server) { s.NoFsyncOnRewrite = is(true) }, want: []string{"advice no-appendfsync-on-rewrite"}, promises: []int{1}},
		"the disk is full":              {change: func(s *storage.Server) { s.AppendOK = is(false) }, want: []string{"failure disk"}},
		"rewriting failed":              {change: func(s *storage.Server) { s.RewriteOK = is(false) }, want: []string{"warning disk"}},
		"a snapshot failed":             {change: func(s *storage.Server) { s.SnapshotOK = is(false) }, want: []string{"warning disk"}},
		"a snapshot failed, and writes": {change: func(s *storage.Server) { s.SnapshotOK, s.Save = is(false), is("3600 1") }, want: []string{"failure disk"}},
		"evicting":                      {change: func(s *storage.Server) { s.MaxMemoryPolicy, s.MaxMemory = is("allkeys-lru"), is(int64(1<<30)) }, want: []string{"warning memory"}, promises: []int{1, 2, 4, 5}},
		"evicting what expires":         {change: func(s *storage.Server) { s.MaxMemoryPolicy, s.MaxMemory = is("volatile-ttl"), is(int64(1<<30)) }, want: []string{"warning memory"}},
		"evicting without a limit":      {change: func(s *storage.Server) { s.MaxMemoryPolicy = is("allkeys-lru") }, want: []string{"advice memory"}},
		"nearly full":                   {change: func(s *storage.Server) { s.MaxMemory = is(int64(1<<20 + 1<<16)) }, want: []string{"warning memory"}},
		"full":                          {change: func(s *storage.Server) { s.MaxMemory = is(int64(1 << 20)) }, want: []string{"failure memory"}},
		"half full":                     {change: func(s *storage.Server) { s.MaxMemory = is(int64(1 << 21)) }},
		"old":                           {change: func(s *storage.Server) { s.Version = is("6.0.16") }, want: []string{"failure version"}},
		"just new enough":               {change: func(s *storage.Server) { s.Version = is("6.2.0") }},
		"new":                           {change: func(s *storage.Server) { s.Version = is("10.0.1") }},
		"CONFIG refused":                {change: func(s *storage.Server) { s.ConfigErr = errors.New("NOPERM"); s.MinReplicas = storage.Fact[int64]{} }, want: []string{"advice CONFIG"}},
		"nobody waits for the replica":  {change: followed(1), want: []string{"warning replicas"}, promises: []int{1, 3}},
		"one of one must confirm":       {change: followed(1), replicas: 1, want: []string{"advice replicas"}},
		"more must confirm than are":    {change: followed(1), replicas: 2, want: []string{"failure replicas"}},
		"none is there to confirm":      {change: func(*storage.Server) {}, replicas: 1, want: []string{"failure replicas"}},
		"one is being filled": {change: func(s *storage.Server) { followed(2)(s); s.Replicas[0].Online, s.Replicas[1].Online = false, false },
			replicas: 1, want: []string{"failure replicas", "failure min-replicas-to-write"}},
		"a master writes alone":          {change: func(s *storage.Server) { followed(2)(s); s.MinReplicas = is(int64(0)) }, replicas: 1, want: []string{"warning min-replicas-to-write"}, promises: []int{1, 2, 3}},
		"a replica may be long away":     {change: func(s *storage.Server) { followed(2)(s); s.MinReplicasMaxLag = is(int64(60)) }, replicas: 1, want: []string{"advice min-replicas-to-write"}, promises: []int{3}},
		"it notifies":                    {change: func(s *storage.Server) { s.Notifications = is("xE") }, want: []string{"advice notify-keyspace-events"}},
		"the clock is ahead":             {change: func(s *storage.Server) { s.Skew = 2 * time.Second }, want: []string{"warning clock"}},
		"the clock is behind":            {change: func(s *storage.Server) { s.Skew = -time.Hour }, want: []string{"warning clock"}},
		"a little skew over a long line": {change: func(s *storage.Server) { s.Skew, s.Trip = 1020*time.Millisecond, 80*time.Millisecond }, want: []string{"advice round trip"}},
		"far away":                       {change: func(s *storage.Server) { s.Trip = 150 * time.Millisecond }, want: []string{"warning round trip"}},
		"not reached":                    {change: func(s *storage.Server) { *s = storage.Server{Addr: "a:1", Err: errors.New("refused")} }, want: []string{"warning server"}},
		"silent":                         {change: func(s *storage.Server) { *s = storage.Server{Addr: "a:1", ConfigErr: errors.New("unknown command")} }, want: []string{"advice settings"}},
		"a replica":                      {change: func(s *storage.Server) { s.Replica, s.LinkUp = is(true), is(true) }},
		"a replica without a log":        {change: func(s *storage.Server) { s.Replica, s.AppendOnly = is(true), is(false) }, want: []string{"warning append-only file"}, promises: []int{1, 3, 4, 5}},
		"a replica that lost its master": {change: func(s *storage.Server) { s.Replica, s.LinkUp = is(true), is(false) }, want: []string{"warning replication"}, promises: []int{1, 3}},
		"a replica that swaps":           {change: func(s *storage.Server) { s.Replica, s.DisklessLoad = is(true), is("swapdb") }, want: []string{"advice repl-diskless-load"}},
		"a replica that flushes first":   {change: func(s *storage.Server) { s.Replica, s.DisklessLoad = is(true), is("flush-before-load") }, want: []string{"warning repl-diskless-load"}, promises: []int{1, 3, 4, 5}},
	} {
		t.Run(name, func(t *testing.T) {
			x := sound()
			c.change(&x)
			got := judgeServer(x, storage.Survey{}, c.replicas)
			if diff := cmp.Diff(c.want, unwell(got)); diff != "" {
				t.Errorf("(-want +got):\n%s\n%+v", diff, got)
			}
			for _, f := range got {
				if f.Level == fine {
					continue
				}
				if diff := cmp.Diff(c.promises, f.Promises); diff != "" {
					t.Errorf("promises (-want +got):\n%s", diff)
				}
				break
			}
		})
	}
}

// TestJudgeSurvey looks at how servers stand together.
func TestJudgeSurvey(t *testing.T) {
	watched := func(w storage.Sentinels) storage.Survey { return storage.Survey{Sentinels: &w} }
	for name, c := range map[string]struct {
		survey storage.Survey
		master func(*storage.Server)
		want   []string
	}{
		"sentinels":                  {survey: watched(storage.Sentinels{Asked: 3, Answering: 3, Watching: 3, Quorum: 2}), master: followed(2)},
		"one sentinel":               {survey: watched(storage.Sentinels{Asked: 1, Answering: 1, Watching: 1, Quorum: 1}), master: followed(2), want: []string{"warning sentinels"}},
		"one named of three":         {survey: watched(storage.Sentinels{Asked: 1, Answering: 1, Watching: 3, Quorum: 2}), master: followed(2), want: []string{"advice sentinels"}},
		"one does not answer":        {survey: watched(storage.Sentinels{Asked: 3, Answering: 2, Watching: 3, Quorum: 2}), master: followed(2), want: []string{"warning sentinels"}},
		"no quorum":                  {survey: watched(storage.Sentinels{Asked: 3, Answering: 3, Watching: 3, Quorum: 2, QuorumErr: errors.New("NOQUORUM")}), master: followed(2), want: []string{"warning sentinels"}},
		"cluster":                    {survey: storage.Survey{Cluster: &storage.Cluster{OK: true, Slots: 16384}}, master: followed(2)},
		"a slot is uncovered":        {survey: storage.Survey{Cluster: &storage.Cluster{OK: true, Slots: 16383}}, master: followed(2), want: []string{"failure cluster"}},
		"the cluster does not serve": {survey: storage.Survey{Cluster: &storage.Cluster{Slots: 16384}}, master: followed(2), want: []string{"failure cluster"}},
	} {
		t.Run(name, func(t *testing.T) {
			x := sound()
			c.master(&x)
			c.survey.Servers = []storage.Server{x}
			got := judgeSurvey(c.survey, 1)
			if diff := cmp.Diff(c.want, unwell(got)); diff != "" {
				t.Errorf("(-want +got):\n%s\n%+v", diff, got)
			}
		})
	}
	for name, c := range map[string]struct {
		survey storage.Survey
		want   string
	}{
		"a lonely master under sentinels": {watched(storage.Sentinels{Asked: 3, Answering: 3, Watching: 3, Quorum: 2}), "warning replicas"},
		"a lonely master in a cluster":    {storage.Survey{Cluster: &storage.Cluster{OK: true, Slots: 16384}}, "advice replicas"},
	} {
		t.Run(name, func(t *testing.T) {
			c.survey.Servers = []storage.Server{sound()}
			if diff := cmp.Diff([]string{c.want}, unwell(judgeSurvey(c.survey, 0))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestServersThatSayTheSameAreOneLine merges findings of several servers.
func TestServersThatSayTheSameAreOneLine(t *testing.T) {
	a, b, c := sound(), sound(), sound()
	b.Addr, c.Addr = "b:1", "c:1"
	c.AppendOnly = is(false)
	for _, f := range judgeSurvey(storage.Survey{Servers: []storage.Server{a, b, c}}, 0) {
		var want []string
		switch {
		case f.Check != "append-only file":
			want = []string{"a:1", "b:1", "c:1"}
		case f.Level == fine:
			want = []string{"a:1", "b:1"}
		default:
			want = []string{"c:1"}
		}
		if diff := cmp.Diff(want, f.Where); diff != "" {
			t.Errorf("%s (-want +got):\n%s", f.Check, diff)
		}
	}
}

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
		"writes alone":           {nil, nil, "writing", "ok", []string{"a write was accepted"}},
		"waits for nobody":       {nil, []string{"--redis-replicas", "1"}, "writing", "failure", []string{"0 of 1", "lower --redis-replicas"}},
		"none is online":         {nil, []string{"--redis-replicas", "1"}, "replicas", "failure", []string{"0 replicas online, 1 must confirm"}},
		"alone, and must not be": {[]string{"--min-replicas-to-write", "1"}, nil, "min-replicas-to-write", "failure", []string{"is 1, and 0 replicas"}},
		"it notifies":            {[]string{"--notify-keyspace-events", "KEA"}, nil, "notify-keyspace-events", "advice", []string{"does not listen"}},
		"CONFIG renamed":         {[]string{"--rename-command", "CONFIG", ""}, nil, "CONFIG", "advice", []string{"unknown command", "+config|get"}},
		"a replica":              {[]string{"--replicaof", "127.0.0.1", "1"}, nil, "writing", "failure", []string{"READONLY", "master's address"}},
		"scripts forbidden":      {[]string{"--user", "default", "on", "nopass", "~*", "&*", "+@all", "-@scripting"}, nil, "writing", "failure", []string{"NOPERM", "ACL SETUSER"}},
	} {
		t.Run(name, func(t *testing.T) {
			server := storagetest.Redis(t, c.args...)
			examined(t, map[string]string{"REDIS_URL": server.URL}, c.flags...).expect(t, "redis", c.check, c.level, c.words...)
		})
	}
}

// TestDoctorOfRedisThatIsNotThere says what to do about every way in which nobody
// answers.
func TestDoctorOfRedisThatIsNotThere(t *testing.T) {
	t.Chdir(t.TempDir())
	guarded := storagetest.RedisTCP(t, "--user", "app", "on", ">"+canaryPassword, "~*", "+@all")
	at := func(userinfo string) string { return strings.Replace(guarded.URL, "redis://", "redis://"+userinfo, 1) }
	for name, c := range map[string]struct {
		url   string
		words []string
	}{
		"nobody":                   {"redis://127.0.0.1:1", []string{"connection refused", "nobody listens there"}},
		"a wrong secret":           {at("app:" + canaryPassword + "x@"), []string{"WRONGPASS", "correct REDIS_URL"}},
		"TLS":                      {strings.Replace(guarded.URL, "redis://", "rediss://", 1), []string{"nobody answers in time", "whether the port speaks TLS"}},
		"no sentinel":              {"redis+sentinel://127.0.0.1:1?master=main", []string{"no sentinel of REDIS_URL"}},
		"no cluster":               {"redis+cluster://127.0.0.1:1", []string{"nobody listens there"}},
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
	r = examined(t, map[string]string{"REDIS_URL": sentinel.URL}, "--redis-replicas", "1")
	r.expect(t, "redis", "replicas", "advice", "1 replica online, 1 must confirm")
	r.expect(t, "redis", "writing", "ok", "confirmed by 1")

	cluster := storagetest.Cluster(t)
	r = examined(t, map[string]string{"REDIS_URL": cluster.URL})
	r.expect(t, "redis", "cluster", "ok", "16384 of 16384 slots are served by 1 master")
	node := cluster.Client(t)
	defer node.Close()
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
