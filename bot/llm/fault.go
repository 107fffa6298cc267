package llm

import (
	"bytes"
	"encoding/json"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
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

// wordForPrograms is how providers name faults and parameters. Keys have digits
// or hyphens, and do not fit.
var wordForPrograms = regexp.MustCompile(`^[A-Za-z][A-Za-z_.]{1,47}$`)

// detail is the fault in a word or two, fit to be logged. Two words that show
// nothing each may be the secret together.
func (f fault) detail(secret string) string {
	told := f.Code
	if !fit(told, secret) {
		told = f.Type
	}
	if !fit(told, secret) {
		told = ""
	}
	if both := strings.TrimSpace(told + " " + f.Param); fit(f.Param, secret) && !shows(both, secret) {
		return both
	}
	return told
}

// fit reports whether a word is one for programs that shows nothing.
func fit(word, secret string) bool { return wordForPrograms.MatchString(word) && !shows(word, secret) }

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

// exhausted is how long a provider is left alone that says that our credit with it
// is used up.
const exhausted = time.Hour

// kind says what a fault means: by its words first, because servers disagree about
// statuses and a stream has had its own already.
func (f fault) kind(status int) (Kind, time.Duration) {
	for _, w := range []string{f.Code, f.Type} {
		switch strings.ToLower(w) {
		case "overloaded_error", "overloaded", "unavailable", "service_unavailable", "engine_overloaded", "slow_down":
			return Overloaded, 0
		case "rate_limit_error", "rate_limit_exceeded", "rate_limit", "resource_exhausted", "ratelimiterror", "too_many_requests", "tokens", "requests":
			return RateLimited, 0
		case "insufficient_quota", "billing_error", "billing_hard_limit_reached", "insufficient_credits":
			return RateLimited, exhausted
		case "authentication_error", "permission_error", "invalid_api_key", "permission_denied", "unauthenticated", "autherror", "authenticationerror":
			return Auth, 0
		case "not_found_error", "model_not_found", "not_found", "notfounderror", "deploymentnotfound":
			return Unknown, 0
		case "content_filter", "content_policy_violation", "responsibleaipolicyviolation":
			return Refused, 0
		case "api_error", "server_error", "timeout_error", "internal_error", "internal", "internalservererror", "deadline_exceeded":
			return Transient, 0
		}
	}
	if status < 300 && f.Number >= 300 {
		status = f.Number
	}
	return kindOfStatus(status)
}

func kindOfStatus(status int) (Kind, time.Duration) {
	switch {
	case status < 300:
		return Transient, 0
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return Auth, 0
	case status == http.StatusPaymentRequired:
		return RateLimited, exhausted
	case status == http.StatusNotFound:
		return Unknown, 0
	case status == http.StatusTooManyRequests:
		return RateLimited, 0
	case status == http.StatusRequestTimeout, status == http.StatusConflict, status == http.StatusTooEarly:
		return Transient, 0
	case status == http.StatusServiceUnavailable, status == 529:
		return Overloaded, 0
	case status >= 500:
		return Transient, 0
	}
	return Config, 0
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
