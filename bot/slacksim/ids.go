package slacksim

import (
	"crypto/rand"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// idSource hands out ids and timestamps. It is part of the saved state, so that
// a restarted workspace never gives the same id twice.
type idSource struct {
	Counter  int64 `json:"counter"`
	LastTime int64 `json:"last_time"` // microseconds of the last ts given out
}

// next is a fresh id in Slack's style: a letter or two and upper-case digits.
func (s *idSource) next(prefix string) string {
	s.Counter++
	return prefix + "0" + strings.ToUpper(fmt.Sprintf("%08s", strconv.FormatInt(s.Counter, 36)))
}

// ts is a fresh message timestamp: unique and growing even when the clock is not.
func (s *idSource) ts(now time.Time) string {
	micro := now.UnixMicro()
	if micro <= s.LastTime {
		micro = s.LastTime + 1
	}
	s.LastTime = micro
	return formatTS(micro)
}

func formatTS(micro int64) string {
	return fmt.Sprintf("%d.%06d", micro/1e6, micro%1e6)
}

// parseTS reads a timestamp into microseconds.
func parseTS(ts string) (int64, bool) {
	whole, frac, _ := strings.Cut(ts, ".")
	if len(whole) > 12 || len(frac) > 6 || strings.ContainsAny(ts, "+-") {
		return 0, false
	}
	seconds, err := strconv.ParseInt(whole, 10, 64)
	if err != nil {
		return 0, false
	}
	if frac == "" {
		return seconds * 1e6, true
	}
	micro, err := strconv.ParseInt((frac + "000000")[:6], 10, 64)
	if err != nil {
		return 0, false
	}
	return seconds*1e6 + micro, true
}

// uuid is a random version 4 UUID. crypto/rand.Read does not fail.
func uuid() string {
	var b [16]byte
	_, _ = rand.Read(b[:])
	b[6] = b[6]&0x0f | 0x40
	b[8] = b[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// secret is an unguessable token of 24 letters.
func secret() string { return rand.Text()[:24] }

func itoa(n int64) string { return strconv.FormatInt(n, 10) }
