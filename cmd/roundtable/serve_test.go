package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/roundtable-chat/app/bot/slacksim"
	"github.com/roundtable-chat/app/storage/storagetest"
)

// Words and secrets that must not turn up in any log (I11).
const (
	canary      = "quetzalcoatl"
	canaryToken = "a-token-that-nobody-may-read"
)

// localSlack runs a workspace on a port of its own, until the test ends.
func localSlack(t *testing.T, o slacksim.Options) *workspace {
	t.Helper()
	o.BotToken, o.AppToken = "xoxb-"+canaryToken, "xapp-"+canaryToken
	sim, err := slacksim.New(o)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- sim.Run(ctx, l) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return &workspace{t: t, url: "http://" + l.Addr().String(), botToken: o.BotToken}
}

// serveEnv is what serve must be given, and a free port for its health checks.
func serveEnv(w *workspace, server *storagetest.Server) []string {
	return []string{
		"SLACK_BOT_TOKEN=xoxb-" + canaryToken, "SLACK_APP_TOKEN=xapp-" + canaryToken, "SLACK_API_URL=" + w.url + "/api/", "REDIS_URL=" + server.URL,
		"ROUNDTABLE_LISTEN=127.0.0.1:0",
	}
}

// worked finds in metrics that a replica has taken in something from Slack. What it is
// given is Slack's to decide: it may be the echoes of our own posts and nothing else.
var worked = regexp.MustCompile(`(?m)^roundtable_slack_envelopes_total\{end="(?:handled|delivered|own)".*\} [1-9]`)

// get returns the body of an answer with its status.
func get(url string) string {
	resp, err := http.Get(url)
	if err != nil {
		return err.Error()
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("%d %s", resp.StatusCode, body)
}

// ready waits until a replica serves and returns the address of its health checks.
func ready(t *testing.T, p *process) string {
	t.Helper()
	address := "http://" + p.address(`msg="health checks" address=(\S+)`)
	eventually(t, "/readyz answers ok", func() string { return get(address+"/readyz") + "\n" + p.output.String() }, func() bool {
		return get(address+"/readyz") == "200 ok\n"
	})
	return address
}

// TestServe is the production program with its defaults, and what must be given:
// two replicas share several discussions of several people; one is killed in the
// middle and started again. Every post stands once and in order, nothing is lost:
// I1, I2, I3, I4, I5, I7, I10, I11.
func TestServe(t *testing.T) {
	t.Parallel()
	server := storagetest.RedisTCP(t, "--appendonly", "yes", "--appendfsync", "always")
	channels := []string{"C0ROOM001", "C0ROOM002", "C0ROOM003", "C0ROOM004"}
	var o slacksim.Options
	for i, id := range channels {
		o.Channels = append(o.Channels, slacksim.Channel{ID: id, Name: fmt.Sprintf("room-%d", i)})
	}
	w := localSlack(t, o)
	env := append(serveEnv(w, server), "ROUNDTABLE_LEASE=3s", "ROUNDTABLE_LOG_LEVEL=debug")
	replicas := []*process{start(t, t.TempDir(), env, "serve"), start(t, t.TempDir(), env, "serve")}
	var addresses []string
	for _, p := range replicas {
		addresses = append(addresses, ready(t, p))
	}

	discussions := make([]discussion, len(channels))
	for i, channel := range channels {
		discussions[i] = person{w, priya, channel}.open(fmt.Sprintf("%s room %d", canary, i))
	}
	said := make([][]string, len(channels))
	// each works on all discussions at once; what fails in one ends that one, and
	// the test when all have ended.
	each := func(do func(i int, d discussion)) {
		t.Helper()
		var all sync.WaitGroup
		for i, d := range discussions {
			all.Go(func() { do(i, d) })
		}
		all.Wait()
		if t.Failed() {
			t.FailNow()
		}
	}
	each(func(i int, d discussion) {
		d.until("", "the room has the floor", containing("The floor is yours"))
		said[i] = append(said[i],
			d.as(sam).say(canary+": Alex, what breaks first when we ship?"),
			d.as(lena).say("Decision: the "+canary+" stays"))
	})
	replicas[0].kill()
	each(func(i int, d discussion) {
		said[i] = append(said[i], d.say("What do you all think of the "+canary+"?"))
	})
	replicas = append(replicas, start(t, t.TempDir(), env, "serve"))
	alive := []string{addresses[1], ready(t, replicas[2])}
	each(func(i int, d discussion) {
		d.until(said[i][0], "Alex answers", by("Alex"))
		d.until(said[i][2], "somebody reacts", spoken)
		done := d.say("done")
		d.until(done, "the menu is back", containing(menu))
	})
	for i, d := range discussions {
		judge(t, server, d, said[i]...)
	}
	for i, address := range alive {
		if metrics := get(address + "/metrics"); !worked.MatchString(metrics) || !strings.Contains(metrics, "go_goroutines") {
			t.Errorf("replica %d has had no part in the work, say its metrics:\n%s", i+1, metrics)
		}
	}
	for i, p := range replicas {
		if i > 0 {
			if got := p.terminate(); got != 0 {
				t.Errorf("replica %d: exit code %d after SIGTERM, want 0", i, got)
			}
		}
		p.calm()
		for _, secret := range []string{canary, canaryToken} {
			if strings.Contains(p.output.String(), secret) {
				t.Errorf("replica %d logged %q:\n%s", i, secret, &p.output)
			}
		}
	}
}

// TestSignals stops a replica while a post is under way: it is not ready any more
// but lives until the post has ended. A second SIGTERM ends it at once.
func TestSignals(t *testing.T) {
	t.Parallel()
	posting, release := make(chan struct{}, 100), make(chan struct{})
	t.Cleanup(func() { close(release) })
	w := localSlack(t, slacksim.Options{Before: func(method string, _ map[string]string) (v slacksim.Verdict) {
		if method == "chat.postMessage" {
			posting <- struct{}{}
			<-release
		}
		return v
	}})
	server := storagetest.Mini(t)
	p := start(t, t.TempDir(), serveEnv(w, server), "serve")
	address := ready(t, p)
	person{w, priya, product}.command("a post that takes long")
	select {
	case <-posting:
	case <-time.After(patience):
		t.Fatalf("nothing is posted:\n%s", &p.output)
	}
	p.signal()
	eventually(t, "/readyz says that it is stopping", func() string { return get(address+"/readyz") + "\n" + p.output.String() }, func() bool {
		return get(address+"/readyz") == "503 stopping\n"
	})
	if got, want := get(address+"/livez"), "200 ok\n"; got != want {
		t.Errorf("/livez answers %q while it drains, want %q", got, want)
	}
	p.signal()
	if got, want := p.wait(5*time.Second), -1; got != want {
		t.Errorf("exit code %d after the second SIGTERM, want %d: ended by the signal", got, want)
	}
	p.calm()
}
