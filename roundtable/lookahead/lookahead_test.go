package lookahead_test

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"github.com/roundtable-chat/app/roundtable/intricate"
	"github.com/roundtable-chat/app/roundtable/lookahead"
)

// TestAttacksAreIntricate names what stopped a parser for seconds at the length of one
// message, or for minutes at the length of a document.
func TestAttacksAreIntricate(t *testing.T) {
	for _, unit := range []string{"[](", "[a](", "![](", "[a](b(c(", ">", "> ", "- ", "1. ", "*a_ ", "[*a](b) ", "[a](()"} {
		for _, n := range []int{24_000, 39_000, 1 << 20} {
			if !lookahead.Intricate([]byte(strings.Repeat(unit, n/len(unit)))) {
				t.Errorf("%d bytes of %q are said to be plain", n, unit)
			}
		}
	}
}

// TestRunsThatMeanNothingAreCounted has runs of emphasis characters that neither begin nor
// end anything, which each one that may end something looks at, and runs of tildes that are
// too long to strike anything through, which are told anew from each of their signs.
func TestRunsThatMeanNothingAreCounted(t *testing.T) {
	for _, n := range []int{12_000, 24_000, 400_000} {
		for _, text := range []string{
			strings.Repeat("x_\t_\t_\t\n", n/9), strings.Repeat("x* * * \n", n/8), strings.Repeat("\r>_\t_\t\r\n", n/8),
			"x" + strings.Repeat("~", n), "x " + strings.Repeat("~", n) + " y",
		} {
			if !lookahead.Intricate([]byte(text)) {
				t.Errorf("%d bytes of %.20q are said to be plain", len(text), text)
			}
		}
	}
}

// TestHonestMarkdownIsPlain reads this repository's own documents, with a wide margin.
func TestHonestMarkdownIsPlain(t *testing.T) {
	read := 0
	err := filepath.WalkDir("../..", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".md") {
			return err
		}
		source, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		read++
		if effort, budget := lookahead.Effort(source), lookahead.Budget(len(source)); effort > budget/2 {
			t.Errorf("%s: effort %d of %d for %d bytes", name, effort, budget, len(source))
		}
		return nil
	})
	if err != nil || read < 20 {
		t.Fatalf("read %d documents: %v", read, err)
	}
}

// TestOrdinaryTextIsPlain writes what people write, only denser: every ninth word has
// something to parse. In messages and in documents of up to 200 kB a quarter of the
// budget is left.
func TestOrdinaryTextIsPlain(t *testing.T) {
	for seed := range uint64(150) {
		r := rand.New(rand.NewPCG(seed, 1))
		n := []int{500, 4_000, 24_000, 200_000}[seed%4]
		source := []byte(ordinary(r, n))
		if effort, budget := lookahead.Effort(source), lookahead.Budget(len(source)); effort > budget/4*3 {
			t.Errorf("seed %d: effort %d of %d for %d bytes", seed, effort, budget, len(source))
		}
	}
}

// ordinary is a text with the constructs of ordinary documents, about n bytes long.
func ordinary(r *rand.Rand, n int) string {
	words := strings.Fields("the team said that we keep a list of every customer who asked, and (so far) `snake_case` or a[i] is not it; 3 < 4 & 5 > 2 *as* **bold** as [a page](https://example.com/a_b?c=d) or <https://example.com> shows, it's \"fine\" don't you_think ~ 12:30")
	line := func(n int) string {
		out := make([]string, n)
		for i := range out {
			out[i] = words[r.IntN(len(words))]
		}
		return strings.Join(out, " ")
	}
	var b strings.Builder
	for b.Len() < n {
		switch r.IntN(7) {
		case 0:
			fmt.Fprintf(&b, "%s %s\n\n", strings.Repeat("#", 1+r.IntN(4)), line(4))
		case 1, 2:
			for range 1 + r.IntN(8) {
				b.WriteString(line(14) + "\n")
			}
			b.WriteString("\n")
		case 3:
			for range 1 + r.IntN(60) {
				b.WriteString(strings.Repeat("  ", r.IntN(3)) + "- " + line(9) + "\n")
			}
			b.WriteString("\n")
		case 4:
			for i := range 1 + r.IntN(40) {
				fmt.Fprintf(&b, "| %d | %s | [FR-%03d](#fr-%d) | %s |\n", i, line(5), i, i, line(3))
			}
			b.WriteString("\n")
		case 5:
			b.WriteString("```\n")
			for range 1 + r.IntN(50) {
				b.WriteString(strings.Repeat("\t", r.IntN(5)) + "if a[i] < b[j] && *p == `x` { f(a[i])(c) } // " + line(4) + "\n")
			}
			b.WriteString("```\n\n")
		case 6:
			for range 1 + r.IntN(6) {
				b.WriteString("> " + line(12) + "\n")
			}
			b.WriteString("\n")
		}
	}
	return b.String()
}

// TestEffortIsNoLessThanCounted compares the estimate with a parser that counts, over
// every shape, alone and mixed with others: what is missing in the estimate could be
// used to make the parser work.
func TestEffortIsNoLessThanCounted(t *testing.T) {
	shapes := intricate.All()
	r := rand.New(rand.NewPCG(1, 2))
	for _, s := range shapes {
		holds(t, s.Name, s.Text(1_500))
		holds(t, s.Name, s.Text(4_000))
		other := shapes[r.IntN(len(shapes))]
		holds(t, s.Name+" before "+other.Name, s.Text(2_000)+other.Text(2_000))
		holds(t, s.Name+" around "+other.Name, s.Text(1_300)+other.Text(1_300)+s.Text(1_300))
	}
}

