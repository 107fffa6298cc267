package offline

import (
	"flag"
	"fmt"
	"testing"

	"github.com/roundtable-chat/app/roundtable"
)

var sample = flag.Int("sample", 0, "print this many contributions, to be read by a person")

// TestSample prints contributions for a person to read: whoever changes a frame
// should read a hundred.
func TestSample(t *testing.T) {
	if *sample == 0 {
		return // asked for with -sample 100 -v
	}
	var last *play
	many(t, *sample, func(p *play, c roundtable.Contribution) {
		if last != nil && last != p {
			fmt.Println("=====")
			fmt.Println(last.out.String())
		}
		last = p
	})
}
