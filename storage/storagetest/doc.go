// Package storagetest is for testing stores and whatever stands on one: servers
// of both kinds for one test each ([Redis], [Mini], [EachServer]), the contract of
// engine.Store and engine.Items as a suite ([RunContract]), and a counter of round
// trips ([Trips]). The store in memory that obeys the contract is enginetest.Memory.
//
// What it is not: none of it is for production.
package storagetest
