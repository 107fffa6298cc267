package offline

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/persona"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// Bounds of a synthesis.
const (
	insightsPerSpeaker = 2
	questionLimit      = 5
	pointLimit         = 280 // characters
)

// Synthesise extracts a synthesis (FR-008): every point is a sentence that
// somebody said and cites the turn in which it was said. Only people decide and
// only people take on work. What people marked is added by the rules. fault
// changes nothing: the extraction has one answer.
func (p *Panel) Synthesise(ctx context.Context, s roundtable.Subject, t thread.Transcript, _ string) (*roundtable.Draft, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("synthesise %s: %w", s.Discussion, err)
	}
	sc := p.newScene(s, t, nil, len(t.Turns))
	said := sc.statements()
	draft := new(roundtable.Draft)
	draft.Decisions = points(said, func(x statement) bool { return x.human && x.decides })
	draft.Actions = points(said, func(x statement) bool { return x.human && x.promises && !x.decides })
	draft.Questions = sc.openQuestions(said)
	draft.Insights = sc.insights(said)
	draft.Summary = sc.recordSummary(draft)
	return draft, nil
}

// statement is a sentence of a turn.
type statement struct {
	text    string
	turn    int
	speaker string
	human   bool
	at      int // among all statements

	asks, decides, promises bool
	stems                   []string
	score                   float64
}

var promises = regexp.MustCompile(`(?i)(?:^|, |; |and |so )(?:i(?:'ll| will| can take| am going to|'m going to)|we (?:need|have) to|let's|let us|someone (?:needs|has) to|action:|todo:?|to do:) ` +
	`(?:[a-z']+ ){1,}|^(?:action|todo):`)

// statements are the sentences of the discussion, with their weight: how much of
// the whole discussion's vocabulary they carry, more so if it is the topic's.
func (sc *scene) statements() []statement {
	var all []statement
	weight := map[string]float64{}
	for _, t := range sc.turns {
		speaker := t.Person.ID + t.Person.Name
		if t.Persona != "" {
			speaker = string(t.Persona)
		}
		text := tidy(t.Text)
		if !looksEnglish(text) {
			continue
		}
		for _, sentence := range sc.panel.reader.sentences.SegmentText(text) {
			x := statement{text: clip(strings.TrimSpace(sentence), pointLimit), turn: t.Number, speaker: speaker, human: t.Persona == "", at: len(all)}
			x.asks = asks.MatchString(sentence)
			x.decides = decides.MatchString(sentence) && !strings.HasSuffix(sentence, "?")
			x.promises = promises.MatchString(sentence) && !strings.HasSuffix(sentence, "?")
			x.stems = contentStems(sentence)
			all = append(all, x)
			for _, s := range x.stems {
				weight[s]++
			}
		}
	}
	for _, s := range slices.Concat(contentStems(plain(sc.subject.Topic)), contentStems(plain(sc.subject.Focus))) {
		weight[s] += 2
	}
	for i := range all {
		all[i].score = worth(all[i], weight)
	}
	return all
}

// leaning matches sentences that say little without the one before.
var leaning = regexp.MustCompile(`(?i)^(?:it|that|this|these|those|they|he|she|then|there|so|such|both|noted|i would (?:give|put|make|like|begin|rather|write|take|keep|start|choose) (?:it|that|this|them))\b`)

// deictic matches words that point at something said before: a question with one
// of them cannot be read alone.
var deictic = regexp.MustCompile(`(?i)\b(?:it|that|this|them|those|there)\b`)

// worth is a sentence's weight per word, so that length alone wins nothing. What
// people say counts double, what leans on another sentence half.
func worth(x statement, weight map[string]float64) float64 {
	if len(x.stems) < 4 {
		return 0
	}
	sum := 0.0
	for _, s := range x.stems {
		sum += weight[s]
	}
	if x.human {
		sum *= 2
	}
	if leaning.MatchString(x.text) {
		sum /= 2
	}
	return sum / float64(len(x.stems)+4)
}

func points(said []statement, keep func(statement) bool) []roundtable.DraftPoint {
	var list []roundtable.DraftPoint
	for _, x := range said {
		if keep(x) {
			list = append(list, roundtable.DraftPoint{Text: x.text, Turns: []int{x.turn}})
		}
	}
	return list
}

