// Package enginetest proves the engine: stand-ins for everything outside it
// (a store, a Slack thread, a panel), replicas that crash at a chosen call, a
// world that plays a conversation against them, and the checker of the numbered
// invariants (ARCHITECTURE.md, “The invariants”) that judges what remains.
//
// The stand-ins read the wall clock, so that inside a testing/synctest bubble a
// week passes in a millisecond, and outside it they work in real time against a
// real server. The checker takes plain values and can judge any run: the crash
// sweep, a simulation, the chaos run.
//
// What it is not: part of the product.
package enginetest
