// Package recent remembers what was used last, up to a limit.
package recent

import (
	"fmt"

	lru "github.com/hashicorp/golang-lru/v2"
)

// New makes a map that forgets what was not used for longest, safe for several
// goroutines. The limit is a constant of ours; one below 1 is a mistake in the
// program. What is true for a while only carries its own end: the library's maps
// that expire start a goroutine that nobody can stop.
func New[K comparable, V any](limit int) *lru.Cache[K, V] {
	c, err := lru.New[K, V](limit)
	if err != nil {
		panic(fmt.Sprintf("remember %d things: %v", limit, err))
	}
	return c
}
