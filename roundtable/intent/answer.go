package intent

import "strings"

// Answer is what a reply to a yes-or-no question says. Its numbers are stored.
type Answer int

const (
	Neither Answer = iota
	Yes
	No
)

// YesOrNo reads a plain answer to a yes-or-no question.
func YesOrNo(text string) Answer {
	switch strings.Trim(strings.ToLower(strings.Join(strings.Fields(text), " ")), " .!,👍") {
	case "yes", "yep", "yeah", "yes please", "sure", "ok", "okay", "please do", "go ahead", "y":
		return Yes
	case "no", "nope", "not yet", "no thanks", "keep going", "let's go on", "go on", "n":
		return No
	}
	return Neither
}
