package roundtable

import (
	"slices"
	"strconv"
	"strings"

	"github.com/roundtable-chat/app/roundtable/thread"
)

// pressed takes in a button, if the person may press it.
func (s *step) pressed(e Pressed) {
	s.touch()
	right, needed := buttonNeeds[e.Button].Right(s.d.Settings.Close, s.d.Settings.Choose)
	if !needed || s.Lets(right, e.By, thread.Act{Kind: thread.ActPress, Button: e.Button, Value: e.Value}) {
		s.press(e)
	}
}

// press does what a button does. One that means nothing any more is answered to the
// person who pressed it, and changes nothing.
func (s *step) press(e Pressed) {
	inLoop := s.d.State == StateDiscussionLoop
	switch e.Button {
	case ButtonContinue:
		s.pressedContinue(e)
	case ButtonExtend:
		s.pressedExtend(e)
	case ButtonWrapUp:
		s.pressedWrapUp(e)
	case ButtonKeepOn:
		switch {
		case !inLoop:
			s.Tell(e.By.ID, notTalkingText(s.d))
		case s.d.Confirming == nil:
			s.Tell(e.By.ID, goesOnText())
		default:
			s.keepOn(e.By)
		}
	case ButtonChoose:
		s.pressedChoose(e)
	case ButtonRetry:
		if s.d.Stalled == nil {
			s.Tell(e.By.ID, nothingToRetryText())
			return
		}
		s.resume()
	case ButtonQuiet, ButtonMute, ButtonOpenFloor:
		if !inLoop {
			s.Tell(e.By.ID, notTalkingText(s.d))
			return
		}
		s.setFloor(floors[e.Button], e.By)
	case ButtonShare:
		s.share(e.By)
	case ButtonAgain, ButtonAnalyse:
		switch {
		case s.d.State != StateClosed:
			s.Tell(e.By.ID, notEndedText())
		case e.Button == ButtonAgain:
			s.again(e.By)
		default:
			s.convert(e.By)
		}
	case ButtonCatchUp: // answered by the edge from the transcript; changes nothing
	}
}

func (s *step) pressedContinue(e Pressed) {
	switch {
	case s.d.State != StateDiscussionLoop:
		s.Tell(e.By.ID, notTalkingText(s.d))
	case s.d.Ask != nil && s.d.Stalled == nil:
		s.Tell(e.By.ID, alreadyTalkingText())
	case s.d.Stalled != nil:
		s.resume()
	case s.d.Waiting != nil:
		s.d.Waiting.Until = s.in.At
	default:
		s.letThemContinue()
	}
}

// pressedExtend raises the limit once for each warning: the button carries the
// limit it was made for, so that two people pressing at once add ten, not twenty.
func (s *step) pressedExtend(e Pressed) {
	if s.d.State != StateDiscussionLoop || !s.d.Settings.MayExtend {
		s.Tell(e.By.ID, notTalkingText(s.d))
		return
	}
	if e.Value != strconv.Itoa(s.d.Settings.MaxTurns) {
		s.Tell(e.By.ID, alreadyExtendedText(s.d))
		return
	}
	s.d.Settings.MaxTurns += Extension
	s.d.Extended += Extension
	s.Act(thread.Audit{Kind: thread.AuditExtended, By: e.By.ID, Number: Extension})
	s.Notice(extendedText(s.d, e.By))
}

func (s *step) pressedWrapUp(e Pressed) {
	switch {
	case s.before(StateSynthesis):
		s.leaveBy(e.By)
	case s.d.State == StateSynthesis && s.d.Stalled != nil:
		s.plainSynthesis()
	default:
		s.Tell(e.By.ID, notTalkingText(s.d))
	}
}

// pressedChoose records the chosen option as a decision with the chooser's name
// (NFR-003). The first to press decides.
func (s *step) pressedChoose(e Pressed) {
	id, option, _ := strings.Cut(e.Value, "/")
	n, err := strconv.Atoi(option)
	c := s.d.Choice
	if c == nil || c.ID != id || err != nil || n < 0 || n >= len(c.Options) || s.d.State != StateDiscussionLoop {
		s.Tell(e.By.ID, choiceGoneText())
		return
	}
	chosen := c.Options[n]
	s.Act(thread.Audit{Kind: thread.AuditChose, By: e.By.ID})
	s.decide(*c, chosen, e.By)
	s.meet(e.By)
	s.record(thread.Entry{Kind: thread.EntryMark, Mark: &thread.Mark{Kind: thread.MarkDecision, By: e.By, Text: decisionText(*c, chosen, e.By)}})
	s.Notice(chosenText(chosen, e.By))
}

// keepOn takes back the question whether to wrap up.
func (s *step) keepOn(by thread.Person) {
	s.d.Confirming = nil
	s.Notice(keepOnText(by))
}

// again opens a further elaboration of the same step, in a thread of its own
// (AC-006-04): one for each person who asks, who finds the next menu there.
func (s *step) again(by thread.Person) {
	if slices.Contains(s.d.Again, by.ID) {
		s.Tell(by.ID, againAlreadyText())
		return
	}
	s.d.Again = append(s.d.Again, by.ID)
	k := s.Key()
	place := thread.Place{Team: s.d.Place.Team, Channel: s.d.Place.Channel}
	settings := s.d.Settings
	settings.MaxTurns -= s.d.Extended // which was this discussion's alone
	s.Do(Open{Key: k, Opened: Opened{
		Discussion: thread.NewID(place.Team, place.Channel, k), Place: place, By: by,
		Topic: s.d.Topic, Context: s.d.Context, Item: s.d.Item, ItemTitle: s.d.ItemTitle,
		Step: s.d.Step, Cast: s.d.Cast, Lead: s.d.Lead, Settings: settings, Origin: s.d.Origin,
	}})
	s.Notice(againText(by))
}

// share posts the synthesis to the channel, once: nobody fills a channel with it.
func (s *step) share(by thread.Person) {
	if s.d.Outcome == nil {
		s.Tell(by.ID, nothingToShareText())
		return
	}
	if s.d.Shared {
		s.Tell(by.ID, sharedAlreadyText())
		return
	}
	s.d.Shared = true
	s.Post(thread.Message{Kind: thread.KindSynthesis, Text: s.d.Markdown(s.d.Outcome), Synthesis: s.d.Outcome, ToChannel: true})
}
