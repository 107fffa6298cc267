package thread

import (
	"fmt"
	"html"
	"net/url"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Disguises reports whether the words of a link would make a reader expect another
// address than the one that it leads to: they look like a host, and it is not the
// target's, or like a page of it that the target is not (NFR-103). An address with or without
// its scheme, "www." or a slash at its end, or cut short by an ellipsis, is itself. Words
// that look like no address disguise nothing; more of them than anybody reads in a link are
// not judged and count as a disguise.
func Disguises(label, address string) bool {
	if len(label) > judged {
		return true
	}
	if strings.TrimSpace(label) == address {
		return false
	}
	plain := inlineTag.ReplaceAllString(label, "")
	return suggests(label, address) || plain != label && suggests(plain, address)
}

// suggests judges words as they stand.
func suggests(label, address string) bool {
	text := folded(label)
	if !strings.Contains(text, ".") && !strings.Contains(text, "//") {
		return false
	}
	box, mail := strings.CutPrefix(strings.ToLower(address), "mailto:")
	host, page := parts(address)
	for _, m := range hostLike.FindAllStringSubmatch(text, -1) {
		shown := m[1] + m[2]
		switch {
		case m[1] == "" && (!plausible(shown) || m[4] == "" && fileEnding.MatchString(shown)):
		case mail && strings.EqualFold(shown+m[4], box):
		case mail, canonical(shown) != host, !begins(page, m[4]):
			return true
		}
	}
	return false
}

// judged is how long the words of a link may be, in bytes.
const judged = 1_000

// hostLike is what a reader may take for an address, in folded text: whatever follows a
// scheme or two slashes (1), or words joined by dots (2); then a port (3) and a page (4).
var hostLike = regexp.MustCompile(`(?i)(?:(?:[a-z][a-z0-9+.-]*:)?//([^/?#\\\s:]+)|(` + hostWord + `+(?:\.` + hostWord + `+)+))(:\d+)?([/?#\\]\S*)?`)

const hostWord = `[\p{L}\p{M}\p{N}\p{So}_@-]`

// plausible reports whether words joined by dots could be a host: the last could be a
// top-level domain, or they are the four numbers of an IPv4 address.
func plausible(host string) bool {
	words := strings.Split(host, ".")
	last := words[len(words)-1]
	if len(words) == 4 && strings.Trim(host, ".0123456789") == "" {
		return true
	}
	return strings.HasPrefix(strings.ToLower(last), "xn--") ||
		utf8.RuneCountInString(last) > 1 && !strings.ContainsFunc(last, func(r rune) bool { return unicode.IsNumber(r) || r == '_' })
}

// fileEnding matches what ends like a file of people's everyday work and not like any
// host: none of these endings is a top-level domain. "report.pdf" misleads nobody.
var fileEnding = regexp.MustCompile(`(?i)\.(?:conf|css|csv|diff|docx?|exe|gif|go|gz|html?|ini|ipynb|jpe?g|js|json|jsx|kt|lock|log|patch|pdf|png|pptx?|proto|sql|svg|tar|toml|tsv|tsx?|txt|webp|xlsx?|xml|ya?ml)$`)

// parts are an address's host, as hosts are compared, and its page.
func parts(address string) (host, page string) {
	if _, rest, ok := strings.Cut(address, ":"); ok && !strings.HasPrefix(address, "/") {
		address = rest
	}
	address = strings.TrimLeft(address, "/")
	end := strings.IndexAny(address, `/?#\`)
	if end < 0 {
		end = len(address)
	}
	host, page = address[:end], address[end:]
	host = host[strings.LastIndexByte(host, '@')+1:]
	if name, port, ok := strings.Cut(host, ":"); ok && strings.Trim(port, "0123456789") == "" {
		host = name
	}
	return canonical(host), page
}

// canonical is a host in lower case and without "www.". Letters stay as they are: one that
// looks like another is another.
func canonical(host string) string {
	return strings.TrimPrefix(strings.TrimSuffix(strings.ToLower(host), "."), "www.")
}

// begins reports whether a label's page is the target's, or its beginning up to a sign
// that divides addresses, or up to an ellipsis.
func begins(page, shown string) bool {
	short, cut := strings.CutSuffix(shown, "…")
	if !cut {
		short, cut = strings.CutSuffix(shown, "...")
	}
	if !cut {
		short = strings.TrimRight(short, `.,;:!?)]}>"'»”`)
	}
	rest, ok := strings.CutPrefix(decoded(page), strings.TrimRight(decoded(short), "/"))
	return ok && (cut || rest == "" || strings.IndexByte("/?#&", rest[0]) >= 0)
}

