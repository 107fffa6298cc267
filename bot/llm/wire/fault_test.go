package wire

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

// FuzzFault reads whatever a server may say; what is left of it to be logged are
// words for programs, never the key (I11).
func FuzzFault(f *testing.F) {
	for _, s := range []string{
		`{"error":{"type":"overloaded_error","message":"x"}}`, `{"error":"x"}`, `{"error":null}`, `{"error":{}}`, `{"detail":[]}`,
		`[{"error":{"code":503,"status":"UNAVAILABLE"}}]`, `[]`, `[1]`, `{"object":"error","code":"404"}`, `{"error":{"code":-1e99}}`,
		`{"error":{"type":"sk-secret-key","code":"secret","param":"key"}}`, `<html>`, ``,
	} {
		f.Add(s, "sk-secret-key")
	}
	f.Add(`{"error":{"code":"open","param":"door"}}`, "open door") // two words, a secret together
	f.Fuzz(func(t *testing.T, body, secret string) {
		fault := readFault([]byte(body))
		if kind, _ := fault.kind(200); kind == "" {
			t.Error("a fault has no kind")
		}
		detail := fault.detail(secret)
		if secret != "" && strings.Contains(detail, secret) || len(detail) > 100 {
			t.Errorf("got detail %q", detail)
		}
	})
}

// TestFaultsAreToldInKnownWords has a provider that writes people's words where its own
// belong: in types, codes and parameters. None of them reaches an error (I11).
func TestFaultsAreToldInKnownWords(t *testing.T) {
	for body, want := range map[string]string{
		`{"error":{"type":"SECRETTALK","code":"layoffs","param":"bob.smith"}}`:                               "",
		`{"error":{"type":"invalid_request_error","code":"layoffs","param":"bob.smith"}}`:                    "invalid_request_error",
		`{"error":{"type":"layoffs","code":"rate_limit_exceeded","param":"model"}}`:                          "rate_limit_exceeded model",
		`{"error":{"type":"layoffs","param":"max_tokens"}}`:                                                  "max_tokens",
		`{"error":{"status":"LAYOFFS","code":400}}`:                                                          "",
		`{"type":"error","error":{"type":"Invalid_Request_Error"}}`:                                          "",
		`{"object":"error","type":"layoffs\nlevel=ERROR msg=forged","param":"x"}`:                            "",
		`{"error":{"type":"invalid_request_error_about_layoffs","code":"model_not_found.layoffs"}}`:          "",
		`[{"error":{"code":"invalid_api_key","param":"messages layoffs"}}]`:                                  "invalid_api_key",
		`{"error":{"code":"unsupported_value","param":"response_format.json_schema.schema.properties.bob"}}`: "unsupported_value",
	} {
		if got := readFault([]byte(body)).detail("sk-secret-key"); got != want {
			t.Errorf("%s: got %q, want %q", body, got, want)
		}
	}
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		header, value string
		want          time.Duration
	}{
		"seconds":            {"retry-after", "7", 7 * time.Second},
		"parts of a second":  {"retry-after", "0.25", 250 * time.Millisecond},
		"milliseconds":       {"retry-after-ms", "1500", 1500 * time.Millisecond},
		"a date":             {"retry-after", "Sat, 21 Nov 2026 09:01:00 GMT", time.Minute},
		"a date in the past": {"retry-after", "Sat, 21 Nov 2026 08:00:00 GMT", 0},
		"a year":             {"retry-after", "31536000", 24 * time.Hour},
		"no number":          {"retry-after", "soon", 0},
		"less than nothing":  {"retry-after", "-5", 0},
		"not a number":       {"retry-after", "NaN", 0},
		"infinity":           {"retry-after", "Inf", 24 * time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			if got := retryAfter(http.Header{http.CanonicalHeaderKey(c.header): {c.value}}, now); got != c.want {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}
