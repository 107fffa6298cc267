// Package engine drives discussions, analyses and forgettings: a replica claims one, lets
// its rules decide, commits what was decided in one atomic change of the store, performs
// the effects and reports their outcomes back to the rules. It owns the interfaces of
// everything it needs from outside ([Store], [Items], [Workplace], [Panel],
// [Inquirer], [Farewells]) and knows neither Redis nor Slack nor any model.
//
// What to read, in this order. mailbox.go, items.go and workplace.go are the interfaces
// and what they promise; matter.go says in what the three kinds of thread differ.
// engine.go receives, finds work and stops. worker.go is the loop for one claim, with its
// parts: lease.go (the right to act), workingcopy.go with history.go (what the store has
// and what was decided since), intake.go (what waits goes to the rules), perform.go (the
// outbox) with poster.go and enrich.go, asker.go (the questions to the panel), display.go
// (what is shown besides) and verify.go (what the store may have forgotten). recover.go
// reads for messages that never came, and backoff.go says when to try again.
// reader.go stands beside all that: it shows an edge, or an operator, how things stand, and
// needs no engine.
//
// The parts know each other in one direction:
//
//	worker → verifier → poster → sign → working copy → lease
//	       → asker → intake, performer → poster
//
// What may be relied on, and what the tests sweep for:
//
//   - People see nothing before its cause is committed, except what may be lost
//     or repeated without harm: questions to the panel, courtesies.
//   - A replica that lost a discussion does nothing more in its name. The store refuses
//     its commits, and no request to Slack leaves after its time.
//   - A post whose outcome is unknown is looked for before it is sent again.
//   - Time is the store's: replicas' clocks may differ.
//
// What it is not: it decides nothing about a discussion. The rules, in package
// roundtable and beside it, say whose turn it is, what to say and when to stop.
package engine
