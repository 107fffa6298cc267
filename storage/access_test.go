package storage_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/roundtable-chat/app/storage"
	"github.com/roundtable-chat/app/storage/storagetest"
)

// TestSurveyOfAccess asks real servers who can get at them, as a stranger would find
// out and as their settings tell.
func TestSurveyOfAccess(t *testing.T) {
	t.Parallel()
	yes := func(v bool) storage.Fact[bool] { return storage.Fact[bool]{Value: v, Known: true} }
	bound := storage.Fact[string]{Value: "127.0.0.1", Known: true}
	for name, c := range map[string]struct {
		args, user string
		want       storage.Access
	}{
		"as it comes":         {want: storage.Access{Open: yes(true), User: "default", ProtectedMode: yes(true), Bind: bound}},
		"unprotected":         {args: "--protected-mode no", want: storage.Access{Open: yes(true), User: "default", ProtectedMode: yes(false), Bind: bound}},
		"one password":        {args: "--requirepass s3cr3t", user: ":s3cr3t@", want: storage.Access{Open: yes(false), User: "default", ProtectedMode: yes(true), Bind: bound}},
		"a user":              {args: "--user default off --user app on >s3cr3t ~* &* +@all", user: "app:s3cr3t@", want: storage.Access{Open: yes(false), User: "app", NoPass: yes(false), ProtectedMode: yes(true), Bind: bound}},
		"nopass":              {args: "--user default off --user app on nopass ~* &* +@all", user: "app:anything@", want: storage.Access{Open: yes(false), User: "app", NoPass: yes(true), ProtectedMode: yes(true), Bind: bound}},
		"a user may not look": {args: "--user default off --user app on nopass ~* &* +@all -acl -config", user: "app:x@", want: storage.Access{Open: yes(false), User: "app"}},
		"a user beside an open default": {args: "--user app on >s3cr3t ~* &* +@all", user: "app:s3cr3t@",
			want: storage.Access{Open: yes(true), User: "app", NoPass: yes(false), ProtectedMode: yes(true), Bind: bound}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := storagetest.RedisTCP(t, strings.Fields(c.args)...)
			s := survey(t, strings.Replace(server.URL, "redis://", "redis://"+c.user, 1))
			if len(s.Servers) != 1 || s.Servers[0].Err != nil {
				t.Fatalf("survey = %+v, want one server that answered", s)
			}
			if diff := cmp.Diff(c.want, s.Servers[0].Access); diff != "" {
				t.Errorf("access (-want +got):\n%s", diff)
			}
		})
	}
}

// TestSheltered tells from the address and the settings whether other machines are
// kept away.
func TestSheltered(t *testing.T) {
	on, off := storage.Fact[bool]{Value: true, Known: true}, storage.Fact[bool]{Known: true}
	for _, c := range []struct {
		addr, bind string
		protected  storage.Fact[bool]
		want       bool
	}{
		{"/run/redis.sock", "* -::*", on, true},
		{"/run/redis.sock", "* -::*", off, false},
		{"127.0.0.1:6379", "* -::*", on, true},
		{"localhost:6379", "", storage.Fact[bool]{}, true},
		{"[::1]:6379", "127.0.0.1 -::1", off, true},
		{"127.0.0.1:6379", "127.0.0.1 10.0.0.5", off, false},
		{"127.0.0.1:6379", "", off, false},
		{"redis:6379", "127.0.0.1", on, false},
		{"10.0.0.5:6379", "* -::*", on, false},
		{"main", "", storage.Fact[bool]{}, false},
	} {
		s := storage.Server{Addr: c.addr, Access: storage.Access{ProtectedMode: c.protected, Bind: storage.Fact[string]{Value: c.bind, Known: c.bind != ""}}}
		if got := s.Sheltered(); got != c.want {
			t.Errorf("at %s, bound to %q, protected %v: got %t", c.addr, c.bind, c.protected, got)
		}
	}
}
