// Package engine drives discussions: it claims one, lets roundtable.Step decide,
// commits what was decided in one atomic change of the store, performs the
// effects and reports their outcomes back to Step. It owns the interfaces of
// everything it needs from outside ([Store], [Items], [Workplace], [Panel]) and
// knows neither Redis nor Slack nor any model.
//
// What it is not: it decides nothing about a discussion. Whose turn it is, what
// to say and when to stop stand in package roundtable.
package engine
