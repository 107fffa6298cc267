package thread_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/roundtable-chat/app/roundtable/thread"
)

// NFR-103: the words of a link never make a reader expect another address.
func TestDisguises(t *testing.T) {
	t.Parallel()
	const evil = "https://evil.example/login"
	for name, tt := range map[string]struct {
		label, address string
		want           bool
	}{
		"another address":              {"https://accounts.google.com", evil, true},
		"without a scheme":             {"accounts.google.com", evil, true},
		"in a sentence":                {"Pay the invoice at https://pay.bank.com now", evil, true},
		"with a page":                  {"bank.com/login", evil, true},
		"in capitals":                  {"BANK.COM", evil, true},
		"without a top-level domain":   {"http://intranet/login", evil, true},
		"without a scheme's name":      {"//bank/login", evil, true},
		"an IP address":                {"10.0.0.1", evil, true},
		"an IP address in one number":  {"http://3232235521/", evil, true},
		"another scheme":               {"ftp://bank", evil, true},
		"a host below the target":      {"bank.com.evil.example", evil, true},
		"the target first":             {"evil.example or bank.com", evil, true},
		"defanged":                     {"https://bank[.]com", evil, true},
		"defanged in words":            {"bank[dot]com", evil, true},
		"defanged with round brackets": {"bank(.)com", evil, true},
		"defanged, half":               {"bank[.com", evil, true},
		"with a colon apart":           {"https[:]//bank", evil, true},
		"as this program defangs":      {thread.Disarmed("https://bank.com"), evil, true},
		"emphasised":                   {"bank**.**com", evil, true},
		"escaped":                      {`bank\.com`, evil, true},
		"as a character reference":     {"bank&#46;com", evil, true},
		"a full width dot":             {"bank．com", evil, true},
		"full width":                   {"ｂａｎｋ．ｃｏｍ", evil, true},
		"an ideographic full stop":     {"bank。com", evil, true},
		"a middle dot":                 {"bank·com", evil, true},
		"a one dot leader":             {"bank․com", evil, true},
		"other slashes":                {"https:⁄∕bank", evil, true},
		"an invisible sign":            {"bank\u200b.\u2060c\u00adom", evil, true},
		"a space before the dot":       {"bank .com", evil, true},
		"a letter of another alphabet": {"https://bаnk.com", "https://bank.com", true},
		"such a letter in the target":  {"https://bank.com", "https://bаnk.com", true},
		"an international domain":      {"https://xn--bnk-5cd.com", evil, true},
		"a user in front":              {"https://bank.com", "https://bank.com@evil.example/", true},
		"a user and a port":            {"https://bank.com", "https://bank.com:443@evil.example/", true},
		"a user in the label":          {"https://bank.com@evil.example", "https://evil.example", true},
		"a backslash":                  {"https://bank.com", `https://evil.example\bank.com`, true},
		"the host as a page":           {"bank.com", "https://evil.example/bank.com", true},
		"the host as a query":          {"bank.com", "https://evil.example?bank.com", true},
		"another page of the host":     {"https://github.com/acme/app", "https://github.com/evil/app", true},
		"a page that begins alike":     {"github.com/acme", "https://github.com/acme-evil/app", true},
		"a mail address":               {"help@bank.com", evil, true},
		"a web address for a mail":     {"bank.com", "mailto:evil@evil.example", true},
		"another mail address":         {"help@bank.com", "mailto:evil@bank.com", true},
		"an address to a script":       {"https://bank.com", "javascript:alert(1)", true},
		"words without an end":         {strings.Repeat("safe ", 300), evil, true},

		"words":                       {"the docs", evil, false},
		"words with stops":            {"Done. Then, e.g., 3.5 times v1.2.3 at 10.30 (a.m.)", evil, false},
		"a file":                      {"report-2026.pdf", "https://drive.example/f/1", false},
		"a runtime":                   {"Node.js", "https://nodejs.org", false},
		"a title":                     {"Fix by lena · Pull Request #1 · acme/app", "https://github.com/acme/app/pull/1", false},
		"Japanese":                    {"会議の資料。来週まで、マヤ・チェン", "https://docs.example/x", false},
		"nothing":                     {"", evil, false},
		"the address":                 {evil, evil, false},
		"without scheme":              {"evil.example/login", evil, false},
		"with www":                    {"www.evil.example/login", evil, false},
		"without www":                 {"evil.example", "https://www.evil.example/", false},
		"with a slash at the end":     {evil + "/", evil, false},
		"another scheme of the web":   {"http://evil.example/login", evil, false},
		"the host":                    {"evil.example", evil, false},
		"in other capitals":           {"Evil.Example", evil, false},
		"the host in a sentence":      {"our page at evil.example.", evil, false},
		"a port":                      {"evil.example", "https://evil.example:8443/x", false},
		"the beginning of the page":   {"evil.example/a", "https://evil.example/a/b?c=d", false},
		"cut short":                   {"https://evil.example/lo…", evil, false},
		"cut short, with three stops": {"evil.example/lo...", evil, false},
		"escaped by the browser":      {"evil.example/bücher", "https://evil.example/b%C3%BCcher", false},
		"a mail's own address":        {"Maya@acme.example", "mailto:maya@acme.example", false},
		"a name for a mail":           {"Maya", "mailto:maya@acme.example", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := thread.Disguises(tt.label, tt.address); got != tt.want {
				t.Errorf("%q to %s: disguises = %v, want %v", tt.label, tt.address, got, tt.want)
			}
		})
	}
}

