package voice_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/roundtable-chat/app/roundtable/persona"
	"github.com/roundtable-chat/app/roundtable/thread"
	"github.com/roundtable-chat/app/roundtable/voice"
)

// A fault is named in a sentence that whoever wrote the text can act on.
func TestDetailSaysWhatToDo(t *testing.T) {
	personas := cast(t)
	for _, tt := range []struct {
		rule voice.Rule
		said voice.Utterance
		want string
	}{
		{voice.RuleEmpty, voice.Utterance{Text: " \n"}, "Say something, or stay silent."},
		{voice.RuleVocabulary, voice.Utterance{Text: "Who benefits from the lower latency, and when do they notice?"}, `Maya does not say "latency"; say it in other words, or leave it to a colleague.`},
		{voice.RuleSpeaksFor, voice.Utterance{Text: "Priya agrees that people come first, so what do they see?", People: []string{"Priya Sharma"}}, "Do not say what Priya Sharma thinks, wants or would say; ask Priya Sharma, or refer to what Priya Sharma did say."},
		{voice.RulePraise, voice.Utterance{Text: "Great point, Alex! What does the person at the counter see?"}, `Do not open with praise ("Great point"); begin with the point itself.`},
		{voice.RuleLength, voice.Utterance{Text: "Who benefits?"}, "Too short: say a whole thought, in at least 8 words."},
		{voice.RuleLength, voice.Utterance{Text: strings.Repeat("Who is stuck? ", 6)}, "Too long: at most 4 sentences and 90 words."},
	} {
		t.Run(string(tt.rule), func(t *testing.T) {
			got := voice.Check(personas[0], personas, tt.said)
			if diff := cmp.Diff([]voice.Fault{{Rule: tt.rule, Detail: tt.want}}, got); diff != "" {
				t.Errorf("faults (-want +got):\n%s", diff)
			}
		})
	}
}

// FR-104: terse and full exist beside the default of two to four sentences.
func TestLengths(t *testing.T) {
	personas := cast(t)
	one := "Who is stuck today, and what do they do instead of it?"
	six := strings.Repeat("The night shift calls a colleague at home when it is stuck. ", 6)
	for _, tt := range []struct {
		name, text string
		length     voice.Length
		want       []voice.Rule
	}{
		{"one sentence", one, voice.Normal, nil},
		{"six sentences", six, voice.Normal, []voice.Rule{voice.RuleLength}},
		{"six sentences in full", six, voice.Full, nil},
		{"five words, terse", "Who is stuck today, then?", voice.Terse, nil},
		{"three sentences, terse", strings.Repeat("Who is stuck today? ", 3), voice.Terse, []voice.Rule{voice.RuleLength}},
		{"four bullets under a heading", "What people told us:\n- the page is slow in the morning\n- nobody says why\n- the phone is busy\n- the form is lost", voice.Normal, nil},
		{"a code block is one word", "Before we look at the fields, who reads this?\n```\n" + strings.Repeat("a b c. ", 90) + "\n```", voice.Normal, nil},
		{"abbreviations end no sentence", "Some people, e.g. the night shift, i.e. those in the clinics vs. those at home, see it first. Who tells them?", voice.Terse, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := rules(voice.Check(personas[0], personas, voice.Utterance{Text: tt.text, Length: tt.length}))
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("rules (-want +got):\n%s", diff)
			}
		})
	}
}

// What was struck is compared with nothing, and the newest turn of anybody else is
// what a persona could echo.
func TestAfter(t *testing.T) {
	personas := cast(t)
	maya, alex := personas[0], personas[1]
	turns := []thread.Turn{
		{Number: 1, Persona: maya.Key, Text: "first"},
		{Number: 2, Person: thread.Person{ID: "U1", Name: "Priya"}, Text: "second"},
		{Number: 3, Persona: alex.Key, Text: "third"},
		{Number: 4, Person: thread.Person{ID: "U2", Name: "Ben"}, Struck: true},
		{Number: 5, Persona: maya.Key, Text: "fifth"},
	}
	want := voice.Utterance{Text: "next", Previous: "third", PreviousBy: "Alex", Own: []string{"first", "fifth"}, People: []string{"Priya"}}
	if diff := cmp.Diff(want, voice.After(turns, maya, personas, "next")); diff != "" {
		t.Errorf("utterance (-want +got):\n%s", diff)
	}
}

