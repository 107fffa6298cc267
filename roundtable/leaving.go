package roundtable

import (
	"regexp"
	"strings"
)

// Leaving is read clause by clause. A clause must be nothing but the wish to
// leave, or the message does not mean it: "I'm not done yet" and "exit code" are
// no exits because words are left over (FR-006, AC-006-01).

// Pieces of the expressions below. They are matched against a clause's form.
const (
	reSession = `(?:discussion|session|chat|conversation|elaboration|elaboration mode|meeting|thread|roundtable|debate|talk)`
	reThis    = `(?:(?:the|this|our) )?` + reSession
	reMenu    = `(?:the |our |that )?(?:step |main |phase )?menu`

	// reWrap is a verb phrase for leaving that can mean nothing else.
	reWrap = `(?:wrap(?: it| this| that| things| everything)? up|wrap-up|wrap up ` + reThis + `|wrap ` + reThis + ` up` +
		`|exit (?:` + reThis + `|elaboration(?: mode)?)|(?:go |get |head )?back to ` + reMenu + `|return to ` + reMenu +
		`|(?:end|finish|close|stop|conclude|leave)(?: it| this| things)? (?:here|there)` +
		`|(?:end|finish|close|stop|conclude|leave) ` + reThis + `|finish up|close out|leave it at that` +
		`|call it(?: a day| a night| done| quits| here))`

	// reEnd may mean leaving something else, if more is said.
	reEnd = `(?:` + reWrap + `|exit|quit|go back|call it|(?:take|bring) (?:me|us) back(?: to ` + reMenu + `)?)`

	// reTail may follow it without a change of meaning.
	reTail = `(?: (?:here|now|then|please|pls|plz|for today|for now|today|everyone|all|folks|team|guys|N|with that|right here|right now|(?:and )?(?:thanks|thank you|thx|ty|cheers)(?: [^,]*)?` +
		`|before (?:lunch|dinner|the weekend|it gets late|my next meeting)|(?:because|since|so|until) [^,]*|and (?:continue|resume|reconvene|regroup|pick (?:it|this) up|talk|meet|come back)(?: [^,]*)?(?:tomorrow|later|again|next \w+|on \w+day|another \w+|some other \w+|offline)|and (?:move on|go home|eat|call it a day|send|post|share|give|write|summari[sz]e|synthesi[sz]e)[^,]*))*`

	// reFinished is the state of having finished with the discussion.
	reFinished = `(?:done|finished|through)(?: discussing(?: this| it)?| talking| with (?:the|this|our) ` + reSession + `)?`
	reWe       = `(?:we're|we are|were|i'm|im|i am)`
)

