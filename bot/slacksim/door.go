package slacksim

import (
	"net"
	"net/http"
	"net/url"
	"strings"
)

// slackOrigin is the Origin that slack-go sends when it opens a Socket Mode
// connection, wherever that leads.
const slackOrigin = "https://api.slack.com"

// policy is what a browser may do with the workspace's answers. The page loads from
// its own origin only, and no other page may frame it.
const policy = "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

// door is the one way into the workspace. Every request passes it before any endpoint
// sees it, the Web API and the WebSocket handshake included, and every answer leaves
// with the headers that keep browsers from lending it to other pages.
//
// Programs on this machine send no Origin and no fetch metadata and pass. A page of
// another origin, another port of this machine included, does not: a browser names
// that page in Origin or Sec-Fetch-Site, which no script can change. A page whose own
// name was re-pointed to this machine (DNS rebinding) is told by the Host.
func (w *Workspace) door(next http.Handler) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		h := rw.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		if !w.answersTo(r.Host) || !fromHere(r) {
			writeJSON(rw, http.StatusForbidden, object{"ok": false, "error": "forbidden", "message": "This workspace only serves its own page and programs on this machine."})
			return
		}
		next.ServeHTTP(rw, r)
	})
}

// answersTo tells whether the workspace may be called by a Host: by loopback, or by
// the address it was configured with. An exposed workspace answers to every IP address,
// because its own may be hidden behind a forwarded port. It answers to no other name:
// names can be re-pointed by their owners, and addresses cannot.
func (w *Workspace) answersTo(hostPort string) bool {
	host := hostname(hostPort)
	if host == "localhost" {
		return true
	}
	if ip := net.ParseIP(host); ip != nil && (ip.IsLoopback() || w.opts.Exposed) {
		return true
	}
	own, err := url.Parse(w.opts.BaseURL)
	return err == nil && host != "" && host == strings.ToLower(own.Hostname())
}

// hostname is a Host without port and brackets, in small letters.
func hostname(hostPort string) string {
	host, _, err := net.SplitHostPort(hostPort)
	if err != nil {
		host = strings.Trim(hostPort, "[]")
	}
	return strings.ToLower(host)
}

// fromHere tells whether a request comes from the workspace's own page or from no page
// at all.
func fromHere(r *http.Request) bool {
	site := r.Header.Get("Sec-Fetch-Site")
	if origin := r.Header.Get("Origin"); origin != "" && !sameOrigin(origin, r.Host) {
		return origin == slackOrigin && r.URL.Path == socketPath && site == ""
	}
	return site == "" || site == "same-origin" || site == "none" || followsLink(r)
}

// sameOrigin compares with the port: another port of this machine is another origin.
func sameOrigin(origin, host string) bool {
	u, err := url.Parse(origin)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && strings.EqualFold(u.Host, host)
}

// followsLink tells whether a person followed a link to the page from elsewhere. That
// opens the page in a window of its own, changes nothing, and shows the other page
// nothing.
func followsLink(r *http.Request) bool {
	shown := r.URL.Path == "/" || strings.HasPrefix(r.URL.Path, archivesPath)
	return shown && r.Method == http.MethodGet && r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.Header.Get("Sec-Fetch-Dest") == "document"
}
