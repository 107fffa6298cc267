// Package sweep has the engine play whole conversations and analyses: once in peace,
// and then once for each call that a replica makes to the store and to Slack, crashing
// before it, and after it with the reply lost. A pause sweep lets the replica stand still
// there instead, longer than its lease. Broken variants of the engine show that the sweep
// notices what it is for.
//
// Every point takes too long for each run of the checks. They visit every nth call of
// every conversation, beginning at -sweep.from, which make test takes from the commit, so
// that one commit always visits the same points and many commits visit all of them.
// make sweep visits every point.
//
// What it is not: a test of one behaviour. Those are beside the engine, and quick. The
// package is tests only; the stand-ins are in package enginetest, the judge is package invariant.
package sweep
