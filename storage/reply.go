package storage

import (
	"fmt"
	"strconv"
	"time"

	"github.com/roundtable-chat/app/roundtable/engine"
)

// reply reads a script's reply from front to back. The first thing that is not as
// the script's header promises is kept in err, and everything after it is zero.
type reply struct {
	rest []any
	err  error
}

func newReply(v any) *reply {
	list, ok := v.([]any)
	if !ok {
		return &reply{err: fmt.Errorf("reply is a %T", v)}
	}
	return &reply{rest: list}
}

func (r *reply) next() any {
	if r.err == nil && len(r.rest) == 0 {
		r.err = fmt.Errorf("reply is too short")
	}
	if r.err != nil {
		return nil
	}
	v := r.rest[0]
	r.rest = r.rest[1:]
	return v
}

func (r *reply) more() bool { return r.err == nil && len(r.rest) > 0 }

func (r *reply) text() string {
	switch v := r.next().(type) {
	case string:
		return v
	case int64:
		return strconv.FormatInt(v, 10)
	default:
		r.fail(v)
		return ""
	}
}

func (r *reply) number() int64 {
	text := r.text()
	if r.err != nil {
		return 0
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		r.err = fmt.Errorf("reply has no number where one belongs")
	}
	return n
}

func (r *reply) flag() bool { return r.number() != 0 }

// instant reads a time in ms; 0 is no time.
func (r *reply) instant() time.Time {
	ms := r.number()
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}

// blob reads a flag and bytes, nil if the flag is not set.
func (r *reply) blob() []byte {
	set, b := r.flag(), r.text()
	if !set {
		return nil
	}
	return []byte(b)
}

func (r *reply) list() []string {
	v := r.next()
	list, ok := v.([]any)
	if !ok {
		r.fail(v)
		return nil
	}
	out := make([]string, len(list))
	for i, e := range list {
		text, ok := e.(string)
		if !ok {
			r.fail(e)
			return nil
		}
		out[i] = text
	}
	return out
}

func (r *reply) fail(v any) {
	if r.err == nil {
		r.err = fmt.Errorf("reply has a %T where it does not belong", v)
	}
}

func (r *reply) mail() []engine.Mail {
	var out []engine.Mail
	for _, stored := range r.list() {
		m, err := unpackMail(stored)
		if err != nil && r.err == nil {
			r.err = err
		}
		out = append(out, m)
	}
	return out
}

func (r *reply) outbox() []engine.OutboxEntry {
	var out []engine.OutboxEntry
	for _, stored := range r.list() {
		i, err := unpackEntry(stored)
		if err != nil && r.err == nil {
			r.err = err
		}
		out = append(out, i)
	}
	return out
}

func (r *reply) entries() [][]byte {
	var out [][]byte
	for _, e := range r.list() {
		out = append(out, []byte(e))
	}
	return out
}

// claim reads what snapshot in the prelude returns.
func (r *reply) claim(ref engine.Ref, until time.Time, run string) (*engine.Claim, error) {
	h := &engine.Claim{Ref: ref, Until: until}
	h.Token = engine.Token(r.text())
	h.Now = r.instant()
	committed := r.text()
	h.Attempted = r.instant()
	h.Attempts = int(r.number())
	h.Crashes = int(r.number())
	h.Tried, h.Tries = r.text(), int(r.number())
	h.LogLen, h.LogRev, h.LogFrom = int(r.number()), engine.LogRev(r.text()), int(r.number())
	h.State = r.blob()
	h.Mail = r.mail()
	h.Outbox = r.outbox()
	h.Log = r.entries()
	h.Run = run
	h.Rewound = committed != "" && run != "" && committed != run
	if r.err != nil {
		return nil, r.err
	}
	return h, nil
}
