package thread

// Bounds on what the log of one discussion or analysis keeps. They are many times what
// people write who talk, and small enough that a replica reads and folds a log that is
// full without noticing (NFR-004). A person's share is a quarter, so that one person's
// flood leaves room for everybody else. What personas and the app say is not refused:
// it is bounded by the turns.
const (
	MaxEntries    = 8_000
	MaxBytes      = 4 << 20
	PersonEntries = MaxEntries / 4
	PersonBytes   = MaxBytes / 4
)

// Excess says what has no room for an input.
type Excess string

// The kinds of excess.
const (
	ExcessNone   Excess = ""       // there is room
	ExcessPerson Excess = "person" // the person's share is used up
	ExcessAll    Excess = "all"    // the log is full
)

// Extent is how much of a log something takes.
type Extent struct{ Entries, Bytes int }

func (x Extent) plus(y Extent) Extent { return Extent{x.Entries + y.Entries, x.Bytes + y.Bytes} }

func (x Extent) minus(y Extent) Extent { return Extent{x.Entries - y.Entries, x.Bytes - y.Bytes} }

func (x Extent) within(entries, bytes int) bool { return x.Entries <= entries && x.Bytes <= bytes }

// EntryBytes is about what an entry takes besides its texts, in bytes.
const EntryBytes = 100

func extentOf(e Entry) Extent {
	n := EntryBytes + len(e.Text)
	for _, f := range e.Files {
		n += len(f)
	}
	if e.Mark != nil {
		n += len(e.Mark.Text)
	}
	return Extent{1, n}
}

// by is whose share an entry counts to; empty for a persona's and the app's that nobody
// set off.
func (e Entry) by() string {
	switch {
	case e.Person != nil:
		return e.Person.ID
	case e.Mark != nil:
		return e.Mark.By.ID
	default:
		return e.For
	}
}

// Volume is how much a log holds, in all and of each person. The zero value is that of
// an empty log.
type Volume struct {
	all Extent
	of  map[string]Extent
}

// VolumeOf measures a log.
func VolumeOf(log []Entry) Volume {
	var v Volume
	for i := range log {
		v.Add(log[i])
	}
	return v
}

// Add counts an entry.
func (v *Volume) Add(e Entry) { v.count(e.by(), extentOf(e)) }

// Remove takes back what Add counted.
func (v *Volume) Remove(e Entry) { v.count(e.by(), Extent{}.minus(extentOf(e))) }

func (v *Volume) count(by string, x Extent) {
	v.all = v.all.plus(x)
	if by == "" {
		return
	}
	if v.of == nil {
		v.of = make(map[string]Extent)
	}
	v.of[by] = v.of[by].plus(x)
}

// Extent is how much the log holds, its bytes being counted about.
func (v Volume) Extent() Extent { return v.all }

// Within reports whether the log holds no more than so many entries and bytes.
func (v Volume) Within(entries, bytes int) bool { return v.all.within(entries, bytes) }

// Excess reports whether there is room for a person's entry. One that adds less than it
// replaces always finds room.
func (v Volume) Excess(log []Entry, wanted Entry) Excess {
	more := extentOf(wanted)
	switch i, what := Supersedes(log, wanted); what {
	case Replaced:
		more = more.minus(extentOf(log[i]))
	case Outdated:
		return ExcessNone
	case Added:
	}
	switch {
	case more.within(0, 0):
		return ExcessNone
	case !v.all.plus(more).within(MaxEntries, MaxBytes):
		return ExcessAll
	case !v.of[wanted.by()].plus(more).within(PersonEntries, PersonBytes):
		return ExcessPerson
	default:
		return ExcessNone
	}
}

// Placing says where a new entry belongs in a log.
type Placing int

// The ways of placing.
const (
	Added    Placing = iota // at the end
	Replaced                // in the place of one that it makes meaningless
	Outdated                // nowhere: a newer one is there
)

