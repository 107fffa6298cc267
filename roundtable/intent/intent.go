package intent

import "github.com/roundtable-chat/app/roundtable/persona"

// Kind is what a message asks of the discussion (FR-003).
type Kind string

// The intents, in the order in which they are tried. Empty comes first in fact:
// where nothing is left to read, nothing can be asked.
const (
	Exit    Kind = "exit"
	Confirm Kind = "confirm"
	Human   Kind = "human"
	Direct  Kind = "direct"
	Group   Kind = "group"
	Default Kind = "default"
	Empty   Kind = "empty"
)

// Understanding is the meaning of one message and the rule that decided.
type Understanding struct {
	Intent Kind
	// Personas are those addressed, in the order named; only for Direct.
	Personas []persona.Key
	// Rule is the name of the deciding rule, for people who ask why; see Rules.
	Rule string
}

// Participants is who sits there: what a message is understood against.
type Participants struct {
	// Cast are the personas of the discussion.
	Cast []persona.Seat
	// BotUser is the user id whose mention means the app itself, or empty. The
	// handle "@roundtable" typed by hand means it in any case.
	BotUser string
}

// The names of the rules. They are printed by `roundtable route` and are stable.
const (
	ruleBlank       = "blank"
	ruleExitCode    = "exit-code"
	ruleExitWord    = "exit-word"
	ruleExitPhrase  = "exit-phrase"
	ruleConfirm     = "confirm-question"
	ruleHedge       = "confirm-hedge"
	rulePersonFirst = "mention-first"
	rulePersonLast  = "mention-last"
	ruleUserGroup   = "name-usergroup"
	ruleHandle      = "name-handle"
	ruleNameStart   = "name-vocative-start"
	ruleNameMiddle  = "name-vocative-middle"
	ruleNameEnd     = "name-vocative-end"
	ruleNameAsked   = "name-asked-for"
	ruleBroadcast   = "broadcast"
	ruleRoomName    = "group-vocative"
	ruleRoomPhrase  = "group-phrase"
	ruleBotQuestion = "bot-question"
	ruleNone        = "none"
)

// Rule describes one of the rules by which Understand decides.
type Rule struct {
	Name    string
	Intent  Kind
	Meaning string
	Example string
}

// Rules lists the rules in the order in which they are tried, for the
// documentation and for people who ask why a message went where it went.
func Rules() []Rule {
	return []Rule{
		{ruleBlank, Empty, "nothing is left once space, quoted lines and the app's own mention are taken away", "@Roundtable"},
		{ruleExitCode, Exit, "the whole message is a leaving word in code marks", "`done`"},
		{ruleExitWord, Exit, "a leaving word stands alone, or among courtesies only", "Done, thanks!"},
		{ruleExitPhrase, Exit, "a clause asks to leave, and nothing after it goes on", "Great discussion. Let's wrap up."},
		{ruleConfirm, Confirm, "leaving is put as a question", "should we wrap up?"},
		{ruleHedge, Confirm, "leaving is suggested, near or doubtful", "I think we're almost done"},
		{rulePersonFirst, Human, "the message begins with a mention of a person and addresses no persona", "@priya can you check this?"},
		{rulePersonLast, Human, "a question ends with a mention of a person and addresses no persona", "what do you think, @priya?"},
		{ruleUserGroup, Direct, "the persona's user group is mentioned", "@alex how would you shard this?"},
		{ruleHandle, Direct, "the persona's name is written as a handle", "what about the cost @alex"},
		{ruleNameStart, Direct, "a sentence begins by calling the persona", "hey Alex what breaks first?"},
		{ruleNameMiddle, Direct, "the persona is called within a sentence", "Good point, Alex, but who pays?"},
		{ruleNameEnd, Direct, "a sentence ends by calling the persona", "what do you think, Alex?"},
		{ruleNameAsked, Direct, "somebody asks to hear the persona", "I'd like to hear from Jordan"},
		{ruleBroadcast, Group, "@here, @channel or @everyone is mentioned", "@here what did we miss?"},
		{ruleRoomName, Group, "the room is called: everyone, team, folks, all", "team, any blockers?"},
		{ruleRoomPhrase, Group, "the room is asked: you all, all of you, what do you think", "what do you all think?"},
		{ruleBotQuestion, Group, "the app is mentioned with an open question", "@Roundtable what about caching?"},
		{ruleNone, Default, "nothing above applies", "we have about 3,000 merchants"},
	}
}

// Understand says what a message asks of the discussion (FR-003, FR-006). It is
// a pure function of the text and the table. Code, quoted lines, quoted words
// and link targets decide nothing (FR-003); a message that consists of a
// leaving word in code marks is the one exception.
//
// text is a message as Slack delivers it, with its entities ("<@U…>", "&gt;").
func Understand(text string, t Participants) Understanding { return Read(text, t).Understand(t.Cast) }

func (r Reading) Understand(cast []persona.Seat) Understanding {
	if r.blank {
		return Understanding{Intent: Empty, Rule: ruleBlank}
	}
	if intent, rule, ok := r.leaving(); ok {
		return Understanding{Intent: intent, Rule: rule}
	}
	seats, rule := r.addressed()
	if len(seats) > 0 {
		u := Understanding{Intent: Direct, Rule: rule}
		for _, seat := range seats {
			u.Personas = append(u.Personas, cast[seat].Key)
		}
		return u
	}
	if rule, ok := r.toPerson(); ok {
		return Understanding{Intent: Human, Rule: rule}
	}
	if rule, ok := r.toRoom(); ok {
		return Understanding{Intent: Group, Rule: rule}
	}
	return Understanding{Intent: Default, Rule: ruleNone}
}
