package roundtable

// Intent is what a message asks of the discussion (SPEC §5).
type Intent string

// The intents, in the order in which they are tried.
const (
	IntentExit    Intent = "exit"
	IntentConfirm Intent = "confirm"
	IntentHuman   Intent = "human"
	IntentDirect  Intent = "direct"
	IntentGroup   Intent = "group"
	IntentDefault Intent = "default"
	IntentEmpty   Intent = "empty"
)

// Understanding is the meaning of one message and the rule that decided.
type Understanding struct {
	Intent Intent
	// Personas are those addressed, in the order named; only for IntentDirect.
	Personas []PersonaKey
	// Rule is the name of the deciding rule, for people who ask why.
	Rule string
}
