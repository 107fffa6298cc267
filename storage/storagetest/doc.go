// Package storagetest is for testing stores and whatever stands on one: servers
// of both kinds for one test each ([Redis], [Mini], [EachServer]), the contract of
// engine.Store and engine.Items as a suite ([RunContract]), a plain in-memory
// store that obeys it ([Model]), and a store that crashes at a chosen call
// ([Faulty]).
//
// What it is not: none of it is for production. Model keeps everything in one
// locked map and forgets it with the process.
package storagetest
