package document

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func TestAppendRows(t *testing.T) {
	columns := []string{"id", "name"}
	rows := [][]string{{"R1", "Sell, \"offline\""}, {"R2", ""}}
	tests := []struct{ name, old, want string }{
		{"a new file", "", "id,name\nR1,\"Sell, \"\"offline\"\"\"\nR2,\n"},
		{"a blank file", "\r\n", "\r\nid,name\r\nR1,\"Sell, \"\"offline\"\"\"\r\nR2,\r\n"},
		{"only a byte order mark", "\uFEFF", "\uFEFFid,name\nR1,\"Sell, \"\"offline\"\"\"\nR2,\n"},
		{"further rows", "id,name\nR0,x\n", "id,name\nR0,x\nR1,\"Sell, \"\"offline\"\"\"\nR2,\n"},
		{"no newline at the end", "id,name\r\nR0,x", "id,name\r\nR0,x\r\nR1,\"Sell, \"\"offline\"\"\"\r\nR2,\r\n"},
		{"a heading only", "\uFEFFID, Name", "\uFEFFID, Name\nR1,\"Sell, \"\"offline\"\"\"\nR2,\n"},
		{"columns of people's own, in their order", "owner,NAME,id,due\nPriya,x,R0,\n", "owner,NAME,id,due\nPriya,x,R0,\n,\"Sell, \"\"offline\"\"\",R1,\n,,R2,\n"},
		{"semicolons, as a spreadsheet in Europe writes them", "id;name;Wer\n1;a,b;c\n", "id;name;Wer\n1;a,b;c\nR1;\"Sell, \"\"offline\"\"\";\nR2;;\n"},
		{"tabs", "id\tname\n", "id\tname\nR1\t\"Sell, \"\"offline\"\"\"\nR2\t\n"},
		{"rows of other widths", "id,name\nR0\nR00,a,b\n\n", "id,name\nR0\nR00,a,b\n\nR1,\"Sell, \"\"offline\"\"\"\nR2,\n"},
		{"a cell over several lines", "id,name\nR0,\"a\nb\"\n", "id,name\nR0,\"a\nb\"\nR1,\"Sell, \"\"offline\"\"\"\nR2,\n"},
		{"a column is missing", "id,title\nR0,x\n", ""},
		{"an open quote", "id,name\nR0,\"x\n", ""},
		{"no table", "# Notes\n\nname and id\n", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := AppendRows([]byte(tt.old), columns, rows)
			if ok != (tt.want != "") || ok && string(got) != tt.want {
				t.Errorf("got %q, %v, want %q", got, ok, tt.want)
			}
		})
	}
	if _, ok := AppendRows(nil, columns, [][]string{{"a"}}); ok {
		t.Error("a row of another width was taken")
	}
	if _, ok := AppendRows(nil, columns, nil); ok {
		t.Error("no row was taken")
	}
}

// TestNoCellIsAFormula shows that no spreadsheet computes what somebody said, however it is
// begun, and whichever separator it reads the file with.
func TestNoCellIsAFormula(t *testing.T) {
	t.Parallel()
	for cell, want := range map[string]string{
		"=1+1": "'=1+1", "@x": "'@x", "+cmd": "'+cmd", "-cmd": "'-cmd",
		"+1+cmd|' /C calc'!A0": "'+1+cmd|' /C calc'!A0", "-2+3+cmd|' /C calc'!A0": "'-2+3+cmd|' /C calc'!A0", "-1-SUM(A1)": "'-1-SUM(A1)", "+1%+1": "'+1%+1",
		"\tx": "'\tx", "\r=1": "'\r'=1", "\n=1": "'\n'=1", " =1": "' =1", "\u00a0=1": "'\u00a0=1", "\u200b=1": "'\u200b=1", "\x00=1": "''\x00=1",
		`"=1"`: `'"=1"`, "'=1": "''=1", "“=1": "'“=1", "＝1+1": "'＝1+1", "＋cmd": "'＋cmd", "－cmd": "'－cmd", "＠x": "'＠x", "−2+3": "'−2+3",
		"a\n=1+1": "a\n'=1+1", "a; =1+1;": "a;' =1+1;", "a\t+1+1": "a\t'+1+1", "a,=1": "a,=1", "+3;=1": "+3;'=1",
		"-1": "-1", "+4": "+4", "-5": "-5", "+3.2": "+3.2", "-1,5": "-1,5", "-10%": "-10%", "-": "-", "+": "+", "": "", "a=b": "a=b", "1-2": "1-2", "R1": "R1", "a; -5": "a; -5",
	} {
		if got := inert(cell, ','); got != want {
			t.Errorf("inert(%q) = %q, want %q", cell, got, want)
		}
	}
	if got := inert("a,=1", ';'); got != "a,'=1" {
		t.Errorf("beside semicolons: %q", got)
	}
}

