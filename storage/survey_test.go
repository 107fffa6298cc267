package storage_test

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/roundtable-chat/app/storage"
	"github.com/roundtable-chat/app/storage/storagetest"
)

func yes[T any](v T) storage.Fact[T] { return storage.Fact[T]{Value: v, Known: true} }

func survey(t *testing.T, url string) storage.Survey {
	t.Helper()
	target, err := storage.ParseURL(url)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	s, err := target.Survey(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

const patience = 20 * time.Second

// TestSurveyReadsSettings reads back what a server was started with.
func TestSurveyReadsSettings(t *testing.T) {
	t.Parallel()
	type facts struct {
		AppendOnly, NoFsyncOnRewrite, AppendOK, SnapshotOK, StopWrites storage.Fact[bool]
		Fsync, Save, Policy, Notifications, Diskless                   storage.Fact[string]
		MaxMemory, MinReplicas, MaxLag                                 storage.Fact[int64]
	}
	plain := facts{
		yes(false), yes(false), yes(true), yes(true), yes(true), yes("everysec"), yes(""), yes("noeviction"), yes(""), yes("disabled"),
		yes(int64(0)), yes(int64(0)), yes(int64(10)),
	}
	for name, test := range map[string]struct {
		args []string
		want func(*facts)
	}{
		"as it comes":  {nil, func(*facts) {}},
		"a log":        {[]string{"--appendonly", "yes"}, func(f *facts) { f.AppendOnly = yes(true) }},
		"synced":       {[]string{"--appendonly", "yes", "--appendfsync", "always"}, func(f *facts) { f.AppendOnly, f.Fsync = yes(true), yes("always") }},
		"left to luck": {[]string{"--appendfsync", "no", "--no-appendfsync-on-rewrite", "yes"}, func(f *facts) { f.Fsync, f.NoFsyncOnRewrite = yes("no"), yes(true) }},
		"snapshots":    {[]string{"--save", "900 1 300 10", "--stop-writes-on-bgsave-error", "no"}, func(f *facts) { f.Save, f.StopWrites = yes("900 1 300 10"), yes(false) }},
		"evicting":     {[]string{"--maxmemory", "64mb", "--maxmemory-policy", "allkeys-lru"}, func(f *facts) { f.MaxMemory, f.Policy = yes(int64(64<<20)), yes("allkeys-lru") }},
		"replication":  {[]string{"--min-replicas-to-write", "1", "--min-replicas-max-lag", "3", "--repl-diskless-load", "swapdb"}, func(f *facts) { f.MinReplicas, f.MaxLag, f.Diskless = yes(int64(1)), yes(int64(3)), yes("swapdb") }},
		"notifying":    {[]string{"--notify-keyspace-events", "Ex"}, func(f *facts) { f.Notifications = yes("xE") }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := plain
			test.want(&want)
			server := storagetest.Redis(t, test.args...)
			s := survey(t, server.URL)
			if len(s.Servers) != 1 || s.Sentinels != nil || s.Cluster != nil || s.Servers[0].Err != nil || s.Servers[0].ConfigErr != nil {
				t.Fatalf("survey = %+v, want one server that answered", s)
			}
			x := s.Servers[0]
			got := facts{
				x.AppendOnly, x.NoFsyncOnRewrite, x.AppendOK, x.SnapshotOK, x.StopWrites,
				x.AppendFsync, x.Save, x.MaxMemoryPolicy, x.Notifications, x.DisklessLoad, x.MaxMemory, x.MinReplicas, x.MinReplicasMaxLag,
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("facts (-want +got):\n%s", diff)
			}
			if !strings.HasSuffix(server.URL, x.Addr) || x.Older(6, 2) || !x.Version.Known || x.Replica != yes(false) || x.UsedMemory.Value == 0 {
				t.Errorf("server = %+v", x)
			}
			if x.Trip <= 0 || x.Skew.Abs() > time.Second {
				t.Errorf("a round trip takes %s and the clock is %s ahead; it is this machine's", x.Trip, x.Skew)
			}
		})
	}
}

// TestSurveyOfASilentServer asks the embedded server, which knows nothing of itself
// but whose clock, which stands still, can be compared.
func TestSurveyOfASilentServer(t *testing.T) {
	t.Parallel()
	s := survey(t, storagetest.Mini(t).URL)
	if len(s.Servers) != 1 || !s.Servers[0].Silent() || s.Servers[0].ConfigErr == nil || s.Servers[0].Skew.Abs() < time.Minute {
		t.Errorf("survey = %+v, want a silent server", s)
	}
}

// TestSurveyWithoutConfig asks as a user who may not use CONFIG, as managed services
// have it: what INFO tells is there, the rest is unknown.
func TestSurveyWithoutConfig(t *testing.T) {
	t.Parallel()
	server := storagetest.RedisTCP(t, "--appendonly", "yes", "--user", "app", "on", ">s3cr3t", "~*", "&*", "+@all", "-config")
	s := survey(t, strings.Replace(server.URL, "redis://", "redis://app:s3cr3t@", 1))
	x := s.Servers[0]
	if x.ConfigErr == nil || !strings.Contains(x.ConfigErr.Error(), "NOPERM") {
		t.Errorf("ConfigErr = %v, want a refusal", x.ConfigErr)
	}
	if x.AppendOnly != yes(true) || x.MaxMemoryPolicy != yes("noeviction") || x.AppendFsync.Known || x.Save.Known || x.MinReplicas.Known || x.Silent() {
		t.Errorf("server = %+v, want what INFO tells and no more", x)
	}
}

// TestSurveyThroughSentinels finds the master, its replica and who watches over them.
func TestSurveyThroughSentinels(t *testing.T) {
	t.Parallel()
	master := storagetest.RedisTCP(t, "--appendonly", "yes")
	replica := storagetest.RedisTCP(t, "--replicaof", "127.0.0.1", strconv.Itoa(master.Port), "--repl-diskless-sync-delay", "0")
	sentinel := storagetest.Sentinel(t, master)
	online := func(s storage.Survey) bool { return len(s.Servers) == 2 && s.Servers[0].Online() == 1 }
	s := eventually(t, sentinel.URL, online)
	want := &storage.Sentinels{Asked: 1, Answering: 1, Watching: 1, Quorum: 1, Open: []string{"127.0.0.1:" + strconv.Itoa(sentinel.Port)}}
	if diff := cmp.Diff(want, s.Sentinels); diff != "" {
		t.Errorf("sentinels (-want +got):\n%s", diff)
	}
	at := func(x *storagetest.Server) string { return "127.0.0.1:" + strconv.Itoa(x.Port) }
	if got := s.Servers[0]; got.Addr != at(master) || got.AppendOnly != yes(true) || got.Replica != yes(false) {
		t.Errorf("master = %+v", got)
	}
	if got := s.Servers[1]; got.Addr != at(replica) || got.AppendOnly != yes(false) || got.Replica != yes(true) || got.LinkUp != yes(true) {
		t.Errorf("replica = %+v", got)
	}
	if got := s.Masters(); len(got) != 1 || got[0].Addr != at(master) {
		t.Errorf("masters = %+v", got)
	}

	replica.Stop(t)
	defer replica.Continue(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	target, err := storage.ParseURL(master.URL)
	if err != nil {
		t.Fatal(err)
	}
	halted, err := target.Survey(ctx)
	if err != nil || len(halted.Servers) != 2 || halted.Servers[0].Err != nil || halted.Servers[1].Err == nil {
		t.Errorf("with a replica that does not answer: %+v, %v, want the master's facts", halted, err)
	}
}

// eventually surveys until something holds.
func eventually(t *testing.T, url string, holds func(storage.Survey) bool) storage.Survey {
	t.Helper()
	limit := time.After(patience)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		s := survey(t, url)
		if holds(s) {
			return s
		}
		select {
		case <-tick.C:
		case <-limit:
			t.Fatalf("it did not come about: %+v", s)
		}
	}
}

// TestSurveyOfACluster sees slots that nobody serves, and a probe fails there.
func TestSurveyOfACluster(t *testing.T) {
	t.Parallel()
	server := storagetest.Cluster(t)
	s := survey(t, server.URL)
	if s.Cluster == nil || !s.Cluster.Covered() || len(s.Servers) != 1 || s.Servers[0].Err != nil || s.Servers[0].AppendOnly != yes(false) {
		t.Fatalf("survey = %+v, want a whole cluster of one", s)
	}
	store := storagetest.Open(t, server, storage.Options{Patience: time.Millisecond})
	if _, err := store.Probe(t.Context()); err != nil {
		t.Errorf("Probe = %v", err)
	}
	client := server.Client(t)
	defer func() { _ = client.Close() }()
	if err := client.ClusterDelSlotsRange(t.Context(), 0, 8191).Err(); err != nil {
		t.Fatal(err)
	}
	torn := eventually(t, server.URL, func(s storage.Survey) bool { return !s.Cluster.OK })
	if torn.Cluster.Covered() || torn.Cluster.Slots != 8192 {
		t.Errorf("cluster = %+v, want half of its slots", torn.Cluster)
	}
	if _, err := store.Probe(t.Context()); err == nil {
		t.Error("a probe was written to a cluster that is down")
	}
}

func TestSurveyOfNobody(t *testing.T) {
	t.Parallel()
	server := storagetest.RedisTCP(t)
	server.Kill()
	for name, url := range map[string]string{
		"server": server.URL, "sentinels": strings.Replace(server.URL, "redis:", "redis+sentinel:", 1) + "?master=main", "cluster": strings.Replace(server.URL, "redis:", "redis+cluster:", 1),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			target, err := storage.ParseURL(strings.Replace(url, "://", "://u:s3cr3t@", 1))
			if err != nil {
				t.Fatal(err)
			}
			if s, err := target.Survey(t.Context()); err == nil || strings.Contains(err.Error(), "s3cr3t") {
				t.Errorf("Survey = %+v, %v, want an error without the password (I11)", s, err)
			}
		})
	}
}

