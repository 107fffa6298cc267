// Package persona says who sits at a table: what a deployment tells of its personas, and
// how those that a discussion is held with are seated.
//
// What this package is not: it judges no text (package voice does), it gives nobody words
// (bot/llm does), and it reads no files (manifests does).
package persona
