package roundtable

import "strings"

var floors = map[ButtonKind]Floor{ButtonQuiet: FloorQuiet, ButtonMute: FloorMuted, ButtonOpenFloor: FloorOpen}

// floorWord recognises a message that is nothing but a word about how freely the
// personas should speak (SPEC §8).
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

func (s *step) setFloor(f Floor, by Person) {
	if s.d.Floor == f {
		s.tell(by.ID, floorAlreadyText(f))
		return
	}
	s.d.Floor = f
	if f == FloorMuted && s.d.Ask != nil && s.d.Ask.Kind == AskDiscuss {
		s.d.Ask, s.d.Round, s.d.Stalled = nil, nil, nil // what still comes is stale
	}
	s.notice(floorChangedText(f, by))
}
