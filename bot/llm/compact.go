package llm

import "github.com/roundtable-chat/app/roundtable"

// Bounds of what a prompt tells of a discussion, in bytes. A turn costs its text
// and turnCost for what is written around it.
const (
	gistLimit     = 240    // of a turn that is told in short
	markLimit     = 600    // of what was marked, as in a synthesis
	turnCost      = 80     // number, speaker, tags
	factLimit     = 2_000  // of the topic, and of what a step produced
	materialLimit = 24_000 // of what was pasted along with the topic
)

// shortened is how many of the oldest turns are told in short, so that all
// together stay within limit bytes. Nobody's turn disappears: number, speaker,
// stance and beginning stay, and what was marked is told in full elsewhere. The
// newest turn is always told in full.
//
// The count depends on the turns alone, and once it grows it grows by half of the
// limit, so that it seldom changes what earlier requests began with.
func shortened(turns []roundtable.Turn, limit int) int {
	short, total := 0, 0
	for i := range turns {
		total += cost(turns[i].Text, limit/4)
		if total <= limit {
			continue
		}
		for total > limit/2 && short < i {
			total -= cost(turns[short].Text, limit/4) - cost(turns[short].Text, gistLimit)
			short++
		}
	}
	return short
}

// cost is about how much a text adds to a prompt that tells at most n bytes of it.
func cost(text string, n int) int { return min(len(text), n) + turnCost }
