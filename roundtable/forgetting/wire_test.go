package forgetting

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	reviewed "github.com/roundtable-chat/app/roundtable/golden"
)

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
	reviewed.Check(t, "testdata/names.txt", strings.Join(got, "\n")+"\n", false)
}