func decoded(page string) string {
	if plain, err := url.PathUnescape(page); err == nil {
		return plain
	}
	return page
}

// folded is a label as a reader sees it: what is invisible is left out, other signs that
// look like those of an address are these, and dots and colons that were taken apart are
// whole again, so that "bank[.]com" is known for what it says.
func folded(label string) string {
	label = emphasis.ReplaceAllString(html.UnescapeString(label), "$1$2")
	var b strings.Builder
	for i, r := range label {
		switch {
		case r == '\r':
			b.WriteByte('\n')
		case unseen(r), strings.ContainsRune("*~`\\", r): // Markdown's own signs neither show
		case r >= '！' && r <= '～': // the full width forms of ASCII
			b.WriteRune(r - '！' + '!')
		case strings.ContainsRune(fullStops, r), strings.ContainsRune(middleDots, r) && latinFollows(label[i+utf8.RuneLen(r):]):
			b.WriteByte('.')
		case strings.ContainsRune("⁄∕⧸╱", r):
			b.WriteByte('/')
		case strings.ContainsRune("꞉∶ː﹕", r):
			b.WriteByte(':')
		default:
			b.WriteRune(r)
		}
	}
	text := schemeApart.ReplaceAllString(b.String(), ":")
	text = dotApart.ReplaceAllString(text, ".")
	return dotAlone.ReplaceAllString(text, ".$1")
}

// Signs that readers, or browsers, take for the dot of a host. Between words of other
// scripts the second kind means something else.
const (
	fullStops  = "․﹒ꓸ"
	middleDots = "。｡·‧∙⋅˙"
)

var (
	// inlineTag is what may be HTML within a label, and emphasis are the underscores beside
	// its words: both may show nothing of their own.
	inlineTag = regexp.MustCompile(`<[^<>]*>`)
	emphasis  = regexp.MustCompile(`(^|[^\p{L}\p{N}_])_+|_+([^\p{L}\p{N}_]|$)`)
	// schemeApart and dotApart are a colon and a dot in or beside brackets, and the word
	// for it within them; dotAlone is a dot with space before it.
	schemeApart = regexp.MustCompile(`[\[({]\s*:\s*[\])}]`)
	dotApart    = regexp.MustCompile(`(?i)[\[({]\s*dot\s*[\])}]|[\[({]\s*\.\s*[\])}]|[\[\](){}]+\.[\[\](){}]*|\.[\[\](){}]+`)
	dotAlone    = regexp.MustCompile(`\s+\.\s*(\p{L}{2})`)
)

// unseen reports whether a sign shows nothing, so that it may stand within any word.
func unseen(r rune) bool {
	return unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Variation_Selector, r) || unicode.IsControl(r) && r != '\n' && r != '\t' ||
		r == '\u034F' || r == '\u115F' || r == '\u1160' || r == '\u3164' || r == '\uFFA0'
}

// latinFollows reports whether a text begins with two letters of ASCII, of any width, as
// most top-level domains do.
func latinFollows(text string) bool {
	n := 0
	for _, r := range text {
		if r >= '！' && r <= '～' {
			r -= '！' - '!'
		}
		if r >= utf8.RuneSelf || !unicode.IsLetter(r) {
			return false
		}
		if n++; n == 2 {
			return true
		}
	}
	return false
}

// Disarmed is a label in which nothing reads as an address to follow.
func Disarmed(label string) string {
	var b strings.Builder
	before := ' '
	for i, width := 0, 0; i < len(label); i += width {
		var r rune
		r, width = utf8.DecodeRuneInString(label[i:]) // a byte that is no rune is one wide
		dot := r == '.' || r == '．' || strings.ContainsRune(fullStops+middleDots, r)
		next, _ := utf8.DecodeRuneInString(label[i+width:])
		if dot && before != '[' && before != ' ' && (unicode.IsLetter(next) || unicode.IsNumber(next)) {
			b.WriteString("[" + string(r) + "]")
		} else {
			b.WriteRune(r)
		}
		before = r
	}
	return strings.ReplaceAll(b.String(), "://", "[:]//")
}