var (
	// leadIn are courtesies before what a clause has to say.
	leadIn = regexp.MustCompile(`^(?:(?:ok|okay|k|alright|all right|right|great|good|cool|perfect|awesome|nice|yes|yep|yeah|yup|sure|fine|so|and|or|then|well|now|hey|hi|hello|um|uh|hmm|please|pls|thanks|thank you|cheers|agreed|anyway|folks|team|everyone|everybody|guys|all|B|N|P|A|H|sounds good|got it) )+`)

	exitWord = regexp.MustCompile(`^(?:done(?: done)*|all done|finished|exit|quit|back)(?: (?:here|now|please|pls|plz|thanks|thx|for now|for today|everyone|all|folks|team|N|B))*(?:(?: and)? (?:thanks|thank you|thx|cheers|bye|great|nice|see you)\b.*)?$`)

	exitPhrase = regexp.MustCompile(`^(?:(?:(?:let's|lets|let us|please|i want to|i'd like to|i would like to|we want to|we'd like to|we can|you can|go ahead and|feel free to|time to|it's time to|it is time to|(?:i'm |im |we're |we are )?(?:ready|happy|good) to|can you|could you|would you|will you) )?(?:(?:please|now|just|all|then) )*` + reEnd + reTail +
		`|` + reWe + `(?: all| now| so)? ` + reFinished + reTail +
		`|(?:let's|lets|let us) (?:just )?(?:wrap|(?:end|finish|stop|conclude)(?: it| this)?)` + reTail +
		`|(?:we've|we have) finished` + reTail +
		`|done (?:discussing(?: this| it)?|with (?:the|this) ` + reSession + `)` + reTail +
		`|(?:that's|thats|that is|it's) a wrap` + reTail + `)$`)

	// leaveRequest is a question in form only.
	leaveRequest = regexp.MustCompile(`^(?:can|could|would|will) you (?:please |just |now )*` + reEnd)

	// leaveHedge in front of an exit makes it a suggestion.
	leaveHedge = regexp.MustCompile(`^(?:(?:i|we) (?:think|guess|suppose|believe|feel like|feel|reckon)(?: that)?|think|guess|maybe|perhaps|probably|possibly|(?:it )?(?:feels|looks|seems|sounds) like|i'd say|if you ask me) `)

	leaveSuggestion = regexp.MustCompile(`^(?:(?:we|you) (?:should|could|might|may)(?: want to)?(?: probably| maybe| perhaps)? ` + reEnd + `(?: soon)?` + reTail +
		`|(?:let's|lets|let us|we'll|we will|i'd like to|we can|time to) ` + reEnd + ` (?:soon|shortly|in a (?:bit|minute|moment|few minutes)|in (?:\w+ )?(?:minutes|min|mins))` +
		`|(?:` + reWe + ` )?(?:all )?(?:almost|nearly|pretty much|close to|close to being|about|practically|basically|more or less|mostly|just about)(?: all)? (?:done|finished|through)` + reTail + `(?: i (?:think|guess))?` +
		`|i(?:'d| would)? (?:suggest|propose|vote)(?: that)? (?:we )?(?:` + reEnd + `|wrapping (?:it |this |things )?up)` + reTail +
		`|we (?:might|may|could|should) (?:well )?be (?:all )?` + reFinished + reTail +
		`|(?:it )?(?:might|may|could|must) be (?:a good )?time to ` + reWrap + reTail +
		`|.* (?:think about|consider|fine with|ok with|okay with|up for|in favou?r of|for|mind) wrapping (?:it |this |things )?up` + reTail +
		`|(?:that's|thats|that is) (?:it|all|everything) for (?:today|now)` +
		`|(?:that's|thats|that is|that'll be|that will be|that would be) (?:all|everything)(?: from me| for me)?)$`)

	leaveQuestion = regexp.MustCompile(`(?:^| )(?:(?:should|shall|can|could|may|might|must|do|don't|shouldn't|can't) (?:we|i)(?: all| just| now| maybe| probably| perhaps| want to| need to| have to)* ` + reEnd +
		`|(?:do|does|did|would) (?:you|everyone|everybody|anyone|y'all|people)(?: all| guys)? (?:want|like|prefer|need|mind)(?: us)?(?: to)? ` + reEnd +
		`|(?:would|does|do|is|will) it (?:make sense|be ok|be okay|be fine|ok|okay|time)(?: for us| if we)?(?: to)? ` + reEnd +
		`|is (?:it|this) (?:a good )?time to ` + reEnd +
		`|(?:are|aren't) (?:we|you all|you guys)(?: all| now| already| nearly| almost| about)? (?:` + reFinished + `(?: with (?:this|that|it|everything))?|ready to ` + reEnd + `)` +
		`|is ` + reThis + ` (?:done|finished|over)` +
		`|(?:should|can|do|shall|must) (?:i|we) (?:now )?(?:type|say|write|press) (?:done|exit|back)` +
		`|(?:any|some)(?:thing|one) (?:else|left) or ` + reEnd + `)(?: yet| soon| already| or (?:not|what|no|do|is|are|does|anything|should|shall|keep|go|continue)\b.*|` + reTail + `)(?: yet| soon)?$`)

	// leaveAsked is leaving at the end of something that is asked, however it is
	// put: "do you think we can wrap up?"
	leaveAsked = regexp.MustCompile(`(?:(?:^| )(?:we|to|i|you) (?:(?:can|could|should|may|might|just|now|all|maybe|please) )*` + reWrap +
		`|^(?:do you (?:all )?think|you think|think|does that mean|would you say|can we say|does it feel like|you mean|sure)(?: that)? ` + reWe + `(?: all)? ` + reFinished +
		`|(?:^| )wrapping (?:it |this |things )?up)(?: yet| soon)?` + reTail + `$`)

	// aboutMeans opens a question about the way, not the wish.
	aboutMeans = regexp.MustCompile(`^(?:(?:ok|okay|so|and|but|well) )*(?:how (?:do|does|can|could|should|would|will|to)|where|what|which|who|why)\b`)

	// subordinate opens a clause that only sets the time or the condition, or
	// says no: what follows it is not said for now.
	subordinate = regexp.MustCompile(`^(?:(?:ok|okay|so|and|but|well|yes|no) )*(?:when|once|if|until|till|unless|after|before|as soon as|while|whenever|not|never|don't|dont|do not)\b`)

	// workReport opens a sentence about what its writer has done or is to do.
	workReport = regexp.MustCompile(`^(?:(?:ok|okay|so|and|yes|yep|just|B|P|,) )*(?:(?:i|i've|we|we've|i'm|i'll) (?:have |just |already )*(?:\w+ed|\w+ing|put|sent|made|wrote|ran|did|got|set|built|found|took|will)\b|\w+(?:ed|ing)\b|sent\b|first\b|step\b|\d+)|P`)

	// goesOn opens a clause or sentence that carries the discussion on.
	goesOn = regexp.MustCompile(`^(?:(?:ok|okay|so|and|oh|ah|hm|hmm) )*(?:but|actually|wait|hold on|hang on|although|though|except|however|first|before|after|once|when|if|until|unless|next|one more|one last|one thing|just one|another|also|what|how|why|which|who|where|not yet|no wait|nope|moving on|on to|let's talk|let's look|let's move)\b`)

	// courtesy is a clause or sentence that says nothing about the topic.
	courtesy = regexp.MustCompile(`^(?:(?:hey|hi|hello|ok|okay|k|yes|yep|yeah|yup|ya|no|nope|sure|cool|great|good|perfect|awesome|excellent|amazing|fantastic|lovely|nice|alright|all right|right|fine|agreed|agree|exactly|wonderful|brilliant|super|very|so|really|thanks|thank you|thx|ty|cheers|much|a lot|again|guys|all|everyone|everybody|folks|team|please|bye|goodbye|ciao|see you|see ya|later|tomorrow|have a (?:good|great|nice) (?:day|one|evening|weekend)|N|P|B|C|H|A|and|here|now|well|then|helpful|useful|stuff|work|job|talk|chat|discussion|session|input|one|to me|for me|for you|for (?:the|your|all the|all your) (?:time|help|input|ideas|discussion|answers|answer|insights)|to|both|you|for now|for today|that's it|thats it|that's all|thats all|that's everything|makes sense|works for me|sounds (?:good|great|fine|right)(?: to me)?|got it|(?:i have|i've got|we have|got) (?:what|everything|all) (?:i|we) (?:need|needed)|(?:no more|no further|no other) (?:questions|comments|input|points|thoughts)|nothing (?:more|else|further|to add)|from (?:my|our) side|from me|on my side|i'm good|we're good|all good) ?)+$`)
)

