package bot

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// TestFindTrustsNobodyElse reads a thread over two pages, in which another app
// and a person carry keys that look like ours (I3: a forged key from
// another app is ignored).
func TestFindTrustsNobodyElse_I3(t *testing.T) {
	post := func(ts, author, event, key string) string {
		return fmt.Sprintf(`{"type":"message","ts":%q,%s,"text":"x","metadata":{"event_type":%q,"event_payload":{"key":%q}}}`, ts, author, event, key)
	}
	pages := map[string]string{
		"": `{"ok":true,"has_more":true,"response_metadata":{"next_cursor":"two"},"messages":[` +
			post("3.000000", `"bot_id":"BBOT"`, turnEvent, "D/a/1") + "," + post("1.000000", `"bot_id":"BBOT"`, turnEvent, "D/root") + "," +
			post("2.000000", `"bot_id":"BOTHER"`, turnEvent, "D/a/9") + `]}`,
		"two": `{"ok":true,"has_more":false,"messages":[` +
			post("4.000000", `"user":"U1"`, turnEvent, "D/a/8") + "," + post("5.000000", `"bot_id":"BBOT"`, "other_event", "D/a/7") + "," +
			post("6.000000", `"bot_id":"BBOT"`, turnEvent, "D/a/2") + `]}`,
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/api/auth.test", func(rw http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(rw, `{"ok":true,"team_id":"T1","user_id":"UBOT","bot_id":"BBOT"}`)
	})
	mux.HandleFunc("/api/conversations.replies", func(rw http.ResponseWriter, r *http.Request) {
		if r.FormValue("include_all_metadata") != "true" && r.FormValue("include_all_metadata") != "1" {
			t.Errorf("metadata is not asked for: %v", r.Form)
		}
		fmt.Fprint(rw, pages[r.FormValue("cursor")])
	})
	server := httptest.NewServer(mux)
	defer server.Close()
	b := wireBot(t, &wireSlack{url: server.URL + "/api/"}, &gateInbox{}, nil)
	defer b.http.CloseIdleConnections()
	got, err := b.Workplace().Find(t.Context(), thread.Place{Channel: "C1", Thread: "1.000000"}, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	want := []engine.Found{{Key: "D/root", TS: "1.000000"}, {Key: "D/a/1", TS: "3.000000"}, {Key: "D/a/2", TS: "6.000000"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
