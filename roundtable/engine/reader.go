package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/analysis"
	"github.com/roundtable-chat/app/roundtable/forgetting"
	"github.com/roundtable-chat/app/roundtable/persona"
	"github.com/roundtable-chat/app/roundtable/say"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// StateReader is what a Reader needs of a store. None of it claims or changes anything.
type StateReader interface {
	// List returns discussions of a channel that are not closed, most recently
	// active first, with their stored states.
	List(ctx context.Context, team, channel string, limit int) ([]Listed, error)
	// ListOpen returns up to limit discussions of all channels that are not
	// closed, most recently active first, with their stored states.
	ListOpen(ctx context.Context, limit int) ([]Listed, error)
	// States returns what is stored under references into one channel, in their order and
	// in one round trip, closed ones included for as long as they are kept.
	States(ctx context.Context, refs []Ref) ([]StoredState, error)
	// Read returns a discussion's state and whole log without claiming it.
	Read(ctx context.Context, ref Ref) (state []byte, log [][]byte, err error)
}

// Listed is a discussion in a listing.
type Listed struct {
	Ref   Ref
	State []byte
}

// StoredState is what a store has under a reference.
type StoredState struct {
	// State is nil where the discussion was asked for and no replica has opened it yet.
	State []byte
	// Err is ErrNotFound or ErrForgotten where there is nothing to see.
	Err error
}

// Reader shows how discussions, analyses and forgettings stand, as they were last
// committed. It needs a store and no engine, so that an edge, or an operator's command,
// can be built before there is one, and it is the only place outside the driver that reads
// stored forms.
type Reader struct{ store StateReader }

// NewReader returns a Reader of what a store keeps.
func NewReader(s StateReader) *Reader { return &Reader{s} }

// Kind says which machine something stored belongs to.
type Kind string

// The kinds.
const (
	KindDiscussion Kind = "discussion"
	KindAnalysis   Kind = "analysis"
	KindForgetting Kind = "forgetting"
)

// KindOf is what a stored state is of. What cannot be read passes for a discussion's, and
// is found out when it is decoded.
func KindOf(state []byte) Kind {
	switch thread.KindOf(state) {
	case analysis.StateKind:
		return KindAnalysis
	case forgetting.StateKind:
		return KindForgetting
	}
	return KindDiscussion
}

// kindOpened is what an input opens, if it opens anything but a discussion.
func kindOpened(input []byte) Kind {
	switch thread.KindOf(input) {
	case analysis.OpenedKind:
		return KindAnalysis
	case forgetting.OpenedKind:
		return KindForgetting
	}
	return KindDiscussion
}

// View is what can be told of something stored, whichever machine drives it. The rules word
// the sentences among it.
type View struct {
	Ref Ref
	// Kind is empty where it was only asked for, and no replica has opened it yet: then
	// nothing else is known.
	Kind Kind
	// Err is why this version cannot read it, thread.ErrNewer above all; nothing but its
	// reference and its kind is known then.
	Err error

	// Title is what it is about, in people's words: a topic, or an item's title. Context is
	// what the opener pasted along with it.
	Title   string
	Context string
	// Item is the slug of the item that it works on; a forgetting has a Target instead.
	Item   string
	Place  thread.Place
	Opener thread.Person
	Opened time.Time
	// Asked is the id of the input that opened it, as far as that is remembered: analyses do.
	Asked string
	// Cast are the seats at the table, People those who took part, Awaited the id of the
	// person whose answer is waited for, and Heard when a person last did something.
	Cast    []persona.Seat
	People  []thread.Person
	Awaited string
	Heard   time.Time
	// Closed is set once it has ended, though it may still answer.
	Closed bool

	// Name is what a discussion or an analysis is called beside others, Standing how it
	// stands, and Line is it in one line of a list.
	Name, Standing, Line string

	// Target is what a forgetting is to forget, Pending is set while that can be taken back,
	// and Until is when it is removed: zero as long as it is not out of sight.
	Target  forgetting.Target
	Pending bool
	Until   time.Time
}

// Open reports whether people may still talk in it. What cannot be read counts, and so does
// what was asked for and not opened yet: neither has ended as far as this replica knows.
func (v View) Open() bool { return v.Kind != KindForgetting && !v.Closed }

// Forgets reports whether it is the forgetting in which an item waits, and can be taken
// back from.
func (v View) Forgets(item string) bool {
	return v.Pending && v.Target.Discussion == "" && v.Target.Item == item
}

// View shows what is stored under a reference, also if it has ended. ErrNotFound means that
// there is nothing, ErrForgotten that it is out of sight, and View.Err that it cannot be
// read.
func (r *Reader) View(ctx context.Context, ref Ref) (View, error) {
	found, err := r.store.States(ctx, []Ref{ref})
	if err == nil {
		err = found[0].Err
	}
	var v View
	if err == nil {
		v = viewOf(ref, found[0].State)
		err = v.Err
	}
	if err != nil {
		return v, fmt.Errorf("view %s: %w", ref.ID, err)
	}
	return v, nil
}