// leaving tells whether the message asks to end the discussion, or asks whether
// to (FR-006). A clear word beats a doubtful one.
func (r reading) leaving() (Intent, string, bool) {
	if r.code != "" {
		word := strings.ToLower(strings.TrimSpace(r.code))
		if exitWord.MatchString(word) || exitPhrase.MatchString(word) {
			return IntentExit, ruleExitCode, true
		}
	}
	intent, rule := Intent(""), ""
	end := r.lastGoingOn()
	for i := end; i < len(r.sentences); i++ {
		s := r.sentences[i]
		if !r.atEdge(i) || !s.mayLeave() {
			continue
		}
		switch got, by := s.leaving(); {
		case got == "", by == ruleExitWord && !r.carriedByWord(i):
		case got == IntentExit:
			return got, by, true
		case intent == "":
			intent, rule = got, by
		}
	}
	return intent, rule, intent != ""
}

const (
	// longestLeaving is the number of tokens beyond which a sentence says more
	// than that somebody wants to leave.
	longestLeaving = 40

	leavingWords = " done exit quit back wrap wrap-up wrapping finished through end finish close stop conclude leave call all everything it today now menu "
)

// mayLeave tells quickly whether the sentence has a word that leaving needs.
func (s sentence) mayLeave() bool {
	if len(s.tokens) > longestLeaving {
		return false
	}
	for _, t := range s.tokens {
		if t.kind == aWord && among(t.text, leavingWords) {
			return true
		}
	}
	return false
}

