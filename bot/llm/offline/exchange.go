package offline

import (
	"strings"

	"github.com/roundtable-chat/app/roundtable/analysis"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// exchange is a question of the lead and what people answered to it; the question
// is empty where they spoke without one.
type exchange struct {
	question string
	answers  []thread.Turn
}

// exchanges are those from a turn on, in order. What was asked twice is one of them,
// and what nobody answered is none.
func exchanges(step analysis.Sitting, t thread.Transcript, from int) []exchange {
	var all []exchange
	at := map[string]int{}
	question := ""
	for _, turn := range t.Turns {
		switch {
		case turn.Number < from:
		case turn.Persona != "":
			question = questionIn(step, turn.Text)
		case turn.Struck || strings.TrimSpace(turn.Text) == "" && len(turn.Files) == 0:
		default:
			i, known := at[question]
			if !known {
				i = len(all)
				at[question] = i
				all = append(all, exchange{question: question})
			}
			all[i].answers = append(all[i].answers, turn)
		}
	}
	return all
}

// questionIn is what a message of the lead asked: the prompt that it ends with, at
// whatever depth, or else its last paragraph if that asks.
func questionIn(step analysis.Sitting, text string) string {
	text = strings.TrimSpace(text)
	found := ""
	for _, mode := range step.Modes {
		for _, p := range mode.Prompts {
			if strings.HasSuffix(text, p) && len(p) > len(found) {
				found = p
			}
		}
	}
	last := text[strings.LastIndex(text, "\n\n")+1:]
	if found == "" && strings.HasSuffix(last, "?") {
		found = strings.TrimSpace(last)
	}
	return found
}

// unanswered are the prompts of the sitting's mode that none of the exchanges is
// about.
func unanswered(mode analysis.Mode, all []exchange) []string {
	var open []string
	for _, p := range mode.Prompts {
		answered := false
		for _, x := range all {
			answered = answered || x.question == p
		}
		if !answered {
			open = append(open, p)
		}
	}
	return open
}
