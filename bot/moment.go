package bot

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// moment is the time in a Slack timestamp ("1700000000.000100": seconds and six
// digits); the zero time if it is none.
func moment(ts string) time.Time {
	seconds, micros, _ := strings.Cut(ts, ".")
	s, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil || s < 0 {
		return time.Time{}
	}
	for len(micros) < 6 {
		micros += "0"
	}
	m, err := strconv.ParseInt(micros[:6], 10, 64)
	if err != nil {
		return time.Time{}
	}
	return time.Unix(s, m*1000).UTC()
}

// stamp is a time as a Slack timestamp; "0" for the zero time.
func stamp(t time.Time) string {
	if t.IsZero() || t.Unix() < 0 {
		return "0"
	}
	return fmt.Sprintf("%d.%06d", t.Unix(), t.Nanosecond()/1000)
}

// olderOrSame reports whether a is not after b.
func olderOrSame(a, b string) bool { return !moment(a).After(moment(b)) }