// Views shows up to limit of what a channel has, most recently active first, also what has
// ended and still answers.
func (r *Reader) Views(ctx context.Context, team, channel string, limit int) ([]View, error) {
	listed, err := r.store.List(ctx, team, channel, limit)
	if err != nil {
		return nil, fmt.Errorf("view what is in %s: %w", channel, err)
	}
	return viewsOf(listed), nil
}

// AllViews shows up to limit of what all channels have, as Views does.
func (r *Reader) AllViews(ctx context.Context, limit int) ([]View, error) {
	listed, err := r.store.ListOpen(ctx, limit)
	if err != nil {
		return nil, fmt.Errorf("view what is in all channels: %w", err)
	}
	return viewsOf(listed), nil
}

// stillOpenAmong bounds how many discussions and analyses of a channel StillOpen looks at, those
// first that were active last.
const stillOpenAmong = 5000

// StillOpen shows what keeps something from being forgotten because people may still talk in
// it: the discussion itself, or one of those that work on an item.
func (r *Reader) StillOpen(ctx context.Context, what Farewell) (v View, open bool, err error) {
	if what.Discussion != "" {
		v, err = r.View(ctx, Ref{Team: what.Team, Channel: what.Channel, ID: what.Discussion})
		if errors.Is(err, ErrNotFound) {
			return View{}, false, nil
		}
		return v, err == nil && v.Open(), err
	}
	views, err := r.Views(ctx, what.Team, what.Channel, stillOpenAmong)
	i := slices.IndexFunc(views, func(v View) bool { return v.Open() && v.Item == what.Item })
	if i < 0 {
		return View{}, false, err
	}
	return views[i], true, nil
}

// Transcript shows a discussion or an analysis, as View does, with what was said in it.
func (r *Reader) Transcript(ctx context.Context, ref Ref) (View, thread.Transcript, error) {
	state, lines, err := r.store.Read(ctx, ref)
	var v View
	if err == nil {
		v = viewOf(ref, state)
		err = v.Err
	}
	var entries []thread.Entry
	if err == nil {
		entries, err = thread.DecodeLog(ref.ID, lines)
	}
	if err != nil {
		return v, thread.Transcript{}, fmt.Errorf("view the transcript of %s: %w", ref.ID, err)
	}
	return v, thread.ReadTranscript(entries), nil
}

func viewsOf(listed []Listed) []View {
	views := make([]View, len(listed))
	for i, l := range listed {
		views[i] = viewOf(l.Ref, l.State)
	}
	return views
}

func viewOf(ref Ref, state []byte) View {
	if state == nil {
		return View{Ref: ref}
	}
	switch KindOf(state) {
	case KindForgetting:
		return project(ref, KindForgetting, state, forgetting.Decode, forgettingView)
	case KindAnalysis:
		return project(ref, KindAnalysis, state, analysis.Decode, analysisView)
	case KindDiscussion:
	}
	return project(ref, KindDiscussion, state, roundtable.Decode, discussionView)
}

func project[S any](ref Ref, kind Kind, state []byte, decode func([]byte) (S, error), show func(S) View) View {
	s, err := decode(state)
	if err != nil {
		return View{Ref: ref, Kind: kind, Err: err}
	}
	return show(s).of(ref, kind)
}

// of is what is shown, with what it stands under.
func (v View) of(ref Ref, kind Kind) View {
	v.Ref, v.Kind = ref, kind
	return v
}

func discussionView(d roundtable.Discussion) View {
	v := View{
		Title: d.Topic, Context: d.Context, Item: d.Item, Place: d.Place, Opener: d.Opener, Opened: d.Opened, Cast: d.Cast, People: d.People, Heard: d.LastActivity,
		Closed: d.State == roundtable.StateClosed, Name: d.Topic, Standing: say.Standing(d), Line: say.Listed(d),
	}
	if d.PendingReply != nil {
		v.Awaited = d.PendingReply.Person.ID
	}
	return v
}

func analysisView(a analysis.Analysis) View {
	return View{
		Title: a.ItemTitle, Item: a.Item, Place: a.Place, Opener: a.Opener, Opened: a.Opened, Asked: a.Asked, Cast: a.Cast, People: a.People, Heard: a.LastActivity,
		Closed: a.State == analysis.StateClosed, Name: analysis.SayTitle(a), Standing: analysis.SayStanding(a), Line: analysis.SayListed(a),
	}
}

func forgettingView(f forgetting.Forgetting) View {
	return View{
		Place: f.Place, Opener: f.By, Opened: f.Asked, Closed: !f.Ended.IsZero(), Standing: forgetting.SayAlready(f), Line: forgetting.SayListed(f),
		Target: f.Target, Pending: f.Pending(), Until: f.Until,
	}
}
