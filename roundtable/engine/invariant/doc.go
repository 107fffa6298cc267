// Package invariant judges whether a run kept the promises: it states each numbered invariant
// (ARCHITECTURE.md, “The invariants”), and who may end and decide (FR-108), once.
//
// A run (a test of the engine, the crash sweep, the simulation, chaos) gathers Evidence of
// each discussion, and of what all have in common, and has Check judge it. How a run came by
// its evidence is its own business; so is what only it can know: that nothing befell which
// could stop a discussion, who is a rogue, what was given up when a server forgot. It says
// so in the evidence. A part that a run does not know is left empty and not judged.
//
// inputs.go has what people did, posts.go what stands in Slack and who acted, course.go the
// way of a discussion, documents.go what was written, rights.go and acts.go who did what,
// text.go what may stand in no log and no post.
//
// What it is not: part of the product, nor a judge of what is measured (times, memory).
package invariant
