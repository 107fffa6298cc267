package roundtable

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/roundtable-chat/app/roundtable/golden"
	"github.com/roundtable-chat/app/roundtable/persona"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// TestStoredForm reads the golden files of the stored form, which are never
// changed once they were released: a discussion that waited a week continues on
// a newer version (NFR-102). -update writes only files that are missing.
func TestStoredForm(t *testing.T) {
	for _, c := range tableColumns(t) {
		name := strings.NewReplacer(" ", "_", "(", "", ")", "").Replace(c.name)
		t.Run(name, func(t *testing.T) {
			stored, err := Encode(c.d)
			if err != nil {
				t.Fatal(err)
			}
			golden := filepath.Join("testdata", "stored", "v1", name+".json")
			if _, err := os.Stat(golden); errors.Is(err, os.ErrNotExist) && *updateTable {
				if err := os.WriteFile(golden, append(stored, '\n'), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			b, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			got, err := Decode(b)
			if err != nil {
				t.Fatal(err)
			}
			want, _ := Decode(stored)
			// Keywords were stored once; now the roster brings them.
			if diff := cmp.Diff(Seated(want, testRoster()), Seated(got, testRoster())); diff != "" {
				t.Errorf("a discussion stored as form 1 is read differently (-now +stored):\n%s", diff)
			}
		})
	}
}

func TestStoredFormRefusesNewer(t *testing.T) {
	newer := []byte(`{"v":2,"kind":"said","body":{}}`)
	if _, err := Decode(newer); !errors.Is(err, thread.ErrNewer) {
		t.Errorf("Decode: got %v, want ErrNewer", err)
	}
	if _, err := DecodeInput(newer); !errors.Is(err, thread.ErrNewer) {
		t.Errorf("DecodeInput: got %v, want ErrNewer", err)
	}
	for _, bad := range []string{``, `{}`, `[]`, `{"v":0,"body":{}}`, `{"v":1,"kind":"sung","body":{}}`, `{"v":1,"kind":"said","body":"x"}`} {
		if _, err := DecodeInput([]byte(bad)); err == nil {
			t.Errorf("DecodeInput(%s): no error", bad)
		}
	}
}

// TestStoredFormNamesEveryKind holds the names of the sums against the code: each
// member of a sum has a name, and survives a round trip.
func TestStoredFormNamesEveryKind(t *testing.T) {
	at := time.Date(2026, 11, 16, 9, 0, 0, 5000, time.UTC)
	for kind, typ := range eventKinds {
		e, ok := reflect.New(typ).Elem().Interface().(Event)
		if !ok {
			t.Fatalf("%s is no event", kind)
		}
		b, err := EncodeInput(Input{ID: "x", At: at, Event: e})
		if err != nil {
			t.Fatal(err)
		}
		got, err := DecodeInput(b)
		if diff := cmp.Diff(Input{ID: "x", At: at, Event: e}, got); err != nil || diff != "" {
			t.Errorf("%s: %v\n%s", kind, err, diff)
		}
	}
	for kind, typ := range effectKinds {
		e, ok := reflect.New(typ).Elem().Interface().(Effect)
		if !ok {
			t.Fatalf("%s is no effect", kind)
		}
		b, err := EncodeEffect(e)
		if err != nil {
			t.Fatal(err)
		}
		got, err := DecodeEffect(b)
		if diff := cmp.Diff(e, got); err != nil || diff != "" {
			t.Errorf("%s: %v\n%s", kind, err, diff)
		}
	}
	for _, sum := range []struct {
		file, marker string
		kinds        map[string]reflect.Type
	}{{"event.go", ") event()", eventKinds}, {"effect.go", ") effect()", effectKinds}} {
		src, err := os.ReadFile(sum.file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(src)) {
			member, ok := strings.CutPrefix(line, "func (")
			if !ok || !strings.Contains(line, sum.marker) {
				continue
			}
			member = member[:strings.Index(member, ")")]
			named := slices.ContainsFunc(kindNames(sum.kinds), func(n string) bool { return n == member })
			if !named {
				t.Errorf("%s of %s has no name in the stored form", member, sum.file)
			}
		}
	}
}

func kindNames(kinds map[string]reflect.Type) []string {
	var names []string
	for _, t := range kinds {
		names = append(names, t.Name())
	}
	return names
}

// testRoster is the roster to the tests' cast.
func testRoster() persona.Roster {
	r := persona.Roster{Default: "business-analyst"}
	for _, seat := range testSeats() {
		r.Personas = append(r.Personas, persona.Persona{Seat: seat})
	}
	return r
}

// TestStoredEntryNeedsNoId shows that an entry's key is stored without the id of its
// discussion, and read with it, also where it was stored with it.
func TestStoredEntryNeedsNoId(t *testing.T) {
	at := time.Unix(1763715600, 0).UTC()
	turn := thread.Entry{Kind: thread.EntryTurn, At: at, Turn: 2, Persona: "system-designer", Key: "D1/m:1/0", Text: "Yes."}
	receipt := thread.Entry{Kind: thread.EntryPosted, At: at, Key: "D1/m:1/0", TS: "1763715601.000100"}
	var log [][]byte
	for _, e := range []thread.Entry{turn, receipt} {
		stored, err := thread.EncodeEntry("D1", e)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(stored, []byte("D1")) {
			t.Errorf("the id is in %s", stored)
		}
		log = append(log, stored)
	}
	log[0] = bytes.Replace(log[0], []byte(`"key":"`), []byte(`"key":"D1/`), 1) // as it was once
	read, err := thread.DecodeLog("D1", log)
	if err != nil {
		t.Fatal(err)
	}
	receipt.At = time.Time{}
	if diff := cmp.Diff([]thread.Entry{turn, receipt}, read); diff != "" {
		t.Errorf("(-recorded +read):\n%s", diff)
	}
	if got := thread.ReadTranscript(read).Turns[0].TS; got != receipt.TS {
		t.Errorf("the turn stands at %q, want %s", got, receipt.TS)
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
