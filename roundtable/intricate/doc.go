// Package intricate is the list of shapes of text that make parsers work hard, read the
// same by the tests and benchmarks of every package that parses what people, models or
// documents hold. It is for tests, says only what a text looks like, and judges nothing.
package intricate
