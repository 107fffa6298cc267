// Package doctor examines what a configuration names: it says of everything that it looks
// at how it is, what follows from that, and what to do. It changes nothing but a key in
// Redis that nobody reads and the folder of records beside documents.
//
// [Examine] runs the examinations, a file each: files.go, redis.go, slack.go, model.go.
// What each finds is data, a [Finding], and is printed in one place (report.go), behind
// the door that lets no secret out (I11). server.go and durability.go are a table of
// what can be found of a Redis server: when, how bad, what it means, what to do. serve logs
// the same when it starts ([WarnOfRedis]).
//
// What doctor tries is what serve would do: a [Subject] brings it along.
package doctor
