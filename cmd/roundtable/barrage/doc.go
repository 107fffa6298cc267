// Package barrage fires thousands of envelopes at the real program that no workspace
// would send: every kind there is, with forged people, channels, threads, buttons,
// forms and references, broken, huge and deep. A seed repeats them, one by one, but for
// the timestamps and ids of what a few people say meanwhile, which some of them name.
// What is judged at the end: the program lives and did not panic, its log holds
// nobody's words and no token, its memory is flat, nothing that the people wrote was put
// aside, and nobody opened, ended, decided or forgot anything that they had no right to.
//
// It is for tests (make fuzz-serve) and for nothing else. It judges what envelopes can
// do; what people can do to each other with honest ones under Slack's rates is the
// hostile mode of chaos, and what a parser does with a text, the fuzz targets.
package barrage
