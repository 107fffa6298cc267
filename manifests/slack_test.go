package manifests

import (
	"bytes"
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// TestSlackManifestIsValid checks the manifest against Slack's own schema
// (slackapi/manifest-schema, schemas/manifest.schema.2.0.0.json).
func TestSlackManifestIsValid(t *testing.T) {
	raw, err := os.ReadFile("testdata/manifest.schema.2.0.0.json")
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.UseRegexpEngine(withoutLookahead)
	if err := compiler.AddResource("manifest.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile("manifest.json")
	if err != nil {
		t.Fatal(err)
	}
	manifest, err := jsonschema.UnmarshalJSON(bytes.NewReader(mustLoad(t, nil).SlackApp))
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(manifest); err != nil {
		t.Errorf("Slack would refuse the manifest:\n%v", err)
	}
}

// withoutLookahead compiles Slack's patterns. Two of them, for domains, forbid a
// leading dot with a negative lookahead, which Go's expressions do not have; we
// use no such field.
func withoutLookahead(pattern string) (jsonschema.Regexp, error) {
	re, err := regexp.Compile(strings.Replace(pattern, `(?![\.\-])`, "", 1))
	return re, err
}

// appManifest is what the tests read of the manifest.
type appManifest struct {
	Features struct {
		AppHome struct {
			Home bool `json:"home_tab_enabled"`
		} `json:"app_home"`
		SlashCommands []struct {
			Command      string `json:"command"`
			ShouldEscape bool   `json:"should_escape"`
		} `json:"slash_commands"`
		Shortcuts []struct {
			Name       string `json:"name"`
			Type       string `json:"type"`
			CallbackID string `json:"callback_id"`
		} `json:"shortcuts"`
	} `json:"features"`
	OAuth struct {
		Scopes struct {
			Bot      []string `json:"bot"`
			Optional []string `json:"bot_optional"`
		} `json:"scopes"`
	} `json:"oauth_config"`
	Settings struct {
		SocketMode bool `json:"socket_mode_enabled"`
		Events     struct {
			Bot []string `json:"bot_events"`
		} `json:"event_subscriptions"`
	} `json:"settings"`
}

func readManifest(t *testing.T) appManifest {
	t.Helper()
	var m appManifest
	if err := json.Unmarshal(mustLoad(t, nil).SlackApp, &m); err != nil {
		t.Fatal(err)
	}
	return m
}

func TestSlackManifestWaysIn(t *testing.T) {
	m := readManifest(t)
	if len(m.Features.SlashCommands) != 1 || m.Features.SlashCommands[0].Command != "/roundtable" || !m.Features.SlashCommands[0].ShouldEscape {
		t.Errorf("slash commands = %+v, want /roundtable with escaped mentions", m.Features.SlashCommands)
	}
	message := 0
	for _, s := range m.Features.Shortcuts {
		if s.Type == "message" {
			message++
		}
	}
	if message != 1 {
		t.Errorf("shortcuts = %+v, want one of them in the menu of messages", m.Features.Shortcuts)
	}
	if !m.Settings.SocketMode {
		t.Error("Socket Mode is off; the bot has no other way in")
	}
}