// carriedByWord tells whether a leaving word in the i-th sentence can be taken
// for what the message wants: because the rest says nothing about the topic, or
// because nothing but courtesies follows it and what goes before does not report
// somebody's work ("I fixed the link. Done.").
func (r reading) carriedByWord(i int) bool {
	if r.onlyCourtesy(i) {
		return true
	}
	if i == 0 || len(r.sentences)-i > edge {
		return false
	}
	for _, s := range r.sentences[i+1:] {
		if len(s.tokens) > longestLeaving || !courteous(s.form) {
			return false
		}
	}
	for _, s := range r.sentences[max(0, i-2):i] {
		if s.asks || len(s.tokens) > longestLeaving || workReport.MatchString(s.form) {
			return false
		}
	}
	return true
}

// onlyCourtesy tells whether every sentence but the i-th says nothing about the
// topic.
func (r reading) onlyCourtesy(i int) bool {
	if len(r.sentences) > 2*edge {
		return false
	}
	for k, s := range r.sentences {
		if k != i && (s.asks || len(s.tokens) > longestLeaving || !courteous(s.form)) {
			return false
		}
	}
	return true
}

// lastGoingOn returns the place of the last sentence that carries the discussion
// on, or 0: a wish to leave before it does not stand.
func (r reading) lastGoingOn() int {
	for i := len(r.sentences) - 1; i > 0; i-- {
		if s := r.sentences[i]; s.asks || goesOn.MatchString(s.form) {
			return i
		}
	}
	return 0
}

// leaving tells what the sentence asks.
func (s sentence) leaving() (Intent, string) {
	doubt, why := Intent(""), ""
	clauses := clauses(s.form)
	for i, clause := range clauses {
		intent, rule := readClause(clause, s.asks)
		if intent == "" {
			continue
		}
		around := append(clauses[:i:i], clauses[i+1:]...)
		if rule == ruleExitWord && (!allCourteous(around) || strings.Contains(s.form, "P")) {
			continue
		}
		if rule != ruleConfirm && anyMatch(subordinate, clauses[:i]) || anyMatch(goesOn, clauses[i+1:]) {
			continue
		}
		if intent == IntentExit && s.asks && !leaveRequest.MatchString(bare(clause)) {
			return IntentConfirm, ruleConfirm
		}
		if rule != ruleHedge {
			return intent, rule
		}
		if doubt == "" {
			doubt, why = intent, rule
		}
	}
	return doubt, why
}

// readClause tells what a single clause asks; asks says whether its sentence
// ends in a question mark.
func readClause(clause string, asks bool) (Intent, string) {
	core := bare(clause)
	switch {
	case strings.HasPrefix(clause, "well done"): // praise
		return "", ""
	case subordinate.MatchString(clause):
		return "", ""
	case !leaveRequest.MatchString(core) && !aboutMeans.MatchString(clause) &&
		(leaveQuestion.MatchString(clause) || asks && leaveAsked.MatchString(clause)):
		return IntentConfirm, ruleConfirm
	case exitWord.MatchString(core):
		return IntentExit, ruleExitWord
	case exitPhrase.MatchString(core):
		return IntentExit, ruleExitPhrase
	case leaveSuggestion.MatchString(core):
		return IntentConfirm, ruleHedge
	}
	doubt := leaveHedge.FindString(core)
	if doubt == "" {
		return "", ""
	}
	core = core[len(doubt):]
	if exitWord.MatchString(core) || exitPhrase.MatchString(core) || leaveSuggestion.MatchString(core) {
		return IntentConfirm, ruleHedge
	}
	return "", ""
}

// bare returns a clause without the courtesies before it.
func bare(clause string) string {
	return clause[len(leadIn.FindString(clause)):]
}

// clauses cuts a sentence's form at its commas, colons, dashes and brackets.
func clauses(form string) []string {
	var out []string
	var words []string
	flush := func() {
		if len(words) > 0 {
			out = append(out, strings.Join(words, " "))
			words = nil
		}
	}
	for word := range strings.FieldsSeq(form) {
		switch word {
		case ",", ":", "-", "(", ")", "[", "]", "/":
			flush()
		default:
			words = append(words, word)
		}
	}
	flush()
	return out
}

func courteous(form string) bool { return allCourteous(clauses(form)) }

func allCourteous(clauses []string) bool {
	for _, clause := range clauses {
		if !courtesy.MatchString(clause) {
			return false
		}
	}
	return true
}

func anyMatch(re *regexp.Regexp, clauses []string) bool {
	for _, clause := range clauses {
		if re.MatchString(clause) {
			return true
		}
	}
	return false
}