// Spelled is an address in which no letter of another script can be taken for one of
// ASCII: those of its host are percent-encoded (RFC 3986, section 3.2.2). All else is as it was.
func Spelled(address string) string {
	scheme, rest, ok := strings.Cut(address, "//")
	if !ok {
		return address
	}
	end := strings.IndexAny(rest, `/?#\`)
	if end < 0 {
		end = len(rest)
	}
	var b strings.Builder
	for _, c := range []byte(rest[:end]) {
		if c >= utf8.RuneSelf {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return scheme + "//" + b.String() + rest[end:]
}

// Unmasked takes the links of a Markdown text apart whose words disguise where they lead:
// the words, disarmed, and the address in brackets. Links whose address stands elsewhere in
// the text, and HTML that leads somewhere, are taken apart all the same, because their
// words and their address cannot be seen side by side.
func Unmasked(text string) string {
	for range unmaskings {
		before := text
		if strings.Contains(text, "](") {
			text = unmaskedLinks(text)
		}
		if text == before {
			break
		}
	}
	if strings.Contains(text, "]:") {
		text = definition.ReplaceAllStringFunc(text, func(m string) string { return strings.ReplaceAll(m, "]:", "] :") })
	}
	return leadingTag.ReplaceAllString(text, "< $1")
}

var (
	// definition is what the address of a reference link stands in.
	definition = regexp.MustCompile(`(?m)\]:[ \t\r]*\n?[ \t\r>]*(?:<[^<>\r\n]*>|\S+)[ \t]*(?:["'(].*)?(?:\r|$)`)
	leadingTag = regexp.MustCompile(`(?i)<([a-z][a-z0-9-]*[\s/][^<>]*(?:href|src|srcset|action|data)\s*=)`)
)

// unmaskings bounds how often a text is gone over: a link that comes apart puts its words
// beside those of the link before it, which may then disguise where that one leads.
const unmaskings = 4

// labelLimit is how long a label is judged, in bytes; nested brackets cost that for each
// level. The words of a longer one come apart from their address unjudged.
const labelLimit = 400

// unmaskedLinks takes the inline links apart. It passes over the text once: each bracket
// is closed once.
func unmaskedLinks(text string) string {
	out := make([]byte, 0, len(text)+len(text)/8)
	var open []int // where in out the brackets stand that are not closed
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c == '\\' && i+1 < len(text) && strings.IndexByte(`[]\`, text[i+1]) >= 0:
			out = append(out, c)
			i++
		case c == '[':
			open = append(open, len(out))
		case c == ']' && len(open) > 0:
			at := open[len(open)-1]
			open = open[:len(open)-1]
			address, length := destination(text[i+1:])
			if length == 0 {
				// Not every reader of Markdown takes this for no link.
				if strings.HasPrefix(text[i+1:], "(") && (len(out)-at > labelLimit || masked(string(out[at+1:]), "") || masked(lastWord(out[:at])+string(out[at+1:]), "")) {
					out = append(out, "] "...)
					continue
				}
				break
			}
			if len(out)-at > labelLimit {
				out = append(out, "] "...)
				continue
			}
			label := string(out[at+1:])
			if masked(label, address) || masked(lastWord(out[:at])+label+firstWord(text[i+1+length:]), address) {
				out = append(unsigned(out[:at]), Disarmed(label)+" ("+Spelled(address)+")"...)
				i += length
				continue
			}
		}
		out = append(out, text[i])
	}
	return string(out)
}

// masked judges a label together with what stands beside it without a space: a host that
// begins before the link and ends in it is one to the reader.
func masked(words, address string) bool { return Disguises(words, html.UnescapeString(address)) }

// unsigned sets the sign of an image apart from what is none any more.
func unsigned(out []byte) []byte {
	if n := len(out); n > 0 && out[n-1] == '!' {
		return append(out, ' ')
	}
	return out
}

// inlineDestination is what follows the words of a link, with the address.
var inlineDestination = regexp.MustCompile(`^\([ \t]*\n?[ \t]*(?:<([^<>\n]*)>|((?:[^\s()<]|\([^\s()]*\))+))(?:\s+(?:"[^"\n]*"|'[^'\n]*'|\([^()\n]*\)))?\s*\)`)

// destinationLimit bounds how far an address is looked for, in bytes.
const destinationLimit = 4_000

// destination reads the address of a link that begins with its bracket, as it is written,
// and how much of the text that is; 0 where none does.
func destination(text string) (address string, length int) {
	if !strings.HasPrefix(text, "(") {
		return "", 0
	}
	m := inlineDestination.FindStringSubmatch(text[:min(len(text), destinationLimit)])
	if m == nil {
		return "", 0
	}
	return m[1] + m[2], len(m[0])
}

// wordLimit bounds how far around a link its words are looked for, in bytes.
const wordLimit = 100

// lastWord is what a text ends with, without a space in it.
func lastWord[T string | []byte](text T) string {
	end := string(text[max(0, len(text)-wordLimit):])
	return end[strings.LastIndexAny(end, " \t\n")+1:]
}

// firstWord is what a text begins with, without a space in it.
func firstWord(text string) string {
	text = text[:min(len(text), wordLimit)]
	if end := strings.IndexAny(text, " \t\n"); end >= 0 {
		return text[:end]
	}
	return text
}
