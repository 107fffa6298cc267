// Package doctor examines what a configuration names: it says of everything that it looks
// at how it is, what follows from that, and what to do. It changes nothing but a key in
// Redis that no other code reads and the folder of records beside documents.
//
// All of it is one table, in the order in which people read it ([Examine], table). A row is
// a check (check.go): what is looked at, how doctor learns of it, and what it can find, with
// what that means and what to do. One loop runs the rows and makes a [Finding] of each
// answer; a [Report] prints them, behind the door that lets no secret out (I11).
//
// The rows are beside what they are about: settings and files in files.go, Redis in
// redis.go, server.go and durability.go, Slack in slack.go, models in model.go. serve logs
// what the rows about Redis servers find when it starts ([WarnOfRedis]).
//
// What doctor tries is what serve would do: a [Subject] brings it along.
package doctor
