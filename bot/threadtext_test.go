package bot

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAround(t *testing.T) {
	for _, c := range []struct {
		name  string
		lines []string
		about int
		limit int
		want  []string
	}{
		{"all of it", []string{"aa", "bb", "cc"}, 1, 9, []string{"aa", "bb", "cc"}},
		{"what is before comes first, from the newest", []string{"aa", "bb", "CC", "dd", "ee"}, 2, 6, []string{"…", "bb", "CC", "…"}},
		{"then what came last", []string{"AA", "bb", "cc", "dd"}, 0, 6, []string{"AA", "…", "dd"}},
		{"one that is too long is cut", []string{"aa", "BBBBBBBBBB", "cc"}, 1, 6, []string{"…", "BBBB…", "…"}},
		{"none that matters was found", []string{"aa", "bb", "cc"}, -1, 6, []string{"…", "bb", "cc"}},
		{"nothing", nil, -1, 6, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, around(c.lines, c.about, c.limit)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
