// Package intent says what a message asks of a discussion (FR-003, FR-006): whether it
// leaves, whom it addresses, and which domains its words touch.
//
// [Read] takes a message apart once, as Slack delivers it, without what is quoted or code;
// everything else is asked of the [Reading]. The labelled messages that the rules are
// measured against lie in testdata.
//
// What this package is not: it knows no state and decides nothing about turns. What follows
// from an intent is the machines' to say.
package intent
