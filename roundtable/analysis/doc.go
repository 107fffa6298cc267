// Package analysis holds the rules of the guided walk through the phases and
// steps of an item's analysis (FR-116): what a step file says, which step comes
// next, how deep it goes, what the menu offers, and what is written when.
//
// The heart is one function, in the manner of [roundtable.Step]: [Step] takes an
// [Analysis] and an [Input] and returns the next Analysis, the effects to perform
// and the entries for the transcript. An analysis is another kind of discussion:
// it lives in one thread, has a mailbox, an outbox and timers, and shares the
// stored forms of everything that both have. What it needs to know of an item and
// of the step files arrives with [Surveyed], which [Look] makes.
//
// What to read, in this order: stepfile.go and body.go (a step and its file),
// catalogue.go (which step comes next), depth.go and override.go, menu.go, then
// state.go, event.go, effect.go, step.go and the files named after their noun
// (elaborating.go and origin.go join an analysis with the discussions around it);
// fill.go, which performs a [Write] on an item's files without losing a byte.
// Every sentence that a person can read stands in words.go and words_edge.go.
//
// What this package is not: it knows no clock, no file system, no network and no
// Slack. Package manifests reads the step files; package engine drives.
package analysis
