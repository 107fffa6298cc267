package roundtable

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/roundtable-chat/app/roundtable/thread"
)

// room plays a discussion with its log, as the engine keeps it.
type room struct {
	d       Discussion
	log     []thread.Entry // as stored: entries that a newer one makes meaningless are replaced
	all     []thread.Entry // every entry
	volume  thread.Volume
	acts    []thread.Audit
	again   int      // decisions that an edit made in other words, each an act more
	effects []Effect // of the last event
	n       int
	at      time.Time
}

func newRoom() *room {
	return &room{
		d: Discussion{
			ID: "D1", State: StateDiscussionLoop, Opener: person("Priya"), Cast: testSeats(), Lead: testSeats()[0].Key,
			Place: thread.Place{Team: "T1", Channel: "C1", Thread: "0.1", Root: "0.1"}, Settings: Settings{MaxTurns: 9_000},
		},
		at: time.Date(2026, 11, 16, 9, 0, 0, 0, time.UTC),
	}
}

func (r *room) play(events ...Event) {
	for _, e := range events {
		r.n++
		r.at = r.at.Add(time.Second)
		in := Input{ID: fmt.Sprint("x:", r.n), At: r.at, Event: e, Excess: ExcessOf(r.volume, r.log, e), Overtaken: Overtaken(r.log, e)}
		if d, ok := e.(Drafted); ok {
			d.Transcript, d.Effect = thread.ReadTranscript(r.log), r.d.Ask.Key
			in.Event = d
		}
		got := Step(r.d, in)
		r.d, r.effects = got.Discussion, got.Effects
		r.acts = append(r.acts, got.Acts...)
		r.all = append(r.all, got.Entries...)
		for _, x := range got.Entries {
			r.note(x)
		}
	}
}

func (r *room) note(e thread.Entry) {
	before := thread.DecidedAt(r.log, e)
	i, what := thread.Supersedes(r.log, e)
	switch what {
	case thread.Added:
		r.log = append(r.log, e)
		r.volume.Add(e)
	case thread.Replaced:
		e = e.InPlace(r.log)
		r.volume.Remove(r.log[i])
		r.volume.Add(e)
		r.log[i] = e
	case thread.Outdated:
		return
	}
	after := thread.DecidedAt(r.log, e)
	for _, d := range after {
		if e.Kind == thread.EntryEdit && d.How == thread.DetailMessage && slices.ContainsFunc(before, d.Same) {
			r.again++
		}
	}
	r.acts = append(r.acts, thread.AuditsOf(e, before, after)...)
}

// told are those whom the last event had the app tell something.
func (r *room) told() (who []string) {
	for _, e := range r.effects {
		if tell, ok := e.(Tell); ok {
			who = append(who, tell.User)
		}
	}
	return who
}

// decided counts acts of marking something as a decision.
func (r *room) decided() int { return r.done(thread.AuditDecided) }

// done counts acts of a kind.
func (r *room) done(kind thread.AuditKind) (n int) {
	for _, a := range r.acts {
		if a.Kind == kind {
			n++
		}
	}
	return n
}

func decisions(log []thread.Entry) (bodies []string) {
	for _, m := range thread.ReadTranscript(log).Marks {
		if m.Kind == thread.MarkDecision {
			bodies = append(bodies, m.Body)
		}
	}
	return bodies
}

func edit(ts string, by thread.Person, n int, text string) Edited {
	return Edited{TS: ts, By: by, Text: text, EditedTS: fmt.Sprintf("9%05d.000000", n)}
}

func check(ts string, by thread.Person, removed bool) Reacted {
	return Reacted{TS: ts, By: by, Emoji: "white_check_mark", Removed: removed}
}

// Whoever edits a decision of theirs over and over takes one place for it in the log, and
// each edit is one act of theirs.
func TestADecisionEditedOverAndOverIsOne(t *testing.T) {
	t.Parallel()
	r, sam := newRoom(), person("Sam")
	r.play(Said{TS: "1.1", By: sam, Text: "Decision: number 0"})
	before := len(r.log)
	const edits = 200
	for n := range edits {
		r.play(edit("1.1", sam, n, fmt.Sprint("Decision: number ", n%10)))
	}
	if got := len(r.log) - before; got > 1 {
		t.Errorf("%d edits take %d entries", edits, got)
	}
	if got := r.decided(); got != 1+edits {
		t.Errorf("%d acts are recorded for %d", got, 1+edits)
	}
}

