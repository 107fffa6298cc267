package chaos

// Preface opens the report of a long run. Whoever changes a wait in serve or in
// newTown tells it here.
const Preface = `# Chaos

Written by ` + "`make chaos-long`" + ` and ` + "`make hostile`" + ` (` + "`-chaos.report`" + `) and by nobody else; see ` + "`cmd/roundtable/chaos`" + `. Replicas of the real program, a
real Redis and the local workspace are ill-treated while people hold discussions; then everything heals, and threads, Redis
and documents are judged by the invariants of ARCHITECTURE.

What differs from production, so that much happens in little time: a lease lasts 3 s (30 s), settling 10.1 s (13 s),
gathering 150 ms (3 s) and draining 3 s (20 s); a discussion has at most nine turns (ten); personas are the offline ones and
think for 10 ms; replicas have no address for health and metrics. The local workspace waits 2.7 s (3 s) for an
acknowledgement and pings every 2 s; it delivers an event again at once, then with gaps that grow to one second, for as long
as it takes (after 0, 1 and 5 minutes, then never again). A late acknowledgement is held back until its event has left
again, and counts then; that of a click or a command comes too late for the person.

What depends on the settings of Redis: a restart needs an append-only file; a failover needs replicas that confirm
(--redis-replicas 1). The mode "unconfirmed" is for what a failover can break without.

In the mode "hostile" nobody is killed, unless kills are asked for, and a lease lasts 30 s: rogues (a member, a member of other rooms, two guests, a
person of another workspace, another app) do to the team what they can, in the team's threads and in their own. Slack enforces the
rates that it documents, and gives an event up after a third repetition, the last after 6 s (5 minutes). Documents are kept in a directory, into
which a rogue puts some. In the end every replica is replaced, people end every discussion, and besides the invariants it is judged how long
the team's acknowledgements took, how large the replicas grew, who did what without the right, where links lead, and what the logs tell.
`
