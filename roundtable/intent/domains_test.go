package intent

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/roundtable-chat/app/roundtable/persona"
)

// TestDomains shows who else may speak after a message to nobody in particular:
// whose ground it touches (FR-003).
func TestDomains(t *testing.T) {
	cast := []persona.Seat{
		{Key: "analyst", Name: "Maya Chen", Domain: []string{"user", "journey", "acceptance criteria", "story", "business"}},
		{Key: "architect", Name: "Alex Rivera", Domain: []string{"risk", "blast radius", "trade-off", "latency", "cache"}},
		{Key: "designer", Name: "Jordan Park", Domain: []string{"API", "error handling", "schemas", "match", ""}},
	}
	tests := []struct {
		name, text string
		want       []persona.Key
	}{
		{"nothing", "yes, let us do that", nil},
		{"no text", "", nil},
		{"one word", "what is the risk?", []persona.Key{"architect"}},
		{"in the order of the cast", "the api adds latency for the user", []persona.Key{"analyst", "architect", "designer"}},
		{"the plural of a keyword", "Which journeys and which caches?", []persona.Key{"analyst", "architect"}},
		{"a plural in y", "write the stories first", []persona.Key{"analyst"}},
		{"a plural in es", "how many matches?", []persona.Key{"designer"}},
		{"the singular of a keyword", "the schema is frozen", []persona.Key{"designer"}},
		{"a possessive", "the user's phone", []persona.Key{"analyst"}},
		{"a phrase", "and Error  handling?", []persona.Key{"designer"}},
		{"half a phrase", "no error, no criteria", nil},
		{"a phrase across sentences", "That is an error. Handling it is hard.", nil},
		{"a phrase at the end, cut off", "what about the blast", nil},
		{"with and without a hyphen", "there is a trade off", []persona.Key{"architect"}},
		{"hyphens with spaces in the keyword", "the blast-radius is small", []persona.Key{"architect"}},
		{"part of a word", "capital, superuser, brisk businesslike", nil},
		{"a word that ends like a plural", "it is our business", []persona.Key{"analyst"}},
		{"code does not count", "`cache.Get(user)` is fine", nil},
		{"a quoted line does not count", "> what about latency?\nwe looked at it", nil},
		{"a link's target does not count", "<https://example.com/api/user|this page>", nil},
		{"a link's label does", "<https://example.com/x|API guide>", []persona.Key{"designer"}},
		{"lower-cased entities", "<@u0123> asked about latency", []persona.Key{"architect"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, Domains(tt.text, cast)); diff != "" {
				t.Errorf("%q (-want +got)\n%s", tt.text, diff)
			}
		})
	}
}
