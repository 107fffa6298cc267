package offline

import "testing"

func TestEcho(t *testing.T) {
	for name, c := range map[string]struct {
		text, other string
		want        float64
	}{
		"the same":                     {"one two three four", "one two three four", 1},
		"half":                         {"one two three four", "zero one two three", 0.5},
		"nothing in common":            {"one two three", "three two one", 0},
		"other words around it":        {"keep the old file", "so: keep the OLD file!", 1},
		"letters beyond ASCII":         {"Über die Brücke", "ÜBER DIE BRÜCKE", 1},
		"hyphens and apostrophes":      {"it's half-done now", "its half done now", 0},
		"punctuation is no word":       {"one – two — three", "one, two; three", 1},
		"too short to be an echo":      {"one two", "one two", 0},
		"nothing":                      {"", "one two three", 0},
		"no letters at all":            {"… !? —", "… !? —", 0},
		"a sequence that stands twice": {"a b c a b c", "a b c", 0.5},
	} {
		if got := echo(c.text, c.other); got != c.want {
			t.Errorf("%s: got %v, want %v", name, got, c.want)
		}
	}
}
