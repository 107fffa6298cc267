// Package bot is the Slack edge: it turns what Slack delivers into inputs of
// discussions, and what discussions say into messages in Slack.
//
// Inwards, two Socket Mode connections (supervise.go, session.go) read
// envelopes; each is handled on its own (receive.go): decoded (decode.go, and a
// file per kind of event), routed to a discussion (route.go; reaction.go for marks,
// whose events name no thread), put into the
// [Inbox] and only then acknowledged (I1). What cannot be stored is not
// acknowledged, so that Slack delivers it again; a command or a click, which
// Slack never repeats, is answered with a sentence instead.
//
// Outwards, [Workplace] implements engine.Workplace over the Web API: it posts
// under a persona's name, says what became of a request that did not plainly
// succeed (outcome.go), and never lets a byte of a post leave after its deadline
// (deadline.go). What Slack wants left alone, no replica calls (backoff.go). render.go and its neighbours draw messages as rich text, in
// which no word of a person or a model can become a mention or a link (I12).
//
// What this package is not: it decides nothing about a discussion, keeps nothing
// that may not be forgotten, and knows neither the store's forms nor a model: how things
// stand it sees as engine.View. The words
// it says to people stand in packages roundtable and roundtable/analysis.
package bot
