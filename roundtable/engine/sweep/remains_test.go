package sweep_test

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"strings"

	"github.com/roundtable-chat/app/roundtable/analysis"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/engine/invariant"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// remains is what is left of a walk, by the names of its threads.
type remains struct {
	Posts map[string][]string // "key: who: text [link]", in Slack's order
	Files map[string]string
	Said  []string
	Turns map[string][]string
	// Framed is from what the lead framed a discussion.
	Framed map[string]string
}

// changing is what a crash may well change: times, and what a panel that is asked
// again makes of what was said meanwhile.
var changing = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ|m:\d+\.\d+|w:[^/]+|view after \d+ turns`)

// normal is a text with the walk's own names, and without what may change.
func (w *walker) normal(text string) string {
	for id, name := range w.names {
		text = strings.ReplaceAll(text, id, name)
	}
	return changing.ReplaceAllString(text, "…")
}

func (w *walker) remains() remains {
	r := remains{Posts: map[string][]string{}, Files: map[string]string{}, Said: w.said, Turns: map[string][]string{}, Framed: map[string]string{}}
	threads := map[string]string{}
	posts := w.slack.Messages(place().Channel)
	for _, m := range posts {
		if id, root := strings.CutSuffix(m.Key, "/root"); root {
			threads[m.TS] = w.names[id]
		}
	}
	for _, m := range posts {
		id, _, _ := strings.Cut(m.Key, "/")
		text := fmt.Sprintf("%s: %s: %s", m.Key, m.Message.Speaker, m.Message.Text)
		for _, l := range m.Message.Threads {
			text += fmt.Sprintf(" [%s ↗ %s]", l.Label, threads[l.Thread])
		}
		r.Posts[w.names[id]] = append(r.Posts[w.names[id]], w.normal(text))
	}
	item, err := w.at.store.ReadItem(context.Background(), engine.ItemRef{Team: "T1", Channel: "C1", Slug: "offline-mode"})
	if err != nil {
		w.t.Fatal(err)
	}
	files := maps.Clone(item.Files)
	files["meta.json"] = item.Meta
	for name, text := range files {
		r.Files[name] = w.normal(string(text))
	}
	for id, from := range w.panel.from {
		r.Framed[w.names[id]] = w.normal(from)
	}
	for id, name := range w.names {
		for _, turn := range thread.ReadTranscript(w.entries(id)).Turns {
			r.Turns[name] = append(r.Turns[name], w.normal(fmt.Sprintf("%d %s%s: %s", turn.Number, turn.Persona, turn.Person.Name, turn.Text)))
		}
	}
	return r
}

func (w *walker) entries(id string) (entries []thread.Entry) {
	_, log, err := w.at.store.Read(context.Background(), engine.Ref{Team: "T1", Channel: "C1", ID: id})
	if err != nil {
		w.t.Fatal(err)
	}
	if entries, err = thread.DecodeLog(id, log); err != nil {
		w.t.Fatal(err)
	}
	return entries
}

// judged has the discussions of the walk checked, and what was written to the item.
func (w *walker) judged() (found []invariant.Violation) {
	for id := range w.names {
		state, log, err := w.at.store.Read(context.Background(), engine.Ref{Team: "T1", Channel: "C1", ID: id})
		if err != nil {
			w.t.Fatal(err)
		}
		if thread.KindOf(state) == analysis.StateKind {
			continue
		}
		e, err := invariant.Of(engine.Ref{Team: "T1", Channel: "C1", ID: id}, state, log, w.slack.Messages(place().Channel))
		if err != nil {
			w.t.Fatal(err)
		}
		e.States, e.Writes, e.Refused = w.ledger.States(id), w.ledger.Writes(), w.slack.Refused()
		found = append(found, invariant.Check(e)...)
	}
	return found
}