// Nothing in the rules knows a persona of the cast that is shipped: another cast
// is held to its own file.
func TestAnotherCast(t *testing.T) {
	sam := persona.Persona{
		Seat:       persona.Seat{Key: "security", Name: "Sam Osei", Role: "Security Engineer", Aliases: []string{"Sammy"}},
		Lens:       "Abuse and secrets",
		Vocabulary: persona.Vocabulary{Forbidden: []string{"sprint", "story point"}, Characteristic: []string{"threat model"}},
	}
	kim := persona.Persona{
		Seat:       persona.Seat{Key: "coach", Name: "Kim Doe", Role: "Coach", Aliases: []string{"Kimi"}},
		Vocabulary: persona.Vocabulary{Characteristic: []string{"working agreement"}},
		Examples:   persona.Examples{Bad: []string{"Rotate the secret before the next release goes out."}},
	}
	pair := []persona.Persona{sam, kim}
	for _, tt := range []struct {
		name, text string
		by         persona.Persona
		want       []voice.Rule
	}{
		{"its own words", "The threat model has one open end: whoever holds the old secret can still sign.", sam, nil},
		{"its forbidden word, inflected", "That costs two sprints, and whoever holds the old secret can still sign.", sam, []voice.Rule{voice.RuleVocabulary}},
		{"its forbidden words", "Three story points for rotating a secret is what I would put there.", sam, []voice.Rule{voice.RuleVocabulary}},
		{"a colleague's phrase", "I would put the rotation of secrets into the working agreement of this team.", sam, []voice.Rule{voice.RuleBorrowed}},
		{"a colleague's alias", "Kimi thinks that the secret may stay where it is until the release.", sam, []voice.Rule{voice.RuleSpeaksFor}},
		{"a colleague's label", "Kim: what does the team need in order to rotate it in time?", sam, []voice.Rule{voice.RuleScript}},
		{"its own bad line", "Please rotate the secret before the next release goes out to people.", kim, []voice.Rule{voice.RuleUnlike}},
		{"not of this cast", "Alex thinks that the secret may stay where it is until the release.", sam, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := rules(voice.Check(tt.by, pair, voice.Utterance{Text: tt.text}))
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("rules (-want +got):\n%s", diff)
			}
		})
	}
}

// Whatever a model returns is judged without a panic, the same way each time, and
// each rule speaks once.
func FuzzCheck(f *testing.F) {
	personas := cast(f)
	for _, l := range labelledLines(f, "testdata/lines.txt") {
		f.Add(l.said.Text, l.said.Previous, l.said.PreviousBy, uint8(len(l.said.Text)))
	}
	f.Add("```unclosed \"quote", "\xff\x00", "\u202e", uint8(1))
	f.Fuzz(func(t *testing.T, text, previous, by string, n uint8) {
		p := personas[int(n)%len(personas)]
		u := voice.Utterance{Text: text, Previous: previous, PreviousBy: by, Own: []string{previous}, People: []string{by}}
		got := voice.Check(p, personas, u)
		if diff := cmp.Diff(got, voice.Check(p, personas, u)); diff != "" {
			t.Errorf("judged differently a second time:\n%s", diff)
		}
		var seen []voice.Rule
		for _, fault := range got {
			if fault.Detail == "" || slices.Contains(seen, fault.Rule) || !slices.Contains(voice.Rules(), fault.Rule) {
				t.Errorf("fault %+v among %v", fault, got)
			}
			seen = append(seen, fault.Rule)
		}
	})
}

func BenchmarkCheck(b *testing.B) {
	personas := cast(b)
	lines := labelledLines(b, "testdata/lines.txt")
	for i := 0; b.Loop(); i++ {
		voice.Check(personas[i%len(personas)], personas, lines[i%len(lines)].said)
	}
}
