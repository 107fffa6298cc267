package storage_test

import (
	"context"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/roundtable-chat/app/storage"
	"github.com/roundtable-chat/app/storage/storagetest"
)

// defaultLease is the lease that Options promise.
const defaultLease = 30 * time.Second

func TestParseURL(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ url, want, problem string }{
		"server":              {url: "redis://user:pw@host:6380/2", want: "host:6380"},
		"default port":        {url: "redis://host", want: "host:6379"},
		"TLS":                 {url: "rediss://host:6380", want: "host:6380"},
		"socket":              {url: "unix:///run/redis.sock?db=1", want: "/run/redis.sock"},
		"an option":           {url: "redis://host?pool_size=7", want: "host:6379"},
		"sentinels":           {url: "redis+sentinel://:pw@a:1,b:2,c/3?master=main", want: "sentinels a:1,b:2,c:26379 for main"},
		"sentinel password":   {url: "redis+sentinel://a:1?master=m&sentinel_password=x", want: "sentinels a:1 for m"},
		"cluster":             {url: "redis+cluster://u:pw@a:1,b:2", want: "cluster a:1,b:2"},
		"cluster by addr":     {url: "redis://a:1?addr=b:2&addr=c:3", want: "cluster a:1,b:2,c:3"},
		"cluster over TLS":    {url: "rediss+cluster://a,[::1]:7", want: "cluster a:6379,[::1]:7"},
		"nothing":             {url: "", problem: "must begin with"},
		"another scheme":      {url: "http://host", problem: "must begin with"},
		"another kind":        {url: "redis+proxy://host", problem: "must begin with"},
		"no host":             {url: "redis:///0", problem: "no host"},
		"no master":           {url: "redis+sentinel://a:1", problem: "master="},
		"bad database":        {url: "redis+sentinel://a:1/x?master=m", problem: "database number"},
		"unknown option":      {url: "redis://host?secret-pw=1", problem: "unknown"},
		"sentinel option":     {url: "redis+sentinel://a:1?master=m&secret-pw=1", problem: "takes the options"},
		"database of cluster": {url: "redis+cluster://a:1/3", problem: "no database numbers"},
		"# in the password":   {url: "redis://:secret#pw@host", problem: "%XX"},
		"/ in the password":   {url: "redis://u:12/secret-pw@host", problem: "database number"},
		"? in the password":   {url: "redis://u:12?secret-pw@host", problem: "unknown"},
		"a slash too many":    {url: "unix:///u:secret-pw@/path", problem: "contains an @"},
		"a bad further node":  {url: "redis+cluster://a?addr=b:secret-pw", problem: "host:port"},
		"a list for a server": {url: "redis://a:1,b:2", problem: "several hosts"},
		"a bad address":       {url: "redis+sentinel://a:secret,b:1?master=m", problem: "host:port"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			target, err := storage.ParseURL(test.url)
			if test.want != "" {
				if err != nil || target.String() != test.want {
					t.Fatalf("ParseURL = %v, %v, want %s", target, err, test.want)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), test.problem) || strings.Contains(err.Error(), "secret") {
				t.Fatalf("ParseURL = %v, want an error with %q and no secret (I11)", err, test.problem)
			}
		})
	}
}

// FuzzParseURL shows that no error repeats a password, wherever it ends up (I11).
func FuzzParseURL(f *testing.F) {
	for _, form := range []string{"redis://u:%@h", "redis+sentinel://:%@h:1,b?master=m", "redis+cluster://u:%@h/1", "unix://u:%@/s", "redis://h/%", "redis://h?%=1", "unix:///:%@"} {
		for _, password := range []string{"hunter2hunter2", "hunter2#hunter2", "1/hunter2hunter2", "%zzhunter2hunter2", "a:hunter2hunter2@"} {
			f.Add(form, password)
		}
	}
	f.Fuzz(func(t *testing.T, form, password string) {
		if len(password) < 12 || !strings.Contains(form, "%") || strings.Contains(form, password) {
			return
		}
		target, err := storage.ParseURL(strings.Replace(form, "%", password, 1))
		for _, secret := range []string{password, url.QueryEscape(password)} {
			// An error may be any sentence of ours, but a password is not part of one.
			if err != nil && strings.Contains(err.Error(), secret) && !strings.Contains("the Redis URL cannot be read; names no host; must begin with redis://, rediss://, unix://, redis+sentinel:// or redis+cluster://", secret) {
				t.Fatalf("error %q repeats %q", err, secret)
			}
		}
		_, authority, _ := strings.Cut(form, "://")
		if end := strings.IndexAny(authority, "/?#"); end >= 0 {
			authority = authority[:end]
		}
		inPlace := strings.Contains(authority, ":%@") && !strings.ContainsAny(password, "@/?#,")
		if err == nil && inPlace && strings.Contains(target.String(), password) {
			t.Fatalf("%s shows the password", target)
		}
	})
}

func TestOpenRefusesNonsense(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]storage.Options{
		"no URL":            {},
		"negative shards":   {URL: "redis://h", Shards: -1},
		"tiny lease":        {URL: "redis://h", Lease: 1},
		"negative replicas": {URL: "redis://h", Replicas: -1},
		"endless wait":      {URL: "redis://h", WaitFor: 1},
		"negative limit":    {URL: "redis://h", MailboxLimit: -1},
		"furious pace":      {URL: "redis://h", PaceRate: 1e6},
		"negative burst":    {URL: "redis://h", PaceBurst: -1},
		"bad URL":           {URL: "redis://h/x"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if r, err := storage.Open(t.Context(), o); err == nil {
				_ = r.Close()
				t.Fatal("opened")
			}
		})
	}
}

func TestOpenFailsWithoutSecret(t *testing.T) {
	t.Parallel()
	server := storagetest.RedisTCP(t)
	server.Kill()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	_, err := storage.Open(ctx, storage.Options{URL: strings.Replace(server.URL, "redis://", "redis://user:hunter2@", 1)})
	if err == nil || strings.Contains(err.Error(), "hunter2") {
		t.Fatalf("Open = %v, want an error without the password (I11)", err)
	}
}
