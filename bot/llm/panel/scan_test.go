package panel

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// scanned is what a scanner makes of an answer that arrives in these pieces: the
// speakers and texts of its contributions, in order.
func scanned(t testing.TB, pieces ...string) []string {
	t.Helper()
	var got []string
	s := scanner{found: func(raw []byte) (bool, error) {
		var o reported
		if !readObject(raw, &o) || o.Speaker == nil || o.Text == nil {
			return false, nil
		}
		got = append(got, *o.Speaker+": "+*o.Text)
		return true, nil
	}}
	for _, p := range pieces {
		if err := s.feed(p); err != nil {
			t.Fatal(err)
		}
	}
	return got
}

const strict = `{"relevance":{"verdict":"on","turn":null,"subject":null,"belongs":null},"contributions":[` +
	`{"speaker":"maya","stance":"question","reply_to":4,"text":"Who is \"stuck\" today {and why}?"},` +
	`{"speaker":"alex","stance":"disagree","reply_to":null,"text":"Not that.\nIt costs us: \\ and é 🙂"}],"conflict":null}`

// shapes are the ways in which models write what they were asked for.
var shapes = map[string]string{
	"strict":                     strict,
	"pretty-printed":             strings.NewReplacer(`{"speaker"`, "{\n      \"speaker\"", `,"stance"`, ",\n      \"stance\"").Replace(strict),
	"fenced":                     "```json\n" + strict + "\n```",
	"fenced, with prose":         "Here is what they say:\n\n```json\n" + strict + "\n```\nI hope that helps.",
	"prose with braces":          "For {each} of them {I} write: " + strict,
	"prose with a stray brace":   "I write { and then: " + strict,
	"prose with a stray mark":    "It's 5\" wide {\"so I:\n" + strict,
	"a stray mark on one line":   `It's 5" wide { so "I mean: ` + strict,
	"prose that looks like keys": `The form is {"speaker": …, "text": …} as asked. ` + strict,
	"one object a line":          strings.NewReplacer(`{"relevance":{"verdict":"on","turn":null,"subject":null,"belongs":null},"contributions":[`, "", `"},{`, "\"}\n{", `],"conflict":null}`, "").Replace(strict),
	"a bare list":                strict[strings.Index(strict, `[`) : strings.LastIndex(strict, `]`)+1],
	"an object in an object":     `{"answer":` + strict + `}`,
	"stances of another type":    strings.Replace(strict, `"reply_to":4`, `"reply_to":"4"`, 1),
}

var want = []string{"maya: Who is \"stuck\" today {and why}?", "alex: Not that.\nIt costs us: \\ and é 🙂"}

// Whatever the shape and however it is divided, the same is heard.
func TestScannerHearsEveryShape(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for name, text := range shapes {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(want, scanned(t, text)); diff != "" {
				t.Fatal(diff)
			}
			for range 300 {
				if got := scanned(t, pieces(rng, text)...); !slices.Equal(got, want) {
					t.Fatalf("in random pieces got %q, want %q", got, want)
				}
			}
		})
	}
}

// pieces divides a text at random, also within characters.
func pieces(rng *rand.Rand, text string) []string {
	var list []string
	for len(text) > 0 {
		n := 1 + rng.IntN(min(len(text), 40))
		list = append(list, text[:n])
		text = text[n:]
	}
	return list
}

// Cut anywhere, an answer yields what was complete and nothing else.
func TestScannerCutAtEveryByte(t *testing.T) {
	for name, text := range shapes {
		t.Run(name, func(t *testing.T) {
			most := 0
			for end := range len(text) + 1 {
				got := scanned(t, text[:end])
				if len(got) > len(want) || !slices.Equal(got, want[:len(got)]) {
					t.Fatalf("cut after %d bytes got %q", end, got)
				}
				if len(got) < most {
					t.Fatalf("cut after %d bytes got %d contributions, fewer than before", end, len(got))
				}
				most = len(got)
			}
		})
	}
}

// A contribution is heard when its object closes, not when the answer does.
func TestScannerHearsAtTheClosingBrace(t *testing.T) {
	end := strings.Index(strict, `},{"speaker":"alex"`)
	if got := scanned(t, strict[:end]); len(got) != 0 {
		t.Errorf("before the brace got %q", got)
	}
	if got := scanned(t, strict[:end+1]); !slices.Equal(got, want[:1]) {
		t.Errorf("with the brace got %q, want %q", got, want[:1])
	}
}

func TestScannerIsBounded(t *testing.T) {
	s := scanner{found: func([]byte) (bool, error) { return false, nil }}
	if err := s.feed(strings.Repeat(`{"a":`, answerLimit/5)); err != nil {
		t.Fatalf("at the limit: %v", err)
	}
	if len(s.begun) > nestLimit {
		t.Errorf("%d objects are remembered, want at most %d", len(s.begun), nestLimit)
	}
	if err := s.feed("{{{{{"); err == nil {
		t.Error("an answer without end was taken in")
	}
}

func TestNumber(t *testing.T) {
	tests := map[string]int{`7`: 7, `"7"`: 7, `"#7"`: 7, `7.0`: 7, `7.5`: 0, `null`: 0, `"seven"`: 0, `[7]`: 0, `1e99`: 0, `-3`: -3}
	for raw, want := range tests {
		var n number
		if err := n.UnmarshalJSON([]byte(raw)); err != nil || int(n) != want {
			t.Errorf("%s: got %d and %v, want %d", raw, n, err, want)
		}
	}
}

// FuzzScanner: any bytes, divided anyhow, mean the same.
func FuzzScanner(f *testing.F) {
	for _, text := range shapes {
		f.Add(text, uint64(1))
	}
	f.Add(`{"speaker":"a","text":"b"}}}}{{{"`, uint64(2))
	f.Fuzz(func(t *testing.T, text string, seed uint64) {
		if len(text) > 1<<13 {
			return
		}
		whole := scanned(t, text)
		if got := scanned(t, pieces(rand.New(rand.NewPCG(seed, 0)), text)...); !slices.Equal(got, whole) {
			t.Fatalf("in pieces got %q, whole %q", got, whole)
		}
		if got := scanned(t, strings.Split(text, "")...); !slices.Equal(got, whole) {
			t.Fatalf("rune by rune got %q, whole %q", got, whole)
		}
	})
}

func BenchmarkScanner(b *testing.B) {
	text := "```\n" + strings.Repeat(strict, 4) + "\n```"
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if got := scanned(b, text); len(got) != 8 {
			b.Fatal(fmt.Sprint(len(got)))
		}
	}
}
