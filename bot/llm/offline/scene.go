package offline

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/jdkato/prose/v3/tag"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/persona"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// freeStep is the step id of a discussion on a free topic (FR-101).
const freeStep = "00-00"

// scene is all that a contribution is made of: what the discussion is about,
// what was said, and what is answered now.
type scene struct {
	panel   *Panel
	subject roundtable.Subject
	// turns are the turns that stand; those of this round that were not yet in
	// the transcript are at the end, with number 0.
	turns []thread.Turn
	// low are their texts and the focus in lower case, made when first needed.
	low []string
	// topic is what the discussion is about, as a noun phrase.
	topic string
	// background is the topic and all that was brought along.
	background reading
	// heard is what this round answers; asker is who said it last, as people
	// are addressed, or empty; answered is that turn's number.
	heard    reading
	asker    string
	answered int
	themes   []string
	names    map[string]bool
	voices   map[persona.Key]*voice
	lottery  lottery
}

// memory is how many turns back a persona remembers in a round: more than people
// do, and few enough that a round costs the same however long the discussion is.
const memory = 80

// newScene reads the subject and the turns that are answered. Of the transcript it
// remembers the last turns, span of them.
func (p *Panel) newScene(s roundtable.Subject, t thread.Transcript, answers []int, span int) *scene {
	sc := &scene{panel: p, subject: s, names: map[string]bool{}, voices: map[persona.Key]*voice{}}
	for _, persona := range s.Cast {
		sc.voices[persona.Key] = p.voice(persona)
		for _, w := range append(strings.Fields(persona.Name), persona.Aliases...) {
			sc.names[strings.ToLower(w)] = true
		}
	}
	var said []string
	standing := 0
	sc.turns = make([]thread.Turn, 0, min(span, len(t.Turns))+len(s.Cast)) // those of this round come behind
	for i, turn := range t.Turns {
		if turn.Struck || strings.TrimSpace(turn.Text) == "" {
			continue
		}
		standing++
		if i < len(t.Turns)-span {
			continue
		}
		sc.turns = append(sc.turns, turn)
		for _, w := range strings.Fields(turn.Person.Name) {
			sc.names[strings.ToLower(w)] = true
		}
		if turn.Persona == "" && slices.Contains(answers, turn.Number) {
			said = append(said, turn.Text)
			sc.asker, sc.answered = vocative(turn.Person.Name), turn.Number
		}
	}
	sc.background = p.reader.read(joinLines(s.Topic, s.Step.Title, s.Step.Summary, s.Written, s.Context), sc.names)
	sc.heard = p.reader.read(strings.Join(said, "\n"), sc.names)
	sc.topic = p.topicPhrase(s, sc.names)
	stems := sc.heard.stems
	sc.themes = p.themesOf(slices.Concat(stems, p.reader.stems(s.Topic+" "+s.Focus)))
	for _, theme := range p.themesOf(sc.background.stems) {
		if !slices.Contains(sc.themes, theme) {
			sc.themes = append(sc.themes, theme)
		}
	}
	sc.lottery = newLottery(strings.Join([]string{
		s.Discussion, s.Topic, s.Step.ID, sc.heard.text, strconv.Itoa(standing),
	}, "\x00"))
	return sc
}

func joinLines(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), "\n")
}

var nameShape = regexp.MustCompile(`^\p{Lu}[\p{L}'-]{1,19}$`)

// vocative is how a person is addressed: the first name if the display name
// begins with one, else not at all.
func vocative(display string) string {
	first, _, _ := strings.Cut(strings.TrimSpace(display), " ")
	if nameShape.MatchString(first) {
		return first
	}
	return ""
}

// maxTitle is the longest topic that is taken for a title, in words.
const maxTitle = 8

// slugSigns stand between the words of an item's slug.
var slugSigns = strings.NewReplacer("-", " ", "_", " ")

// topicPhrase is the topic as a phrase that can stand in a sentence.
func (p *Panel) topicPhrase(s roundtable.Subject, names map[string]bool) string {
	for _, raw := range []string{s.Topic, s.Context} {
		if s.Step.ID != freeStep && s.Item != "" && raw == s.Topic {
			raw = slugSigns.Replace(s.Item)
		}
		rd := p.reader.read(raw, names)
		if title := strings.TrimRight(rd.text, " .!"); rd.words > 0 && rd.words <= maxTitle && p.reader.titled(title) {
			if rd.words > maxPhrase+1 {
				title = headEnds.ReplaceAllString(title, "")
			}
			return lowerFirst(title)
		}
		if len(rd.keys) > 0 {
			return rd.keys[0]
		}
	}
	return "this topic"
}

