package config

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/roundtable-chat/app/bot"
	"github.com/roundtable-chat/app/roundtable/thread"
	"github.com/roundtable-chat/app/storage"
)

// The kinds of values that settings have. Errors of those that hold secrets do
// not repeat the value.

type textValue string

func (v *textValue) Set(s string) error { *v = textValue(s); return nil }
func (v *textValue) String() string     { return string(*v) }

// tokenValue is a Slack token, told by how it begins.
type tokenValue struct {
	p      *string
	prefix string
}

func token(p *string, prefix string) *tokenValue { return &tokenValue{p, prefix} }

func (v *tokenValue) Set(s string) error {
	if s != "" && !strings.HasPrefix(s, v.prefix) {
		return fmt.Errorf("this is not a token that begins with %s", v.prefix)
	}
	*v.p = s
	return nil
}
func (v *tokenValue) String() string { return *v.p }

// secretValue is a secret of any form. It has no spaces around it, which a file or
// a terminal may have added and no header can hold.
type secretValue string

func (v *secretValue) Set(s string) error {
	if strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return errors.New("this contains a character that a key cannot have")
	}
	*v = secretValue(s)
	return nil
}
func (v *secretValue) String() string { return string(*v) }

// redisValue is the address of a Redis.
type redisValue string

func (v *redisValue) Set(s string) error {
	if s != "" {
		if _, err := storage.ParseURL(s); err != nil {
			return err
		}
	}
	*v = redisValue(s)
	return nil
}
func (v *redisValue) String() string { return string(*v) }

// endpointValue is the address of a Web API.
type endpointValue string

func (v *endpointValue) Set(s string) error {
	u, err := url.Parse(s)
	switch {
	case s == "":
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return errors.New("this is not an address that begins with http:// or https://")
	case u.User != nil:
		return errors.New("the address contains a user name or a password, which would be printed and logged")
	case u.RawQuery != "":
		return errors.New("the address contains a query, which would be printed and logged")
	}
	*v = endpointValue(s)
	return nil
}
func (v *endpointValue) String() string { return string(*v) }

type listValue []string

func (v *listValue) Set(s string) error {
	*v = strings.FieldsFunc(s, func(r rune) bool { return r == ',' || r == ' ' })
	return nil
}
func (v *listValue) String() string { return strings.Join(*v, ",") }

// spanValue is a duration with a least value.
type spanValue struct {
	p     *time.Duration
	least time.Duration
}

func spanOf(p *time.Duration, least time.Duration) *spanValue { return &spanValue{p, least} }

func (v *spanValue) Set(s string) error {
	d, err := time.ParseDuration(s)
	switch {
	case err != nil:
		return fmt.Errorf("%q is not a duration such as 3s, 5m or 72h", s)
	case d < v.least:
		return fmt.Errorf("%s is too short; the minimum is %s", s, v.least)
	}
	*v.p = d
	return nil
}
func (v *spanValue) String() string { return v.p.String() }

type truthValue bool

func (v *truthValue) Set(s string) error {
	b, err := strconv.ParseBool(s)
	if err != nil {
		return fmt.Errorf("%q is neither true nor false", s)
	}
	*v = truthValue(b)
	return nil
}
func (v *truthValue) String() string { return strconv.FormatBool(bool(*v)) }

// IsBoolFlag lets the flag stand without a value.
func (v *truthValue) IsBoolFlag() bool { return true }

type levelValue slog.Level

func (v *levelValue) Set(s string) error {
	var l slog.Level
	if err := l.UnmarshalText([]byte(s)); err != nil {
		return fmt.Errorf("%q is not one of debug, info, warn or error", s)
	}
	*v = levelValue(l)
	return nil
}
func (v *levelValue) String() string { return strings.ToLower(slog.Level(*v).String()) }

// numberValue is a whole number with a least value.
type numberValue struct {
	p     *int
	least int
}

func atLeast(p *int, least int) *numberValue { return &numberValue{p, least} }

func (v *numberValue) Set(s string) error {
	n, err := strconv.Atoi(s)
	if err != nil || n < v.least {
		return fmt.Errorf("%q is not a whole number of at least %d", s, v.least)
	}
	*v.p = n
	return nil
}
func (v *numberValue) String() string { return strconv.Itoa(*v.p) }

// choiceValue is one of a few words.
type choiceValue struct {
	p     *string
	words []string
}

func oneOf(p *string, words ...string) *choiceValue { return &choiceValue{p, words} }

func (v *choiceValue) Set(s string) error {
	if !slices.Contains(v.words, s) {
		return fmt.Errorf("%q is not known; it can be %s", s, strings.Join(v.words, " or "))
	}
	*v.p = s
	return nil
}
func (v *choiceValue) String() string { return *v.p }

// rightValue is who may do something.
type rightValue thread.Right

// everybody is the word for roundtable.RightEverybody.
const everybody = "everybody"

func (v *rightValue) Set(s string) error {
	switch s {
	case everybody:
		*v = rightValue(thread.RightEverybody)
	case string(thread.RightOpener):
		*v = rightValue(thread.RightOpener)
	default:
		return fmt.Errorf("%q is not known; it can be %s or %s", s, everybody, thread.RightOpener)
	}
	return nil
}

func (v *rightValue) String() string { return cmp.Or(string(*v), everybody) }

// forgetValue is who may have something forgotten.
type forgetValue bot.ForgetRight

// opener is the word for bot.ForgetOpener.
const opener = string(thread.RightOpener)

func (v *forgetValue) Set(s string) error {
	switch s {
	case opener:
		*v = forgetValue(bot.ForgetOpener)
	case string(bot.ForgetEverybody), string(bot.ForgetNobody):
		*v = forgetValue(s)
	default:
		return fmt.Errorf("%q is not known; it can be %s, %s or %s", s, opener, bot.ForgetEverybody, bot.ForgetNobody)
	}
	return nil
}

func (v *forgetValue) String() string { return cmp.Or(string(*v), opener) }
