package roundtable

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestDomains shows who else may speak after a message to nobody in particular:
// whose ground it touches (FR-003, SPEC §5).
func TestDomains(t *testing.T) {
	cast := []Seat{
		{Key: "analyst", Name: "Maya Chen", Domain: []string{"user", "journey", "acceptance criteria", "story", "business"}},
		{Key: "architect", Name: "Alex Rivera", Domain: []string{"risk", "blast radius", "trade-off", "latency", "cache"}},
		{Key: "designer", Name: "Jordan Park", Domain: []string{"API", "error handling", "schemas", "match", ""}},
	}
	tests := []struct {
		name, text string
		want       []PersonaKey
	}{
		{"nothing", "yes, let us do that", nil},
		{"no text", "", nil},
		{"one word", "what is the risk?", []PersonaKey{"architect"}},
		{"in the order of the cast", "the api adds latency for the user", []PersonaKey{"analyst", "architect", "designer"}},
		{"the plural of a keyword", "Which journeys and which caches?", []PersonaKey{"analyst", "architect"}},
		{"a plural in y", "write the stories first", []PersonaKey{"analyst"}},
		{"a plural in es", "how many matches?", []PersonaKey{"designer"}},
		{"the singular of a keyword", "the schema is frozen", []PersonaKey{"designer"}},
		{"a possessive", "the user's phone", []PersonaKey{"analyst"}},
		{"a phrase", "and Error  handling?", []PersonaKey{"designer"}},
		{"half a phrase", "no error, no criteria", nil},
		{"a phrase across sentences", "That is an error. Handling it is hard.", nil},
		{"a phrase at the end, cut off", "what about the blast", nil},
		{"with and without a hyphen", "there is a trade off", []PersonaKey{"architect"}},
		{"hyphens with spaces in the keyword", "the blast-radius is small", []PersonaKey{"architect"}},
		{"part of a word", "capital, superuser, brisk businesslike", nil},
		{"a word that ends like a plural", "it is our business", []PersonaKey{"analyst"}},
		{"code does not count", "`cache.Get(user)` is fine", nil},
		{"a quoted line does not count", "> what about latency?\nwe looked at it", nil},
		{"a link's target does not count", "<https://example.com/api/user|this page>", nil},
		{"a link's label does", "<https://example.com/x|API guide>", []PersonaKey{"designer"}},
		{"lower-cased entities", "<@u0123> asked about latency", []PersonaKey{"architect"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, Domains(tt.text, cast)); diff != "" {
				t.Errorf("%q (-want +got)\n%s", tt.text, diff)
			}
		})
	}
}
