package analysis

import (
	"math/rand/v2"
	"testing"
)

// TestRandomWalks plays long random programs, as the fuzzer's short ones seldom are,
// and wants every state to have been there, and a way on from wherever each led.
func TestRandomWalks(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 11))
	seen := map[State]int{}
	for range 40 {
		program := make([]byte, 100+r.IntN(1400))
		for i := range program {
			program[i] = byte(r.IntN(256))
		}
		g := &generator{program: program, p: newPlay(t)}
		for state, n := range g.play(t) {
			seen[state] += n
		}
		g.finish(t)
	}
	for _, s := range States() {
		if seen[s] == 0 {
			t.Errorf("no walk came to %s; %v", s, seen)
		}
	}
}
