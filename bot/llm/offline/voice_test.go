package offline

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/persona"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// many plays discussions over many subjects until at least n contributions were
// made, and gives each to check together with the play so far.
func many(t *testing.T, n int, check func(p *play, c roundtable.Contribution)) (contributions, silences int) {
	t.Helper()
	topics := []string{"Offline sync", "Invoice export", "Should we split the monolith or keep it?", "Password reset by email", "The search page",
		"Rate limits for partners", "Moving reports to a new database", "Release process", "Refunds", "Push notifications"}
	lines := []string{
		"What happens when the %s fails halfway?", "I'm worried that the %s will be too slow for our users.", "Should we cache the %s, or rebuild it every time?",
		"The %s is used by the support team every morning.", "Let's go with the simple %s.", "How do we test the %s?", "Why do we need the %s at all?",
		"Everyone depends on the %s, and nobody owns it.", "Alex, what are the risks of the %s?", "Jordan, which fields does the %s need?", "Maya, who asked for the %s?",
		"The schema of the %s couples two services.", "Alex, Jordan, should we buy the %s, or build it?", "Customers complain about the %s.",
	}
	things := []string{"export job", "audit log", "retry queue", "login form", "price list", "nightly import", "review step", "message template", "cache", "API gateway"}
	panel, leads := newPanel(t), cast(t).Personas
	for round := 0; contributions < n; round++ {
		lead := leads[round%3].Key
		p := newPlay(t, panel, topics[round%len(topics)], lead)
		p.subject.Discussion = fmt.Sprint("d", round)
		p.frame()
		for i := range 5 {
			thing := things[(round*3+i)%len(things)]
			said := p.hear("Priya", fmt.Sprintf(lines[(round*5+i)%len(lines)], thing))
			for _, c := range append(said, p.goOn()...) {
				contributions++
				check(p, c)
			}
		}
		silences += p.silent
	}
	return contributions, silences
}

var (
	praise   = regexp.MustCompile(`(?i)^(?:great|good|excellent|nice|love|awesome|fantastic|brilliant|well said|absolutely|exactly|totally)\b`)
	digits   = regexp.MustCompile(`\d`)
	counted  = regexp.MustCompile(`(?i)\b(?:hundreds?|thousands?|millions?|percent|dozen|(?:two|three|four|five|six|ten)[ -](?:days?|weeks?|months?|hours?|minutes?|years?))\b`)
	decision = regexp.MustCompile(`(?i)\b(?:we (?:have )?decided|i (?:have )?decided|let's go with|it is decided that|we will go with)\b`)
)

// FR-010, NFR-002 (AC-010-01 … AC-010-04): every contribution keeps its
// persona's vocabulary and the rules that hold for every voice.
func TestContributionsKeepTheRules(t *testing.T) {
	n, silences := many(t, 1000, func(p *play, c roundtable.Contribution) {
		if c.Drift != nil {
			return
		}
		persona, _ := p.persona(c.Persona)
		fail := func(rule string) { t.Errorf("%s %s: %s", persona.First(), rule, c.Text) }
		if uses(c.Text, persona.Vocabulary.Forbidden) {
			fail("uses a forbidden word")
		}
		if praise.MatchString(c.Text) {
			fail("opens with praise")
		}
		if digits.MatchString(c.Text) || counted.MatchString(c.Text) {
			fail("invents a quantity")
		}
		if decision.MatchString(c.Text) {
			fail("decides")
		}
		if words := len(strings.Fields(c.Text)); words < minWords || words > 90 {
			fail(fmt.Sprintf("takes %d words", words))
		}
		if strings.ContainsAny(c.Text, "{}|") && !strings.Contains(c.Text, "`") {
			fail("left a slot open")
		}
		for _, o := range p.subject.Cast {
			speaks := regexp.MustCompile(`\b` + o.First() + ` (?:thinks|believes|would say|agrees|feels|wants us|hopes|means)\b`)
			if speaks.MatchString(c.Text) || strings.HasPrefix(c.Text, o.First()+":") {
				fail("speaks for " + o.First())
			}
		}
	})
	t.Logf("%d contributions; of those called, %d stayed silent", n, silences)
	if silences == 0 {
		t.Error("nobody ever stays silent")
	}
}

// FR-005 (AC-005-01): whoever builds on a colleague or disagrees names the
// colleague and the point.
func TestCrossTalkNamesColleagueAndPoint(t *testing.T) {
	crossed := 0
	many(t, 200, func(p *play, c roundtable.Contribution) {
		if c.Drift != nil {
			return
		}
		for _, o := range p.subject.Cast {
			if o.Key != c.Persona && strings.Contains(c.Text, o.First()) {
				crossed++
			}
		}
	})
	if crossed < 50 {
		t.Errorf("%d of 200 contributions name a colleague, want at least 50", crossed)
	}
	for key, v := range newPanel(t).voices {
		for _, name := range []family{familyBuild, familyDisagree} {
			for _, f := range v.frames[name] {
				if !f.needs(slotColleague) || !f.needs(slotPoint) {
					t.Errorf("%s %s frame names no colleague or no point: %s", key, name, strings.Join(f.parts, "·"))
				}
			}
		}
	}
}

// Anti-blending: a contribution repeats little of what was just said.
func TestNobodyEchoes(t *testing.T) {
	worst := 0.0
	many(t, 300, func(p *play, c roundtable.Contribution) {
		turns := p.script.Turns
		i := slices.IndexFunc(turns, func(x thread.Turn) bool { return x.Text == c.Text && x.Persona == c.Persona })
		for _, other := range turns[max(i-4, 0):max(i, 0)] {
			worst = max(worst, echo(c.Text, other.Text))
		}
	})
	t.Logf("greatest share of repeated three-word sequences: %.2f", worst)
	if worst > maxEcho {
		t.Errorf("a contribution repeats %.2f of an earlier one, want at most %.2f", worst, maxEcho)
	}
}

