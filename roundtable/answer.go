package roundtable

import "strings"

// answer is what a reply to a yes-or-no question says.
type answer int

const (
	answerNeither answer = iota
	answerYes
	answerNo
)

// yesOrNo reads a plain answer to a yes-or-no question.
func yesOrNo(text string) answer {
	switch strings.Trim(strings.ToLower(oneLine(text)), " .!,👍") {
	case "yes", "yep", "yeah", "yes please", "sure", "ok", "okay", "please do", "go ahead", "y":
		return answerYes
	case "no", "nope", "not yet", "no thanks", "keep going", "let's go on", "go on", "n":
		return answerNo
	}
	return answerNeither
}
