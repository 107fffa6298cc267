package chaos

// Preface opens the report of a long run.
const Preface = `# Chaos

Written by ` + "`make chaos`" + ` with ` + "`-chaos.report`" + `; see ` + "`cmd/roundtable/chaos`" + `. Replicas of the real program, a real Redis and the
local workspace are ill-treated while people hold discussions; then everything heals, and threads, Redis and documents are
judged by the invariants of ARCHITECTURE. Waits are shortened (lease 3 s, settling 10.1 s, gathering 150 ms, nine turns at
most, Slack's redelivery once a second); nothing else differs from production. Redelivery stays on throughout.

What depends on the settings of Redis: a restart needs an append-only file; a failover needs replicas that confirm
(--redis-replicas 1). The mode "unconfirmed" shows what a failover breaks without.
`