// No frame comes twice while another would do.
func TestFramesAreNotRepeated(t *testing.T) {
	p := newPlay(t, newPanel(t), "Invoice export", "business-analyst")
	p.frame()
	heard := map[string]bool{}
	for i := range 20 {
		for _, c := range p.hear("Priya", fmt.Sprintf("How would the %s handle that?", []string{"archive", "ledger", "printer"}[i%3])) {
			if c.Drift != nil {
				continue
			}
			v := p.panel.voices[c.Persona]
			for _, f := range slices.Concat(v.frames[familyAnswer], v.frames[familyBuild], v.frames[familyDisagree]) {
				if id := string(c.Persona) + strings.Join(f.parts, "·"); f.made(c.Text) {
					if heard[id] {
						t.Errorf("turn %d repeats a frame: %s", i, c.Text)
					}
					heard[id] = true
				}
			}
		}
	}
}

func TestEveryVoiceHasEnoughFrames(t *testing.T) {
	for key, v := range newPanel(t).voices {
		if key == generalVoice {
			continue
		}
		for _, name := range []family{familyOpening, familyAnswer, familyChoice, familyConcern, familyStatement, familyDecision, familyBuild, familyDisagree, familyContinue} {
			if got := len(v.frames[name]); got < 30 {
				t.Errorf("%s has %d %s frames, want at least 30", key, got, name)
			}
			seen := map[string]bool{}
			for _, f := range v.frames[name] {
				text := strings.Join(f.parts, "·")
				if seen[text] {
					t.Errorf("%s %s frame stands twice: %s", key, name, text)
				}
				seen[text] = true
			}
		}
	}
}

// AC-010-01, AC-010-02, AC-010-03: what is forbidden to each of the three by pattern.
func TestPersonasKeepToTheirTrade(t *testing.T) {
	for _, tt := range []struct {
		key     persona.Key
		refused *regexp.Regexp
		share   *regexp.Regexp
		least   float64
	}{
		{"business-analyst", regexp.MustCompile("`|->|(?i)\\bADR\\b|\\bgiven\\b.*\\bwhen\\b.*\\bthen\\b"), regexp.MustCompile(`^[^.]*\?`), 0.75},
		{"solutions-architect", regexp.MustCompile("`|->|(?i)acceptance criteri|Given .* When .* Then"), regexp.MustCompile(`(?i)option|trade|risk|cost|depend|boundary|reverse|back|fail|architect|price|blast|own|constraint|limit|mitigat|edge|run|operat`), 0.75},
		{"system-designer", regexp.MustCompile(`(?i)\b(?:who benefits|how do you feel|what do .* want|tell me more|ADR)\b`), regexp.MustCompile("(?i)`|contract|error|field|test|type|given|reject|interface|state|version|id\\b|record|call|schema|valid|result|code|rule|write|store"), 0.75},
	} {
		t.Run(string(tt.key), func(t *testing.T) {
			shown, total := 0, 0
			for name, frames := range newPanel(t).voices[tt.key].frames {
				for _, f := range frames {
					text := masked(f)
					if tt.refused.MatchString(text) {
						t.Errorf("%s frame is a colleague's: %s", name, text)
					}
					if name != familyAsk && name != familyFocus && name != familyUnclear {
						total++
						if tt.share.MatchString(text) {
							shown++
						}
					}
				}
			}
			if got := float64(shown) / float64(total); got < tt.least {
				t.Errorf("%.2f of the frames show the voice, want at least %.2f", got, tt.least)
			}
		})
	}
}

var errStop = errors.New("stop")

func TestEmitErrorEndsTheRound(t *testing.T) {
	p := newPanel(t)
	roster := cast(t)
	r := roundtable.Round{Kind: roundtable.RoundContinue, Calls: []roundtable.Call{{Persona: "business-analyst", Must: true}, {Persona: "system-designer", Must: true}}}
	n := 0
	ending, err := p.Discuss(context.Background(), requestOf(roster, r), func(roundtable.Contribution) error { n++; return errStop })
	if !errors.Is(err, errStop) || n != 1 || !ending.Incomplete {
		t.Errorf("err = %v after %d contributions, incomplete %v; want the error of the first emit", err, n, ending.Incomplete)
	}
}

func TestPaceIsCancelled(t *testing.T) {
	roster := cast(t)
	var waited []time.Duration
	ctx, cancel := context.WithCancel(context.Background())
	p, err := New(Options{Roster: roster, Pace: time.Second, Sleep: func(ctx context.Context, d time.Duration) error {
		waited = append(waited, d)
		if len(waited) == 2 {
			cancel()
		}
		return ctx.Err()
	}})
	if err != nil {
		t.Fatal(err)
	}
	r := roundtable.Round{Kind: roundtable.RoundContinue, Calls: []roundtable.Call{{Persona: "business-analyst", Must: true}, {Persona: "system-designer", Must: true}}}
	n := 0
	_, err = p.Discuss(ctx, requestOf(roster, r), func(roundtable.Contribution) error { n++; return nil })
	if !errors.Is(err, context.Canceled) || n != 1 || len(waited) != 2 || waited[0] != time.Second {
		t.Errorf("err = %v after %d contributions and waits %v; want cancellation before the second", err, n, waited)
	}
}

func requestOf(roster persona.Roster, r roundtable.Round) engine.RoundRequest {
	return engine.RoundRequest{Round: r, Subject: roundtable.Subject{
		Discussion: "d", Topic: "Offline sync", Step: roundtable.StepRef{ID: freeStep, Title: "Offline sync"}, Lead: "business-analyst", Cast: roster.Personas,
	}}
}
