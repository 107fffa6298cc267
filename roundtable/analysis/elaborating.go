package analysis

import (
	"slices"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// elaborate opens a discussion of the step, in a thread of its own (AC-001-01). The
// room is told once that thread stands, and is led to it.
func (s *step) elaborate(by thread.Person) {
	k := s.Key()
	place := thread.Place{Team: s.a.Place.Team, Channel: s.a.Place.Channel}
	settings := s.a.Settings.Elaboration
	if s.a.MaxTurns >= roundtable.MinTurns {
		settings.MaxTurns = s.a.MaxTurns // the item's own (AC-007-03)
	}
	id := thread.NewID(place.Team, place.Channel, k)
	st := s.a.Step
	s.Do(Open{Key: k, Opened: roundtable.Opened{
		Discussion: id, Place: place, By: by, Topic: st.Title, Item: s.a.Item, ItemTitle: s.a.ItemTitle,
		Step: roundtable.StepRef{ID: st.ID, Title: st.Title, Outputs: st.Files, Sections: st.sections(), Summary: st.Summary},
		Cast: s.a.Cast, Lead: s.a.Phase.Lead, Settings: settings,
		Origin: &roundtable.Origin{Analysis: s.a.ID, Thread: s.a.Place.Thread},
	}})
	s.a.Elaborations = append(s.a.Elaborations, Elaboration{Discussion: id, Key: k})
	s.move(StateElaborating)
}

// sections are the first headings below which the step writes in each document, so
// that an elaboration of it lands there and not below a heading of its own (FR-008).
func (v StepView) sections() []string {
	var names, files []string
	for _, t := range v.Targets {
		if t.Part == PartSection && !isFolder(t.File) && !slices.Contains(files, t.File) {
			names, files = append(names, t.Name), append(files, t.File)
		}
	}
	return names
}

// awaited is the elaboration that the analysis waits for, or nil.
func (a *Analysis) awaited() *Elaboration {
	if a.State != StateElaborating || len(a.Elaborations) == 0 {
		return nil
	}
	return &a.Elaborations[len(a.Elaborations)-1]
}

func (a *Analysis) elaboration(discussion string) int {
	return slices.IndexFunc(a.Elaborations, func(x Elaboration) bool { return x.Discussion == discussion })
}

// elaborationOpened leads the room to an elaboration: the one that was asked for
// here, or a further one of the same step, opened at the end of an earlier one.
func (s *step) elaborationOpened(e ElaborationOpened) {
	known := s.a.elaboration(e.Discussion)
	if known >= 0 {
		s.a.Elaborations[known].Thread = e.Thread
	}
	if s.a.State == StateClosed || s.a.Place.Thread == "" {
		return
	}
	m := thread.Message{Kind: thread.KindNotice, Text: openedText(e.By, e.StepTitle), Threads: elaborationLink(e.Thread)}
	if w := s.a.awaited(); w != nil && w.Discussion == e.Discussion {
		m.Text, m.Buttons = awaitingText(e.By), []thread.Button{backButton()}
	}
	s.Line(m)
}

// elaborationEnded says what an elaboration came to, and shows the same menu again
// where the person was (AC-006-03, AC-006-04). One that is not waited for is only
// announced, also in the thread of an analysis that was paused meanwhile.
func (s *step) elaborationEnded(e ElaborationEnded) {
	s.dropElaboration(e.Discussion, thread.Message{Kind: thread.KindNotice, Text: elaboratedText(e), Threads: elaborationLink(e.Thread)})
}

// dropElaboration stops waiting for one, and says why.
func (s *step) dropElaboration(discussion string, why thread.Message) {
	w := s.a.awaited()
	awaited := w != nil && w.Discussion == discussion
	if i := s.a.elaboration(discussion); i >= 0 {
		s.a.Elaborations = slices.Delete(s.a.Elaborations, i, i+1)
	}
	if s.a.Place.Thread == "" {
		return
	}
	s.Line(why)
	if awaited {
		s.a.Stalled = nil // whatever it was, the elaboration could be held
		s.showMenu()
	}
}

// elaborationFailed takes in that an elaboration could not even be asked for.
func (s *step) elaborationFailed(e Failed) bool {
	i := slices.IndexFunc(s.a.Elaborations, func(x Elaboration) bool { return x.Key == e.Effect })
	if i < 0 {
		return false
	}
	s.dropElaboration(s.a.Elaborations[i].Discussion, thread.Message{Kind: thread.KindNotice, Text: notElaboratedText()})
	return true
}

func elaborationLink(threadTS string) []thread.ThreadLink {
	if threadTS == "" {
		return nil
	}
	return []thread.ThreadLink{{Label: "The elaboration", Thread: threadTS}}
}

func backButton() thread.Button {
	return thread.Button{Kind: ButtonMenu, Label: "Back to the menu"}
}
