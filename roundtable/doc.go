// Package roundtable holds the rules of the game: what a discussion is, whose
// turn it is, when a discussion ends and what it leaves
// behind.
//
// The heart is one function. [Step] takes a [Discussion] and an [Input] and
// returns the next Discussion, the effects to perform and the entries to append
// to the transcript. Time, identifiers, people's messages and whatever a model
// wrote arrive as inputs; posting, asking a model and changing documents leave
// as effects, which are data. Step never waits, never fails and never changes
// what it was given, so a discussion can be stopped between any two steps and
// carried on by another process.
//
// What to read, in this order: state.go (the states and what a discussion
// remembers), event.go, effect.go, step.go (the table), then the files named
// after their noun: opening.go, messages.go, panel.go (who is called), rounds.go,
// buttons.go, marking.go, closing.go, check.go,
// synthesis.go. The sentences that the rules speak stand in the files words*.go.
// Package thread has what an analysis shares with it, package intent reads what a message
// asks, package persona says who sits at the table, and package say has the sentences
// with which the edge answers.
//
// What this package is not: it knows no clock, no randomness, no network, no
// Slack and no Redis. Package engine drives it, package storage keeps its
// states, package bot speaks with Slack.
package roundtable
