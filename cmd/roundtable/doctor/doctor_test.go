package doctor

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/roundtable-chat/app/cmd/roundtable/config"
	"github.com/roundtable-chat/app/manifests"
	"github.com/roundtable-chat/app/storage"
)

func is[T any](v T) storage.Fact[T] { return storage.Fact[T]{Value: v, Known: true} }

// sound is a master that keeps all promises.
func sound() storage.Server {
	return storage.Server{
		Addr: "a:1", Access: storage.Access{Open: is(false), User: "app", ProtectedMode: is(true), Encrypted: true}, Version: is("7.2.4"), Replica: is(false), AppendOnly: is(true), AppendFsync: is("always"), NoFsyncOnRewrite: is(false), Save: is(""),
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
func unwell(all []Finding) []string {
	var out []string
	for _, f := range all {
		if f.Level > Fine {
			out = append(out, f.Level.String()+" "+f.Check)
		}
		if (f.Level > Fine) != (f.Means != "") || (f.Level > Fine) != (f.Do != "") || f.Found == "" {
			out = append(out, "incomplete: "+f.Check)
		}
	}
	return out
}

// judged is what doctor finds of a survey where replicas must confirm a write.
func judged(t *testing.T, s storage.Survey, replicas int) []Finding {
	t.Helper()
	x := &visit{survey: func(context.Context) (storage.Survey, error) { return s, nil }}
	x.Config.RedisReplicas = replicas
	return examine(t.Context(), x, []section{{areaRedis, checkLimit, serverChecks()}})
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
		"open to everybody":              {change: func(s *storage.Server) { s.Open = is(true) }, want: []string{"warning password"}, promises: []int{1, 4, 6}},
		"open to this machine":           {change: func(s *storage.Server) { s.Open, s.Addr = is(true), "127.0.0.1:1" }, want: []string{"advice password"}},
		"open, and unprotected":          {change: func(s *storage.Server) { s.Open, s.Addr, s.ProtectedMode = is(true), "127.0.0.1:1", is(false) }, want: []string{"warning password"}, promises: []int{1, 4, 6}},
		"any password will do":           {change: func(s *storage.Server) { s.NoPass = is(true) }, want: []string{"warning password"}, promises: []int{1, 4, 6}},
		"nobody knows who gets in":       {change: func(s *storage.Server) { s.Open = storage.Fact[bool]{} }, want: []string{"advice password"}},
		"the default user":               {change: func(s *storage.Server) { s.User = "default" }, want: []string{"advice user"}},
		"in the clear":                   {change: func(s *storage.Server) { s.Encrypted = false }, want: []string{"warning encryption"}, promises: []int{1, 4, 6}},
		"in the clear, on this machine":  {change: func(s *storage.Server) { s.Encrypted, s.Addr = false, "localhost:1" }},
		"encrypted for anybody":          {change: func(s *storage.Server) { s.Unverified = true }, want: []string{"warning encryption"}, promises: []int{1, 4, 6}},
		"a replica open to everybody":    {change: func(s *storage.Server) { s.Open, s.Replica, s.LinkUp = is(true), is(true), is(true) }, want: []string{"warning password"}, promises: []int{1, 4, 6}},
		"silent": {change: func(s *storage.Server) {
			*s = storage.Server{Addr: "a:1", Access: s.Access, ConfigErr: errors.New("unknown command")}
		}, want: []string{"advice settings"}},
		"a replica":                      {change: func(s *storage.Server) { s.Replica, s.LinkUp = is(true), is(true) }},
		"a replica without a log":        {change: func(s *storage.Server) { s.Replica, s.AppendOnly = is(true), is(false) }, want: []string{"warning append-only file"}, promises: []int{1, 3, 4, 5}},
		"a replica that lost its master": {change: func(s *storage.Server) { s.Replica, s.LinkUp = is(true), is(false) }, want: []string{"warning replication"}, promises: []int{1, 3}},
		"a replica that swaps":           {change: func(s *storage.Server) { s.Replica, s.DisklessLoad = is(true), is("swapdb") }, want: []string{"advice repl-diskless-load"}},
		"a replica that flushes first":   {change: func(s *storage.Server) { s.Replica, s.DisklessLoad = is(true), is("flush-before-load") }, want: []string{"warning repl-diskless-load"}, promises: []int{1, 3, 4, 5}},
	} {
		t.Run(name, func(t *testing.T) {
			x := sound()
			c.change(&x)
			got := judged(t, storage.Survey{Servers: []storage.Server{x}}, c.replicas)
			if diff := cmp.Diff(c.want, unwell(got)); diff != "" {
				t.Errorf("(-want +got):\n%s\n%+v", diff, got)
			}
			for _, f := range got {
				if f.Level == Fine {
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
			got := judged(t, c.survey, 1)
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
			if diff := cmp.Diff([]string{c.want}, unwell(judged(t, c.survey, 0))); diff != "" {
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
	for _, f := range judged(t, storage.Survey{Servers: []storage.Server{a, b, c}}, 0) {
		var want []string
		switch {
		case f.Check != "append-only file":
			want = []string{"a:1", "b:1", "c:1"}
		case f.Level == Fine:
			want = []string{"a:1", "b:1"}
		default:
			want = []string{"c:1"}
		}
		if diff := cmp.Diff(want, f.Where); diff != "" {
			t.Errorf("%s (-want +got):\n%s", f.Check, diff)
		}
	}
}

// TestEveryScopeHasItsLoss: whoever adds a scope to the manifest says what does not
// work without it.
func TestEveryScopeHasItsLoss(t *testing.T) {
	set, err := manifests.Load(nil)
	if err != nil {
		t.Fatal(err)
	}
	must, optional, err := ScopesOf(set.SlackApp)
	if err != nil {
		t.Fatal(err)
	}
	for _, scope := range append(must, optional...) {
		if losses[scope] == "" {
			t.Errorf("losses does not say what does not work without %s", scope)
		}
	}
}

// secretToken is a token that nothing may print.
const secretToken = "1234567890-canary"

// TestDoctorHidesSecretsAtTheLastDoor puts a password where no finding should have
// it (I11).
func TestDoctorHidesSecretsAtTheLastDoor(t *testing.T) {
	d := Report{hide: config.Secrets(func(k string) (string, bool) {
		v, ok := map[string]string{"REDIS_URL": "redis://u:p%40ssw0rd@h:1", "SLACK_BOT_TOKEN": "xoxb-" + secretToken}[k]
		return v, ok
	})}
	d.add(Finding{Found: "a redis://u:p%40ssw0rd@h:1 b", Means: "p@ssw0rd", Do: "xoxb-" + secretToken + "x"})
	want := Finding{Found: "a [redacted] b", Means: "[redacted]", Do: "[redacted]x"}
	if diff := cmp.Diff(want, d.findings[0]); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestDoctorEndsInTime asks servers that take every request and answer none.
func TestDoctorEndsInTime(t *testing.T) {
	release := make(chan struct{})
	silent := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-release:
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(func() { close(release); silent.Close() })
	var c config.Config
	for _, x := range config.Settings(&c) {
		if err := x.Set(x.Initial); err != nil {
			t.Fatal(err)
		}
	}
	c.BotToken, c.AppToken, c.SlackAPIURL = "xoxb-1", "xapp-1", silent.URL+"/api/"
	c.RedisURL = strings.Replace(silent.URL, "http://", "redis://", 1)
	x := newVisit(Subject{
		Config: c, Environ: func(string) (string, bool) { return "", false },
		Manifests: func(string) (manifests.Set, error) { return manifests.Load(nil) },
		Store: func(ctx context.Context, c config.Config) (*storage.Redis, error) {
			return storage.Open(ctx, storage.Options{URL: c.RedisURL})
		},
	})
	defer x.slack.Close()
	short := table(x)
	for i := range short {
		short[i].limit = 60 * time.Millisecond
	}
	found := examine(t.Context(), x, short)
	areas := map[string]Level{}
	for _, f := range found {
		areas[f.Area] = max(areas[f.Area], f.Level)
	}
	want := map[string]Level{areaConfiguration: Fine, areaFiles: Fine, areaRedis: Failure, areaSlack: Failure, areaModel: Fine}
	if diff := cmp.Diff(want, areas); diff != "" {
		t.Errorf("levels by area (-want +got):\n%s", diff)
	}
}
