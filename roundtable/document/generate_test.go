package document

import (
	"math/rand/v2"
	"strings"
)

// generator writes random Markdown with everything that has ever broken a
// line-based editor of Markdown.
type generator struct{ *rand.Rand }

func newGenerator(seed uint64) generator {
	return generator{rand.New(rand.NewPCG(seed, 21))}
}

func (g generator) pick(choices ...string) string { return choices[g.IntN(len(choices))] }

// document gives a whole document, sometimes empty, cut short, or of mixed
// line endings.
func (g generator) document() string {
	var out strings.Builder
	if g.IntN(20) == 0 {
		out.WriteString(byteOrderMark)
	}
	if g.IntN(6) == 0 {
		out.WriteString(g.pick("---\ntitle: \"# no heading\"\n# comment\n---\n", "---\nowner: maya\n...\n\n",
			"---\n\ntext, no front matter\n\n---\n", "---\nopen: yes\n", "---\n---\n"))
	}
	if g.IntN(3) > 0 {
		out.WriteString(g.pick("# Requirements\n\n", "Requirements\n====\n", "# Überblick 概要\n", "#\n"))
	}
	for range g.IntN(9) {
		out.WriteString(g.piece())
		if g.IntN(3) > 0 {
			out.WriteString(g.pick("\n", "\n\n", "  \n"))
		}
	}
	doc := out.String()
	if g.IntN(5) == 0 && doc != "" {
		doc = doc[:g.IntN(len(doc))]
	}
	if g.IntN(3) == 0 {
		doc = strings.TrimRight(doc, "\n")
	}
	switch g.IntN(4) {
	case 0:
		doc = strings.ReplaceAll(doc, "\n", "\r\n")
	case 1:
		lines := strings.SplitAfter(doc, "\n")
		for i, line := range lines {
			if g.IntN(3) == 0 {
				lines[i] = strings.Replace(line, "\n", "\r\n", 1)
			}
		}
		doc = strings.Join(lines, "")
	}
	return doc
}

func (g generator) heading() string {
	title := g.pick("User Experience & Journeys", "User Journeys", "3.1 Technical Context", "Risks", "Quality",
		"`Code` and *stress*", "Business Context", "Открытые вопросы", "Notes [link](x)", "")
	switch g.IntN(5) {
	case 0:
		return title + "\n" + g.pick("---", "===", "-") + "\n"
	case 1:
		return g.pick(" ", "  ", "   ") + strings.Repeat("#", 1+g.IntN(6)) + " " + title + " ##\n"
	default:
		return strings.Repeat("#", 1+g.IntN(6)) + " " + title + "\n"
	}
}

func (g generator) piece() string {
	switch g.IntN(16) {
	case 0, 1, 2, 3, 4:
		return g.heading()
	case 5:
		return "Some text with ümlauts, 日本語 and a [ref] and `# code`\nlazy # no heading\n"
	case 6:
		fence := g.pick("```", "~~~", "`````", "~~~~~~", "  ```")
		return fence + g.pick("", "go", " md x") + "\n# in code\n## Risks\n" + g.pick("```", "~~", "") + "\n" + strings.TrimSpace(fence) + "\n"
	case 7:
		return g.pick("```", "~~~~", "````md") + "\n# never closed\n"
	case 8:
		return g.pick("- a\n  - b\n    - c\n", "1. one\n\n   # in a list\n2. two\n", "- ```\n  # open in list\n", "* [ ] task\n\tTab\n", "-\n")
	case 9:
		return g.pick("<div>\n# in html\n</div>\n", "<details>\n\n## Risks\n\n</details>\n", "<pre>\n# raw\n</pre>\n", "<b>inline</b>\n")
	case 10:
		return g.pick("<!-- note -->\n", "<!--\n# hidden\n-->\n", "<!-- open\n\n# hidden\n", "<script>\nopen\n", "<?php\n\n#\n", "<!DOCTYPE x\n", "<![CDATA[\n## x\n")
	case 11:
		return g.pick("> # quoted\n> text\nlazy\n", "> ```\n> # open in quote\n", ">     code\n", "> - <!-- x\n")
	case 12:
		return g.pick("    # indented code\n", "\t# tab code\n", "text\n\t# lazy\n")
	case 13:
		return g.pick("[ref]: /url 'title'\n", "[a]: <b>\n[c]:\n  /d\n", "[x]: y\nTitle\n---\n")
	case 14:
		return g.pick("| a | b |\n|---|---|\n| # | 2 |\n", "***\n", "- - -\n", "---\n", "a \\\nb  \nc\n", "\x00\x01\n", "\u2028\n", "a\rb\n")
	default:
		return markerStart + "01-02, 2026-02-20T14:30:00.000Z -->\n\n" + g.heading() + "- [Maya] old insight\n"
	}
}

// body gives what a model might return, well-behaved or not.
func (g generator) body() string {
	var out strings.Builder
	if g.IntN(2) == 0 {
		out.WriteString("### Elaboration Insights (Step 01-03: User Experience & Journeys)\n\n#### Key Insights\n- [Maya] first\n")
	}
	for range 1 + g.IntN(4) {
		if g.IntN(3) == 0 {
			out.WriteString(g.pick("-->\n", "<!-- Elaboration: step 01-03, x -->\n", "[ref]: http://elsewhere\n", "---\n", "# Top\n", "plain\n"))
		}
		out.WriteString(g.piece())
	}
	return out.String()
}

func (g generator) insertion() Insertion {
	return Insertion{
		Title: g.pick("User Experience & Journeys", "Technical Context", "Quality & Risk Assessment",
			"Business Context Discovery", "Caching_strategy for `api` #", "Überblick 概要"),
		Keywords: []string{"journeys", "risk"},
		StepID:   "01-03",
		Time:     "2026-11-21T09:00:00.000Z",
		Body:     g.body(),
	}
}
