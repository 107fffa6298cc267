package analysis

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/golden"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// Every member of the sums has a name in the stored form, and only those.
func TestEveryMemberIsNamed(t *testing.T) {
	for file, kinds := range map[string]map[string]reflect.Type{"event.go": eventKinds, "effect.go": effectKinds} {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		method := strings.TrimSuffix(file, ".go")
		members := 0
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Name.Name != method {
				continue
			}
			members++
			name := fn.Recv.List[0].Type.(*ast.Ident).Name
			named := false
			for _, typ := range kinds {
				named = named || typ.Name() == name
			}
			if !named {
				t.Errorf("%s has no name in the stored form", name)
			}
		}
		if members != len(kinds) {
			t.Errorf("%s has %d members, the stored form %d", file, members, len(kinds))
		}
	}
}

// What a discussion has, too, has one stored form: whoever delivers an input or
// performs an effect need not know for which of the two it is.
func TestSharedForms(t *testing.T) {
	at := time.Date(2026, 11, 16, 9, 0, 0, 0, time.UTC)
	said := roundtable.Said{TS: "1", By: thread.Person{ID: "U1", Name: "Priya"}, Text: "hm", Files: []string{"a.png"}}
	pressed := roundtable.Pressed{By: said.By, Button: ButtonNext, Value: "m1"}
	failed := roundtable.Failed{Effect: "x", Reason: thread.ReasonOverBudget, Budget: &thread.Budget{Scope: thread.BudgetDay}}
	for _, tt := range []struct {
		theirs roundtable.Event
		ours   Event
	}{
		{said, Said(said)}, {pressed, Pressed(pressed)}, {failed, Failed(failed)}, {roundtable.TimerFired{}, TimerFired{}}, {roundtable.Parked{}, Parked{}},
		{roundtable.Posted{Effect: "x", TS: "1"}, Posted{Effect: "x", TS: "1"}}, {roundtable.Deleted{TS: "1"}, Deleted{TS: "1"}},
		{roundtable.Edited{TS: "1", Text: "x"}, Edited{TS: "1", Text: "x"}}, {roundtable.Reacted{TS: "1", Emoji: "x"}, Reacted{TS: "1", Emoji: "x"}},
	} {
		b, err := roundtable.EncodeInput(roundtable.Input{ID: "i", At: at, Event: tt.theirs})
		if err != nil {
			t.Fatal(err)
		}
		got, err := DecodeInput(b)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(Input{ID: "i", At: at, Event: tt.ours}, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
	post := roundtable.Post{Key: "A1/x/0", Message: thread.Message{Kind: thread.KindMenu, Text: "x"}}
	b, err := EncodeEffect(Post(post))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := roundtable.DecodeEffect(b); err != nil || cmp.Diff(roundtable.Effect(post), got) != "" {
		t.Errorf("got %v, %v", got, err)
	}
}

// A newer form, and the state of a discussion, are refused and never misread.
func TestDecodeRefuses(t *testing.T) {
	discussion, err := roundtable.Encode(roundtable.Discussion{ID: "D1"})
	if err != nil {
		t.Fatal(err)
	}
	ours, err := Encode(Analysis{ID: "A1", State: StateMenu})
	if err != nil {
		t.Fatal(err)
	}
	if thread.KindOf(ours) != StateKind || thread.KindOf(discussion) != "" || thread.KindOf([]byte("{")) != "" {
		t.Error("the state of an analysis is not told from others")
	}
	for name, b := range map[string][]byte{"a discussion": discussion, "no form": []byte(`{"body":{}}`), "no JSON": []byte("x"), "another body": []byte(`{"v":1,"kind":"analysis","body":[]}`)} {
		if _, err := Decode(b); err == nil {
			t.Errorf("%s was read", name)
		}
	}
	newer := []byte(strings.Replace(string(ours), `"v":1`, `"v":2`, 1))
	if _, err := Decode(newer); !errors.Is(err, thread.ErrNewer) {
		t.Errorf("got %v, want ErrNewer", err)
	}
	for _, b := range []string{`{"v":1,"kind":"framed","body":{}}`, `{"v":1,"kind":"said","body":[]}`, `{"v":9,"kind":"said","body":{}}`, `x`} {
		if _, err := DecodeInput([]byte(b)); err == nil {
			t.Errorf("%s was read", b)
		}
		if _, err := DecodeEffect([]byte(strings.Replace(b, "said", "post", 1))); err == nil {
			t.Errorf("%s was read", b)
		}
	}
}

// TestStoredFormLasts decodes what version 1 wrote, and writes it again unchanged
// but for what was added since.
func TestStoredFormLasts(t *testing.T) {
	const name = "testdata/stored/v1/analysis.json"
	if _, err := os.Stat(name); *update && errors.Is(err, fs.ErrNotExist) { // what stands is never written again
		writeStored(t, name)
	}
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	a, err := Decode(b)
	if err != nil {
		t.Fatal(err)
	}
	if a.State != StateMenu || a.Step.ID != "00-01" || !a.Step.Recorded || a.Menu.ID != "m1" || a.Menu.Next == nil || a.Turns != 3 || len(a.Cast) != 3 {
		t.Errorf("got %+v", a)
	}
	again, err := Encode(a)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.TrimSpace(string(b)), string(again)); diff != "" {
		t.Errorf("(-stored +now):\n%s", diff)
	}
	if states := States(); !slices.Contains(states, a.State) {
		t.Errorf("%s is no state", a.State)
	}
}

// writeStored writes the stored form of an analysis at its first menu.
func writeStored(t *testing.T, name string) {
	t.Helper()
	for _, c := range tableColumns(t) {
		if c.name != "menu" {
			continue
		}
		b, err := Encode(c.a)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(path.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, append(b, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// The names in ids, metrics and log lines are for ever (I2): another one would have an
// answer that was given before a crash taken for a further one after it.
func TestNamesAreForEver(t *testing.T) {
	var got []string
	for kind, typ := range eventKinds {
		got = append(got, "event "+kind+": "+EventName(reflect.New(typ).Elem().Interface().(Event)))
	}
	for kind, typ := range effectKinds {
		got = append(got, "effect "+kind+": "+EffectName(reflect.New(typ).Elem().Interface().(Effect)))
	}
	slices.Sort(got)
	golden.Check(t, "testdata/stored/names.txt", strings.Join(got, "\n")+"\n", false)
}
