package intent

// toPerson tells whether the message is said to a person: begins with a mention,
// or ends a question with one.
func (r Reading) toPerson() (string, bool) {
	for _, s := range r.sentences {
		for _, t := range s.tokens {
			if t.kind == theBot {
				return "", false
			}
		}
	}
	if len(r.sentences) == 0 {
		return "", false
	}
	if first := r.sentences[0]; first.beginsWithPerson() {
		return rulePersonFirst, true
	}
	for _, s := range r.sentences {
		n := len(s.tokens)
		if n > 1 && s.asks && s.tokens[n-1].kind == aPerson && secondPerson.MatchString(s.form) && !s.governed(n-1) {
			return rulePersonLast, true
		}
	}
	return "", false
}

// beginsWithPerson tells whether a mention stands at the beginning, after
// nothing but a greeting. A handle typed by hand counts only if something is
// said to it, for "@types/node is outdated" speaks to nobody.
func (s sentence) beginsWithPerson() bool {
	for i, t := range s.tokens {
		switch {
		case t.kind == aPerson:
			return true
		case t.kind == aHandle:
			return s.followed(i, ",:-") || s.starts(i)
		case t.kind == aWord && t.text != "cc" && i < 3 && among(t.text, wordsOpening):
		case t.kind == aSign && t.text == ",":
		default:
			return false
		}
	}
	return false
}
