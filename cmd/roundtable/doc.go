// Command roundtable is the whole program: the bot (serve), a local workspace to
// try it in (demo), and the tools around them. It wires the packages together and
// decides nothing itself.
package main
