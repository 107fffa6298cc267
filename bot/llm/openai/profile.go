package openai

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Profile is what a server understands of the API.
type Profile struct {
	// MaxTokensField is the name under which it takes the limit of an answer:
	// "max_completion_tokens", or "max_tokens" for those that ignore the former.
	MaxTokensField string
	// JSONSchema says how it is told the form of an answer.
	JSONSchema SchemaMode
	// StreamUsage asks for the count of tokens at the end of a stream.
	StreamUsage bool
	// ReasoningEffort says how long to think; models that cannot think refuse it.
	ReasoningEffort bool
	// PromptCacheKey names what requests of a discussion have in common.
	PromptCacheKey bool
	// SystemRole is the role of what comes before the conversation: "system",
	// "developer", or "user" for models without one.
	SystemRole string
}

// SchemaMode is how a server is told the form of an answer.
type SchemaMode string

// The modes.
const (
	SchemaStrict  SchemaMode = "strict"  // response_format, and the answer must fit
	SchemaGrammar SchemaMode = "grammar" // response_format, without OpenAI's own word strict
	SchemaNone    SchemaMode = "none"    // in words, at the end of the instructions
)

// presets are profiles by name: OpenAI's own models that think; servers that
// enforce schemas by a grammar; and the least that can be expected.
func presets() map[string]Profile {
	return map[string]Profile{
		"openai":     {"max_completion_tokens", SchemaStrict, true, true, true, "system"},
		"compatible": {"max_tokens", SchemaGrammar, true, false, false, "system"},
		"minimal":    {"max_tokens", SchemaNone, false, false, false, "system"},
	}
}

// DefaultProfile is the name of the profile for OpenAI itself.
const DefaultProfile = "openai"

// ParseProfile reads a preset's name and what differs from it:
// "compatible,json_schema=none,stream_usage=false". Empty is DefaultProfile.
func ParseProfile(s string) (Profile, error) {
	if s == "" {
		s = DefaultProfile
	}
	parts := strings.Split(s, ",")
	p, ok := presets()[strings.TrimSpace(parts[0])]
	if !ok {
		return p, fmt.Errorf("there is no profile %q; it can be openai, compatible or minimal", parts[0])
	}
	for _, part := range parts[1:] {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		if err := p.set(name, value); err != nil {
			return p, err
		}
	}
	return p, nil
}

func (p *Profile) set(name, value string) error {
	var err error
	choice := func(to *string, words ...string) {
		if *to = value; !slices.Contains(words, value) {
			err = fmt.Errorf("%s can be %s, not %q", name, strings.Join(words, " or "), value)
		}
	}
	truth := func(to *bool) {
		if *to, err = strconv.ParseBool(value); err != nil {
			err = fmt.Errorf("%s can be true or false, not %q", name, value)
		}
	}
	switch name {
	case "max_tokens_field":
		choice(&p.MaxTokensField, "max_completion_tokens", "max_tokens")
	case "json_schema":
		choice((*string)(&p.JSONSchema), string(SchemaStrict), string(SchemaGrammar), string(SchemaNone))
	case "stream_usage":
		truth(&p.StreamUsage)
	case "reasoning_effort":
		truth(&p.ReasoningEffort)
	case "prompt_cache_key":
		truth(&p.PromptCacheKey)
	case "system_role":
		choice(&p.SystemRole, "system", "developer", "user")
	default:
		return fmt.Errorf("a profile has no field %q", name)
	}
	return err
}
