package offline

import (
	"math"
	"regexp"
	"strings"
	"testing"
)

// AC-010-04: the voice alone tells who speaks. A naive Bayes classifier learns
// nine tenths of each persona's frames and attributes the rest, which share no
// frame with what it learnt; names are masked.
func TestVoicesCanBeToldApart(t *testing.T) {
	panel := newPanel(t)
	const folds = 10
	right, total := 0, 0
	for fold := range folds {
		train, test := map[string][]string{}, map[string][]string{}
		for key, v := range panel.voices {
			if key == generalVoice {
				continue
			}
			for _, name := range families {
				if name == familyAsk || name == familyUnclear || name == familyFocus {
					continue // not contributions of their own
				}
				for i, f := range v.frames[name] {
					text := masked(f)
					if i%folds == fold {
						test[string(key)] = append(test[string(key)], text)
					} else {
						train[string(key)] = append(train[string(key)], text)
					}
				}
			}
		}
		model := learn(train)
		for key, texts := range test {
			for _, text := range texts {
				total++
				if model.attribute(text) == key {
					right++
				}
			}
		}
	}
	low, high := wilson(right, total)
	t.Logf("blind attribution on held-out frames: %d of %d = %.3f, 95%% Wilson interval %.3f to %.3f", right, total, float64(right)/float64(total), low, high)
	if low < 0.90 {
		t.Errorf("lower bound of the interval is %.3f, want at least 0.90", low)
	}
}

// masked is a frame with every slot replaced by the same word.
func masked(f frame) string {
	var b strings.Builder
	for i, part := range f.parts {
		if i%2 == 1 {
			part = "slot"
		}
		b.WriteString(part)
	}
	return b.String()
}

var features = regexp.MustCompile("[\\p{L}']+|[?!,.;:`]")

// bayes is multinomial naive Bayes over words and punctuation, with add-one
// smoothing.
type bayes struct {
	texts, totals map[string]int
	counts        map[string]map[string]int
	vocabulary    map[string]bool
}

func learn(train map[string][]string) bayes {
	m := bayes{texts: map[string]int{}, totals: map[string]int{}, counts: map[string]map[string]int{}, vocabulary: map[string]bool{}}
	for key, texts := range train {
		m.texts[key] = len(texts)
		m.counts[key] = map[string]int{}
		for _, x := range texts {
			for _, w := range features.FindAllString(strings.ToLower(x), -1) {
				m.vocabulary[w] = true
				m.counts[key][w]++
				m.totals[key]++
			}
		}
	}
	return m
}

func (m bayes) attribute(text string) string {
	best, bestScore := "", math.Inf(-1)
	for key, n := range m.texts {
		score := math.Log(float64(n))
		for _, w := range features.FindAllString(strings.ToLower(text), -1) {
			score += math.Log(float64(m.counts[key][w]+1) / float64(m.totals[key]+len(m.vocabulary)))
		}
		if score > bestScore {
			best, bestScore = key, score
		}
	}
	return best
}

// wilson is the 95 % score interval of a share.
func wilson(right, total int) (low, high float64) {
	const z = 1.96
	n, p := float64(total), float64(right)/float64(total)
	mid, half := p+z*z/(2*n), z*math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	return (mid - half) / (1 + z*z/n), (mid + half) / (1 + z*z/n)
}
