// Package forgetting holds the rules by which stored content is forgotten (FR-110): put
// out of sight at once, announced in the channel with the person who asked, kept for
// [Grace] in case somebody takes it back, and then removed for good.
//
// A forgetting is a small matter of its own, driven as a discussion is: it has a mailbox,
// an outbox and a timer, so that the notice is posted once, the removal is made once by
// whichever replica comes to it, and a crash at any point is gone on from. The heart is
// [Step], in the manner of [roundtable.Step]. What is to be hidden, brought back and
// removed is an effect; that it was is an event.
//
// The notice is the matter's root message, a view of its state ([Root]): once somebody
// took it back, or everything is gone, it says so and has no button any more.
//
// What this package is not: it does not know how anything is stored, and it does not know
// who opened what. Who may forget, and who may take back, is the edge's to ask before it
// delivers. Only what hangs on who somebody is, where Slack does not say, is decided here
// once it does: until then the wish is kept, and nothing is out of sight, or removed.
package forgetting
