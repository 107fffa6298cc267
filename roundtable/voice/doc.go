// Package voice checks that a text is one that its persona would say (FR-010): in
// its own vocabulary, in its own name, at its own length, and not what somebody
// has just said. What is particular to a persona comes from its YAML file.
//
// It judges by rules that can be named to whoever wrote the text, so that it can
// be written again. It does not judge whether what is said is true or useful, it
// does not change a text, and it does not decide what follows from a fault.
//
// It understands English. In other languages its rules on names, length,
// repetition and the persona's own vocabulary still hold.
package voice