// linear is how many counted steps a byte may take that the estimate leaves out: it
// tells what exceeds one pass or a few.
const linear = 40

func holds(t *testing.T, name, source string) {
	t.Helper()
	steps, effort := counted([]byte(source)), lookahead.Effort([]byte(source))
	if most := effort + linear*len(source); steps > most {
		t.Errorf("%s: the parser took %d steps over %d bytes; estimated were %d", name, steps, len(source), effort)
	}
}

// TestEffortCountsWhatIsMade compares the estimate with how many objects the parser makes of
// every shape, beside those of ordinary text and those that lines make by being lines.
func TestEffortCountsWhatIsMade(t *testing.T) {
	md := goldmark.New(goldmark.WithExtensions(extension.Strikethrough)).Parser()
	const (
		object   = 250    // steps, as the estimate has them
		ordinary = 80     // steps for a byte
		line     = 4      // objects: a paragraph of one line, or a heading
		spare    = 60_000 // steps: what the parser makes whatever the text
	)
	shapes := intricate.All()
	r := rand.New(rand.NewPCG(3, 4))
	for _, s := range shapes {
		other := shapes[r.IntN(len(shapes))]
		for name, source := range map[string]string{s.Name: s.Text(4_000), s.Name + " before " + other.Name: s.Text(2_000) + other.Text(2_000)} {
			made := int(intricate.Made(func() { md.Parse(text.NewReader([]byte(source))) }))
			effort := lookahead.Effort([]byte(source))
			most := effort + ordinary*len(source) + object*line*(1+strings.Count(source, "\n")) + spare
			if made*object > most {
				t.Errorf("%s: the parser made %d objects of %d bytes; estimated were %d steps", name, made, len(source), effort)
			}
		}
	}
}

// TestWhatOpensAndNeverClosesIsCounted has texts whose parts the parser does nothing with, but
// for keeping them all: half a second for each.
func TestWhatOpensAndNeverClosesIsCounted(t *testing.T) {
	for _, unit := range []string{"[", "![", "[a", "~ ", "_a", "*a ", "- a\n", "- - a\n", "<a>", "[a][b]"} {
		if n := 400_000; !lookahead.Intricate([]byte(strings.Repeat(unit, n/len(unit)))) {
			t.Errorf("%d bytes of %q are said to be plain", n, unit)
		}
	}
}

// TestLiteralIsPlain spells every shape out: what comes of it is plain, and every
// character of it is shown.
func TestLiteralIsPlain(t *testing.T) {
	for _, s := range intricate.All() {
		source := s.Text(40_000)
		literal := lookahead.Literal(source)
		switch changed := literal != source; {
		case changed != lookahead.Intricate([]byte(source)):
			t.Errorf("%s: changed %v", s.Name, changed)
		case lookahead.Intricate([]byte(literal)):
			t.Errorf("%s: is intricate still", s.Name)
		case unescaped(literal) != unescaped(source):
			t.Errorf("%s: characters are missing", s.Name)
		}
	}
}

func unescaped(s string) string { return string(util.UnescapePunctuations([]byte(s))) }

// TestManyModestTextsArePlain puts a hundred lines of every shape into one text.
func TestManyModestTextsArePlain(t *testing.T) {
	for _, s := range intricate.All() {
		one := lookahead.Modest(strings.Join(strings.Fields(s.Text(1_000)), " "))
		if many := strings.Repeat("- "+one+" [a link](to)\n\n", 100); lookahead.Intricate([]byte(many)) {
			t.Errorf("%s: a hundred are intricate", s.Name)
		}
	}
}

// TestLiteralIsWhatIsIntricate leaves the rest of a text as it was.
func TestLiteralIsWhatIsIntricate(t *testing.T) {
	before, after := "# Title\n\n- **one** [page](https://a.example)\n\n", "\n\n> *quoted*\n"
	got := lookahead.Literal(before + strings.Repeat("[](", 10_000) + after)
	if !strings.HasPrefix(got, before) || !strings.HasSuffix(got, after) {
		t.Errorf("around it: %.80q … %q", got, got[len(got)-40:])
	}
	if want := strings.Repeat(`\[\](`, 10_000); got[len(before):len(got)-len(after)] != want {
		t.Errorf("got %.60q, want %.60q", got[len(before):], want)
	}
}

// TestLookingAllocatesLinearly doubles every shape.
func TestLookingAllocatesLinearly(t *testing.T) {
	intricate.Linear(t, 16_000, 512<<10, func(text string) { lookahead.Literal(text) })
}

// BenchmarkIntricate shows the cost per byte of looking and of what then is parsed, over
// every shape and as many sizes as messages and documents have.
func BenchmarkIntricate(b *testing.B) {
	md := goldmark.New(goldmark.WithExtensions(extension.Strikethrough)).Parser()
	intricate.Bench(b, []int{1_000, 10_000, 40_000, 1 << 20}, func(source string) {
		if !lookahead.Intricate([]byte(source)) {
			md.Parse(text.NewReader([]byte(source)))
		}
	})
}
