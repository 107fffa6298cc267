// Package storagetest is for testing stores and whatever stands on one: servers
// of both kinds for one test each ([Redis], [Mini], [EachServer]), and a counter of round
// trips ([Trips]). What every store promises is package contract's. The store in memory
// that keeps those promises is enginetest.Memory.
//
// What it is not: none of it is for production.
package storagetest
