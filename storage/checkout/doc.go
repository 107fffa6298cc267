// Package checkout keeps the artifacts of items in a directory: one that people and
// other tools work in as well, such as docs/requirements of a Git checkout.
// [Store] implements engine.Items; [Open] says what the directory must allow.
//
// An item is a folder of the directory, named after its slug, with meta.json and the
// artifacts as plain files. Only those are read and written: a symbolic link is
// never followed, what is too large or has no artifact's name stays as it is, and
// nothing that this package did not read is ever replaced.
//
// What the folder cannot say stands in .roundtable/<folder>.json, the record: which
// channel has the item, so that no other channel can read it (I12), and the keys
// and results of the changes that were made, so that none is made twice (I8). A
// folder without a record, made by people or by another tool, is nobody's; the
// first channel that changes an item of its name has it from then on.
//
// # How a change of several files survives a crash
//
// One lock (flock on .roundtable/lock) orders all replicas of one host. Under it
//
//  1. the new files are written aside, into .roundtable/<folder>.staged, and synced;
//  2. the record is replaced by one that names them, with a digest of what each
//     replaces: from here on the change is made, whatever happens;
//  3. file by file, meta.json last, the digest is compared with what stands there
//     now, and the staged file is renamed into its place;
//  4. the record is replaced by one that remembers the key.
//
// Whoever next touches the item finds a change that is not completed and goes on
// with step 3. A staged file that is gone has landed, even if somebody edited it
// since; so no file receives a change twice. If somebody edited a file before it
// could land, the rest of the change is given up: the record remembers which files
// have it, the writer is told engine.ErrConflict and merges anew with what is there
// now, and the files that have it are left alone then.
//
// Between the comparison and the rename lie a few microseconds in which an editor
// that takes no lock could save. Nothing that a file system offers everywhere
// closes that gap; Git has what was committed.
//
// What it is not: it does not call Git, it is not for replicas on several hosts, and
// it does not know what a document says. Discussions, mailboxes and timers are
// package storage's.
package checkout
