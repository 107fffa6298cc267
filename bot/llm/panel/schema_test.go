package panel

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/roundtable-chat/app/roundtable/thread"
)

// compiled compiles a schema as a validator does.
func compiled(t *testing.T, raw json.RawMessage) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("mem:schema.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("mem:schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func fits(t *testing.T, s *jsonschema.Schema, text string) bool {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return s.Validate(doc) == nil
}

// The schemas are schemas, take what they should and nothing else.
func TestSchemas(t *testing.T) {
	people := cast(t)
	conflict := `{"question":"Which?","options":[{"by":"business-analyst","label":"a","reason":"b"}]}`
	tests := []struct {
		name   string
		schema json.RawMessage
		text   string
		want   bool
	}{
		{"a round", roundSchema(people), spoken(utters(maya, mayaSays), silent(alex)), true},
		{"a round with a conflict", roundSchema(people), spokenWith(conflict, utters(maya, mayaSays)), true},
		{"a round as it is replayed", roundSchema(people), answered([]thread.Turn{{Persona: maya, Text: "x", ReplyTo: 4}, {Persona: alex, Text: "y", Stance: thread.StanceDisagree}}), true},
		{"a silent round", roundSchema(people), spoken(), true},
		{"a stranger", roundSchema(people), spoken(utters("Priya", "x")), false},
		{"another stance", roundSchema(people), strings.Replace(spoken(utters(maya, "x")), `"add"`, `"shout"`, 1), false},
		{"more than was asked for", roundSchema(people), strings.Replace(spoken(), `"conflict":null`, `"conflict":null,"state":"closed"`, 1), false},
		{"a framing", framingSchema(people[1:]), `{"summary":"","focus":"What?","ask":"solutions-architect"}`, true},
		{"a framing that asks the lead", framingSchema(people[1:]), `{"summary":"","focus":"What?","ask":"business-analyst"}`, false},
		{
			"a synthesis", synthesisSchema(),
			`{"insights":[{"turns":[2,3],"text":"a","why":null}],"decisions":[{"turns":[4],"text":"b","why":"c"}],"open_questions":[],"action_items":[],"summary":"s"}`, true,
		},
		{"a question of a lead", inquirySchema(), next(both, both, false, takesUp, asksOn, "2"), true},
		{"a question that chooses at a menu", inquirySchema(), strings.Replace(next(both, both, true, "", "", "null"), `"enough":true`, `"enough":true,"choice":"continue"`, 1), false},
		{"a draft", composingSchema(), strings.ReplaceAll(composed1, `"4"`, `4`), true},
		{"a draft with a statement that says not what it rests on", composingSchema(), composing("[]", "null", placed("1", "null", grouped("", nil, `{"turns":[],"cells":["x"]}`))), false},
		{"a draft that states a fact of its own", composingSchema(), composing("[]", "null", placed("1", "null", grouped("", nil, entry("", "known", "x")))), false},
		{"a synthesis without turns", synthesisSchema(), `{"insights":[{"text":"a","why":null}],"decisions":[],"open_questions":[],"action_items":[],"summary":"s"}`, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := fits(t, compiled(t, test.schema), test.text); got != test.want {
				t.Errorf("fits: got %v, want %v", got, test.want)
			}
		})
	}
}

// The properties stand in the order in which they are to be written: a stance
// before the text, the evidence before the claim, the summary last.
func TestSchemaOrder(t *testing.T) {
	for name, test := range map[string]struct {
		schema json.RawMessage
		order  []string
	}{
		"round":       {roundSchema(cast(t)), []string{"relevance", "verdict", "contributions", "speaker", "stance", "reply_to", "text", "conflict", "question", "options", "by", "label"}},
		"inquiry":     {inquirySchema(), []string{"criteria", "number", "turns", "prompts", "enough", "summary", "reflection", "prompt", "question"}},
		"composition": {composingSchema(), []string{"criteria", "number", "turns", "parts", "place", "document", "groups", "label", "columns", "entries", "turns", "basis", "cells", "summary", "point"}},
		"framing":     {framingSchema(cast(t)), []string{"summary", "focus", "ask"}},
		"synthesis":   {synthesisSchema(), []string{"insights", "turns", "text", "why", "decisions", "open_questions", "action_items", "summary"}},
	} {
		at, text := 0, string(test.schema)
		for _, property := range test.order {
			i := strings.Index(text[at:], `"`+property+`": {`)
			if i < 0 {
				t.Errorf("%s: %s does not follow in its place", name, property)
				break
			}
			at += i
		}
		if strings.ContainsAny(text, "\n\t") || strings.Contains(text, "  ") {
			t.Errorf("%s: layout is sent and paid for", name)
		}
	}
}

// Only keywords that every provider supports, every property required, nothing
// additional.
func TestSchemaKeywords(t *testing.T) {
	known := map[string]bool{
		"type": true, "properties": true, "required": true, "additionalProperties": true, "items": true,
		"enum": true, "anyOf": true, "description": true,
	}
	var walk func(t *testing.T, v any)
	walk = func(t *testing.T, v any) {
		o, ok := v.(map[string]any)
		if !ok {
			return
		}
		for k := range o {
			if !known[k] {
				t.Errorf("keyword %s is not supported everywhere", k)
			}
		}
		properties, _ := o["properties"].(map[string]any)
		required, _ := o["required"].([]any)
		if len(properties) != len(required) || len(properties) > 0 && o["additionalProperties"] != false {
			t.Errorf("%d properties, %d required, additional: %v", len(properties), len(required), o["additionalProperties"])
		}
		for _, p := range properties {
			walk(t, p)
		}
		walk(t, o["items"])
		options, _ := o["anyOf"].([]any)
		for _, a := range options {
			walk(t, a)
		}
	}
	for _, raw := range []json.RawMessage{roundSchema(cast(t)), framingSchema(cast(t)), synthesisSchema(), inquirySchema(), composingSchema()} {
		var v any
		if err := json.Unmarshal(raw, &v); err != nil {
			t.Fatal(err)
		}
		walk(t, v)
	}
}