// NFR-103: where a link comes out as Markdown or in running text, one whose words name
// another address is spelled out.
func TestLegibleUnmasksLinks(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ text, document, spelled string }{
		"a label of Slack's": {
			"log in at <https://evil.example/login|https://accounts.google.com>",
			"log in at https[:]//accounts[.]google[.]com (https://evil.example/login)", "",
		},
		"a host in a label": {"<https://evil.example/pay|Pay at pay.bank.com today>", "Pay at pay[.]bank[.]com today (https://evil.example/pay)", ""},
		"a host that ends in the label": {
			"bank.<https://evil.example|com>", "bank.com (https://evil.example)", "",
		},
		"a host that begins in the label": {
			"<https://evil.example|bank>.com", "bank (https://evil.example).com", "",
		},
		"a page behind a host": {"<https://bank.com><https://evil.example|/login>", "https://bank.com/login (https://evil.example)", ""},
		"a letter of another alphabet in the target": {
			"<https://bаnk.com|bank.com>", "bank[.]com (https://b%D0%B0nk.com)", "",
		},
		"Markdown that was typed":    {"[bank.com](<https://evil.example>)", "bank[.]com (https://evil.example)", ""},
		"an image":                   {"![bank.com](<https://evil.example>)", "! bank[.]com (https://evil.example)", ""},
		"Markdown with emphasis":     {"[**https://bank**.com](https://evil.example 'x')", "**https[:]//bank**[.]com (https://evil.example)", ""},
		"Markdown in Markdown":       {"[x [bank.com](https://evil.example)", "[x bank[.]com (https://evil.example)", ""},
		"with brackets in the label": {"[a [b] bank.com](https://evil.example)", "a [b] bank[.]com (https://evil.example)", ""},
		"with the address elsewhere": {"[bank.com][1]\n\n[1]: <https://evil.example>", "[bank.com][1]\n\n[1] : https://evil.example", ""},
		"HTML":                       {`&lt;a href="<https://evil.example>"&gt;bank.com&lt;/a&gt;`, `< a href="https://evil.example">bank.com</a>`, ""},
		"a label that breaks out": {
			`<https://evil.example|x\](https://other.example)>`, `x\](https[:]//other[.]example) (https://evil.example)`, "",
		},
		"a label that breaks out of its brackets": {`<https://docs.example|x\](y) [z>`, `[x\\\](y) \[z](https://docs.example)`, `x\](y) [z (https://docs.example)`},
		"an honest label":                         {"<https://docs.example/ttl|the docs>", "[the docs](https://docs.example/ttl)", "the docs (https://docs.example/ttl)"},
		"an honest address":                       {"<https://docs.example/ttl|docs.example/ttl>", "[docs.example/ttl](https://docs.example/ttl)", "docs.example/ttl (https://docs.example/ttl)"},
		"an honest Markdown":                      {"[the docs](https://docs.example)", "[the docs](https://docs.example)", ""},
		"what leads nowhere":                      {"a[i](x) and `if a&lt;b &amp;&amp; c&gt;d`, see [1]", "a[i](x) and `if a<b && c>d`, see [1]", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if tt.spelled == "" {
				tt.spelled = tt.document
			}
			if got := thread.Legible(tt.text, nil, thread.MarkdownLink); got != tt.document {
				t.Errorf("in a document %q, want %q", got, tt.document)
			}
			if got := thread.Legible(tt.text, nil, thread.SpelledLink); got != tt.spelled {
				t.Errorf("spelled out %q, want %q", got, tt.spelled)
			}
		})
	}
}

