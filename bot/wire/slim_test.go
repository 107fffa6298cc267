package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

func TestSlim(t *testing.T) {
	long := `[{"type":"rich_text","elements":[{"text":"a \"quoted\\\" } ] thing"}]}]`
	for name, c := range map[string]struct{ in, want string }{
		"a post's answer":    {`{"ok":true,"message":{"blocks":` + long + `,"ts":"1.2"}}`, `{"ok":true,"message":{"blocks":null,"ts":"1.2"}}`},
		"the last member":    {`{"payload":{"event":{"ts":"1","metadata":{"event_type":"x"}}}}`, `{"payload":{"event":{"ts":"1","metadata":null}}}`},
		"an edit":            {`{"payload":{"event":{"message":{"blocks":` + long + `},"previous_message":{"attachments":` + long + `}}}}`, `{"payload":{"event":{"message":{"blocks":null},"previous_message":{"attachments":null}}}}`},
		"white space":        {" {\n\"blocks\" :\t[1, 2] , \"a\": 1 } ", " {\n\"blocks\" :\tnull , \"a\": 1 } "},
		"a string":           {`{"metadata":"a very \" long } string"}`, `{"metadata":null}`},
		"what a bot said":    {`{"event":{"text":"words","bot_id":"B1","username":"Maya"}}`, `{"event":{"text":null,"bot_id":"B1","username":null}}`},
		"an edit by a bot":   {`{"message":{"bot_id":"B1","text":"words"},"text":"more words"}`, `{"message":{"bot_id":"B1","text":null},"text":"more words"}`},
		"what a person said": {`{"event":{"text":"words","bot_id":null}}`, `{"event":{"text":"words","bot_id":null}}`},
		"below a bot's":      {`{"event":{"text":"words","root":{"bot_id":"B1","text":"words"}}}`, `{"event":{"text":"words","root":{"bot_id":"B1","text":null}}}`},
		"short already":      {`{"blocks":[],"metadata":null,"attachments":{}}`, `{"blocks":[],"metadata":null,"attachments":{}}`},
		"deeper":             {`{"a":{"b":{"c":{"d":{"blocks":[1,2,3]}}}}}`, `{"a":{"b":{"c":{"d":{"blocks":[1,2,3]}}}}}`},
		"inside an array":    {`{"messages":[{"metadata":{"a":1}}]}`, `{"messages":[{"metadata":{"a":1}}]}`},
		"words, not members": {`{"text":"\"blocks\":[1,2,3]"}`, `{"text":"\"blocks\":[1,2,3]"}`},
		"no object":          {`[{"blocks":[1,2,3]}]`, `[{"blocks":[1,2,3]}]`},
		"cut off":            {`{"blocks":[1,2,3],"a":`, `{"blocks":[1,2,3],"a":`},
		"something behind":   {`{"blocks":[1,2,3]}x`, `{"blocks":[1,2,3]}x`},
		"closed too often":   {`{"blocks":]]]]]}`, `{"blocks":]]]]]}`},
		"nothing":            {``, ``},
	} {
		if got := string(slim([]byte(c.in))); got != c.want {
			t.Errorf("%s: got %s, want %s", name, got, c.want)
		}
	}
}

// FuzzSlim shows that nothing but the members which nobody reads is changed, and that
// what was JSON still is.
func FuzzSlim(f *testing.F) {
	f.Add([]byte(`{"payload":{"event":{"message":{"blocks":[{"a":"\\\""}],"ts":"1"},"text":"x"}},"type":"events_api"}`))
	f.Add([]byte(`{"blocks" : {"a":[1,{"b":null}]} , "metadata":"12345","a":{"blocks":true}}`))
	f.Add([]byte(`{"a":"\u007b","b\"":{"attachments":[[[[1]]]]}}`))
	f.Fuzz(func(t *testing.T, in []byte) {
		got := slim(bytes.Clone(in))
		if !json.Valid(in) {
			return
		}
		if !json.Valid(got) {
			t.Fatalf("%s became %s", in, got)
		}
		if diff := cmp.Diff(withoutUnread(t, in), withoutUnread(t, got)); diff != "" {
			t.Errorf("%s became %s (-want +got):\n%s", in, got, diff)
		}
		if len(got) > len(in) || bytes.Contains(in, []byte("\\u")) {
			return
		}
		if again := slim(bytes.Clone(got)); !bytes.Equal(again, got) {
			t.Errorf("%s became %s at the second time", got, again)
		}
	})
}

// withoutUnread decodes JSON and drops what slim may cut.
func withoutUnread(t *testing.T, b []byte) any {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatal(err)
	}
	drop(v, slimDepth)
	return v
}

func drop(v any, depth int) {
	o, ok := v.(map[string]any)
	if !ok || depth == 0 {
		return
	}
	_, bot := o["bot_id"].(string)
	for key, member := range o {
		if slices.Contains(unread, key) || bot && slices.Contains(words, key) {
			delete(o, key)
		}
		drop(member, depth-1)
	}
}

func BenchmarkSlim(b *testing.B) {
	in := []byte(`{"envelope_id":"x","payload":{"event":{"type":"message","text":"` + strings.Repeat("word ", 60) + `","blocks":[` +
		strings.Repeat(`{"type":"rich_text","elements":[{"type":"text","text":"some words"}]},`, 20) + `{}],"ts":"1.000001"}}}`)
	b.SetBytes(int64(len(in)))
	for range b.N {
		slim(bytes.Clone(in))
	}
}

func TestAnswersArriveSmaller(t *testing.T) {
	broken := errors.New("the line is cut")
	answer := `{"ok":true,"ts":"1.000002","message":{"blocks":[1,2,3],"thread_ts":"1.000001"}}`
	tail := `{"blocks":[1,2,3],"x":"` + strings.Repeat("y", answerMost) + `"}`
	for name, c := range map[string]struct {
		body io.Reader
		want string
		err  error
	}{
		"whole":              {strings.NewReader(answer), `{"ok":true,"ts":"1.000002","message":{"blocks":null,"thread_ts":"1.000001"}}`, nil},
		"cut off":            {io.MultiReader(strings.NewReader(answer[:50]), iotest.ErrReader(broken)), answer[:50], broken},
		"too large to judge": {strings.NewReader(tail), tail, nil},
	} {
		got, err := io.ReadAll(slimBody(&http.Response{Body: io.NopCloser(c.body), ContentLength: -1}))
		if string(got) != c.want || !errors.Is(err, c.err) {
			t.Errorf("%s: got %.200s (%v), want %.200s (%v)", name, got, err, c.want, c.err)
		}
	}
}
