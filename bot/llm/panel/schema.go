package panel

import (
	"encoding/json"
	"strings"

	"github.com/roundtable-chat/app/roundtable/persona"
)

// Names of the schemas, which providers and logs use.
const (
	framingName   = "framing"
	roundName     = "round"
	synthesisName = "synthesis"
	inquiryName   = "inquiry"
	composingName = "composition"
)

// The schemas are written out, because the order of the properties is the order in
// which a model writes them: what it must have made up its mind about comes before
// what follows from it. They use only what all providers support: no lengths, no
// bounds, every property required, null where something may be missing.

// framingSchema asks for a framing by the lead; others may be asked first.
func framingSchema(others []persona.Persona) json.RawMessage {
	return fill(`{
"type": "object", "additionalProperties": false, "required": ["summary", "focus", "ask"],
"properties": {
  "summary": {"type": "string", "description": "where the step landed, one or two sentences; empty if nothing is known"},
  "focus": {"type": "string", "description": "the focus question: one sentence that ends in a question mark"},
  "ask": {"type": "string", "enum": $SPEAKERS, "description": "the colleague who is asked first"}
}}`, others)
}

// roundSchema asks for a round. It names the whole cast, whoever is called, so
// that it is the same in every round of a discussion: it is part of what is
// cached.
func roundSchema(cast []persona.Persona) json.RawMessage {
	return fill(`{
"type": "object", "additionalProperties": false, "required": ["relevance", "contributions", "conflict"],
"properties": {
  "relevance": {
    "type": "object", "additionalProperties": false, "required": ["verdict", "turn", "subject", "belongs"],
    "properties": {
      "verdict": {"type": "string", "enum": ["on", "adjacent", "off"]},
      "turn": {"type": ["integer", "null"], "description": "the turn that is off topic"},
      "subject": {"type": ["string", "null"], "description": "what it is about, a few words"},
      "belongs": {"type": ["string", "null"], "description": "the step or phase where it belongs"}
    }
  },
  "contributions": {
    "type": "array",
    "items": {
      "type": "object", "additionalProperties": false, "required": ["speaker", "stance", "reply_to", "text"],
      "properties": {
        "speaker": {"type": "string", "enum": $SPEAKERS},
        "stance": {"type": "string", "enum": ["agree", "disagree", "question", "add", "silent"]},
        "reply_to": {"type": ["integer", "null"], "description": "number of the turn that is answered"},
        "text": {"type": "string", "description": "what is said; for silent, why, in at most eight words"}
      }
    }
  },
  "conflict": {
    "anyOf": [
      {"type": "null"},
      {
        "type": "object", "additionalProperties": false, "required": ["question", "options"],
        "properties": {
          "question": {"type": "string", "description": "what the room has to choose"},
          "options": {
            "type": "array",
            "items": {
              "type": "object", "additionalProperties": false, "required": ["by", "label", "reason"],
              "properties": {
                "by": {"type": "string", "enum": $SPEAKERS},
                "label": {"type": "string", "description": "the position, at most eight words"},
                "reason": {"type": "string", "description": "its reason, one sentence"}
              }
            }
          }
        }
      }
    ]
  }
}}`, cast)
}

// synthesisSchema asks for a draft. A point's turns come before its text: first
// the evidence, then the claim; and the summary comes last.
func synthesisSchema() json.RawMessage {
	const point = `{
      "type": "object", "additionalProperties": false, "required": ["turns", "text", "why"],
      "properties": {
        "turns": {"type": "array", "items": {"type": "integer"}, "description": "numbers of the turns that support it"},
        "text": {"type": "string", "description": "one sentence that can be read alone"},
        "why": {"type": ["string", "null"], "description": "rationale, or why it is open and who should resolve it"}
      }
    }`
	return compacted(strings.ReplaceAll(`{
"type": "object", "additionalProperties": false,
"required": ["insights", "decisions", "open_questions", "action_items", "summary"],
"properties": {
  "insights": {"type": "array", "items": $POINT},
  "decisions": {"type": "array", "items": $POINT},
  "open_questions": {"type": "array", "items": $POINT},
  "action_items": {"type": "array", "items": $POINT},
  "summary": {"type": "string", "description": "the outcome in one sentence of at most 100 characters"}
}}`, "$POINT", point))
}

// evidence is something by its number, with the turns that speak to it.
const evidence = `{
    "type": "object", "additionalProperties": false, "required": ["number", "turns"],
    "properties": {
      "number": {"type": "integer"},
      "turns": {"type": "array", "items": {"type": "integer"}, "description": "numbers of people's turns"}
    }
  }`

// inquirySchema asks for the lead's next words. Taking stock comes first, so that
// what is asked follows from what is open. It is the same in every step.
func inquirySchema() json.RawMessage {
	return compacted(strings.ReplaceAll(`{
"type": "object", "additionalProperties": false,
"required": ["criteria", "prompts", "enough", "summary", "reflection", "prompt", "question"],
"properties": {
  "criteria": {"type": "array", "items": $EVIDENCE},
  "prompts": {"type": "array", "items": $EVIDENCE},
  "enough": {"type": "boolean"},
  "summary": {"type": ["string", "null"]},
  "reflection": {"type": "string"},
  "prompt": {"type": ["integer", "null"]},
  "question": {"type": "string"}
}}`, "$EVIDENCE", evidence))
}

// composingSchema asks for what goes into documents. The evidence of a statement
// comes before what it is and what it says.
func composingSchema() json.RawMessage {
	return compacted(strings.ReplaceAll(`{
"type": "object", "additionalProperties": false,
"required": ["criteria", "parts", "summary", "point"],
"properties": {
  "criteria": {"type": "array", "items": $EVIDENCE},
  "parts": {
    "type": "array",
    "items": {
      "type": "object", "additionalProperties": false, "required": ["place", "document", "groups"],
      "properties": {
        "place": {"type": "integer"},
        "document": {"type": ["string", "null"]},
        "groups": {
          "type": "array",
          "items": {
            "type": "object", "additionalProperties": false, "required": ["label", "columns", "entries"],
            "properties": {
              "label": {"type": ["string", "null"]},
              "columns": {"type": "array", "items": {"type": "string"}},
              "entries": {
                "type": "array",
                "items": {
                  "type": "object", "additionalProperties": false, "required": ["turns", "basis", "cells"],
                  "properties": {
                    "turns": {"type": "array", "items": {"type": "integer"}, "description": "numbers of people's turns"},
                    "basis": {"type": "string", "enum": ["said", "assumed", "open"]},
                    "cells": {"type": "array", "items": {"type": "string"}}
                  }
                }
              }
            }
          }
        }
      }
    }
  },
  "summary": {"type": "string"},
  "point": {"type": ["string", "null"]}
}}`, "$EVIDENCE", evidence))
}

// fill puts the speakers' keys into a schema.
func fill(schema string, speakers []persona.Persona) json.RawMessage {
	keys := make([]string, len(speakers))
	for i, p := range speakers {
		keys[i] = string(p.Key)
	}
	return compacted(strings.ReplaceAll(schema, "$SPEAKERS", line(keys)))
}

// compacted takes the layout out of a schema: every byte of it is paid for.
func compacted(schema string) json.RawMessage {
	var b strings.Builder
	for part := range strings.Lines(schema) {
		b.WriteString(strings.TrimSpace(part))
	}
	return json.RawMessage(b.String())
}

// line is a value as one line of JSON, in which no bracket of a tag can stand.
func line(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		return "null" // nothing here holds what cannot be marshalled
	}
	return string(raw)
}
