package analysis

import (
	"regexp"
	"strings"

	"github.com/roundtable-chat/app/roundtable/persona"
)

// A wish for more or less depth is read as a wish to leave is: a sentence must be
// nothing but that wish and courtesies, or the message does not mean it. "Brief
// the team" and "it must be fast" are no overrides, because words are left over
// (AC-006-05).

// ReadOverride reads a wish for another depth in a person's message; cast are
// those who may be called by name along with it. Where several sentences want
// something the last one stands.
func ReadOverride(text string, cast []persona.Seat) (Depth, bool) {
	found := Depth("")
	for _, s := range wishes(text, cast) {
		if d := s.depth(); d != "" {
			found = d
		}
	}
	return found, found != ""
}

// wish is a sentence that may ask for a depth, cut at its commas.
type wish []string

// depth is what the sentence wants, or empty: one clause must be the wish, and
// every other no more than courtesy or the reason.
func (w wish) depth() Depth {
	found := Depth("")
	for _, clause := range w {
		d := clauseDepth(clause)
		switch {
		case d != "":
			found = d
		case overrideCourtesy.MatchString(clause), overrideReason.MatchString(clause):
		default:
			return ""
		}
	}
	return found
}

func clauseDepth(clause string) Depth {
	switch {
	case wantsDeep.MatchString(clause):
		return Deep
	case wantsBrief.MatchString(clause):
		return Brief
	case wantsStandard.MatchString(clause):
		return Standard
	default:
		return ""
	}
}

// Bounds within which a wish is looked for: what a message asks stands at its
// edges, and whoever asks it does so in few words.
const (
	wishEdge    = 3
	longestWish = 160
)

// wishes are the first and last sentences of a message, without what is only
// shown: code, quotations, quoted lines, mentions.
func wishes(text string, cast []persona.Seat) []wish {
	var kept []string
	for line := range strings.Lines(shown.ReplaceAllString(text, " \uFFFC ")) {
		if line = strings.TrimSpace(line); !strings.HasPrefix(line, ">") && !strings.HasPrefix(line, "&gt;") {
			kept = append(kept, line)
		}
	}
	var all []wish
	for _, sentence := range sentenceEnd.Split(strings.Join(kept, "\n"), -1) {
		if sentence = strings.TrimSpace(sentence); sentence == "" {
			continue
		}
		var w wish
		if len(sentence) <= longestWish {
			for _, clause := range clauseEnd.Split(plainWords(sentence, cast), -1) {
				if clause = strings.TrimSpace(clause); clause != "" {
					w = append(w, clause)
				}
			}
		}
		all = append(all, w)
	}
	if len(all) > 2*wishEdge {
		all = append(all[:wishEdge:wishEdge], all[len(all)-wishEdge:]...)
	}
	return all
}

var (
	sentenceEnd = regexp.MustCompile(`[.!?…]+(?:\s+|$)|\n+`)
	clauseEnd   = regexp.MustCompile(`\s*(?:[,;:]|\s[-–—]+\s|--)\s*`)
	decoration  = regexp.MustCompile(`:[a-z0-9_+-]+:|[*_~()]|\x{FFFC}?[\x{1F000}-\x{1FFFF}\x{2600}-\x{27BF}\x{FE0F}]`)
)

// plainWords is a sentence in lower case, with names of the cast written N and
// without decoration.
func plainWords(sentence string, cast []persona.Seat) string {
	s := strings.ToLower(strings.NewReplacer("’", "'", "‘", "'", "TL;DR", "tldr", "tl;dr", "tldr").Replace(sentence))
	s = decoration.ReplaceAllString(s, " ")
	fields := strings.Fields(s)
	for i, w := range fields {
		if len(fields) == 1 {
			fields[i] = strings.Trim(w, "'") // typed with the marks of the announcement
		}
		bare := strings.TrimPrefix(strings.TrimRight(w, ",:;"), "@")
		for _, c := range cast {
			if bare == strings.ToLower(c.First()) {
				fields[i] = "N" + w[len(strings.TrimRight(w, ",:;")):]
			}
		}
	}
	return strings.Join(fields, " ")
}
