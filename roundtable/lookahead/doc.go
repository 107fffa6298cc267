// Package lookahead bounds the work that a Markdown text makes: it says, before the text is
// parsed, whether reading it stays within a budget that grows with its length only.
//
// It is for everything that parses people's, models' or documents' Markdown: the Slack
// edge, which then draws the text as it stands, and package document, which then writes
// beside it. A CommonMark parser is linear over what people write and quadratic over
// what they could: 39,000 characters of "[](" took it 2.8 s, a document of 1 MB of
// "[a](" more than a minute, and no parser in a request's or a lease's time may do that.
//
// It is not a parser, and it judges nothing but effort. It looks at the text once, in
// one pass that stops when the budget is spent, and estimates from above: it counts
// what could be open, tried or walked over at worst in each stretch of lines without a
// blank one, never what CommonMark makes of it. So no trick of nesting one construct in
// another hides work from it. What is estimated is the behaviour of goldmark v1.8.7,
// which its tests compare step by step with a parser that counts.
package lookahead
