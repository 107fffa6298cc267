package thread

import (
	"cmp"
	"slices"
	"strings"

	"github.com/roundtable-chat/app/roundtable/lookahead"
	"github.com/roundtable-chat/app/roundtable/persona"
)

// ReadTranscript folds a log into what was said: parts of one contribution are
// joined, edits applied, struck messages left out, posts given their timestamps,
// marks resolved to the text they stand for.
func ReadTranscript(log []Entry) Transcript {
	f := newTelling(log)
	t := Transcript{Turns: make([]Turn, 0, f.count)}
	for i := range log {
		switch e := &log[i]; e.Kind {
		case EntryTurn:
			t.Turns = f.addTurn(t.Turns, e)
		case EntryLate:
			if f.told[e.TS] {
				f.early[e.TS] = e
				continue
			}
			t.Late = append(t.Late, f.turn(e))
		case EntryMark:
			if e.Mark.Kind != MarkDecision || f.vouched(e, e.Mark.By) {
				f.marks = append(f.marks, *e.Mark)
			}
		case EntryUnmark:
			f.marks = slices.DeleteFunc(f.marks, func(m Mark) bool {
				return m.same(e.Mark) && m.Emoji == e.Mark.Emoji
			})
		case EntryLine:
			if f.marked { // may be what was marked
				f.turn(f.words(e))
			}
		case EntryEdit, EntryStrike, EntryPosted, EntryKnown:
		}
	}
	for i := range t.Turns {
		t.Turns[i].Struck = t.Turns[i].Text == "" && len(t.Turns[i].Files) == 0
	}
	f.name(&t)
	t.rename()
	t.Marks = f.resolve(t)
	return t
}

// telling is what a first pass over the log found out about messages. Logs are read in
// every turn and most hold no edit and no mark, so what only those need is made for
// them only.
type telling struct {
	edits  map[string]*Entry // ts → the newest edit
	struck map[string]bool   // ts
	posted map[string]string // effect key → ts
	told   map[string]bool   // ts → its place in the log comes later than its words
	early  map[string]*Entry // ts → those words
	turns  map[string]int    // ts → turn number, where something is marked
	bodies map[string]string // ts → the message as it stands, where something is marked
	marks  []Mark
	known  map[*Entry]bool   // entries of people who turned out later to be full members
	names  map[string]string // what those people are called, by id
	marked bool              // somebody marked something
	count  int               // entries that are turns or parts of one
}

func newTelling(log []Entry) *telling {
	f := &telling{}
	posts, vouched := 0, false
	for i := range log {
		switch log[i].Kind {
		case EntryTurn:
			f.count++
		case EntryPosted:
			posts++
		case EntryMark:
			f.marked = true
		case EntryKnown:
			vouched = true
		case EntryLate, EntryLine, EntryEdit, EntryStrike, EntryUnmark:
		}
		if log[i].Told {
			f.tell(log[i].TS)
		}
	}
	if vouched {
		f.vouch(log)
	}
	f.posted = make(map[string]string, posts)
	if f.marked {
		f.turns, f.bodies = make(map[string]int, f.count), make(map[string]string, f.count)
	}
	for i := range log {
		switch e := &log[i]; e.Kind {
		case EntryEdit, EntryStrike:
			f.amend(e)
		case EntryPosted:
			f.posted[e.Key] = e.TS
		case EntryTurn, EntryLate, EntryLine, EntryMark, EntryUnmark, EntryKnown:
		}
	}
	return f
}

