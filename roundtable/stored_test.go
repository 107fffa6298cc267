package roundtable

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/roundtable-chat/app/roundtable/thread"
)

// TestStoredKinds reads the golden files of every input, effect and log entry that
// form 1 knows, with all fields filled in, and wants every byte of meaning kept: what
// is read and written again has whatever it had (NFR-102). They are never changed
// once they were released; -update writes only those that are missing.
//
// A kind without a file was added after form 1. An older replica would put it aside as
// unreadable, so adding one raises FormVersion.
func TestStoredKinds(t *testing.T) {
	folder := filepath.Join("testdata", "stored", "v1")
	if thread.FormVersion != 1 {
		t.Fatal("freeze the kinds of form 1 here, and give the new form a folder of its own")
	}
	want := make(map[string][]byte)
	for kind, typ := range eventKinds {
		b, err := EncodeInput(Input{ID: "input-id", At: goldenTime, Event: filled(typ).Interface().(Event)})
		if err != nil {
			t.Fatal(err)
		}
		want["input_"+kind] = b
	}
	for kind, typ := range effectKinds {
		b, err := EncodeEffect(filled(typ).Interface().(Effect))
		if err != nil {
			t.Fatal(err)
		}
		want["effect_"+kind] = b
	}
	b, err := thread.EncodeEntry("D", filled(reflect.TypeFor[thread.Entry]()).Interface().(thread.Entry))
	if err != nil {
		t.Fatal(err)
	}
	want["log_entry"], want["log_entry_told"] = b, b // once before words could stand before their turn
	b, err = Encode(filled(reflect.TypeFor[Discussion]()).Interface().(Discussion))
	if err != nil {
		t.Fatal(err)
	}
	want["discussion_full"], want["discussion_without_words"] = b, b // once before words left the state
	// What an item remembers of a discussion that was merged into it has no envelope.
	b, err = json.Marshal(filled(reflect.TypeFor[[]thread.ArtifactChange]()).Interface())
	if err != nil {
		t.Fatal(err)
	}
	want["changes"] = b

	for _, name := range slices.Sorted(maps.Keys(want)) {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(folder, name+".json")
			if _, err := os.Stat(file); errors.Is(err, os.ErrNotExist) && *updateTable {
				var pretty bytes.Buffer
				if err := json.Indent(&pretty, want[name], "", "  "); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(file, append(pretty.Bytes(), '\n'), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			golden, err := os.ReadFile(file)
			if err != nil {
				t.Fatalf("form 1 does not know it (before the release -update adds it): %v", err)
			}
			again, err := restored(name, golden)
			if err != nil {
				t.Fatal(err)
			}
			var before, after any
			if err := errors.Join(json.Unmarshal(golden, &before), json.Unmarshal(again, &after)); err != nil {
				t.Fatal(err)
			}
			for _, lost := range missing("", before, after) {
				t.Errorf("stored in form 1 and not understood any more: %s", lost)
			}
		})
	}
}

// restored reads a stored form and writes it again.
func restored(name string, golden []byte) ([]byte, error) {
	switch kind, _, _ := strings.Cut(name, "_"); kind {
	case "input":
		in, err := DecodeInput(golden)
		if err != nil {
			return nil, err
		}
		return EncodeInput(in)
	case "effect":
		e, err := DecodeEffect(golden)
		if err != nil {
			return nil, err
		}
		return EncodeEffect(e)
	case "log":
		e, err := thread.DecodeEntry("D", golden)
		if err != nil {
			return nil, err
		}
		return thread.EncodeEntry("D", e)
	case "changes":
		var changes []thread.ArtifactChange
		if err := json.Unmarshal(golden, &changes); err != nil {
			return nil, err
		}
		return json.Marshal(changes)
	default:
		d, err := Decode(golden)
		if err != nil {
			return nil, err
		}
		return Encode(d)
	}
}

// missing lists what of one JSON value another lacks.
func missing(path string, before, after any) (lost []string) {
	switch b := before.(type) {
	case map[string]any:
		a, ok := after.(map[string]any)
		if !ok {
			return []string{path}
		}
		for key, value := range b {
			if key == "v" && path == "" {
				continue // it may be written in a newer form
			}
			lost = append(lost, missing(path+"."+key, value, a[key])...)
		}
	case []any:
		a, ok := after.([]any)
		if !ok || len(a) != len(b) {
			return []string{path}
		}
		for i := range b {
			lost = append(lost, missing(fmt.Sprintf("%s[%d]", path, i), b[i], a[i])...)
		}
	default:
		if !cmp.Equal(before, after) {
			return []string{fmt.Sprintf("%s: %v became %v", path, before, after)}
		}
	}
	return lost
}

// goldenTime is in every golden file.
var goldenTime = time.Date(2026, 11, 21, 9, 30, 0, 5000, time.UTC)

// filled returns a value of a type of which no field is empty.
func filled(t reflect.Type) reflect.Value {
	v := reflect.New(t).Elem()
	fillValue(v)
	return v
}

func fillValue(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString("words “and” <more>")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(7)
	case reflect.Float64:
		v.SetFloat(1.5)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fillValue(v.Elem())
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fillValue(v.Index(0))
	case reflect.Map:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fillValue(key)
		fillValue(value)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			v.Set(reflect.ValueOf(goldenTime))
			return
		}
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				fillValue(v.Field(i))
			}
		}
	default:
		panic(fmt.Sprintf("%s is of no kind that is stored", v.Type()))
	}
}

// TestAddedFieldsNeedAForm shows what the promise of the stored form is worth: a field
// that this build does not know is read past, and gone once it writes. So a field that
// must not be lost in a rolling deploy raises FormVersion, and then an older replica
// refuses the whole (ErrNewer).
func TestAddedFieldsNeedAForm(t *testing.T) {
	b, err := Encode(Discussion{ID: "D1", State: StateEntry})
	if err != nil {
		t.Fatal(err)
	}
	added := bytes.Replace(b, []byte(`"body":{`), []byte(`"body":{"added_later":"x",`), 1)
	d, err := Decode(added)
	if err != nil {
		t.Fatalf("a field that was only added: %v", err)
	}
	again, err := Encode(d)
	if err != nil || !bytes.Equal(again, b) {
		t.Errorf("got %s, %v, want %s", again, err, b)
	}
	raised := bytes.Replace(added, []byte(`{"v":1,`), []byte(`{"v":2,`), 1)
	if _, err := Decode(raised); !errors.Is(err, thread.ErrNewer) {
		t.Errorf("the same in a newer form: got %v, want ErrNewer", err)
	}
}