// NFR-103: a label is no address that somebody gave, wherever it stands; and an address
// that somebody gave gets no other's name from a model.
func TestOnlyTargetsAreGiven(t *testing.T) {
	t.Parallel()
	said := thread.Transcript{Turns: []thread.Turn{{Person: thread.Person{ID: "U1"}, Text: "see <https://evil.example/x|https://bank.com> and <https://bank.example@evil.example/>"}}}
	given := thread.LinksIn(said, "<https://also.example|https://pay.bank.com>", "<@U2|https://mallory.example>")
	for name, tt := range map[string]struct{ text, want string }{
		"a label":                                {"https://bank.com", "https[:]//bank.com"},
		"a label of what was pasted":             {"https://pay.bank.com", "https[:]//pay.bank.com"},
		"somebody's name":                        {"https://mallory.example", "https[:]//mallory.example"},
		"an address behind a name":               {"https://bank.example@evil.example/", "https[:]//bank.example@evil.example/"},
		"a target":                               {"[x](https://evil.example/x) https://also.example", "[x](https://evil.example/x) https://also.example"},
		"a target under another name":            {"[https://bank[.]com](https://evil.example/x)", "https[:]//bank[.]com (https://evil.example/x)"},
		"a picture of a target":                  {"![bank.com](https://evil.example/x)", "! bank[.]com (https://evil.example/x)"},
		"a target elsewhere":                     {"[bank.com][a]\n[a]: https://evil.example/x", "[bank.com][a]\n[a] : https://evil.example/x"},
		"an address elsewhere, without a scheme": {"[x][a]\n[a]: //evil.example/?q=secret", "[x][a]\n[a] : //evil.example/?q=secret"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := given.Tame(tt.text); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// TestUnmaskedIsLinear shows that hostile brackets cost in proportion to their number: each
// link's words are looked at once for each level, and only so many of them.
func TestUnmaskedIsLinear(t *testing.T) {
	used := func(text string) (bytes uint64) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if got := thread.Unmasked(text); len(got) > 4*len(text)+10 {
			t.Errorf("%.20q: %d bytes became %d", text, len(text), len(got))
		}
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	for _, piece := range []string{"[](", "[a](", "[bank.com](x)", "[", "![", "](", "](x)", "[a](b[](c)", "]: x\n", "<a href=", "[x](a \"", "\\[", "[\\](x)", "[a.bc](<"} {
		for _, form := range []func(n int) string{
			func(n int) string { return strings.Repeat(piece, n) },
			func(n int) string { return strings.Repeat("[", n) + strings.Repeat(piece, n) },
			func(n int) string { return strings.Repeat("[a.bc ", n) + strings.Repeat(piece+"](x.y)", n) },
		} {
			if one, four := used(form(500)), used(form(2_000)); four > 6*one+100_000 {
				t.Errorf("%.20q: four times the text costs %d bytes, %d before", form(500), four, one)
			}
		}
	}
}

// What is unmasked stays so, and no link is left whose words disguise where it leads.
func FuzzUnmasked(f *testing.F) {
	for _, text := range []string{"[bank.com](https://x.example)", "![[a](b).com](c)", "[a\\](b)](c)", "[x]: y\n", "[a](<b>)", "[bank]( x.y 'z' )", "<a/href=x>", "[b.c\xff](x)", "[x.\xffcom](https://bank.com)", "[](b)Ar79oc.m[a](c)"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		once := thread.Unmasked(text)
		if twice := thread.Unmasked(once); twice != once {
			t.Errorf("%q became %q, and then %q", text, once, twice)
		}
		if got := thread.Disguises(fmt.Sprintf("see %s", "bank.com"), "https://bank.com/"+text); got {
			t.Errorf("the host is disguised by the page %q", text)
		}
	})
}
