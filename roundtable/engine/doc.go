// Package engine drives discussions and analyses: it claims one, lets its rules
// decide, commits what was decided in one atomic change of the store, performs the
// effects and reports their outcomes back to the rules. It owns the interfaces of
// everything it needs from outside ([Store], [Items], [Workplace], [Panel],
// [Inquirer]) and knows neither Redis nor Slack nor any model.
//
// What to read, in this order: store.go, items.go, panel.go and workplace.go (the
// interfaces and what they promise), matter.go (in what a discussion and an
// analysis differ), engine.go and run.go (receiving, finding work, stopping),
// turn.go (one holding of a matter, worked off), change.go (what is decided and not
// committed yet), mail.go (taking in), then what is performed: post.go, ask.go,
// enrich.go with merge.go, root.go; recover.go (what never came, or was forgotten);
// and rest.go (waiting, giving back, closing).
//
// What may be relied on, and what the tests sweep for:
//
//   - Nothing is visible before its cause is committed, except what may be lost
//     or repeated without harm: questions to the panel, courtesies.
//   - Who lost a discussion does nothing more in its name. The store refuses its
//     commits, and no request to Slack leaves after its time.
//   - A post whose outcome is unknown is looked for before it is sent again.
//   - Time is the store's: replicas' clocks may differ.
//
// What it is not: it decides nothing about a discussion. Whose turn it is, what
// to say and when to stop stand in package roundtable.
package engine
