package chaos

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"

	"golang.org/x/sync/errgroup"
)

// table is people around one table: they hold one discussion after the other, in
// a new room each time, sometimes two at once.
func (c *campaign) table(ctx context.Context, number int) error {
	dice := c.plan.dice(diceTables + uint64(number))
	for evening := 0; c.violent.Err() == nil; evening++ {
		name, ok := c.town.room()
		if !ok {
			return nil
		}
		r := &room{campaign: c, channel: name, taken: make(map[string]bool)}
		topics := []string{fmt.Sprintf("Ledger %d of table %d", evening, number)}
		if dice.IntN(3) == 0 { // a second discussion, half the time of the same item
			second := topics[0]
			if dice.IntN(2) == 0 {
				second = fmt.Sprintf("Archive %d of table %d", evening, number)
			}
			topics = append(topics, second)
		}
		var g errgroup.Group
		for _, topic := range topics {
			own := rand.New(rand.NewPCG(dice.Uint64(), dice.Uint64()))
			g.Go(func() error {
				t := &talk{room: r, topic: topic, dice: own}
				err := t.hold(ctx)
				c.keep(t)
				return err
			})
		}
		if err := g.Wait(); err != nil {
			return err
		}
	}
	return nil
}

// room is a channel with its discussions.
type room struct {
	*campaign
	channel string

	mu    sync.Mutex
	taken map[string]bool // discussions that a talk is about
}
