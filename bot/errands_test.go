package bot_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/roundtable-chat/app/bot"
	"github.com/roundtable-chat/app/bot/slacksim"
	"github.com/roundtable-chat/app/roundtable/engine"
)

// hangingInbox never answers while hung.
type hangingInbox struct {
	bot.Inbox
	hung atomic.Bool
}

func (h *hangingInbox) Receive(ctx context.Context, d engine.Delivery) (engine.Reception, error) {
	if h.hung.Load() {
		<-ctx.Done()
		return "", context.Cause(ctx)
	}
	return h.Inbox.Receive(ctx, d)
}

// TestClickWhileTheStoreHangs shows that whoever clicked is told, though all the time
// that Slack gives was used up: Slack never delivers a click again (I10).
func TestClickWhileTheStoreHangs_I10(t *testing.T) {
	h := &hangingInbox{}
	s := setOn(t, slacksim.Options{}, func(in *inbox) bot.Inbox {
		h.Inbox = in
		return h
	}, nil, true)
	s.seated()
	h.hung.Store(true)
	s.press(priya, "rt:continue")
	s.told(priya, "could not save that")
}

// TestRenewalCutsNoUpload shows that what a person waits for outlives the connection
// over which they asked for it.
func TestRenewalCutsNoUpload(t *testing.T) {
	counts := prometheus.NewRegistry()
	reached, release := make(chan struct{}, 1), make(chan struct{})
	s := set(t, slacksim.Options{Before: func(method string, _ map[string]string) slacksim.Verdict {
		if method == "files.getUploadURLExternal" {
			reached <- struct{}{}
			<-release
		}
		return slacksim.Verdict{}
	}}, func(o *bot.Options) {
		o.Items, o.Metrics = shelf{engine.Item{Files: map[string][]byte{"notes.md": []byte("# Notes")}}}, counts
	}, true)
	s.command(priya, product, "export sso-rollout")
	<-reached
	s.ws.Disconnect("refresh_requested")
	s.until("both connections are new", func() bool {
		return counted(t, counts, "roundtable_slack_connection_ends_total", "cause", "short") == 2 && s.ws.Connections() == 2
	})
	close(release)
	s.until("the file", func() bool { return strings.Contains(fmt.Sprint(s.state(priya)["channels"]), "sso-rollout.zip") })
}
