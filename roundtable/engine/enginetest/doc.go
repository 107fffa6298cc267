// Package enginetest proves the engine: stand-ins for everything outside it
// (a store, a Slack thread, a panel), replicas that crash at a chosen call, a
// world that plays a conversation against them and gathers what remains, for
// package invariant to judge.
//
// The stand-ins read the wall clock, so that inside a testing/synctest bubble a
// week passes in a millisecond, and outside it they work in real time against a
// real server.
//
// What it is not: part of the product.
package enginetest
