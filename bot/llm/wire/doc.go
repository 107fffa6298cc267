// Package wire is one HTTP exchange with a provider, which the provider's own library
// makes for us. An [Exchange] stands around it as middleware: it ends an exchange that
// falls silent or takes too long, takes a page in place of a stream for what it is, reads
// refusals in every form that servers write them (fault.go), and names failures without
// any of what was sent or received (I11). [Hear] reads a stream of events to its end.
//
// What the events of a provider mean is its own package's, and what is done about a
// failure is package llm's.
package wire
