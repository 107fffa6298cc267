package intricate

import (
	"fmt"
	"strings"
)

// A Shape is a way to write texts of any length.
type Shape struct {
	// Name is unique and tells what is repeated.
	Name string
	// before, closes and after stand around the unit, which is repeated to fill the
	// length; closes is repeated as often as the unit.
	before, unit, closes, after string
}

// count is how many units stand in about n bytes.
func (s Shape) count(n int) int {
	return max((n-len(s.before)-len(s.after))/(len(s.unit)+len(s.closes)), 1)
}

// Text is the shape in about n bytes, never fewer than one unit.
func (s Shape) Text(n int) string {
	count := s.count(n)
	return s.before + strings.Repeat(s.unit, count) + strings.Repeat(s.closes, count) + s.after
}

// units are repeated as they are.
var units = []string{
	// Brackets, links and images.
	"[", "]", "[]", "[](", "[](<", "[a](", "[a](b", "[a](b ", "[a](b \"", "[a](b '", "[a](b (", "[a](<b", "[a](b(c(", "[a](b)", "[a](b \"c\")",
	"[a](<b>)", "[a][", "[a][b]", "[a][b", "[a]", "[a]:", "[a]\n", "[a][]", "![", "![]", "![](", "![a](", "![a](b)", "[![a](b)](c)", "[[a](b)](c)",
	"[*a*](b)", "[*a](b) ", "[`a`](b)", "[a](b)\n", "[a](b\n", "[a](\n", "](", "]()", "][", "[a]()", "[\\", "\\[", "\\](", "[x](a\\)", "[a](()", "[a](b))",
	// Definitions.
	"[a]: b\n", "[a]: b \"c\"\n", "[a]: b\n\"\n", "[a]: b\n(\n", "[a]:\n", "[a]: <\n", "\n[a]: b\n", "[a]: b 'c\n", "[^a]: b\n", "[^a] ",
	// Emphasis.
	"*", "**", "*a", "*a ", "a*", "a* ", "**a", "**a ", "a** ", "_", "_a", "_a ", "a_ ", "__a ", "*_", "*a_ ", "**a*", "*a**", "***a ", "*a **b ", "a**b",
	"*a*", "**a** ", "*a* _b_ ", "~", "~~", "~~a", "~~a~~ ", "~a ", "~ ", "a~", "~~~a", "x_\t_\t_\t\n", "x* * * \n", "\r>_\t_\t\r\n", "*\u00a0", "*\u201c", "*\u4f60", "* * ", "*a*b_", "*[", "*]", "*[*](a) a_ ",
	// Code.
	"`", "``", "`a", "`a ", "`a`", "`a``", "``a`", "`\n", "`\n\n", "```\n", "```a\n", "~~~\n", "`` ` ", "\\`", "`\\`", "`[`", "`](`",
	// HTML, addresses and entities.
	"<", "<<", "<a", "<a ", "<a b", "<a b=", "<a b=\"", "<a b='", "<a b='\" c=\"'", "<a b=c ", "<a>", "</a", "</a>", "<!", "<!--", "<!-- -->", "<!A", "<?", "<![CDATA[",
	"<a href='b'>c</a>", "<a:", "<a:b", "<http://a.b/", "<http://a.b> ", "<a@", "<a@b.c", "<a@b.c> ", "http://", "http://a.b ", "https://a.b/)", "www.", "www.a.b ", "a://",
	"<div>\n", "<div>\n\n", "<pre>\n", "<script>\n", "<!--\n", "&", "&amp;", "&amp", "&#", "&#x", "&#35;", "&a", "&#x110000;",
	// Quotes, lists, headings, rules and tables.
	">", "> ", "> a\n", ">>", ">\n", ">>>>>>>>\n", ">a\n", "- ", "-", "- a\n", "- a\n\n", "  - a\n", "- - a\n", "* a\n", "*\n", "+ ", "+ a\n", "1. ", "1. a\n", "1) ", "9.\n", "- [ ] a\n",
	"> - ", "- > ", "> 1. - ", "#", "# a\n", "######\n", "#\n", "=\n", "a\n=\n", "a\n-\n", "---\n", "***\n", "- - -\n", "|", "|a", "|a|b|\n", "|-|\n", "| a | `b` |\n",
	// White space, escapes and other signs.
	" ", "\t", "\n", "\r", "\r\n", " \n", "  \n", "a  \n", "\\", "\\\n", "\\\\", "    a\n", "\ta\n", "a\u200b", "\u202e", "\u0301", "a\u0301", "\u00e9", "\U0001f600", "\x00", "\xff", "\x01*",
	"@", "@a ", "@here ", "<@U1>", "<@U1|", "<@", "<#C1|a>", "<!here>", "<!date^1^a|b>", "<!subteam^S1>", "<mailto:a@b.c|", "<mailto:a@b.c|d>", "<https://a.b|", "<https://a.b|c>", "<https://a.b|c> ", ":a:", ":a", "::",
	// Words and structure that rules and readers look for.
	"a", "A", "ab ", "a,b ", "a. ", "a? ", "done ", "stop ", "please ", "thanks ", "no ", "not done ", "Maya ", "Maya, ", "maya and alex ", "everyone ", "Decision: ", "**Decision:** ", "Action: a\n", "A/B/", "a or b ", "1 or 2 ",
	"\"", "\"a\" ", "'", "''", "''a", "\u201c", "\u201ca\u201d ", "(", ")", "()", "((", "{", "{}", "{{", "{\"a\":", "[1,", "\"a\",", "\\u0061", "\\u", "a: b\n", "a:\n", "- a:\n", "a,b\n", "a,\"b\n", "a;b\n", "\"a\"\"", "=a,", "... ", "!!", "??", "-- ", "\u2014",
}

