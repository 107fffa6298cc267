package roundtable

import (
	"cmp"
	"strings"

	"github.com/roundtable-chat/app/roundtable/thread"
)

var floors = map[thread.ButtonKind]Floor{ButtonQuiet: FloorQuiet, ButtonMute: FloorMuted, ButtonOpenFloor: FloorOpen}

// floorButton is the button that sets a floor.
func floorButton(f Floor) thread.ButtonKind {
	switch f {
	case FloorQuiet:
		return ButtonQuiet
	case FloorMuted:
		return ButtonMute
	case FloorOpen:
	}
	return ButtonOpenFloor
}

// floorWord recognises a message that is nothing but a word about how freely the
// personas should speak (FR-112).
func floorWord(text, botUser string) (Floor, bool) {
	word := strings.ToLower(strings.TrimSpace(text))
	if botUser != "" {
		word = strings.TrimSpace(strings.TrimPrefix(word, strings.ToLower("<@"+botUser+">")))
	}
	switch strings.Trim(word, " .!:") {
	case "quiet", "be quiet", "quiet please":
		return FloorQuiet, true
	case "mute":
		return FloorMuted, true
	case "unmute", "speak freely", "speak up":
		return FloorOpen, true
	}
	return FloorOpen, false
}

func (s *step) setFloor(f Floor, by thread.Person) {
	if s.d.Floor == f {
		s.Tell(by.ID, floorAlreadyText(f))
		return
	}
	s.d.Floor = f
	s.Act(thread.Audit{Kind: thread.AuditFloor, By: by.ID, Detail: cmp.Or(thread.AuditDetail(f), thread.DetailOpenFloor)})
	if f == FloorMuted && s.d.Ask != nil && s.d.Ask.Kind == AskDiscuss {
		s.d.Ask, s.d.Round, s.d.Stalled = nil, nil, nil // what still comes is stale
	}
	s.Notice(floorChangedText(f, by))
}
