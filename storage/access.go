package storage

import (
	"context"
	"crypto/tls"
	"net"
	"path/filepath"
	"slices"
	"strings"

	"github.com/redis/go-redis/v9"
)

// defaultUser is who every client of Redis is before it says another name.
const defaultUser = "default"

// Access is who can get at a server, and who can listen on the way to it.
type Access struct {
	// Open is whether the server answers a client that gives no password.
	Open Fact[bool]
	// User is under which name the server knows us; NoPass whether it takes any
	// password for that name, which only a server that lets us look tells.
	User   string
	NoPass Fact[bool]
	// ProtectedMode is whether an open server refuses other machines. Bind are the
	// addresses that it listens on, which may be patterns.
	ProtectedMode Fact[bool]
	Bind          Fact[string]
	// Encrypted is whether we speak TLS with it, Unverified whether we do so with
	// whatever server is there.
	Encrypted, Unverified bool
}

// Default reports whether we are the user that may do everything unless somebody
// restricted it.
func (a Access) Default() bool { return a.User == defaultUser }

// Local reports whether the way to the server leads through this machine only.
func (s Server) Local() bool { return localAddr(s.Addr) }

// Sheltered reports whether other machines are kept away from an open server, as far
// as we can tell: it is on this machine and does not say that it listens to others.
func (s Server) Sheltered() bool {
	return s.Local() && (s.ProtectedMode.Value || !s.ProtectedMode.Known || s.boundHere())
}

// boundHere reports whether the server listens on loopback addresses only. An address
// that it may do without has a hyphen before it.
func (s Server) boundHere() bool {
	bound := strings.Fields(s.Bind.Value)
	return len(bound) > 0 && !slices.ContainsFunc(bound, func(a string) bool { return !loopback(strings.TrimPrefix(a, "-")) })
}

// localAddr reports whether an address is a socket's path or a loopback one.
func localAddr(addr string) bool {
	if filepath.IsAbs(addr) {
		return true
	}
	host, _, err := net.SplitHostPort(addr)
	return err == nil && loopback(host)
}

// loopback takes a name other than localhost for another machine: what it stands for
// may change.
func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// readAccess asks who can get at a server. client is a connection to it as ourselves.
func (t Target) readAccess(ctx context.Context, client redis.UniversalClient, s *Server) {
	own := t.plain(s.Addr)
	s.User, s.NoPass = own.Username, Fact[bool]{}
	if s.User == "" {
		s.User = defaultUser
	}
	s.Encrypted = own.TLSConfig != nil
	s.Unverified = unverified(own.TLSConfig)
	s.Open = open(ctx, own)
	if !s.Default() {
		s.NoPass = noPass(ctx, client, s.User)
	}
}

func unverified(c *tls.Config) bool { return c != nil && c.InsecureSkipVerify }

// open knocks without a password. A server that cannot be reached so says nothing.
func open(ctx context.Context, own *redis.Options) Fact[bool] {
	o := *own
	o.Username, o.Password, o.DB = "", "", 0
	stranger := redis.NewClient(&o)
	defer func() { _ = stranger.Close() }() // it only knocked
	err := stranger.Ping(ctx).Err()
	return Fact[bool]{err == nil, err == nil || refused(err)}
}

// noPass reads whether a user needs no password, from a server that lets us look.
func noPass(ctx context.Context, client redis.UniversalClient, user string) Fact[bool] {
	answer, err := client.Do(ctx, "acl", "getuser", user).Result()
	if err != nil {
		return Fact[bool]{}
	}
	flags, ok := aclFlags(answer).([]any)
	return Fact[bool]{slices.Contains(flags, any("nopass")), ok}
}

// aclFlags finds the flags in a user's description: a map in RESP3, names and values
// in turn in RESP2.
func aclFlags(answer any) any {
	switch told := answer.(type) {
	case map[any]any:
		return told["flags"]
	case []any:
		if i := slices.Index(told, any("flags")); i >= 0 && i+1 < len(told) {
			return told[i+1]
		}
	}
	return nil
}
