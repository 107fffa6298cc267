package sweep_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/roundtable-chat/app/manifests"
	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/analysis"
	"github.com/roundtable-chat/app/roundtable/engine/enginetest"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// long is a message of 39,000 bytes.
func long(n int) string {
	return fmt.Sprintf("take %d ", n) + strings.Repeat("what a long message this is ", 39_000/28)
}

// In an analysis, too, the newest edit is the only one that is kept, and a flood is
// refused once, in the thread, while the walk goes on.
func TestFloodInAnAnalysis(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		set, err := manifests.Load(nil)
		if err != nil {
			t.Fatal(err)
		}
		w := &walker{t: t, set: set, at: memoryGround(), slack: &enginetest.Slack{}, panel: &framer{Panel: &enginetest.Panel{}, from: map[string]string{}}, names: map[string]string{}}
		w.current = w.start(enginetest.NewReplica(enginetest.Crash{}))
		defer func() { w.end(w.current) }()
		ref := w.called("A1", "A1")
		w.openAnalysis(ref)
		w.rest()
		n := 0
		did := func(id string, e roundtable.Event) {
			t.Helper()
			body, err := roundtable.EncodeInput(roundtable.Input{ID: id, At: time.Now(), Event: e})
			if err != nil {
				t.Fatal(err)
			}
			w.deliver(ref, id, body, false)
			if n++; n%40 == 0 {
				w.rest()
			}
		}
		sam := thread.Person{ID: "U2", Name: "Sam"}
		did("m:50", roundtable.Said{TS: "50.0", By: sam, Text: long(0)})
		w.rest()
		_, before, err := w.at.store.Read(t.Context(), ref)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 150 {
			did(fmt.Sprint("e:", i), roundtable.Edited{TS: "50.0", By: sam, Text: long(i), EditedTS: fmt.Sprintf("%d.0", 100+i)})
		}
		w.rest()
		_, after, err := w.at.store.Read(t.Context(), ref)
		if err != nil || len(after) > len(before)+1 {
			t.Errorf("150 edits take %d entries, %v", len(after)-len(before), err)
		}
		for i := range 100 {
			did(fmt.Sprint("m:", 1000+i), roundtable.Said{TS: fmt.Sprint(1000+i, ".0"), By: sam, Text: long(i)})
		}
		w.rest()
		_, log, err := w.at.store.Read(t.Context(), ref)
		if err != nil {
			t.Fatal(err)
		}
		size := 0
		for _, line := range log {
			size += len(line)
		}
		if size > thread.PersonBytes*5/4 {
			t.Errorf("the log has %d bytes", size)
		}
		told := 0
		for _, m := range w.slack.Messages(ref.Channel) {
			told += strings.Count(m.Message.Text, "this is as much as I keep of one person")
		}
		if told != 1 {
			t.Errorf("it is said %d times that there is no more room", told)
		}
		did("m:9000", roundtable.Said{TS: "9000.0", By: thread.Person{ID: "U1", Name: "Priya"}, Text: "done"})
		w.rest()
		if a, err := enginetest.Analysis(t.Context(), w.at.store, ref); err != nil || a.State == analysis.StateAsking && a.Step != nil && a.Step.Questions == 0 {
			t.Errorf("nothing goes on: %+v, %v", a.State, err)
		}
	})
}
