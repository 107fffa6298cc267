package wire

import (
	"bytes"
	"encoding/json"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/roundtable-chat/app/bot/llm"
)

// fault is what a provider says of a failure, without its prose.
type fault struct {
	// Type and Code are its words for programs, Param the parameter at fault.
	Type, Code, Param string
	// Number is a status that the body carries, 0 if none.
	Number int
}

// readFault reads a failure in the forms that servers write: Anthropic's and
// OpenAI's envelopes, a bare string, vLLM's flat object, a list of one. The zero
// fault means that none was found.
func readFault(body []byte) fault {
	body = bytes.TrimSpace(body)
	if len(body) > 0 && body[0] == '[' {
		var list []json.RawMessage
		if json.Unmarshal(body, &list) != nil || len(list) == 0 {
			return fault{}
		}
		body = list[0]
	}
	var outer map[string]json.RawMessage
	if json.Unmarshal(body, &outer) != nil {
		return fault{}
	}
	inner, enveloped := outer["error"]
	if !enveloped {
		if jsonString(outer["object"]) != "error" && jsonString(outer["type"]) != "error" && outer["detail"] == nil {
			return fault{}
		}
		return faultOf(outer)
	}
	var fields map[string]json.RawMessage
	if json.Unmarshal(inner, &fields) == nil && fields != nil {
		return faultOf(fields)
	}
	if s := jsonString(inner); s != "" {
		return fault{Type: "unspecified"} // prose only, which may repeat the prompt
	}
	return fault{}
}

func faultOf(fields map[string]json.RawMessage) fault {
	f := fault{Type: jsonString(fields["type"]), Code: jsonString(fields["code"]), Param: jsonString(fields["param"])}
	if f.Type == "" {
		f.Type = jsonString(fields["status"])
	}
	if n, err := strconv.Atoi(strings.Trim(string(fields["code"]), `"`)); err == nil {
		f.Number, f.Code = n, ""
	}
	if f == (fault{}) {
		f.Type = "unspecified"
	}
	return f
}

// jsonString is a JSON string's value, or nothing.
func jsonString(raw json.RawMessage) string {
	var s string
	_ = json.Unmarshal(raw, &s) // what is no string counts as none
	return s
}

// faultWords are what providers call failures, and why an answer ended. Only these are
// logged (I11): any other word of a provider's may be one of the prompt's.
var faultWords = words(`
	unspecified
	overloaded_error overloaded UNAVAILABLE unavailable service_unavailable ServiceUnavailableError engine_overloaded slow_down
	rate_limit_error rate_limit_exceeded rate_limit RESOURCE_EXHAUSTED resource_exhausted RateLimitError too_many_requests tokens requests
	insufficient_quota billing_error billing_hard_limit_reached billing_not_active insufficient_credits
	authentication_error permission_error invalid_api_key incorrect_api_key PERMISSION_DENIED permission_denied UNAUTHENTICATED unauthenticated
	AuthError AuthenticationError PermissionDeniedError account_deactivated organization_restricted
	not_found_error model_not_found NOT_FOUND not_found NotFoundError DeploymentNotFound model_not_active
	content_filter content_policy_violation ResponsibleAIPolicyViolation refusal cyber bio frontier_llm reasoning_extraction
	api_error server_error timeout_error internal_error INTERNAL internal InternalServerError DEADLINE_EXCEEDED deadline_exceeded timeout
	invalid_request_error INVALID_ARGUMENT invalid_argument FAILED_PRECONDITION BadRequestError bad_request invalid_value invalid_type invalid_json
	missing_required_parameter unknown_parameter unsupported_parameter unsupported_value unsupported_model unprocessable_entity request_too_large
	context_length_exceeded string_above_max_length array_above_max_length integer_above_max_value integer_below_min_value invalid_schema
	end_turn stop_sequence max_tokens model_context_window_exceeded tool_use pause_turn
	stop eos length tool_calls function_call error
`)

// paramWords are the parameters of requests that a provider may find fault with.
var paramWords = words(`
	model messages system max_tokens max_completion_tokens temperature top_p stop stream stream_options stream_options.include_usage
	response_format response_format.json_schema response_format.json_schema.schema response_format.type output_config output_config.format output_config.effort
	reasoning_effort reasoning thinking thinking.type prompt_cache_key cache_control service_tier metadata store tools tool_choice user n
`)

