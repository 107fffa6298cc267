package engine

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Private is a name that people chose in their own words: an item's, its folder's, a
// file's. A log shows an alias in its place (I11): it is the same wherever the name is,
// so that lines can be told to belong together, and it tells nothing to a reader who
// does not know the name. Who knows it finds its alias with
//
//	printf %s NAME | sha256sum | cut -c1-8
type Private string

// Alias is what stands for the name in a log.
func (p Private) Alias() string {
	sum := sha256.Sum256([]byte(p))
	return "#" + hex.EncodeToString(sum[:4])
}

// LogValue implements slog.LogValuer.
func (p Private) LogValue() slog.Value { return slog.StringValue(p.Alias()) }

// LogValue implements slog.LogValuer.
func (r ItemRef) LogValue() slog.Value {
	return slog.GroupValue(slog.String("team", r.Team), slog.String("channel", r.Channel), slog.Any("item", Private(r.Slug)))
}

// discreet is an error whose text holds private names. An operator who named the item
// reads them; a log does not.
type discreet struct {
	err   error
	names []string
}

func (d *discreet) Error() string { return d.err.Error() }
func (d *discreet) Unwrap() error { return d.err }

// Discreet notes which private names an error's text holds, so that LogText can take
// them out wherever the error is logged, however it was wrapped since. Of no error it
// makes none.
func Discreet(err error, names ...string) error {
	if err == nil {
		return nil
	}
	return &discreet{err, names}
}

// Discreet is the same for an error about an item.
func (r ItemRef) Discreet(err error) error { return Discreet(err, r.Slug) }

// LogText is an error's text with an alias in the place of every private name.
func LogText(err error) string {
	text := err.Error()
	names := privateNames(err)
	// A name may be a part of another, as an item's is of its folder's.
	slices.SortFunc(names, func(a, b string) int { return len(b) - len(a) })
	for _, name := range slices.Compact(names) {
		text = replaceWord(text, name, Private(name).Alias())
		if quoted := strconv.Quote(name); quoted != `"`+name+`"` {
			text = replaceWord(text, quoted[1:len(quoted)-1], Private(name).Alias())
		}
	}
	return text
}

// privateNames gathers the names of an error and of all that it wraps.
func privateNames(err error) (names []string) {
	var d *discreet
	if !errors.As(err, &d) {
		return nil
	}
	switch x := err.(type) { //nolint:errorlint // every error of the tree is looked at
	case *discreet:
		return append(slices.Clone(x.names), privateNames(x.err)...)
	case interface{ Unwrap() error }:
		return privateNames(x.Unwrap())
	case interface{ Unwrap() []error }:
		for _, e := range x.Unwrap() {
			names = append(names, privateNames(e)...)
		}
	}
	return names
}

// replaceWord replaces a name where it is not a part of a longer word.
func replaceWord(text, name, alias string) string {
	if name == "" {
		return text
	}
	var out strings.Builder
	for {
		i := strings.Index(text, name)
		if i < 0 {
			return out.String() + text
		}
		rest := text[i+len(name):]
		before, _ := utf8.DecodeLastRuneInString(out.String() + text[:i])
		after, _ := utf8.DecodeRuneInString(rest)
		out.WriteString(text[:i])
		if partOfWord(before) || partOfWord(after) {
			out.WriteString(name)
		} else {
			out.WriteString(alias)
		}
		text = rest
	}
}

func partOfWord(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r))
}
