// Package thread is what discussions and analyses have in common, pure: a conversation of
// people in one Slack thread. It has the people and what they may do, the log of what was
// said and the transcript that it folds to, how much there is room for, what people marked
// and decided, messages and the links in them, what somebody has to answer for, and the
// stored form of all these. The machines in packages roundtable and analysis decide with it;
// their events and effects are sums of their own, so that each is handled where it is known.
package thread
