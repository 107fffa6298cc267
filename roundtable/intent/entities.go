package intent

import "strings"

// handle consumes "@name" typed by hand.
func (s *scanner) handle() {
	n := wordLength(s.rest[1:])
	if n == 0 {
		s.sign('@', 1)
		return
	}
	text := fold(s.rest[1 : 1+n])
	s.skip(1 + n)
	switch text {
	case "roundtable":
		s.add(token{kind: theBot})
	case "here", "channel", "everyone":
		s.add(token{kind: aCrowd})
	default:
		s.add(token{kind: aHandle, text: text})
	}
}

// shortcode consumes an emoji written as ":name:", if one begins here.
func (s *scanner) shortcode() bool {
	if wordRune(s.last) {
		return false
	}
	for i := 1; i < len(s.rest) && i < 80; i++ {
		c := s.rest[i]
		if c == ':' && i > 1 {
			s.skip(i + 1)
			s.add(token{kind: aPicture})
			return true
		}
		if c != '_' && c != '-' && c != '+' && !('a' <= c && c <= 'z') && !('0' <= c && c <= '9') {
			return false
		}
	}
	return false
}

// escape consumes one of the three characters that Slack escapes.
func (s *scanner) escape() {
	switch {
	case strings.HasPrefix(s.rest, "&amp;"):
		s.skip(len("&amp;"))
		s.add(token{kind: aWord, text: "and"})
	case strings.HasPrefix(s.rest, "&lt;"), strings.HasPrefix(s.rest, "&gt;"):
		s.skip(len("&lt;"))
		s.add(token{kind: aPicture})
	default:
		s.skip(1)
		s.add(token{kind: aWord, text: "and"})
	}
}

// entity consumes one of Slack's "<…>"; without a closing sign it is a symbol.
func (s *scanner) entity() {
	end := strings.IndexAny(s.rest[1:], "<>\n")
	if end < 0 || s.rest[1+end] != '>' {
		s.sign('<', 1)
		return
	}
	body := s.rest[1 : 1+end]
	target, label, _ := strings.Cut(body, "|")
	s.skip(end + 2)
	s.last = ' '
	switch {
	case strings.HasPrefix(target, "@"):
		if s.table.BotUser != "" && strings.EqualFold(target[1:], s.table.BotUser) {
			s.add(token{kind: theBot})
		} else {
			s.add(token{kind: aPerson})
		}
	case hasPrefixFold(target, "!subteam^"):
		s.group(target[len("!subteam^"):])
	case target == "!here", target == "!channel", target == "!everyone":
		s.add(token{kind: aCrowd})
	case strings.HasPrefix(target, "!"), strings.HasPrefix(target, "#"), label == "":
		s.add(token{kind: aThing})
	default:
		s.label(label)
	}
}

// group adds a mention of a user group: a persona's, or people's.
func (s *scanner) group(id string) {
	for i, seat := range s.table.Cast {
		if seat.UserGroup != "" && strings.EqualFold(seat.UserGroup, id) {
			s.add(token{kind: aName, seats: []int{i}, rule: ruleUserGroup})
			return
		}
	}
	s.add(token{kind: aPerson})
}

// label adds the visible words of a link; its target counts for nothing.
func (s *scanner) label(label string) {
	s.add(token{kind: aThing})
	for word := range strings.FieldsSeq(label) {
		if n := wordLength(word); n == len(word) {
			s.add(token{kind: aWord, text: fold(word)})
		}
	}
}

func hasPrefixFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}
