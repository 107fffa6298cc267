// Package chaos plays roundtable under violence, as processes: several replicas
// of the real binary, a real Redis, and the local workspace in the test's own
// process. People hold hundreds of discussions while replicas are killed, halted
// and replaced, Redis restarts or fails over, and Slack refuses, cuts, repeats and
// delays. Then everything heals, and what is left in the threads, in Redis and in
// the documents is evidence for package invariant, which judges it by I1 to I12 of
// ARCHITECTURE.md (judge.go gathers it).
//
// In the mode Hostile people do the violence: rogues flood, edit, mark, press, forge
// and plant while the team talks (rogues.go, forged.go), and it is judged besides what
// they could bring about (contempt.go) and what the team felt of it (gauge.go).
//
// It is for tests (make chaos) and for nothing else: it starts and kills
// processes. It is no simulation: a seed repeats the schedule of the violence and
// what people say, not the interleaving. For crashes at every single call, see
// the engine's sweep.
//
// Slack's redelivery of events stays on, with short gaps: an event that Slack
// never delivers again is outside what this package judges.
package chaos
