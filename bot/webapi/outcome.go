package webapi

import (
	"encoding/json"
	"errors"
	"net/http"
	"regexp"
	"time"

	"github.com/slack-go/slack"

	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// How long to leave Slack alone when it does not say.
const (
	defaultPause = 30 * time.Second
	// keyPause follows a refusal of our credentials: nothing of a discussion
	// is wrong, and whoever runs the deployment has to act.
	keyPause = time.Minute
)

// refusals are Slack's plain answers to chat.postMessage and its relatives
// (contracts: errors of the methods and the common errors) that end the matter,
// with the reason people are given. A code that stands in no table of this file
// refuses the message: Slack answered that it did not perform the request, and
// asking again would be answered likewise.
var refusals = map[string]thread.Reason{
	"is_archived": thread.ReasonArchived,
	"is_inactive": thread.ReasonArchived,

	"not_in_channel":    thread.ReasonNotInChannel,
	"channel_not_found": thread.ReasonNotInChannel,
	"team_not_found":    thread.ReasonNotInChannel,

	"missing_scope":                         thread.ReasonNoPermission,
	"no_permission":                         thread.ReasonNoPermission,
	"access_denied":                         thread.ReasonNoPermission,
	"not_allowed_token_type":                thread.ReasonNoPermission,
	"enterprise_is_restricted":              thread.ReasonNoPermission,
	"ekm_access_denied":                     thread.ReasonNoPermission,
	"messages_tab_disabled":                 thread.ReasonNoPermission,
	"restricted_action":                     thread.ReasonNoPermission,
	"restricted_action_read_only_channel":   thread.ReasonNoPermission,
	"restricted_action_thread_only_channel": thread.ReasonNoPermission,

	"thread_not_found":                         thread.ReasonThreadGone,
	"cannot_reply_to_message":                  thread.ReasonThreadGone,
	"restricted_action_thread_locked":          thread.ReasonThreadGone,
	"restricted_action_non_threadable_channel": thread.ReasonThreadGone,
}

// uncertain are the errors of which Slack says that some aspect of the operation
// may have succeeded, and those that speak of an earlier message with the same
// identity.
var uncertain = map[string]bool{
	"fatal_error": true, "internal_error": true, "service_unavailable": true, "request_timeout": true, "team_added_to_org": true,
	"duplicate_message_not_found": true, "duplicate_channel_not_found": true,
}

// busy are refusals for too many requests; the second shape of a 429.
var busy = map[string]bool{"ratelimited": true, "rate_limited": true, "message_limit_exceeded": true}

// keys are refusals of our credentials or of the workspace as a whole.
var keys = map[string]bool{
	"invalid_auth": true, "not_authed": true, "account_inactive": true, "token_expired": true, "token_revoked": true,
	"org_login_required": true, "two_factor_setup_required": true, "accesslimited": true, "team_access_not_granted": true,
}

// SendError says what became of a request that failed with err. left is whether
// any byte of it may have left this machine.
func SendError(err error, left bool) *engine.SendError {
	e := &engine.SendError{Outcome: engine.InDoubt, Err: Scrub(err)}
	var limited *slack.RateLimitedError
	var status slack.StatusCodeError
	var answer slack.SlackErrorResponse
	switch {
	case errors.As(err, &limited):
		e.Outcome, e.After = engine.Unsent, limited.RetryAfter
	case errors.As(err, &status):
		if status.Code == http.StatusTooManyRequests {
			e.Outcome, e.After = engine.Unsent, defaultPause
		}
	case errors.As(err, &answer):
		classify(e, answer.Err)
	case !left && unencoded(err):
		e.Outcome = engine.Unmade
	case !left:
		e.Outcome = engine.Unsent
	}
	return e
}

// unencoded reports whether a request could not be written down: the network had no
// part in that.
func unencoded(err error) bool {
	var marshaler *json.MarshalerError
	var kind *json.UnsupportedTypeError
	var value *json.UnsupportedValueError
	return errors.As(err, &marshaler) || errors.As(err, &kind) || errors.As(err, &value)
}

func classify(e *engine.SendError, code string) {
	switch {
	case uncertain[code]:
		e.Outcome = engine.InDoubt
	case busy[code]:
		e.Outcome, e.After = engine.Unsent, defaultPause
	case keys[code]:
		e.Outcome, e.After = engine.Unsent, keyPause
	default:
		e.Outcome, e.Reason = engine.Refused, thread.ReasonMessageRefused
		if reason, ok := refusals[code]; ok {
			e.Reason = reason
		}
	}
}

// Answered reports whether Slack answered with one of the codes.
func Answered(err error, codes ...string) bool {
	var answer slack.SlackErrorResponse
	if !errors.As(err, &answer) {
		return false
	}
	for _, c := range codes {
		if answer.Err == c {
			return true
		}
	}
	return false
}

var secret = regexp.MustCompile(`(?i)(xox[a-z](?:\.xox[a-z])?-|xapp-|xwfp-|ticket=|bearer )[^\s"'&,;]+`)

// A scrubbed error reads as the error it wraps without anything that looks like
// a credential (I11).
type scrubbed struct{ err error }

func (e scrubbed) Error() string { return secret.ReplaceAllString(e.err.Error(), "${1}[redacted]") }
func (e scrubbed) Unwrap() error { return e.err }

// Scrub is an error that reads as err does, without what looks like a secret.
func Scrub(err error) error {
	if err == nil {
		return nil
	}
	return scrubbed{err}
}
