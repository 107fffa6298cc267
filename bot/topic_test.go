package bot

import (
	"testing"
)

// NFR-103: a topic has no room for addresses, and none for a false one either.
func TestTopicsKeepNoFalseAddress(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"see <https://evil.example/x|https://bank.com>": "see https[:]//bank[.]com (https://evil.example/x)",
		"see <https://docs.example.com/x|the docs>":     "see the docs",
	} {
		if got := plainTopic(text, func(string) string { return "" }); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// NFR-103: whichever way a topic comes, a link in it shows where it leads: it becomes a
// heading of documents.
func TestTopicsOfFormsAreUnmasked(t *testing.T) {
	t.Parallel()
	b := &Bot{opts: Options{Policy: Policy{Channels: []string{"C0OTHER01"}}}}
	got, _ := b.checked(t.Context(), opening{channel: "C1", topic: "log in at [bank.com](https://evil.example)"})
	if want := "log in at bank[.]com (https://evil.example)"; got.topic != want {
		t.Errorf("got %q, want %q", got.topic, want)
	}
}