// Supersedes finds the entry that a new one makes meaningless. Of the edits of a message
// only the newest counts, whatever the order in which they are delivered, and of a
// person's marks with one emoji on a message, and of their taking them back, the last. So
// however often something is edited, or marked and unmarked, the log holds it once.
func Supersedes(log []Entry, e Entry) (int, Placing) {
	switch e.Kind {
	case EntryEdit:
		for i := len(log) - 1; i >= 0; i-- {
			switch {
			case log[i].Kind != EntryEdit || log[i].TS != e.TS:
			case e.Edited < log[i].Edited:
				return i, Outdated
			default:
				return i, Replaced
			}
		}
	case EntryMark, EntryUnmark:
		nameless := -1 // one of which an older version did not note the emoji
		for i := len(log) - 1; i >= 0 && e.Mark.TS != ""; i-- {
			m := log[i].Mark
			switch {
			case m == nil || !m.same(e.Mark):
			case m.Emoji != e.Mark.Emoji:
				if m.Emoji == "" && log[i].Kind == EntryMark && nameless < 0 {
					nameless = i
				}
			case e.Kind == EntryMark && log[i].Kind == EntryMark && e.Mark.By.Is() != StandingMember:
				return i, Outdated // it stands, and perhaps by somebody whose standing was known
			default:
				return i, Replaced
			}
		}
		switch {
		case e.Kind == EntryMark:
		case nameless >= 0:
			return nameless, Replaced
		default:
			return -1, Outdated // there is nothing to take back
		}
	case EntryTurn, EntryLine, EntryLate, EntryStrike, EntryPosted, EntryKnown:
	}
	return -1, Added
}

// InPlace is an entry as it takes the place of another in a log. What somebody does whose
// standing is unknown is later than what the log says meanwhile of who they are.
func (e Entry) InPlace(log []Entry) Entry {
	by := e.Person
	if e.Mark != nil {
		by = &e.Mark.By
	}
	if by != nil && by.Is() == StandingUnknown {
		e.After = len(log) - 1
	}
	return e
}

// Lighten takes the words from edits that later ones in the same log made meaningless,
// as a log has them that an older version wrote. Where each entry stands does not change.
func Lighten(log []Entry) {
	newest := map[string]int{}
	for i := range log {
		if log[i].Kind != EntryEdit {
			continue
		}
		before, edited := newest[log[i].TS]
		switch {
		case !edited:
			newest[log[i].TS] = i
		case log[i].Edited >= log[before].Edited:
			log[before].Text = ""
			newest[log[i].TS] = i
		default:
			log[i].Text = ""
		}
	}
}

// KeptText is how many characters of one message are kept. Slack takes 40,000.
const KeptText = 12_000

// Kept is what is kept of a person's message: all of it, or its beginning and a note that
// says how much stands in Slack only. The cut parts no word and no entity of Slack's
// wherever there is a space to cut at.
func Kept(text string) string {
	if len(text) <= KeptText {
		return text
	}
	n, cut := 0, len(text)
	for i := range text {
		if n == KeptText {
			cut = i
		}
		n++
	}
	if n <= KeptText {
		return text
	}
	head := wholeWords(text[:cut])
	return head + "\n\n" + cutText(n-len([]rune(head)))
}

// wholeWords takes from the end of a text what the cut may have parted: an entity, or
// else a word, if either began within the last partedLimit bytes.
func wholeWords(s string) string {
	tail := s[max(0, len(s)-partedLimit):]
	at := -1
	for i := len(tail) - 1; i >= 0; i-- {
		switch c := tail[i]; {
		case c == '<':
			return s[:len(s)-len(tail)+i]
		case c == '>' && at < 0:
			return s
		case c == '>':
			return s[:len(s)-len(tail)+at]
		case (c == ' ' || c == '\n') && at < 0:
			at = i
		}
	}
	if at < 0 {
		return s
	}
	return s[:len(s)-len(tail)+at]
}

const partedLimit = 400

// Cut shortens an entry of a person's to what is kept of it: far less of a message for
// which there is no room, but that is heard because it ends things.
func (x Excess) Cut(e Entry) Entry {
	if e.Person == nil {
		return e
	}
	e.Text = Kept(e.Text)
	if x != ExcessNone {
		e.Text, e.Files = Clip(e.Text, ExcessText), nil
	}
	return e
}

// ExcessText is how many characters are kept of a message that ends things.
const ExcessText = 200
