package bot

import (
	"testing"

	"github.com/roundtable-chat/app/roundtable/thread"
)

// I12: a link is live only if a person gave this very address in this thread; a
// host is not enough, because whoever owns it would read what is appended.
func TestOnlyAddressesPeopleGaveAreLive_I12(t *testing.T) {
	h := newHeard([]string{"Wiki.example"})
	h.listen("C1", "1.1", "see <https://docs.example.com/a?x=1&amp;y=2|the docs>, and https://plain.example/b.")
	here := thread.Place{Channel: "C1", Thread: "1.1"}
	for _, tt := range []struct {
		name  string
		place thread.Place
		url   string
		want  bool
	}{
		{"given, labelled", here, "https://docs.example.com/a?x=1&y=2", true},
		{"given, bare", here, "https://plain.example/b", true},
		{"another page of the host", here, "https://plain.example/b?q=secret", false},
		{"a host of the deployment's", here, "https://wiki.example/anything", true},
		{"in another thread", thread.Place{Channel: "C1", Thread: "2.2"}, "https://plain.example/b", false},
		{"not the web", here, "javascript:alert(1)", false},
		{"a user in front of the host", here, "https://wiki.example@evil.example/", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := h.allows(tt.place, tt.url); got != tt.want {
				t.Errorf("%s: live = %v, want %v", tt.url, got, tt.want)
			}
		})
	}
}

// NFR-103: only the target of a link is an address that somebody gave. Its label is not.
func TestLabelsGiveNoAddress(t *testing.T) {
	t.Parallel()
	h := newHeard(nil)
	h.listen("C1", "1.1", "see <https://evil.example/x|https://bank.com> and <@U1|https://mallory.example>")
	here := thread.Place{Channel: "C1", Thread: "1.1"}
	for url, want := range map[string]bool{"https://evil.example/x": true, "https://bank.com": false, "https://mallory.example": false} {
		if got := h.allows(here, url); got != want {
			t.Errorf("%s: live = %v, want %v", url, got, want)
		}
	}
}