// titled reports whether a text is a noun phrase already, such as a title.
func (r *reader) titled(text string) bool {
	is, known := r.titles.Get(text)
	if !known {
		is = r.isTitle(text)
		r.titles.Add(text, is)
	}
	return is
}

func (r *reader) isTitle(text string) bool {
	if !optionOK.MatchString(text) || !looksEnglish(text) {
		return false
	}
	tokens := r.tag(text)
	first := strings.ToLower(tokens[0].Text)
	if function[first] && first != "the" && first != "our" || plainVerbs[first] && len(tokens) > 2 {
		return false
	}
	return !slices.ContainsFunc(tokens, func(t tag.Token) bool {
		switch t.Tag {
		case "VB", "VBP", "VBZ", "VBD", "MD", "PRP", "WRB", "WP":
			return true
		}
		return false
	})
}

// values fill the slots for one persona.
func (sc *scene) values(p persona.Persona, v *voice) map[string]string {
	m := map[string]string{slotTopic: sc.topic, slotPerson: sc.asker, slotFigure: sc.heard.figure}
	if len(sc.heard.keys) > 0 {
		m[slotKey] = sc.heard.keys[0]
	} else if i := slices.IndexFunc(sc.background.keys, func(k string) bool { return k != sc.topic }); i >= 0 {
		m[slotKey] = sc.background.keys[i]
	}
	m[slotAspect] = sc.aspect(v)
	m[slotType] = identifier(m[slotKey])
	if m[slotType] == "" {
		m[slotType] = identifier(sc.topic)
	}
	if parts := lensParts(p.Lens); len(parts) > 0 {
		m[slotLens] = parts[sc.lottery.draw(string(p.Key), "lens")%uint32(len(parts))]
	}
	return m
}

// guard puts in quotes whatever the persona must not say of its own accord
// (FR-010): it may repeat others' words.
func guard(values map[string]string, forbidden []string) map[string]string {
	for slot, value := range values {
		if value == "" || slot == slotType || !uses(value, forbidden) {
			continue
		}
		the, rest, found := strings.Cut(value, " ")
		if found && (the == "the" || the == "our") {
			values[slot] = the + ` "` + rest + `"`
		} else {
			values[slot] = `"` + value + `"`
		}
	}
	return values
}

// aspect is something that the persona's lens sees in this subject and that
// nobody has mentioned.
func (sc *scene) aspect(v *voice) string {
	for _, theme := range append(slices.Clone(sc.themes), anyTheme) {
		var fresh []string
		for _, a := range v.aspects[theme] {
			if !sc.mentioned(a) {
				fresh = append(fresh, a)
			}
		}
		if len(fresh) > 0 {
			return fresh[sc.lottery.draw("aspect", theme)%uint32(len(fresh))]
		}
	}
	return ""
}

// mentioned reports whether somebody has used the phrase.
func (sc *scene) mentioned(phrase string) bool {
	if len(sc.low) != len(sc.turns)+1 {
		sc.low = []string{strings.ToLower(sc.subject.Focus)}
		for _, t := range sc.turns {
			sc.low = append(sc.low, strings.ToLower(t.Text))
		}
	}
	phrase = strings.ToLower(phrase)
	return slices.ContainsFunc(sc.low, func(text string) bool { return strings.Contains(text, phrase) })
}

// persona returns a member of the cast.
func (sc *scene) persona(key persona.Key) (persona.Persona, bool) {
	i := slices.IndexFunc(sc.subject.Cast, func(p persona.Persona) bool { return p.Key == key })
	if i < 0 {
		return persona.Persona{}, false
	}
	return sc.subject.Cast[i], true
}

// used counts how often the persona's turns match, which is made for a frame
// that opens a turn and within for one that closes it.
func (sc *scene) used(key persona.Key, match func(frame, string) bool) func(frame) int {
	return func(f frame) int {
		n := 0
		for _, t := range sc.turns {
			if t.Persona == key && match(f, t.Text) {
				n++
			}
		}
		return n
	}
}

// pointOf names what a persona's turn was about, as a noun phrase, or "".
func (sc *scene) pointOf(t thread.Turn) string {
	v, ok := sc.voices[t.Persona]
	if !ok {
		return ""
	}
	low := strings.ToLower(t.Text)
	for _, theme := range slices.Sorted(maps.Keys(v.aspects)) {
		for _, a := range v.aspects[theme] {
			if strings.Contains(low, strings.ToLower(a)) {
				return a
			}
		}
	}
	for _, name := range families {
		for _, f := range v.frames[name] {
			if !f.made(t.Text) {
				continue
			}
			if name == familyChoice || name == familyCounter {
				return "" // a side taken, with a reason for a gist
			}
			return f.gist
		}
	}
	if rd := sc.panel.reader.read(t.Text, sc.names); len(rd.keys) > 0 {
		return rd.keys[0]
	}
	return ""
}
