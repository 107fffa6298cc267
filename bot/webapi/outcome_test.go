package webapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/slack-go/slack"

	"github.com/roundtable-chat/app/bot/wire"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// TestEveryErrorOfPostMessage holds the table to the errors that Slack documents
// for chat.postMessage: what may have been performed is in doubt, what may be
// sent again is unsent, and everything else ends with a reason (I10).
func TestEveryErrorOfPostMessage_I3_I10(t *testing.T) {
	b, err := os.ReadFile("testdata/post_errors.json")
	if err != nil {
		t.Fatal(err)
	}
	var contract struct {
		Common []string `json:"common_errors"`
		Post   []string `json:"chat.postMessage"`
	}
	if err := json.Unmarshal(b, &contract); err != nil {
		t.Fatal(err)
	}
	outcomes := map[engine.Outcome]string{
		engine.InDoubt: "duplicate_channel_not_found duplicate_message_not_found fatal_error internal_error request_timeout service_unavailable team_added_to_org",
		engine.Unsent: "account_inactive accesslimited invalid_auth message_limit_exceeded not_authed org_login_required rate_limited ratelimited " +
			"team_access_not_granted token_expired token_revoked two_factor_setup_required",
	}
	reasons := map[thread.Reason]string{
		thread.ReasonArchived:     "is_archived",
		thread.ReasonNotInChannel: "channel_not_found not_in_channel team_not_found",
		thread.ReasonThreadGone:   "cannot_reply_to_message restricted_action_non_threadable_channel restricted_action_thread_locked",
		thread.ReasonNoPermission: "access_denied ekm_access_denied enterprise_is_restricted messages_tab_disabled missing_scope no_permission " +
			"not_allowed_token_type restricted_action restricted_action_read_only_channel restricted_action_thread_only_channel",
	}
	in := func(list, code string) bool { return strings.Contains(" "+list+" ", " "+code+" ") }
	for _, code := range append(contract.Common, contract.Post...) {
		t.Run(code, func(t *testing.T) {
			wantOutcome, wantReason := engine.Refused, thread.ReasonMessageRefused
			for o, list := range outcomes {
				if in(list, code) {
					wantOutcome, wantReason = o, ""
				}
			}
			for r, list := range reasons {
				if in(list, code) {
					wantReason = r
				}
			}
			got := SendError(fmt.Errorf("post: %w", slack.SlackErrorResponse{Err: code}), true)
			if got.Outcome != wantOutcome || got.Reason != wantReason {
				t.Errorf("got %s %q, want %s %q", got.Outcome, got.Reason, wantOutcome, wantReason)
			}
			if got.Outcome == engine.Unsent && got.After <= 0 {
				t.Error("to be sent again at once: it would loop")
			}
		})
	}
}

func TestTransportErrors_I3(t *testing.T) {
	for _, c := range []struct {
		name string
		err  error
		left bool
		want engine.Outcome
	}{
		{"dial refused", &net.OpError{Op: "dial", Err: errors.New("refused")}, false, engine.Unsent},
		{"name not resolved", &net.DNSError{Err: "no such host"}, false, engine.Unsent},
		{"held back at the deadline", wire.ErrTooLate, false, engine.Unsent},
		{"deadline while waiting for the answer", context.DeadlineExceeded, true, engine.InDoubt},
		{"reset", &net.OpError{Op: "read", Err: errors.New("reset")}, true, engine.InDoubt},
		{"500", slack.StatusCodeError{Code: 500}, true, engine.InDoubt},
		{"502 of a proxy", slack.StatusCodeError{Code: 502}, true, engine.InDoubt},
		{"429 with Retry-After", &slack.RateLimitedError{RetryAfter: time.Second}, true, engine.Unsent},
		{"429 without", slack.StatusCodeError{Code: 429}, true, engine.Unsent},
		{"an answer that is no JSON", &json.SyntaxError{}, true, engine.InDoubt},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := SendError(c.err, c.left); got.Outcome != c.want {
				t.Errorf("got %s, want %s", got.Outcome, c.want)
			}
		})
	}
}

func TestErrorsHoldNoSecrets_I11(t *testing.T) {
	for _, text := range []string{
		`Post "https://slack.com/api/x?token=xoxb-1-canary-2": EOF`,
		"dial wss://wss-primary.slack.com/link/?ticket=canary&app_id=A1",
		"Authorization: Bearer canary", "xapp-1-A1-canary", "xoxe.xoxp-canary",
	} {
		for _, err := range []error{Scrub(errors.New(text)), SendError(errors.New(text), true)} {
			if strings.Contains(err.Error(), "canary") {
				t.Errorf("got %q", err)
			}
		}
	}
}