func words(list string) map[string]bool {
	known := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		known[w] = true
	}
	return known
}

// detail is the fault in a word or two, fit to be logged. Two words that show
// nothing each may be the secret together.
func (f fault) detail(secret string) string {
	told := f.Code
	if !fit(faultWords, told, secret) {
		told = f.Type
	}
	if !fit(faultWords, told, secret) {
		told = ""
	}
	if both := strings.TrimSpace(told + " " + f.Param); fit(paramWords, f.Param, secret) && !shows(both, secret) {
		return both
	}
	return told
}

// fit reports whether a word is a known one that shows nothing.
func fit(known map[string]bool, word, secret string) bool { return known[word] && !shows(word, secret) }

// shows reports whether a word tells a part of a secret.
func shows(word, secret string) bool {
	return secret != "" && (strings.Contains(word, secret) || len(word) > 5 && strings.Contains(secret, word))
}

// identifierForm is how providers name requests.
var identifierForm = regexp.MustCompile(`^[A-Za-z0-9_-]{1,80}$`)

// identifier is a request's id as far as it may be logged.
func identifier(s, secret string) string {
	if !identifierForm.MatchString(s) || shows(s, secret) {
		return ""
	}
	return s
}

// kind says what a fault means: by its words first, because servers disagree about
// statuses and a stream has had its own already.
func (f fault) kind(status int) (llm.Kind, time.Duration) {
	for _, w := range []string{f.Code, f.Type} {
		switch strings.ToLower(w) {
		case "overloaded_error", "overloaded", "unavailable", "service_unavailable", "engine_overloaded", "slow_down":
			return llm.Overloaded, 0
		case "rate_limit_error", "rate_limit_exceeded", "rate_limit", "resource_exhausted", "ratelimiterror", "too_many_requests", "tokens", "requests":
			return llm.RateLimited, 0
		case "insufficient_quota", "billing_error", "billing_hard_limit_reached", "insufficient_credits":
			return llm.RateLimited, llm.Exhausted
		case "authentication_error", "permission_error", "invalid_api_key", "permission_denied", "unauthenticated", "autherror", "authenticationerror":
			return llm.Auth, 0
		case "not_found_error", "model_not_found", "not_found", "notfounderror", "deploymentnotfound":
			return llm.Unknown, 0
		case "content_filter", "content_policy_violation", "responsibleaipolicyviolation":
			return llm.Refused, 0
		case "api_error", "server_error", "timeout_error", "internal_error", "internal", "internalservererror", "deadline_exceeded":
			return llm.Transient, 0
		}
	}
	if status < 300 && f.Number >= 300 {
		status = f.Number
	}
	return kindOfStatus(status)
}

func kindOfStatus(status int) (llm.Kind, time.Duration) {
	switch {
	case status < 300:
		return llm.Transient, 0
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return llm.Auth, 0
	case status == http.StatusPaymentRequired:
		return llm.RateLimited, llm.Exhausted
	case status == http.StatusNotFound:
		return llm.Unknown, 0
	case status == http.StatusTooManyRequests:
		return llm.RateLimited, 0
	case status == http.StatusRequestTimeout, status == http.StatusConflict, status == http.StatusTooEarly:
		return llm.Transient, 0
	case status == http.StatusServiceUnavailable, status == 529:
		return llm.Overloaded, 0
	case status >= 500:
		return llm.Transient, 0
	}
	return llm.Config, 0
}

// retryAfter is how long the provider asked to wait.
func retryAfter(h http.Header, now time.Time) time.Duration {
	if ms, err := strconv.ParseFloat(h.Get("retry-after-ms"), 64); err == nil && ms > 0 {
		return atMostADay(ms / 1000)
	}
	v := h.Get("retry-after")
	if s, err := strconv.ParseFloat(v, 64); err == nil && s > 0 {
		return atMostADay(s)
	}
	if at, err := http.ParseTime(v); err == nil && at.After(now) {
		return atMostADay(at.Sub(now).Seconds())
	}
	return 0
}

// atMostADay is a number of seconds as a duration of at most a day.
func atMostADay(seconds float64) time.Duration {
	return time.Duration(min(seconds, 24*60*60) * float64(time.Second))
}
