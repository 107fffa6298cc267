// Package simulation runs whole systems of roundtable, two or three real engines, a
// model of their store and a model of Slack, under one scheduler that decides
// everything: which call goes next, how long it takes, whether it fails, when a
// replica dies or stands still, when the store forgets its newest writes, and what
// people do meanwhile. A run is a function of its [Plan]; a plan is drawn from a
// seed ([Draw]); a plan that breaks an invariant shrinks to one that a person can
// read ([Shrink]).
//
// How it works: the engines run as they are, inside a testing/synctest bubble. Every
// call through one of their ports waits at a gate (gate.go). When everything waits,
// the scheduler (world.go) lets exactly one call go, performs it on the models
// itself, and waits again, or lets time pass until something can go. Every choice is
// a hash of the seed and of the name of what it is about, never of the choices
// before it: so one fault can be left out, and the rest of the run stays as like
// itself as it can.
//
// What is judged: the invariants, by package invariant. The simulation (judge.go) tells it
// what it alone can know: that a replica acts on what another took over, that something does
// not come to rest, that something harmless is put aside, that a post is doubled, if only for
// a while, though Slack kept its word; and what was not promised.
//
// What it is not: a proof of the store's scripts or of the edge to Slack, which are
// models here. The crash sweeps of package sweep run the former, the chaos run
// both.
package simulation