// TestProbe says what deliveries would meet.
func TestProbe(t *testing.T) {
	t.Parallel()
	t.Run("writing works", func(t *testing.T) {
		t.Parallel()
		storagetest.EachServer(t, func(t *testing.T, s *storagetest.Server) {
			store := storagetest.Open(t, s, storage.Options{})
			if took, err := store.Probe(t.Context()); err != nil || took <= 0 {
				t.Errorf("Probe = %s, %v", took, err)
			}
			client := s.Client(t)
			defer func() { _ = client.Close() }()
			keys, err := client.Keys(t.Context(), "*").Result()
			if err != nil || !slices.Equal(keys, []string{"{rt1:0}:probe"}) {
				t.Errorf("keys = %q, %v, want the probe's alone", keys, err)
			}
			if life, err := client.PTTL(t.Context(), keys[0]).Result(); err != nil || life <= 0 || life > 10*time.Second {
				t.Errorf("the probe stays for %s, %v", life, err)
			}
		})
	})
	for name, test := range map[string]struct {
		args []string
		o    storage.Options
		want string
	}{
		"no replica to confirm":      {nil, storage.Options{Replicas: 1, WaitFor: 5 * time.Millisecond}, "too few replicas confirmed"},
		"no replica for the master":  {[]string{"--min-replicas-to-write", "1"}, storage.Options{}, "NOREPLICAS"},
		"memory is full":             {[]string{"--maxmemory", "1"}, storage.Options{}, "OOM"},
		"it is a replica":            {[]string{"--replicaof", "127.0.0.1", "1"}, storage.Options{}, "READONLY"},
		"scripts are not allowed":    {[]string{"--user", "default", "on", "nopass", "~*", "&*", "+@all", "-@scripting"}, storage.Options{}, "NOPERM"},
		"other keys are not allowed": {[]string{"--user", "default", "on", "nopass", "~other*", "&*", "+@all"}, storage.Options{}, "NOPERM"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store := storagetest.Open(t, storagetest.Redis(t, test.args...), test.o)
			_, err := store.Probe(t.Context())
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("Probe = %v, want %s", err, test.want)
			}
			if got, want := errors.Is(err, storage.ErrNotDurable), test.o.Replicas > 0; got != want {
				t.Errorf("is ErrNotDurable: %v, want %v", got, want)
			}
		})
	}
}
