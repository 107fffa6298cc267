package storage

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestReadInfo reads what servers of other versions and makes say.
func TestReadInfo(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		info    string
		want    Server
		older   bool
		silent  bool
		online  int
		setting map[string]string
	}{
		"nothing": {silent: true},
		"an old master": {
			info: "# Server\r\nredis_version:6.0.16\r\n# Replication\r\nrole:master\r\nconnected_slaves:2\r\nslave0:ip=10.0.0.2,port=6379,state=online,offset=14,lag=1\r\nslave1:ip=::1,port=6380,state=wait_bgsave,offset=0,lag=0\r\n",
			want: Server{Version: Fact[string]{"6.0.16", true}, Replica: Fact[bool]{false, true}, Replicas: []Follower{{"10.0.0.2:6379", true}, {"[::1]:6380", false}}}, older: true, online: 1,
		},
		"a replica that is out of touch": {
			info: "redis_version:7.4.1\nrole:slave\nmaster_link_status:down\naof_enabled:1\naof_last_write_status:err\n",
			want: Server{Version: Fact[string]{"7.4.1", true}, Replica: Fact[bool]{true, true}, LinkUp: Fact[bool]{false, true}, AppendOnly: Fact[bool]{true, true}, AppendOK: Fact[bool]{false, true}},
		},
		"CONFIG knows better": {
			info: "redis_version:unstable\naof_enabled:0\nmaxmemory:0\n", setting: map[string]string{"appendonly": "yes", "maxmemory": "100", "save": "", "min-replicas-to-write": "one"},
			want: Server{Version: Fact[string]{"unstable", true}, AppendOnly: Fact[bool]{true, true}, MaxMemory: Fact[int64]{100, true}, Save: Fact[string]{"", true}, MinReplicas: Fact[int64]{0, false}},
		},
		"a list without an end": {info: "connected_slaves:9000000000000000000\nslave1:ip=a,port=1\n", silent: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got Server
			got.readInfo(test.info)
			got.readSettings(test.setting)
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if got.Older(6, 2) != test.older || got.Silent() != test.silent || got.Online() != test.online {
				t.Errorf("older %v, silent %v, %d online", got.Older(6, 2), got.Silent(), got.Online())
			}
		})
	}
}

// FuzzReadInfo reads what no server would say.
func FuzzReadInfo(f *testing.F) {
	f.Add("redis_version:7.0.15\r\nrole:master\r\nconnected_slaves:1\r\nslave0:ip=127.0.0.1,port=1,state=online\r\n", "900 1")
	f.Add("redis_version:.\nslave0:ip=,port=\nslave0:\nmaxmemory:-1\n", "")
	f.Fuzz(func(t *testing.T, info, setting string) {
		var s Server
		s.readInfo(info)
		s.readSettings(map[string]string{"save": setting, "maxmemory": setting, "appendonly": setting})
		if s.Online() > len(s.Replicas) || len(s.Replicas) > strings.Count(info, "slave") {
			t.Errorf("%d of %d replicas in %q", s.Online(), len(s.Replicas), info)
		}
		_ = s.Older(6, 2)
		if !s.Save.Known || s.Save.Value != setting {
			t.Errorf("save = %+v, want %q", s.Save, setting)
		}
	})
}