// nests begin as often as they end, or stand between something that does not repeat.
var nests = []Shape{
	{unit: "[", closes: "]"},
	{unit: "![", closes: "]"},
	{unit: "[", closes: "](a)"},
	{unit: "![", closes: "](a)"},
	{unit: "[a](", closes: ")"},
	{unit: "[", closes: "][a]"},
	{unit: "(", closes: ")"},
	{unit: "{\"a\":", closes: "}"},
	{unit: "[[", closes: "]]"},
	{unit: "*a ", closes: "b* "},
	{unit: "*a **b ", closes: "c** d* "},
	{unit: "_a ", closes: "b* "},
	{unit: "*a ", closes: "b_ "},
	{unit: "_a ", closes: "*b [c* d] e* "},
	{unit: "**", closes: "*"},
	{unit: "~", before: "x"},
	{unit: "~", before: "x ", after: " y"},
	{unit: "~a ", closes: "b~ "},
	{unit: "~~a ", closes: "*b~~ "},
	{unit: "![![", closes: "](a)](b)", before: "["},
	{unit: "<a>", closes: "</a>"},
	{unit: "<div>\n", closes: "</div>\n"},
	{unit: "a <b", closes: "c> "},
	{unit: "`", closes: " ``"},
	{unit: "[*a", closes: "*](b)"},
	{unit: ">", after: "\na\n\n"},
	{unit: "\n>", before: "> > > > > > > > a"},
	{unit: "- ", after: "a"},
	{unit: "- ", closes: "\n"},
	{unit: "1. ", after: "a\n\n\n\n"},
	{unit: "[x]\n", before: "[x]: y\n\n"},
	{unit: "[x][x]", before: "[x]: y\n\n"},
	{unit: "[x", closes: "]", before: "[x]: y\n\n"},
	{unit: "a](b)", before: "["},
	{unit: "`[` `]` ", before: strings.Repeat("[", 900), after: strings.Repeat("]", 900)},
	{unit: "a ", before: strings.Repeat("[", 900), after: strings.Repeat("]", 900)},
	{unit: "\\](", before: "["},
	{unit: "[a](b", before: "<"},
	{unit: "a", before: "[", after: "](b)"},
	{unit: "a", before: "[b](", after: ")"},
	{unit: "a ", before: "[b](c \"", after: "\")"},
	{unit: "a", before: "<http://", after: ">"},
	{unit: "a@", before: "<", after: ">"},
	{unit: " a=b", before: "<a", after: ">"},
	{unit: " a='b'", before: "<a"},
	{unit: "- a\n  ", before: "1. "},
	{unit: "[](", before: "Decision: n "},
	{unit: "[a](", before: "Decision: n "},
	{unit: "[a](", before: "# Title\n\n## Section\n\n", after: "\n\n## Last\n\ntext\n"},
	{unit: "[a](b(c(", before: "# Title\n\n", after: "\n"},
	{unit: "- x\n", before: "```\n"},
	{unit: "- a\n", before: "## Standard Mode\n\n"},
	{unit: "a\n\n", before: "## Validation\n\n"},
	{unit: "## Artifacts\n"},
	{unit: "a\n", before: "<!--\n"},
	{unit: "a: b\n", before: "---\n", after: "---\n"},
	{unit: "\"a\": [1, 2], ", before: "{", after: "\"b\": 3}"},
	{unit: "{\"step_id\": \"1\"}, ", before: "{\"elaborations\": [", after: "{}]}"},
	{unit: "\"elaborations\": [], ", before: "{", after: "\"b\": 3}"},
	{unit: "a,b,c\n", before: "id,text,source\n"},
	{unit: "\"a\nb\",c\n", before: "id,text\n"},
	{unit: ",", before: "a,b\n"},
}

// All are the shapes. The list is the same in every run.
func All() []Shape {
	all := make([]Shape, 0, len(units)+len(nests)+1)
	for _, u := range units {
		all = append(all, Shape{Name: fmt.Sprintf("%q", u), unit: u})
	}
	for _, s := range nests {
		s.Name = fmt.Sprintf("%.12q+%q+%q+%.12q", s.before, s.unit, s.closes, s.after)
		all = append(all, s)
	}
	return all
}
