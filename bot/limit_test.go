package bot

import (
	"context"
	"testing"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/engine"
)

// The limit is the person's, else the item's if it is one, else the
// deployment's (FR-007, AC-007-03).
func TestTurnLimit_AC007_03(t *testing.T) {
	for _, c := range []struct {
		name              string
		asked, item, want int
	}{
		{"asked for", 7, 5, 7},
		{"the item's", 0, 5, 5},
		{"the item's is too small", 0, 2, 12},
		{"the deployment's", 0, 0, 12},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := &Bot{opts: Options{
				Policy:    Policy{Settings: roundtable.Settings{MaxTurns: 12}},
				TurnLimit: func(context.Context, engine.ItemRef) int { return c.item },
			}}
			if got := b.turnLimit(t.Context(), opening{maxTurns: c.asked}, "x"); got != c.want {
				t.Errorf("got %d, want %d", got, c.want)
			}
		})
	}
}
