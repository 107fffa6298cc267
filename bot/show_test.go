package bot_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/roundtable-chat/app/bot"
	"github.com/roundtable-chat/app/bot/slacksim"
	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/analysis"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// ofSSO is an item with documents that are easily damaged, or dangerous if Slack
// were to read them.
func ofSSO() engine.Item {
	return engine.Item{
		Files: map[string][]byte{
			"requirements-spec.md": []byte("# Spec\r\n\n<!channel> <@U0PRIYA01> @here\n"), "adrs/0001-cache.md": []byte("# ADR\n"), "empty.csv": {},
			"long.md": []byte(strings.Repeat("word ", 2000)),
		},
		Meta: []byte(`{"slug":"sso-rollout"}`),
	}
}

// shared is the file that was put into a channel, with the message it came in.
func (s *stage) shared(name string) (m *slacksim.Message, body string) {
	s.t.Helper()
	link := ""
	s.until(name+" is in the channel", func() bool {
		for _, m = range s.ws.Messages(product) {
			for _, f := range m.Files {
				if f["name"] == name {
					link = fmt.Sprint(f["url_private"])
				}
			}
			if link != "" {
				return true
			}
		}
		return false
	})
	return m, s.fetch(link)
}

// fetch is what an address of the workspace gives.
func (s *stage) fetch(link string) string {
	s.t.Helper()
	resp, err := http.Get(s.url + link)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return string(raw)
}

func TestShow(t *testing.T) {
	ask := func(s *stage, text string) {
		s.act("command", fields{"as": priya, "channel": product, "command": "/roundtable", "text": text})
	}
	with := func(o *bot.Options) { o.Items = shelf{ofSSO()} }
	t.Run("answers in words", func(t *testing.T) {
		s := set(t, slacksim.Options{}, with, true)
		for text, want := range map[string]string{
			"show": "Whose documents?", "show nothing-such": "Whose documents?", "show sso-rollout": "adrs/0001-cache.md, empty.csv, long.md, requirements-spec.md, meta.json",
			"show sso-rollout absent.md": "sso-rollout has no document absent.md. It has: ", "show sso-rollout empty.csv": "empty.csv of sso-rollout is empty",
			"show sso-rollout ../../etc/passwd.txt": "has no document",
		} {
			ask(s, text)
			s.told(priya, want)
		}
	})
	t.Run("puts a document into the channel, byte for byte", func(t *testing.T) {
		s := set(t, slacksim.Options{}, with, true)
		ask(s, "show sso-rollout Requirements-Spec.md")
		s.told(priya, "I am putting requirements-spec.md of sso-rollout here")
		m, body := s.shared("requirements-spec.md")
		if diff := cmp.Diff(string(ofSSO().Files["requirements-spec.md"]), body); diff != "" {
			t.Errorf("(-stored +shown):\n%s", diff)
		}
		if want := "Priya Nair asked for requirements-spec.md of sso-rollout. This is how it stands now."; m.Text != want || m.ThreadTS != "" {
			t.Errorf("I12: got %q in thread %q, want %q in none", m.Text, m.ThreadTS, want)
		}
		ask(s, "show sso-rollout 0001-cache.md")
		s.shared("0001-cache.md")
	})
	t.Run("as text without the scope", func(t *testing.T) {
		s := set(t, slacksim.Options{Scopes: []string{"chat:write", "commands", "channels:read", "channels:history", "users:read", "im:read"}}, with, true)
		ask(s, "show sso-rollout requirements-spec.md")
		s.told(priya, "# Spec")
		ask(s, "show sso-rollout long.md")
		s.told(priya, "Ask whoever runs Roundtable here to allow it to upload files")
	})
	t.Run("as a canvas in which nothing acts", func(t *testing.T) {
		s := set(t, slacksim.Options{}, with, true)
		ask(s, "show sso-rollout requirements-spec.md as canvas")
		s.told(priya, "is a canvas of this channel now: "+s.url+"/docs/"+team+"/F")
		_, link, _ := strings.Cut(strings.Join(s.private(priya), "\n"), "channel now: ")
		link, _, _ = strings.Cut(link, "\n")
		if got, want := s.fetch(strings.TrimPrefix(link, s.url)), "# Spec\n\n<\u2060!channel> <\u2060@U0PRIYA01> @\u2060here\n"; got != want {
			t.Errorf("I12: got %q, want %q", got, want)
		}
	})
	t.Run("as a file where there is no canvas", func(t *testing.T) {
		s := set(t, slacksim.Options{}, with, true)
		ask(s, "show sso-rollout meta.json as canvas")
		s.told(priya, "cannot be a canvas here")
		s.shared("meta.json")
		for _, refusal := range []string{"free_teams_cannot_create_non_tabbed_canvases", "canvas_disabled_user_team", "missing_scope"} {
			s.ws.Arm(slacksim.Fault{Method: "canvases.create", Error: refusal})
		}
		ask(s, "show sso-rollout requirements-spec.md as a canvas")
		s.shared("requirements-spec.md")
	})
	t.Run("says so when Slack does not take it", func(t *testing.T) {
		s := set(t, slacksim.Options{}, with, true)
		s.ws.Arm(slacksim.Fault{Method: "files.getUploadURLExternal", Error: "file_uploads_disabled"})
		ask(s, "show sso-rollout requirements-spec.md")
		s.told(priya, "could not be put here")
	})
}

// In the thread of a discussion or an analysis the item need not be named, and the
// wish is said to nobody else.
func TestShowInThread(t *testing.T) {
	item := func(ref engine.Ref, place thread.Place) map[string]func() ([]byte, error) {
		return map[string]func() ([]byte, error){
			"a discussion's": func() ([]byte, error) {
				return roundtable.Encode(roundtable.Discussion{ID: ref.ID, Place: place, Item: "sso-rollout", Cast: testRoster().Seats(), State: roundtable.StateDiscussionLoop})
			},
			"an analysis'": func() ([]byte, error) {
				return analysis.Encode(analysis.Analysis{ID: ref.ID, Place: place, Item: "sso-rollout", Cast: testRoster().Seats(), State: analysis.StateMenu})
			},
		}
	}
	for name := range item(engine.Ref{}, thread.Place{}) {
		t.Run(name, func(t *testing.T) {
			s := set(t, slacksim.Options{}, func(o *bot.Options) { o.Items = shelf{ofSSO()} }, true)
			ref, place := s.seated()
			state, err := item(ref, place)[name]()
			if err != nil {
				t.Fatal(err)
			}
			s.inbox.mu.Lock()
			s.inbox.state[ref] = state
			s.inbox.mu.Unlock()
			s.say(priya, place.Thread, "@Roundtable show requirements-spec.md")
			if m, _ := s.shared("requirements-spec.md"); m.ThreadTS != place.Thread {
				t.Errorf("shown in thread %q, want %q", m.ThreadTS, place.Thread)
			}
			s.say(priya, place.Thread, "@Roundtable show documents")
			s.told(priya, "sso-rollout has these documents")
			heard := s.say(priya, place.Thread, "@Roundtable show us the risks")
			if _, said := await[roundtable.Said](t, s.inbox); said.TS != heard {
				t.Errorf("%q was said to the room", said.Text)
			}
		})
	}
}
