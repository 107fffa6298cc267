package say

import "fmt"

// HomeWords are what stands in the app's Home tab.
type HomeWords struct {
	Title, About, Start, Analyze string
	// Nothing stands where there are no threads; the others are headings.
	Nothing, Waiting, Open, Ended string
}

// Home returns the words of the Home tab.
func Home() HomeWords {
	return HomeWords{
		Title: "Roundtable",
		About: "A few colleagues with different points of view discuss a topic with you in a thread, or lead you through the analysis of an item step by step. You decide; what was decided is written down with names.",
		Start: "Start a roundtable", Analyze: "Analyse an item",
		Nothing: "You take part in no roundtable yet. Start one here, or in a channel: /roundtable and a topic, or /roundtable analyze and the name of an item.",
		Waiting: "Waiting for you", Open: "Under way", Ended: "Ended lately",
	}
}

// FormWords are the words of the form behind /roundtable alone.
type FormWords struct {
	Title, Submit, Cancel                                  string
	Topic, TopicHint, Context, ContextHint, Lead, Personas string
	Turns, TurnsHint, Invite, Channel                      string
	TwoPersonas, LeadOutside, TurnsRange                   string
}

// Form returns the words of the form. Title, Submit and Cancel are at most 24
// characters, Slack's limit.
func Form(minTurns, maxTurns int) FormWords {
	return FormWords{
		Title: "Start a roundtable", Submit: "Start", Cancel: "Cancel",
		Topic: "Topic", TopicHint: "What should the table discuss?",
		Context: "Context", ContextHint: "Anything the table should know. Paste freely.",
		Lead: "Lead", Personas: "Personas", Turns: "Turn limit",
		TurnsHint: fmt.Sprintf("Between %d and %d; everyone's contributions count.", minTurns, maxTurns),
		Invite:    "People to invite", Channel: "Channel",
		TwoPersonas: "Choose at least two personas, so that there is somebody to discuss with.",
		LeadOutside: "The lead has to be one of the chosen personas.",
		TurnsRange:  fmt.Sprintf("Give a whole number between %d and %d.", minTurns, maxTurns),
	}
}
