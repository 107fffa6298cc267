package roundtable

import (
	"cmp"
	"slices"
	"strings"
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
			t.Late = append(t.Late, f.turn(e))
		case EntryMark:
			if e.Mark.Kind != MarkDecision || !e.Mark.By.Guest {
				f.marks = append(f.marks, *e.Mark)
			}
		case EntryUnmark:
			f.marks = slices.DeleteFunc(f.marks, func(m Mark) bool {
				return m.Kind == e.Mark.Kind && m.TS == e.Mark.TS && m.By.ID == e.Mark.By.ID
			})
		case EntryLine:
			if f.marked { // may be what was marked
				f.turn(e)
			}
		case EntryEdit, EntryStrike, EntryPosted:
		}
	}
	for i := range t.Turns {
		t.Turns[i].Struck = t.Turns[i].Text == "" && len(t.Turns[i].Files) == 0
	}
	t.rename()
	t.Marks = f.resolve(t)
	return t
}

// telling is what a first pass over the log found out about messages. Logs are read in
// every turn and most hold no edit and no mark, so what only those need is made for
// them only.
type telling struct {
	texts  map[string]string // ts → text after edits
	edited map[string]string // ts → when that edit was made
	struck map[string]bool   // ts
	posted map[string]string // effect key → ts
	turns  map[string]int    // ts → turn number, where something is marked
	bodies map[string]string // ts → the message as it stands, where something is marked
	marks  []Mark
	marked bool // somebody marked something
	count  int  // entries that are turns or parts of one
}

func newTelling(log []Entry) *telling {
	f := &telling{}
	posts := 0
	for i := range log {
		switch log[i].Kind {
		case EntryTurn:
			f.count++
		case EntryPosted:
			posts++
		case EntryMark:
			f.marked = true
		case EntryLate, EntryLine, EntryEdit, EntryStrike, EntryUnmark:
		}
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
		case EntryTurn, EntryLate, EntryLine, EntryMark, EntryUnmark:
		}
	}
	return f
}

// amend takes in an edit or a deletion. Edits may be delivered out of order.
func (f *telling) amend(e *Entry) {
	if f.struck == nil {
		f.struck, f.texts, f.edited = map[string]bool{}, map[string]string{}, map[string]string{}
	}
	switch {
	case e.Kind == EntryStrike:
		f.struck[e.TS] = true
	case e.Edited >= f.edited[e.TS]:
		f.texts[e.TS], f.edited[e.TS] = e.Text, e.Edited
	}
}

// turn reads one entry with everything that happened to it later.
func (f *telling) turn(e *Entry) Turn {
	t := Turn{Number: e.Turn, At: e.At, Persona: e.Persona, Text: e.Text, Stance: e.Stance, ReplyTo: e.ReplyTo, Faults: e.Faults, TS: e.TS, Files: e.Files}
	if e.Person != nil {
		t.Person, t.NoDecision = *e.Person, e.NoDecision || e.Person.Guest
	}
	if e.Key != "" {
		t.TS = f.posted[e.Key]
	}
	if edited, ok := f.texts[t.TS]; ok && t.TS != "" {
		t.Text = edited
	}
	if f.struck[t.TS] && t.TS != "" {
		t.Text, t.Files = "", nil
	}
	if f.marked {
		f.bodies[t.TS] = t.Text
	}
	if t.Persona == "" {
		if kind, _, marks := selfMark(t.Text); marks && !(t.NoDecision && kind == MarkDecision) {
			t.marking = []string{t.Text}
		}
	}
	return t
}

// addTurn appends an entry, or joins it to the contribution it continues.
func (f *telling) addTurn(turns []Turn, e *Entry) []Turn {
	t := f.turn(e)
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
	if o.Person.nameless() {
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
				if kind, body, ok := selfMark(part); ok {
					out = append(out, Marked{Mark: Mark{Kind: kind, By: turn.Person, TS: turn.TS}, Body: body, Turn: turn.Number})
				}
			}
		}
	}
	for _, m := range f.marks {
		if m.TS == "" {
			out = append(out, Marked{Mark: m, Body: m.Text})
			continue
		}
		body := f.bodies[m.TS] // the part that was marked, not the whole turn
		if body == "" {
			continue
		}
		turn, _ := t.at(m.TS, f.turns[m.TS])
		if _, own, ok := selfMark(body); ok {
			body = own
		}
		out = append(out, Marked{Mark: m, Body: body, Turn: turn.Number})
	}
	if len(out) > 0 {
		names := t.Names()
		for i := range out {
			out[i].Body = Legible(out[i].Body, names, MarkdownLink)
			if by := &out[i].By; by.nameless() {
				by.Name = cmp.Or(names[by.ID], by.Name)
			}
		}
	}
	return slices.CompactFunc(out, func(a, b Marked) bool { return a.Kind == b.Kind && a.Body == b.Body && a.By.ID == b.By.ID })
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
func (t Turn) Speaker(cast []Seat) string {
	for _, s := range cast {
		if s.Key == t.Persona {
			return s.First()
		}
	}
	return t.Person.Name
}
