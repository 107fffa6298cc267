package roundtable

import (
	"github.com/roundtable-chat/app/roundtable/persona"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// drafted checks the panel's proposal. A malformed one is retried once with the
// fault named; then a simple summary is given and no artifact is changed
// (ERR-ELAB-007).
func (s *step) drafted(e Drafted) {
	if e.Draft != nil {
		s.paid(e.Draft.Spent)
	}
	if !s.answers(AskSynthesise, e.Effect) {
		return
	}
	s.d.People = e.Transcript.Present(s.d.People)
	a := *s.d.Ask
	if a.Plain {
		s.accept(simpleSynthesis(s.d, e.Transcript))
		return
	}
	syn, fault := Check(s.d, e.Draft, e.Transcript)
	switch {
	case fault == "":
		s.accept(syn)
	case a.Attempt < 2:
		s.ask(Ask{Kind: AskSynthesise, Attempt: a.Attempt + 1, Fault: fault})
	case syn.Points() > 0: // what people marked stands without the panel
		s.accept(syn)
	default:
		s.accept(simpleSynthesis(s.d, e.Transcript))
	}
}

// plainSynthesis gives up on the panel and summarises without it.
func (s *step) plainSynthesis() {
	s.d.Stalled = nil
	s.ask(Ask{Kind: AskSynthesise, Attempt: 1, Plain: true})
}

// accept shows the synthesis and has it written (FR-008, FR-009).
func (s *step) accept(syn thread.Synthesis) {
	s.d.Ask, s.d.Outcome = nil, &syn
	text := s.d.Markdown(&syn)
	k := s.Post(thread.Message{Kind: thread.KindSynthesis, Text: text, Synthesis: &syn, Engine: syn.Engine})
	s.record(thread.Entry{Kind: thread.EntryLine, Key: k, Text: text})
	if n := s.d.Unknown.Deciding(); n > 0 {
		s.Notice(SayUnconfirmed(n))
	}
	s.move(StatePersist)
	s.enrich()
}

// enrich writes the artifacts and the record; a simple summary touches no
// artifact.
func (s *step) enrich() {
	e := WriteDocuments{
		Key: s.Key(), Markdown: s.d.Markdown(s.d.Outcome),
		Record: Record{
			StepID: s.d.Step.ID, TurnCount: s.d.Turns, Personas: s.d.castKeys(), Timestamp: s.in.At.UTC(), Summary: s.d.Outcome.Summary,
		},
	}
	if !s.d.Outcome.Simple {
		e.Outputs = s.d.Step.Outputs
	}
	s.d.Enriching = e.Key
	s.Do(e)
}

// castKeys are the personas at the table, in roster order: those of the record
// (AC-009-01).
func (d Discussion) castKeys() []persona.Key {
	keys := make([]persona.Key, len(d.Cast))
	for i, c := range d.Cast {
		keys[i] = c.Key
	}
	return keys
}

// documentsWritten announces what changed (AC-008-04) and closes.
func (s *step) documentsWritten(e DocumentsWritten) {
	if s.d.State != StatePersist || e.Effect != s.d.Enriching {
		return
	}
	s.d.Changes = e.Changes
	for _, c := range e.Changes {
		s.Notice(thread.SayChange(c))
	}
	s.close()
}

// leave ends the discussion and asks for the synthesis (FR-006). A discussion
// that held no more than the framing, or has nothing left to pay a panel with, is
// summarised without one, and one that held nothing leaves nothing.
func (s *step) leave(x Exit) {
	plain := s.d.Turns <= 1 || s.d.broke()
	s.d.Exit = &x
	s.Act(x.act())
	s.d.Unframed = nil // said before there could be a turn; the log has it (I1)
	s.d.Ask, s.d.Waiting, s.d.Round, s.d.Choice, s.d.Confirming, s.d.Stalled = nil, nil, nil, nil, nil, nil
	if s.before(StateDiscussionLoop) { // nobody has said anything yet
		s.close()
		return
	}
	s.move(StateSynthesis)
	s.ask(Ask{Kind: AskSynthesise, Attempt: 1, Plain: plain})
}

// close ends it for good and shows the menu where the person was (AC-006-03).
func (s *step) close() {
	s.move(StateClosed)
	s.d.Closed = s.in.At
	s.reportEnded()
	s.Post(thread.Message{Kind: thread.KindMenu, Text: menuText(s.d), Buttons: menuButtons(s.d)})
}

// confirm asks whether to wrap up, with two buttons; the discussion goes on
// unless somebody agrees.
func (s *step) confirm(why ConfirmKind) {
	s.d.Confirming = &Confirm{Why: why}
	s.line(confirmText(s.d, why), wrapUpButton(), keepOnButton())
}

// Conclusion is what a discussion came to, for whoever goes on with it elsewhere.
type Conclusion struct {
	Turns   int    `json:"turns,omitempty"`
	Summary string `json:"summary,omitempty"`
	// Decisions are the first few, Untold how many more there are.
	Decisions []string `json:"decisions,omitempty"`
	Untold    int      `json:"untold,omitempty"`
	// Unwritten says that the documents took none of it.
	Unwritten bool `json:"unwritten,omitempty"`
}

// toldDecisions bounds how many decisions a conclusion carries, and decisionLimit
// how long each is, in characters.
const (
	toldDecisions = 5
	decisionLimit = 200
)

func (d Discussion) conclusion() Conclusion {
	c := Conclusion{Turns: d.Turns}
	if d.Outcome == nil {
		return c
	}
	c.Summary = d.Outcome.Summary
	told := d.Outcome.Decisions[:min(len(d.Outcome.Decisions), toldDecisions)]
	for _, p := range told {
		c.Decisions = append(c.Decisions, thread.Clip(thread.OneLine(p.Text), decisionLimit))
	}
	c.Untold = len(d.Outcome.Decisions) - len(told)
	return c
}
