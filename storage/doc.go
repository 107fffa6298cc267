// Package storage keeps discussions, their mailboxes, outboxes, timers and
// leases, and the artifacts of items, in Redis. [Redis] implements engine.Store
// and engine.Items.
//
// Every change is one script, which touches one Cluster slot, carries an
// operation id so that it may be repeated when its reply was lost, and writes in
// an order in which every prefix is consistent. A holder is fenced by the id of
// the last operation applied to its discussion: whoever presents another changes
// nothing. Time is the server's.
//
// What to read, in this order: keys.go (every key), lua/prelude.lua (the rules of
// the scripts), lua/deliver.lua, lua/claim.lua, lua/commit.lua, then the Go file
// of the same name.
//
// What it is not: it knows nothing about what a discussion is. States, inputs,
// effects and transcript entries are bytes to it, and it decides nothing but who
// may change them.
package storage
