package offline

import (
	"strings"
	"testing"

	"github.com/roundtable-chat/app/bot/llm/evaluation"
)

// AC-010-04: the voice alone tells who speaks. A naive Bayes classifier learns
// nine tenths of each persona's frames and attributes the rest, which share no
// frame with what it learnt; names are masked.
func TestVoicesCanBeToldApart(t *testing.T) {
	panel := newPanel(t)
	const folds = 10
	var right evaluation.Share
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
		model := evaluation.Learn(train)
		for key, texts := range test {
			for _, text := range texts {
				right.Of++
				if model.Attribute(text) == key {
					right.Count++
				}
			}
		}
	}
	low, high := right.Interval()
	t.Logf("blind attribution on held-out frames: %s, 95%% Wilson interval %.3f to %.3f", right, low, high)
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