// vouch finds the entries of people who turned out later to be full members: what they did
// while Slack did not say who they were may decide.
func (f *telling) vouch(log []Entry) {
	f.known, f.names = map[*Entry]bool{}, map[string]string{}
	until := map[string]int{} // id → where the log says so last
	for i := range log {
		if e := &log[i]; e.Kind == EntryKnown && e.Person != nil && e.Person.Is() == StandingMember {
			until[e.Person.ID], f.names[e.Person.ID] = i, e.Person.Name
		}
	}
	for i := range log {
		e, by := &log[i], ""
		switch {
		case e.Kind == EntryKnown:
			continue
		case e.Person != nil:
			by = e.Person.ID
		case e.Mark != nil:
			by = e.Mark.By.ID
		}
		if at, ok := until[by]; ok {
			f.known[e] = max(i, e.After) < at
		}
	}
}

// name gives people the names that were learnt when it turned out who they are.
func (f *telling) name(t *Transcript) {
	for _, said := range [][]Turn{t.Turns, t.Late} {
		for i := range said {
			if p := &said[i].Person; p.ID != "" && p.Nameless() {
				p.Name = cmp.Or(f.names[p.ID], p.Name)
			}
		}
	}
	for i := range f.marks {
		if p := &f.marks[i].By; p.Nameless() {
			p.Name = cmp.Or(f.names[p.ID], p.Name)
		}
	}
}

// vouched reports whether an entry's author is a full member, as it says or as it turned
// out.
func (f *telling) vouched(e *Entry, by Person) bool {
	is := by.Is()
	return is == StandingMember || is == StandingUnknown && f.known[e]
}

// tell notes that a message's words stand before the place it got.
func (f *telling) tell(ts string) {
	if f.told == nil {
		f.told, f.early = map[string]bool{}, map[string]*Entry{}
	}
	f.told[ts] = true
}

// words returns an entry with the words that stand before it, if they do.
func (f *telling) words(e *Entry) *Entry {
	early := f.early[e.TS]
	if !e.Told || early == nil {
		return e
	}
	full := *e
	full.Text, full.Files, full.NoDecision = early.Text, early.Files, e.NoDecision || early.NoDecision
	if f.known[e] || f.known[early] {
		f.known[&full] = true
	}
	return &full
}

// amend takes in an edit or a deletion. Edits may be delivered out of order.
func (f *telling) amend(e *Entry) {
	if f.struck == nil {
		f.struck, f.edits = map[string]bool{}, map[string]*Entry{}
	}
	switch {
	case e.Kind == EntryStrike:
		f.struck[e.TS] = true
	case f.edits[e.TS] == nil || e.Edited >= f.edits[e.TS].Edited:
		f.edits[e.TS] = e
	}
}

// turn reads one entry with everything that happened to it later.
func (f *telling) turn(e *Entry) Turn {
	t := Turn{Number: e.Turn, At: e.At, Persona: e.Persona, Text: e.Text, Stance: e.Stance, ReplyTo: e.ReplyTo, Faults: e.Faults, TS: e.TS, Files: e.Files}
	if e.Person != nil {
		t.Person, t.NoDecision = *e.Person, e.NoDecision || !f.vouched(e, *e.Person)
	}
	if e.Key != "" {
		t.TS = f.posted[e.Key]
	}
	if edit := f.edits[t.TS]; edit != nil && t.TS != "" {
		t.Text, t.NoDecision = edit.Text, f.undeciding(t, edit)
	}
	if f.struck[t.TS] && t.TS != "" {
		t.Text, t.Files = "", nil
	}
	if f.marked {
		f.bodies[t.TS] = t.Text
	}
	if t.Persona == "" {
		if kind, _, marks := SelfMark(t.Text); marks && !(t.NoDecision && kind == MarkDecision) {
			t.marking = []said{{t.TS, t.Text, t.Person}}
		}
	}
	return t
}

// undeciding reports whether the words that an edit gave a turn cannot decide anything:
// that depends on who its author is when they write them so.
func (f *telling) undeciding(t Turn, edit *Entry) bool {
	if edit.Person == nil {
		return t.NoDecision
	}
	return edit.NoDecision || !f.vouched(edit, *edit.Person) || t.NoDecision && edit.Person.ID != t.Person.ID
}

