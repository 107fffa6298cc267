package blocks

import (
	"net/url"
	"regexp"
	"strings"
	"unicode"
)

// escape makes text safe for Slack's mrkdwn: the three characters that can open
// an entity, and nothing else, because Slack shows any other escape literally.
func escape(text string) string { return mrkdwnEscaper.Replace(text) }

var mrkdwnEscaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// Unescape reads the three characters back.
func Unescape(text string) string { return mrkdwnUnescaper.Replace(text) }

var mrkdwnUnescaper = strings.NewReplacer("&lt;", "<", "&gt;", ">", "&amp;", "&")

// broadcasts are the names that notify everybody, after an at sign of any width.
var broadcasts = regexp.MustCompile(`(?i)([` + atSigns + `])(\p{Cf}*)(here|channel|everyone|group)\b`)

const atSigns = "@＠﹫"

// WordJoiner is invisible and forbids Slack's name matching.
const WordJoiner = "\u2060"

// Inert takes from "@here" and its like what could make a client notify anybody,
// should link_names ever be on for the workspace.
func Inert(text string) string {
	if !strings.ContainsAny(text, atSigns) {
		return text
	}
	return broadcasts.ReplaceAllString(text, "${1}"+WordJoiner+"${3}")
}

// Readable drops what is invisible and could hide the shape of a text:
// control characters but newlines and tabs, and directional overrides.
func Readable(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case r == '\r':
			return '\n'
		case unicode.IsControl(r), r >= 0x202A && r <= 0x202E, r >= 0x2066 && r <= 0x2069, r == 0xFEFF:
			return -1
		}
		return r
	}, strings.ReplaceAll(text, "\r\n", "\n"))
}

var (
	EntityMention = regexp.MustCompile(`<([@#!])([^<>\n|]*)(?:\|([^<>\n]*))?>`)
	EntityLink    = regexp.MustCompile(`<((?:https?|mailto):[^<>|\s]+)\|([^<>\n]*)>`)
	EntityAddress = regexp.MustCompile(`<(?:mailto:)?([^<>|\s]+)>`)
	markdownChars = regexp.MustCompile("([\\\\`*_{}\\[\\]()#+!~])")
)

// plainEntities rewrites Slack's own markup, in which people's messages arrive,
// as Markdown that means no more than its words: a mention becomes a name, a
// labelled link a Markdown link. name returns a person's display name or "".
func plainEntities(text string, name func(user string) string) string {
	if !strings.Contains(text, "<") {
		return text
	}
	text = EntityMention.ReplaceAllStringFunc(text, func(m string) string {
		part := EntityMention.FindStringSubmatch(m)
		label := part[3]
		if label == "" && part[1] == "@" {
			label = name(part[2])
		}
		if label == "" {
			label = strings.TrimPrefix(part[2], "subteam^")
		}
		label = strings.TrimLeft(label, "@#")
		sign := map[string]string{"@": "@", "#": "#", "!": "@"}[part[1]]
		return sign + markdownChars.ReplaceAllString(label, `\$1`)
	})
	return EntityLink.ReplaceAllStringFunc(text, func(m string) string {
		part := EntityLink.FindStringSubmatch(m)
		return "[" + markdownChars.ReplaceAllString(part[2], `\$1`) + "](<" + part[1] + ">)"
	})
}

// HostOf returns the lower-case host of an http or https URL, or "".
func HostOf(raw string) string {
	u, err := url.Parse(raw)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.User != nil {
		return ""
	}
	return strings.ToLower(u.Hostname())
}

// Defang makes a URL unclickable and leaves it legible.
func Defang(raw string) string {
	scheme, rest, found := strings.Cut(raw, "://")
	if !found {
		return strings.Replace(raw, ":", "[:]", 1)
	}
	end := strings.IndexAny(rest, `/?#\`)
	if end < 0 {
		end = len(rest)
	}
	host := strings.ReplaceAll(rest[:end], ".", "[.]")
	if host == rest[:end] {
		return scheme + "[:]//" + rest
	}
	return scheme + "://" + host + rest[end:]
}

// BareURL finds a URL that stands in running text.
var BareURL = regexp.MustCompile(`(?i)\bhttps?://[^\s<>"'` + "`" + `]*[^\s<>"'` + "`" + `.,;:!?)\]}]`)

// Clip returns at most n characters of text, ending in an ellipsis if it was cut.
func Clip(text string, n int) string {
	r := []rune(text)
	if len(r) <= n {
		return text
	}
	return strings.TrimRight(string(r[:n-1]), " ") + "…"
}