// TestNoRowBringsAFormula shows the same of the files: whichever separator a spreadsheet
// takes for theirs, no cell that was added begins like a formula.
func TestNoRowBringsAFormula(t *testing.T) {
	t.Parallel()
	attacks := []string{"=1+1", "+1+cmd|' /C calc'!A0", "-2+3+cmd|x", "x;=1+1;y", "x\t=1+1", "x,=1+1,", "\"=1\"", "x\n=1;=2\t=3", " \t=1"}
	computes := func(cell string) bool {
		begin := strings.TrimLeft(cell, "\" \t")
		return begin != "" && strings.ContainsRune("=+-@", rune(begin[0]))
	}
	for _, old := range []string{"id,name\n", "id;name\r\n", "id\tname\n"} {
		for _, attack := range attacks {
			got, ok := AppendRows([]byte(old), []string{"id", "name"}, [][]string{{attack, attack}})
			if !ok {
				t.Fatalf("%q took no row", old)
			}
			rows, err := readRows(got, rune(old[2]))
			if err != nil || len(rows) != 2 || slices.ContainsFunc(rows[1], computes) {
				t.Errorf("%q in a file that begins %q: read as %q, %v", attack, old, rows, err)
			}
			for _, separator := range ",;\t" {
				cells := strings.FieldsFunc(string(got[len(old):]), func(r rune) bool { return r == separator || r == '\n' || r == '\r' })
				if separator != rune(old[2]) && slices.ContainsFunc(cells, computes) {
					t.Errorf("%q in a file that begins %q: divided by %q into %q", attack, old, separator, cells)
				}
			}
		}
	}
}

// checkRows holds a result to NFR-004 and I8: the old bytes first, and the rows of
// people read as they did.
func checkRows(t *testing.T, old, got []byte, n int) {
	t.Helper()
	if !bytes.HasPrefix(got, old) {
		t.Fatalf("I8: %q became %q", old, got)
	}
	for _, comma := range []rune{',', ';', '\t'} {
		before, err := readRows(old, comma)
		after, err2 := readRows(got, comma)
		if err == nil && err2 == nil && len(after) >= len(before)+n && slices.EqualFunc(before, after[:len(before)], slices.Equal) {
			return
		}
	}
	t.Fatalf("I8: the rows of %q are not those of %q", old, got)
}

// TestRowsKeepEverything is the property of NFR-004 on tables nobody wrote.
func TestRowsKeepEverything(t *testing.T) {
	taken := 0
	for seed := range uint64(8_000) {
		r := rand.New(rand.NewPCG(seed, 7))
		pick := func(of ...string) string { return of[r.IntN(len(of))] }
		comma, eol := pick(",", ";", "\t"), pick("\n", "\r\n")
		var b strings.Builder
		b.WriteString(pick("", "", byteOrderMark))
		heads := []string{"id", pick("name", " Name ", "NAME", "title"), "owner", "due"}
		r.Shuffle(len(heads), func(i, k int) { heads[i], heads[k] = heads[k], heads[i] })
		b.WriteString(strings.Join(heads, comma) + pick(eol, eol, ""))
		for range r.IntN(4) {
			for i := range 1 + r.IntN(5) {
				if i > 0 {
					b.WriteString(comma)
				}
				b.WriteString(pick("x", "", `"a""b"`, "\"one\ntwo\"", "=1", "日本", " ", `"`, "'", "\"a,b;c\""))
			}
			b.WriteString(pick(eol, eol, "\n", ""))
		}
		old := []byte(b.String())
		rows := [][]string{{pick("R1", "", "=x"), pick("a\nb", "a;b\t,", `"`, "x")}}
		if got, ok := AppendRows(old, []string{"id", "name"}, rows); ok {
			taken++
			checkRows(t, old, got, 1)
			again, ok := AppendRows(got, []string{"id", "name"}, rows)
			if !ok {
				t.Fatalf("rows were added to %q once and not twice", old)
			}
			checkRows(t, got, again, 1)
		}
	}
	if taken < 2_000 {
		t.Errorf("only %d tables took rows", taken)
	}
}

func FuzzAppendRows(f *testing.F) {
	f.Add("id,name\r\n1,\"a\nb\"", "R1", "=x")
	f.Add("\uFEFFname;x;id\n", "", "\"")
	f.Add("", "a", "\r\n")
	f.Fuzz(func(t *testing.T, old, a, b string) {
		if got, ok := AppendRows([]byte(old), []string{"id", "name"}, [][]string{{a, b}}); ok {
			checkRows(t, []byte(old), got, 1)
		}
	})
}

func ExampleAppendRows() {
	old := "id,requirement,owner\nR1,Sell offline,Priya"
	table, _ := AppendRows([]byte(old), []string{"id", "requirement"}, [][]string{{"R2", "Count the till"}})
	fmt.Println(string(table))
	// Output:
	// id,requirement,owner
	// R1,Sell offline,Priya
	// R2,Count the till,
}