// addTurn appends an entry, or joins it to the contribution it continues.
func (f *telling) addTurn(turns []Turn, e *Entry) []Turn {
	t := f.turn(f.words(e))
	if f.marked && t.TS != "" {
		f.turns[t.TS] = t.Number
	}
	i := len(turns) - 1
	for i >= 0 && turns[i].Number > t.Number { // parts follow each other closely
		i--
	}
	if i < 0 || turns[i].Number != t.Number {
		return append(turns, t)
	}
	o := &turns[i]
	if o.Person.Nameless() {
		o.Person = t.Person
	}
	o.Text = strings.TrimSpace(o.Text + "\n" + t.Text)
	o.marking = append(slices.Clone(o.marking), t.marking...)
	o.Files = append(slices.Clone(o.Files), t.Files...)
	return turns
}

// resolve gives marks their text. A mark on something that was struck or was
// never part of the discussion stands for nothing and is left out. Messages that
// mark themselves come with them, in order of the turns.
func (f *telling) resolve(t Transcript) []Marked {
	var out []Marked
	for _, said := range [][]Turn{t.Turns, t.Late} {
		for i := range said {
			turn := &said[i]
			for _, part := range turn.marking {
				if kind, body, ok := SelfMark(part.text); ok {
					out = append(out, Marked{Mark: Mark{Kind: kind, By: part.by, TS: part.ts}, Body: body, Turn: turn.Number})
				}
			}
		}
	}
	for _, m := range f.distinct() {
		if m.TS == "" {
			out = append(out, Marked{Mark: m, Body: m.Text})
			continue
		}
		body := f.bodies[m.TS] // the part that was marked, not the whole turn
		if body == "" {
			continue
		}
		turn, _ := t.at(m.TS, f.turns[m.TS])
		if _, own, ok := SelfMark(body); ok {
			body = own
		}
		out = append(out, Marked{Mark: m, Body: body, Turn: turn.Number})
	}
	if len(out) > 0 {
		names := t.Names()
		for i := range out {
			out[i].bound(Legible(out[i].Body, names, MarkdownLink))
			if by := &out[i].By; by.Nameless() {
				by.Name = cmp.Or(names[by.ID], by.Name)
			}
		}
	}
	return slices.CompactFunc(out, func(a, b Marked) bool {
		return a.Kind == b.Kind && a.Body == b.Body && a.Whole == b.Whole && a.By.ID == b.By.ID
	})
}

// distinct are the marks without those that only repeat an earlier one with another emoji.
func (f *telling) distinct() []Mark {
	if len(f.marks) < 2 {
		return f.marks
	}
	type marking struct {
		kind   MarkKind
		ts, by string
	}
	seen := make(map[marking]bool, len(f.marks))
	return slices.DeleteFunc(f.marks, func(m Mark) bool {
		this := marking{m.Kind, m.TS, m.By.ID}
		again := m.TS != "" && seen[this]
		seen[this] = true
		return again
	})
}

// bound takes a text for the marked one, shortened if it is long.
func (m *Marked) bound(text string) {
	var short bool
	if m.Body, short = shorten(text, markLimit); short {
		m.Body, m.Whole = lookahead.Modest(m.Body), text
	}
}

// at finds what stands at a timestamp, which belongs to the turn numbered n if n
// is not 0.
func (t Transcript) at(ts string, n int) (Turn, bool) {
	for _, turn := range t.Turns {
		if turn.TS == ts || n > 0 && turn.Number == n {
			return turn, true
		}
	}
	for _, late := range t.Late {
		if late.TS == ts {
			return late, true
		}
	}
	return Turn{}, false
}

// Speaker returns the name that attributes a turn: a persona's first name or a
// person's display name.
func (t Turn) Speaker(cast []persona.Seat) string {
	for _, s := range cast {
		if s.Key == t.Persona {
			return s.First()
		}
	}
	return t.Person.Name
}
