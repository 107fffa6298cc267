package simulation

import (
	"fmt"
	"time"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/engine/enginetest"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// act lets a person do something: once the discussion has a thread to do it in.
func (w *world) act(i int, tries int) error {
	a := w.plan.Acts[i]
	if a.Who == 0 || a.In > w.plan.Discussions {
		return nil
	}
	ref := refOf(a.In)
	root := w.slack.root(ref.ID)
	if root == "" {
		if tries < 60 {
			w.acting++
			w.later(2*time.Second, func() error {
				w.acting--
				return w.act(i, tries+1)
			})
		}
		return nil
	}
	in, ok := w.doing(i, a)
	if !ok {
		return nil
	}
	p, err := w.post(fmt.Sprintf("act %d", i+1), ref, in)
	if err != nil {
		return err
	}
	w.named[in.ID] = fmt.Sprintf("act%d", i+1)
	p.thread = root
	w.show(i, p)
	w.note(p.name, a.String(), "")
	if a.Lost && p.recoverable() {
		p.lost = true
		w.later(w.dice.span(10*time.Second, time.Minute, "reconnect", p.name), func() error {
			for _, r := range w.able()[:min(1, len(w.able()))] {
				r.engine.Missed()
			}
			return nil
		})
		return nil
	}
	if a.Twice {
		w.later(w.dice.span(ackLostFrom, ackLostTo, "ack lost", p.name), func() error { return w.deliver(p, twice) })
	}
	return w.deliver(p, 1)
}

// show makes Slack show what the ith act did, whether or not anybody is told.
func (w *world) show(i int, p *parcel) {
	place := thread.Place{Team: team, Channel: channel, Thread: p.thread, Root: p.thread}
	switch e := p.input.Event.(type) {
	case roundtable.Said:
		w.said[i+1] = p
		w.slack.Hear(place, p.input)
	case roundtable.Edited:
		w.slack.Hear(place, p.input)
	case roundtable.Deleted:
		w.slack.Unhear(e.TS)
		for _, q := range w.parcels {
			if ts, ok := enginetest.MessageOf(q.input.Event); ok && ts == e.TS {
				q.deleted = true
			}
		}
	case roundtable.Opened, roundtable.Reacted, roundtable.Pressed, roundtable.TimerFired, roundtable.Framed, roundtable.Contributed, roundtable.RoundEnded,
		roundtable.Drafted, roundtable.Failed, roundtable.Posted, roundtable.DocumentsWritten, roundtable.Analysed, roundtable.DNDChecked, roundtable.Identified,
		roundtable.Parked:
	}
}

// doing is the input to what a person does; false if it cannot be done.
func (w *world) doing(i int, a Act) (roundtable.Input, bool) {
	by := w.person(fmt.Sprint("U", a.Who))
	if a.Unknown {
		by = by.As(thread.StandingUnknown)
	}
	now := time.Now()
	switch {
	case a.Say != "":
		ts := w.slack.Timestamp()
		return roundtable.Input{ID: "m:" + ts, At: now, Event: roundtable.Said{TS: ts, By: by, Text: a.Say}}, true
	case a.Edit > 0:
		p := w.said[a.Edit]
		if p == nil || p.deleted {
			return roundtable.Input{}, false
		}
		ts, edited := p.input.Event.(roundtable.Said).TS, w.slack.Timestamp()
		return roundtable.Input{ID: "e:" + ts + ":" + edited, At: now, Event: roundtable.Edited{TS: ts, By: by, Text: a.Text, EditedTS: edited}}, true
	case a.Delete > 0:
		p := w.said[a.Delete]
		if p == nil || p.deleted {
			return roundtable.Input{}, false
		}
		ts := p.input.Event.(roundtable.Said).TS
		return roundtable.Input{ID: "d:" + ts, At: now, Event: roundtable.Deleted{TS: ts}}, true
	case a.React > 0:
		posts := w.slack.contributions(refOf(a.In).ID)
		if len(posts) < a.React {
			return roundtable.Input{}, false
		}
		ts := posts[a.React-1].TS
		return roundtable.Input{ID: fmt.Sprintf("r:%s:%d", ts, i), At: now, Event: roundtable.Reacted{TS: ts, By: by, Emoji: a.Text}}, true
	default:
		// The time of a click is the replica's that received it.
		at := now.Add(w.dice.span(-time.Second, time.Second, "clock", fmt.Sprint(i)))
		return roundtable.Input{ID: fmt.Sprint("b:", i), At: at, Event: roundtable.Pressed{By: by, Button: a.Press, Value: a.Value}}, true
	}
}

// person is who somebody is.
func (w *world) person(user string) thread.Person {
	p := thread.Person{ID: user, Name: map[string]string{"U1": "Priya", "U2": "Sam", ginaID: "Gina", malloryID: "Mallory"}[user]}
	if w.plan.Guest && user == "U2" || user == ginaID {
		return p.As(thread.StandingGuest)
	}
	return p
}

// identify says who somebody is, at the second asking at the latest: what waits for it comes
// to an end.
func (w *world) identify(user string) (thread.Person, error) {
	about := "identify " + user
	w.counts[about]++
	if w.counts[about] == 1 && w.dice.chance(500, "identify", user) {
		after := w.dice.span(0, time.Minute, "identify after", user)
		return thread.Person{}, &engine.SendError{Outcome: engine.Unsent, After: after, Err: errScheduled}
	}
	return w.person(user), nil
}

// refOf names the nth discussion that people open.
func refOf(n int) engine.Ref { return engine.Ref{Team: team, Channel: channel, ID: fmt.Sprint("D", n)} }

// open has people ask for the nth discussion. All are about one item.
func (w *world) open(n int) error {
	in := enginetest.Opening(w.plan.Settings, time.Now())
	e := in.Event.(roundtable.Opened)
	e.Discussion = refOf(n).ID
	if n > 1 { // so that two discussions that end in one second leave different traces
		e.Step.ID, e.Step.Title = "01-01", "Business Context Discovery"
	}
	in.Event = e
	p, err := w.post(fmt.Sprint("opening ", n), refOf(n), in)
	if err != nil {
		return err
	}
	return w.deliver(p, 1)
}
