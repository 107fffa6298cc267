package roundtable

import "fmt"

// The sentences in this file are said at the edge, by the app itself and to one
// person only: what was taken in, and refusals. A refusal says what happened and what
// to do. None of them is shown with a mention or a link in it; whoever sends them
// escapes the whole. Answers to commands stand in words_answer.go.

// SayUnconfirmed says in a thread that n people marked decisions which do not count,
// because Slack has not said who they are.
func SayUnconfirmed(n int) string {
	who := "one of you is, so what they"
	if n > 1 {
		who = fmt.Sprintf("%d of you are, so what they", n)
	}
	return "Slack has not told me who " + who + " marked as decided is not among the decisions above. It stands in the transcript."
}