// However a decision goes, the audit record says so once, and whose it was; what decides
// nothing is not recorded as deciding (FR-108).
func TestADecisionThatGoesIsRecorded(t *testing.T) {
	t.Parallel()
	sam, priya, una := person("Sam"), person("Priya"), person("Una").As(thread.StandingUnknown)
	says := func(text string) Said { return Said{TS: "1.1", By: sam, Text: text} }
	decision := says("Decision: ship it")
	for name, tt := range map[string]struct {
		events []Event
		want   []string
	}{
		"deleted":                    {[]Event{decision, Deleted{TS: "1.1"}}, []string{"decided Sam message", "undecided Sam deleted"}},
		"deleted twice":              {[]Event{decision, Deleted{TS: "1.1"}, Deleted{TS: "1.1"}}, []string{"decided Sam message", "undecided Sam deleted"}},
		"deleted before it was said": {[]Event{Deleted{TS: "1.1"}, decision}, nil},
		"reworded":                   {[]Event{decision, edit("1.1", sam, 1, "ship it?")}, []string{"decided Sam message", "undecided Sam message"}},
		"reworded as a decision":     {[]Event{decision, edit("1.1", sam, 1, "Decision: wait")}, []string{"decided Sam message", "decided Sam message"}},
		"reworded and deleted":       {[]Event{decision, edit("1.1", sam, 1, "ship it?"), Deleted{TS: "1.1"}}, []string{"decided Sam message", "undecided Sam message"}},
		"reworded by an older edit": {
			[]Event{decision, edit("1.1", sam, 2, "Decision: wait"), edit("1.1", sam, 1, "ship it?")}, []string{"decided Sam message", "decided Sam message"},
		},
		"an older edit that decides": {
			[]Event{says("hello"), edit("1.1", sam, 2, "Decision: wait"), edit("1.1", sam, 1, "Decision: ship it")}, []string{"decided Sam message"},
		},
		"reworded before it was said": {[]Event{edit("1.1", sam, 1, "ship it?"), decision}, nil},
		"reworded by a guest":         {[]Event{decision, edit("1.1", sam.As(thread.StandingGuest), 1, "Decision: wait")}, []string{"decided Sam message", "undecided Sam message"}},
		"a mark taken back":           {[]Event{says("ship it"), check("1.1", priya, false), check("1.1", priya, true)}, []string{"decided Priya reaction", "undecided Priya reaction"}},
		"a mark taken back while unknown": {
			[]Event{says("ship it"), check("1.1", priya, false), check("1.1", priya.As(thread.StandingUnknown), true)}, []string{"decided Priya reaction", "undecided Priya reaction"},
		},
		"a marked message deleted": {
			[]Event{says("ship it"), check("1.1", priya, false), check("1.1", sam, false), Deleted{TS: "1.1"}},
			[]string{"decided Priya reaction", "decided Sam reaction", "undecided Priya deleted", "undecided Sam deleted"},
		},
		"deleted, then the mark taken back": {
			[]Event{says("ship it"), check("1.1", priya, false), Deleted{TS: "1.1"}, check("1.1", priya, true)}, []string{"decided Priya reaction", "undecided Priya deleted"},
		},
		"deleted, then marked":      {[]Event{says("ship it"), Deleted{TS: "1.1"}, check("1.1", priya, false)}, nil},
		"a marked message reworded": {[]Event{says("ship it"), check("1.1", priya, false), edit("1.1", sam, 1, "ship it now")}, []string{"decided Priya reaction"}},
		"a marked decision deleted": {[]Event{decision, check("1.1", sam, false), Deleted{TS: "1.1"}}, []string{"decided Sam message", "decided Sam reaction", "undecided Sam deleted", "undecided Sam deleted"}},
		"another's message deleted": {[]Event{decision, Said{TS: "1.2", By: priya, Text: "hello"}, Deleted{TS: "1.2"}}, []string{"decided Sam message"}},
		"of somebody who was unknown": {
			[]Event{Said{TS: "1.1", By: una, Text: "Decision: ship it"}, Identified{Person: una.As(thread.StandingMember)}, Deleted{TS: "1.1"}}, []string{"decided Una known", "undecided Una deleted"},
		},
		"several of somebody who was unknown": {
			[]Event{
				says("ship it"), Said{TS: "1.2", By: una, Text: "Decision: one ledger"}, Said{TS: "1.3", By: una, Text: "Decision: two regions"}, check("1.1", una, false),
				Identified{Person: una.As(thread.StandingMember)}, Deleted{TS: "1.2"}, edit("1.3", una.As(thread.StandingMember), 1, "two regions?"), check("1.1", una.As(thread.StandingMember), true),
			},
			[]string{"decided Una known", "decided Una known", "decided Una known", "undecided Una deleted", "undecided Una message", "undecided Una reaction"},
		},
		"of somebody unknown, by two emoji": {
			[]Event{
				says("ship it"), check("1.1", una, false), Reacted{TS: "1.1", By: una, Emoji: "ballot_box_with_check"},
				Identified{Person: una.As(thread.StandingMember)}, check("1.1", una.As(thread.StandingMember), true),
			},
			[]string{"decided Una known"},
		},
		"of somebody unknown, one of them perhaps elsewhere": {
			[]Event{
				says("ship it"), check("1.1", una, false), Reacted{TS: "7.1", By: una, Emoji: "white_check_mark", Unsure: true}, Identified{Person: una.As(thread.StandingMember)},
			},
			[]string{"decided Una known", "decided Una unsure"},
		},
		"marked by somebody unknown once it was deleted": {[]Event{says("ship it"), Deleted{TS: "1.1"}, check("1.1", una, false), Identified{Person: una.As(thread.StandingMember)}}, nil},
		"marked as a member, and once more while unknown": {
			[]Event{says("ship it"), check("1.1", priya, false), check("1.1", priya.As(thread.StandingUnknown), false), Identified{Person: priya}}, []string{"decided Priya reaction"},
		},
		"reworded by its author while unknown": {
			[]Event{decision, edit("1.1", sam.As(thread.StandingUnknown), 1, "Decision: wait"), Identified{Person: sam}},
			[]string{"decided Sam message", "undecided Sam message", "decided Sam known"},
		},
		"unknown twice": {
			[]Event{
				Said{TS: "1.1", By: una, Text: "Decision: ship it"}, Identified{Person: una.As(thread.StandingMember)},
				Said{TS: "1.2", By: una, Text: "Decision: one ledger"}, Identified{Person: una.As(thread.StandingMember)},
			},
			[]string{"decided Una known", "decided Una known"},
		},
	} {
		r := newRoom()
		r.play(tt.events...)
		var got []string
		for _, a := range r.acts {
			got = append(got, fmt.Sprint(a.Kind, " ", strings.TrimPrefix(a.By, "U-"), " ", a.Detail))
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// Words decide if whoever wrote them so may: what somebody wrote as a full member does not
// become a decision by an edit of a guest's, or of somebody's of whom Slack does not say who
// they are.
func TestAnEditDecidesIfItsAuthorMay(t *testing.T) {
	t.Parallel()
	sam := person("Sam")
	for is, want := range map[thread.Standing]int{thread.StandingMember: 1, thread.StandingGuest: 0, thread.StandingOutsider: 0, thread.StandingUnknown: 0} {
		r := newRoom()
		r.play(Said{TS: "1.1", By: sam, Text: "hello"}, edit("1.1", sam.As(is), 1, "Decision: ship it"))
		if got := decisions(r.log); len(got) != want {
			t.Errorf("%q: decided is %q", is, got)
		}
		r.play(Identified{Person: sam})
		if got := decisions(r.log); is == thread.StandingUnknown && len(got) != 1 {
			t.Errorf("she turned out to be a member, decided is %q", got)
		}
	}
	r := newRoom()
	r.play(Said{TS: "1.1", By: sam.As(thread.StandingUnknown), Text: "hello"}, edit("1.1", sam, 1, "Decision: ship it"))
	if got := decisions(r.log); len(got) != 1 {
		t.Errorf("a member's edit of what they wrote while unknown: decided is %q", got)
	}
}

// What somebody does again while Slack does not say who they are counts once it does, also
// where it takes the place of something that it told of before.
func TestWhatIsDoneAnewIsVouchedForAnew(t *testing.T) {
	t.Parallel()
	r, una := newRoom(), person("Una").As(thread.StandingUnknown)
	r.play(Said{TS: "1.1", By: person("Priya"), Text: "ship it"}, check("1.1", una, false), Identified{Person: una.As(thread.StandingMember)})
	if got := decisions(r.log); len(got) != 1 {
		t.Fatalf("decided is %q", got)
	}
	r.play(check("1.1", una, true), check("1.1", una, false))
	if got := decisions(r.log); len(got) != 0 {
		t.Errorf("she is unknown again: decided is %q", got)
	}
	r.play(Identified{Person: una.As(thread.StandingGuest)})
	if got := decisions(r.log); len(got) != 0 {
		t.Errorf("she is a guest now: decided is %q", got)
	}
}

// What was taken back before Slack says who somebody is is no act of theirs, and nobody
// waits for it.
func TestWhatWasTakenBackIsNoAct(t *testing.T) {
	t.Parallel()
	una := person("Una").As(thread.StandingUnknown)
	for name, back := range map[string][]Event{
		"a mark":                  {check("1.1", una, false), check("1.1", una, true)},
		"a mark, being known":     {check("1.1", una, false), check("1.1", una.As(thread.StandingMember), true)},
		"a message":               {Said{TS: "1.2", By: una, Text: "Decision: ship it"}, Deleted{TS: "1.2"}},
		"what a message says":     {Said{TS: "1.2", By: una, Text: "Decision: ship it"}, edit("1.2", una, 1, "ship it?")},
		"such words, being known": {Said{TS: "1.2", By: una, Text: "Decision: ship it"}, edit("1.2", una.As(thread.StandingMember), 1, "ship it?")},
		"the marked message":      {check("1.1", una, false), Deleted{TS: "1.1"}},
	} {
		r := newRoom()
		r.play(Said{TS: "1.1", By: person("Priya"), Text: "offline first"})
		r.play(back...)
		if n := r.d.Unknown.Deciding(); n != 0 {
			t.Errorf("%s: decisions of %d are waited for", name, n)
		}
		r.play(Identified{Person: una.As(thread.StandingMember)})
		if n := r.decided(); n != 0 {
			t.Errorf("%s: %d acts are recorded", name, n)
		}
		if got := decisions(r.log); len(got) != 0 {
			t.Errorf("%s: decided is %q", name, got)
		}
	}
	// An edit of a marked message is not its marker's.
	r := newRoom()
	r.play(Said{TS: "1.1", By: person("Priya"), Text: "offline"}, check("1.1", una, false), edit("1.1", person("Priya"), 1, "offline first"))
	r.play(Identified{Person: una.As(thread.StandingMember)})
	if got := decisions(r.log); len(got) != 1 {
		t.Errorf("the marked message was edited: decided is %q", got)
	}
}

// Slack may deliver the edits of a message out of order. What later words mean is not taken
// back by earlier ones, and is by words later still (NFR-003).
func TestAnOlderEditTakesNothingBack(t *testing.T) {
	t.Parallel()
	una := person("Una").As(thread.StandingUnknown)
	known := Identified{Person: una.As(thread.StandingMember)}
	t.Run("a decision", func(t *testing.T) {
		t.Parallel()
		r := newRoom()
		r.play(Said{TS: "1.1", By: una, Text: "hello"}, edit("1.1", una, 2, "Decision: ship it"), edit("1.1", una, 1, "ship it?"))
		if n := r.d.Unknown.Deciding(); n != 1 {
			t.Errorf("decisions of %d are waited for, want hers", n)
		}
		r.play(known)
		if got := decisions(r.log); len(got) != 1 {
			t.Errorf("decided is %q, want what she wrote last", got)
		}
	})
	t.Run("leaving", func(t *testing.T) {
		t.Parallel()
		for newest, leaves := range map[string]bool{"we are done": true, "what about refunds?": false} {
			r := newRoom()
			r.play(Said{TS: "1.1", By: una, Text: "done"}, edit("1.1", una, 2, newest), edit("1.1", una, 1, "not yet, what about Maya?"), known)
			if left := r.d.State != StateDiscussionLoop; left != leaves {
				t.Errorf("%q: the discussion is in %s, want left: %v", newest, r.d.State, leaves)
			}
		}
	})
	t.Run("by words later still", func(t *testing.T) {
		t.Parallel()
		r := newRoom()
		r.play(Said{TS: "1.1", By: una, Text: "hello"}, edit("1.1", una, 2, "Decision: ship it"), edit("1.1", una, 3, "Decision: wait"),
			edit("1.1", una, 1, "hello!"), edit("1.1", una, 4, "never mind"), known)
		if got := decisions(r.log); len(got) != 0 || r.decided() != 0 {
			t.Errorf("decided is %q, %d acts", got, r.decided())
		}
	})
}

// What somebody unknown wrote that newer words had replaced before it arrived, or that was
// deleted by then, decides nothing: it is not kept until Slack says who they are, nobody is
// told that it is, and it is neither shown nor recorded as a decision then (NFR-003).
func TestOvertakenWordsAreNotKept(t *testing.T) {
	t.Parallel()
	una := person("Una").As(thread.StandingUnknown)
	hello, decision := Said{TS: "1.1", By: una, Text: "hello"}, Said{TS: "1.1", By: una, Text: "Decision: ship it"}
	for name, events := range map[string][]Event{
		"an older edit":                       {hello, edit("1.1", una, 2, "ship it?"), edit("1.1", una, 1, "Decision: ship it")},
		"an older edit than a member's":       {hello, edit("1.1", una.As(thread.StandingMember), 2, "ship it?"), edit("1.1", una, 1, "Decision: ship it")},
		"an edit of what was deleted":         {hello, Deleted{TS: "1.1"}, edit("1.1", una, 1, "Decision: ship it")},
		"words that were edited by then":      {edit("1.1", una, 1, "ship it?"), decision},
		"words that were deleted by then":     {Deleted{TS: "1.1"}, decision},
		"the first and the second older edit": {hello, edit("1.1", una, 3, "ship it?"), edit("1.1", una, 1, "Decision: one"), edit("1.1", una, 2, "Decision: two")},
	} {
		r := newRoom()
		for _, e := range events {
			r.play(e)
			if who := r.told(); who != nil {
				t.Errorf("%s: told are %s", name, who)
			}
		}
		if n := r.d.Unknown.Deciding(); n != 0 {
			t.Errorf("%s: decisions of %d are waited for", name, n)
		}
		r.play(Identified{Person: una.As(thread.StandingMember)})
		for _, e := range r.effects {
			if shown, ok := e.(React); ok {
				t.Errorf("%s: it is shown as recorded, by %+v", name, shown)
			}
		}
		if got := decisions(r.log); len(got) != 0 || r.decided() != 0 {
			t.Errorf("%s: decided is %q, %d acts are recorded", name, got, r.decided())
		}
	}
	// An edit with the stamp of the one in force is that one, and takes its place.
	r := newRoom()
	r.play(hello, edit("1.1", una, 1, "ship it?"), edit("1.1", una, 1, "Decision: ship it"), Identified{Person: una.As(thread.StandingMember)})
	if got := decisions(r.log); len(got) != 1 || r.decided() != 1 {
		t.Errorf("the edit in force: decided is %q, %d acts are recorded", got, r.decided())
	}
}

// Whoever takes back by an edit that they want to leave does not end the discussion by it,
// though it is what tells who they are.
func TestAnEditTakesBackBeforeItIsKnownWhose(t *testing.T) {
	t.Parallel()
	r, una := newRoom(), person("Una").As(thread.StandingUnknown)
	r.play(Said{TS: "1.1", By: una, Text: "done"}, edit("1.1", una.As(thread.StandingMember), 1, "not yet, what about refunds?"))
	if r.d.State != StateDiscussionLoop {
		t.Errorf("the discussion is in %s", r.d.State)
	}
}

// A word that ends things is kept for somebody unknown, also where the log has no room,
// and however often they repeat it the log does not grow.
func TestDoneIsKeptWhereThereIsNoRoom(t *testing.T) {
	t.Parallel()
	r, una := newRoom(), person("Una").As(thread.StandingUnknown)
	r.volume = fullVolume()
	r.play(Said{TS: "1.1", By: person("Sam"), Text: "much"}) // it is said that there is no room
	before := len(r.log)
	for n := range 50 {
		r.play(Said{TS: fmt.Sprint("2.", n), By: una, Text: "done"})
	}
	if got := len(r.log) - before; got != 0 {
		t.Errorf("%d entries are added", got)
	}
	r.play(Identified{Person: una.As(thread.StandingMember)})
	if r.d.State == StateDiscussionLoop {
		t.Error("she turned out to be a member, and the discussion goes on")
	}
}

// A mark on a message that may be anybody's leads to nothing but the mark: no word to its
// author or to the room, no act in the record as if it were here, no place that somebody
// needs who acts here.
func TestAnUnsureMarkConcernsNobody(t *testing.T) {
	t.Parallel()
	unsure := func(by thread.Person, ts string) Reacted {
		return Reacted{TS: ts, By: by, Emoji: "white_check_mark", Unsure: true}
	}
	t.Run("a guest is not told", func(t *testing.T) {
		t.Parallel()
		r, una := newRoom(), person("Una").As(thread.StandingUnknown)
		r.play(unsure(una, "7.1"), Identified{Person: una.As(thread.StandingGuest)})
		if got := r.told(); got != nil {
			t.Errorf("told are %s", got)
		}
	})
	t.Run("whoever acts afterwards is told", func(t *testing.T) {
		t.Parallel()
		r, una := newRoom(), person("Una").As(thread.StandingUnknown)
		r.play(unsure(una, "7.1"), Said{TS: "1.1", By: una, Text: "done"})
		if got := r.told(); !slices.Equal(got, []string{una.ID}) {
			t.Errorf("told are %s", got)
		}
	})
	t.Run("no place is taken", func(t *testing.T) {
		t.Parallel()
		r, una := newRoom(), person("Una").As(thread.StandingUnknown)
		for n := range 2 * thread.UnknownMost {
			r.play(unsure(person(fmt.Sprint("P", n)).As(thread.StandingUnknown), "7.1"))
		}
		r.play(Said{TS: "1.1", By: una, Text: "done"}, Identified{Person: una.As(thread.StandingMember)})
		if r.d.State == StateDiscussionLoop {
			t.Error("what she did is not kept: the discussion goes on")
		}
	})
	t.Run("the room is not told", func(t *testing.T) {
		t.Parallel()
		r := newRoom()
		r.volume = fullVolume()
		r.play(unsure(person("Sam"), "7.1"))
		if len(r.effects) != 0 {
			t.Errorf("there are %d effects", len(r.effects))
		}
	})
	t.Run("the record says so", func(t *testing.T) {
		t.Parallel()
		r := newRoom()
		r.play(unsure(person("Sam"), "7.1"))
		if len(r.acts) != 1 || r.acts[0].Detail == thread.DetailReaction {
			t.Errorf("the record has %v", r.acts)
		}
	})
}

// What a person sets off in the log counts to their share of it: one who changes the floor
// back and forth takes nobody else's room.
func TestWhatOnePersonSetsOffIsTheirs(t *testing.T) {
	t.Parallel()
	for name, turn := range map[string]func(n int, by thread.Person) Event{
		"by buttons": func(n int, by thread.Person) Event {
			return Pressed{By: by, Button: []thread.ButtonKind{ButtonQuiet, ButtonOpenFloor}[n%2]}
		},
		"by words": func(n int, by thread.Person) Event {
			return Said{TS: fmt.Sprint("3.", n), By: by, Text: []string{"be quiet", "speak freely"}[n%2]}
		},
	} {
		r := newRoom()
		for n := range thread.MaxEntries + 100 {
			r.play(turn(n, person("Rogue")))
		}
		if len(r.log) < thread.PersonEntries {
			t.Fatalf("%s: only %d entries", name, len(r.log))
		}
		if got := ExcessOf(r.volume, r.log, Said{TS: "4.1", By: person("Sam"), Text: "What about refunds?"}); got != thread.ExcessNone {
			t.Errorf("%s: one person fills the log, Sam finds excess %q", name, got)
		}
	}
}

// Whoever wrote before the framing is who they turned out to be when it is taken up.
func TestEarlyWordsKnowTheirAuthor(t *testing.T) {
	t.Parallel()
	r, una := newRoom(), person("Una").As(thread.StandingUnknown)
	r.d.State = StateTopicFraming
	r.play(Said{TS: "1.1", By: una, Text: "Decision: offline first"}, Identified{Person: una.As(thread.StandingMember)})
	for _, m := range r.d.Unframed {
		if m.By.Is() != thread.StandingMember {
			t.Errorf("what she wrote is %q's", m.By.Is())
		}
	}
}

// A log in which later entries take the place of those that they make meaningless tells
// what one tells that keeps them all: the same words, the same names, the same decisions.
func FuzzTheLogTellsWhatItWouldUnfolded(f *testing.F) {
	f.Add([]byte{0, 17, 99, 4, 200, 31, 8, 77, 250, 3, 12, 66})
	f.Add([]byte("a mark, an edit, a mark taken back, and who somebody turned out to be"))
	dice := rand.New(rand.NewPCG(7, 11))
	for range 300 {
		seed := make([]byte, 160)
		for i := range seed {
			seed[i] = byte(dice.UintN(256))
		}
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, plan []byte) {
		r := newRoom()
		r.d.Settings.MaxTurns = 1000
		for i := 0; i+3 < len(plan) && len(r.all) < 2000; i += 4 {
			r.play(seamEvent(r, plan[i:i+4]))
		}
		folded, unfolded := told(r.log), told(r.all)
		if diff := cmp.Diff(unfolded, folded); diff != "" {
			t.Errorf("the log tells something else (-unfolded +folded):\n%s", diff)
		}
		stored := make([]thread.Entry, len(r.log))
		for i, e := range r.log {
			b, err := thread.EncodeEntry("D1", e)
			if err != nil {
				t.Fatal(err)
			}
			if stored[i], err = thread.DecodeEntry("D1", b); err != nil {
				t.Fatal(err)
			}
		}
		if diff := cmp.Diff(folded, told(stored)); diff != "" {
			t.Errorf("once stored it tells something else:\n%s", diff)
		}
		balanced(t, r)
		if v := thread.VolumeOf(r.log); v.Extent() != r.volume.Extent() {
			t.Errorf("the log holds %+v, and is counted as %+v", v.Extent(), r.volume.Extent())
		}
	})
}

// balanced wants that as many decisions stand as the audit record says, and that what the log
// has about one message, or of one person, tells of their decisions what all of it tells.
func balanced(t *testing.T, r *room) {
	t.Helper()
	stand := thread.Decisions(r.log)
	if got := r.done(thread.AuditDecided) - r.again - r.done(thread.AuditUndecided); got != len(stand) {
		t.Errorf("%d decisions are recorded and not taken back, %d stand", got, len(stand))
	}
	of := func(all []thread.Decision, mine func(thread.Decision) bool) (some []thread.Decision) {
		for _, d := range all {
			if mine(d) {
				some = append(some, d)
			}
		}
		return some
	}
	for _, d := range stand {
		at := func(o thread.Decision) bool { return o.TS == d.TS }
		if diff := cmp.Diff(of(stand, at), thread.DecidedAt(r.log, thread.Entry{Kind: thread.EntryStrike, TS: d.TS})); diff != "" {
			t.Errorf("decisions on %s (-whole log +excerpt):\n%s", d.TS, diff)
		}
		by := func(o thread.Decision) bool { return o.By == d.By }
		whoever := thread.DecidedAt(r.log, thread.Vouched(thread.Person{ID: d.By}))
		if diff := cmp.Diff(of(stand, by), of(whoever, by)); diff != "" {
			t.Errorf("decisions of %s (-whole log +excerpt):\n%s", d.By, diff)
		}
	}
}

// seamEvent makes of four bytes something that somebody does to one of a few messages.
func seamEvent(r *room, b []byte) Event {
	ts := fmt.Sprint("1.", b[1]%5)
	by := person([]string{"Priya", "Sam", "Una"}[b[2]%3]).As([]thread.Standing{thread.StandingMember, thread.StandingUnknown, thread.StandingGuest}[b[2]/3%3])
	author := person([]string{"Priya", "Sam", "Una", "Priya", "Sam"}[b[1]%5]).As(by.Is())
	text := []string{"hello", "Decision: ship it", "Action: tell legal", "What about refunds?", "Decision: wait"}[b[3]%5]
	mark := Reacted{TS: ts, By: by, Emoji: []string{"white_check_mark", "question", "heavy_check_mark"}[b[3]%3], Unsure: b[3]&64 != 0}
	switch b[0] % 8 {
	case 0, 1:
		for _, e := range r.all { // Slack gives a timestamp once
			if e.TS == ts {
				return edit(ts, author, int(b[3]), text)
			}
		}
		return Said{TS: ts, By: author, Text: text}
	case 2, 3:
		return edit(ts, author, int(b[3]), text)
	case 4:
		return Identified{Effect: "x", Person: by}
	case 5:
		if b[3] < 40 {
			return Deleted{TS: ts}
		}
		return Identified{Effect: "x", Person: by}
	case 6:
		mark.Removed = true
	}
	return mark
}

// told is what a log tells, with what people marked in no order, and once where they marked
// the same words twice: a mark that is made anew keeps its place.
func told(log []thread.Entry) (out []string) {
	tr := thread.ReadTranscript(log)
	for _, said := range [][]thread.Turn{tr.Turns, tr.Late} {
		for _, turn := range said {
			out = append(out, fmt.Sprintf("%d %s %s: %q", turn.Number, turn.TS, turn.Person.Name, turn.Text))
		}
	}
	var marks []string
	for _, m := range tr.Marks {
		marks = append(marks, fmt.Sprintf("%s %s: %q", m.Kind, m.By.ID, m.Body))
	}
	slices.Sort(marks)
	return append(out, slices.Compact(marks)...)
}

// However often people press, the channel gets the synthesis once; where Slack refused it,
// they may press again.
func TestTheChannelGetsTheSynthesisOnce(t *testing.T) {
	t.Parallel()
	r := newRoom()
	r.d.State, r.d.Outcome = StateClosed, &thread.Synthesis{}
	shared := func(times int) (key string, n int) {
		for range times {
			r.play(Pressed{By: person("Sam"), Button: ButtonShare})
			for _, e := range r.effects {
				if p, ok := e.(Post); ok && p.Message.ToChannel {
					key, n = p.Key, n+1
				}
			}
		}
		return key, n
	}
	key, n := shared(50)
	if n != 1 {
		t.Errorf("it is posted %d times", n)
	}
	r.play(Failed{Effect: key, Reason: thread.ReasonMessageRefused, Kind: thread.KindSynthesis})
	if _, n = shared(50); n != 1 {
		t.Errorf("after it was refused it is posted %d times", n)
	}
}

// fullVolume is a log's that has room for nothing more, of nobody's.
func fullVolume() thread.Volume {
	return thread.VolumeOf([]thread.Entry{{Kind: thread.EntryTurn, Text: strings.Repeat("x", thread.MaxBytes)}})
}
