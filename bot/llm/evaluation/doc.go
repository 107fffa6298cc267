// Package evaluation measures how well a panel speaks for its personas: it plays
// discussions through the rules, in memory, and counts who can be told apart, who
// repeats whom, who gives in, who claims a consent that nobody gave, what was
// decided and kept, and what it cost. A mechanical classifier attributes every
// contribution blindly; a model of another vendor may judge beside it, once it has
// shown on lines of known origin that it can.
//
// It says nothing about whether what was said is true or useful, and its figures
// compare panels with each other only over the same topics and rounds.
package evaluation
