// Package contract is what every store of the bot promises, as suites that a store's own
// tests run: [Run] for discussions, their mail, leases, timers and items, [RunItems] for
// items alone, [RunLedger] for the budgets of language models. The store on Redis, the
// directory of documents and the store in memory that tests use are held to it.
//
// A promise is a test with a sentence for a name; a file holds those of one subject. What
// a server of Redis may do to a store (a torn file, a failover) is not asked here, but by
// the tests of package storage.
package contract