// openQuestions are people's questions that no later sentence of another speaker
// takes up, and personas' questions to the room that no person answered.
func (sc *scene) openQuestions(said []statement) []roundtable.DraftPoint {
	var list []roundtable.DraftPoint
	topic := contentStems(plain(sc.subject.Topic))
	for _, q := range said {
		if !q.asks || !strings.HasSuffix(q.text, "?") || len(q.stems) < 2 {
			continue
		}
		if focus := sc.subject.Focus; focus != "" && strings.Contains(q.text, focus) {
			// The lead's question stands until somebody decides something.
			if !slices.ContainsFunc(said, func(x statement) bool { return x.human && x.decides }) {
				list = append(list, roundtable.DraftPoint{Text: focus, Turns: []int{q.turn}})
			}
			continue
		}
		if !q.human && (len(q.stems) < 4 || sc.namesPersona(q.text) || deictic.MatchString(q.text)) || q.human && sc.foreign(q) {
			continue
		}
		answered := slices.ContainsFunc(said[q.at+1:], func(x statement) bool {
			return x.turn != q.turn && x.speaker != q.speaker && !x.asks && (x.human || q.human) && overlap(q, x, topic)
		})
		if !answered {
			list = append(list, roundtable.DraftPoint{Text: q.text, Turns: []int{q.turn}})
		}
	}
	// The last ones asked had the least chance of an answer.
	return list[max(len(list)-questionLimit, 0):]
}

// namesPersona reports whether a persona is named: a colleague was asked, and the
// colleague has spoken.
func (sc *scene) namesPersona(text string) bool {
	low := strings.ToLower(text)
	return slices.ContainsFunc(sc.subject.Cast, func(p persona.Persona) bool {
		return holdsPhrase(low, strings.ToLower(p.First()))
	})
}

// foreign reports whether a person's question has nothing to do with the
// discussion, by the same signs as a redirect.
func (sc *scene) foreign(q statement) bool {
	return len(q.stems) >= 3 && sc.elsewhere(q.text, q.stems, []int{q.turn})
}

// overlap reports whether the sentence takes up the question: it shares two of
// its words besides the topic's, which everybody uses, or the only ones it has.
func overlap(q, x statement, topic []string) bool {
	shared, own := 0, 0
	for _, s := range q.stems {
		if slices.Contains(topic, s) {
			continue
		}
		own++
		if slices.Contains(x.stems, s) {
			shared++
		}
	}
	return shared > 0 && shared >= min(2, own)
}

// insights are each speaker's weightiest statements, in the order spoken. What is
// said to a colleague says less by itself.
func (sc *scene) insights(said []statement) []roundtable.DraftPoint {
	ranked := slices.DeleteFunc(slices.Clone(said), func(x statement) bool {
		return sc.framing(x) || x.asks || strings.HasSuffix(x.text, "?") || x.human && (x.decides || x.promises) || x.score == 0 || x.turn == 0
	})
	for i := range ranked {
		if sc.namesPersona(ranked[i].text) {
			ranked[i].score /= 2
		}
	}
	slices.SortStableFunc(ranked, func(a, b statement) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.at, b.at))
	})
	var chosen []statement
	perSpeaker := map[string]int{}
	for _, x := range ranked {
		twin := slices.ContainsFunc(chosen, func(o statement) bool { return o.turn == x.turn || echo(x.text, o.text) > maxEcho })
		if !twin && perSpeaker[x.speaker] < insightsPerSpeaker {
			perSpeaker[x.speaker]++
			chosen = append(chosen, x)
		}
	}
	slices.SortFunc(chosen, func(a, b statement) int { return cmp.Compare(a.at, b.at) })
	return points(chosen, func(statement) bool { return true })
}

// framing reports whether a statement is the lead's introduction of a step: it repeats
// what was said elsewhere.
func (sc *scene) framing(x statement) bool {
	return x.turn == 1 && !x.human && sc.subject.Step.ID != roundtable.FreeStep
}

var saysDecided = regexp.MustCompile(`(?i)^(?:we |i )?(?:have )?(?:decided|agreed|decision)\b`)

// recordSummary is the one line for meta.json: what was decided, else what was
// discussed.
func (sc *scene) recordSummary(d *roundtable.Draft) string {
	if n := len(d.Decisions); n > 0 {
		text := strings.TrimRight(spelled.ReplaceAllString(d.Decisions[n-1].Text, ""), ".")
		if !saysDecided.MatchString(text) {
			text = "Decided: " + text
		}
		return clip(text, roundtable.SummaryLimit)
	}
	text := "Discussed " + sc.topic
	if len(d.Questions) > 0 {
		text += "; open: " + d.Questions[len(d.Questions)-1].Text
	}
	return clip(text, roundtable.SummaryLimit)
}
