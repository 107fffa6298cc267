package intent

import "regexp"

const reRoom = `(?:everyone|everybody|every one|team|folks|guys|people|all|y'all|yall|gang|friends|panel|roundtable)`

var (
	// roomCalled is the room called by name at the beginning or the end.
	roomCalled = regexp.MustCompile(`^(?:(?:hey|hi|hello|hiya|dear|ok|okay|so|and|but|alright|right|well|now|thanks|thank you|thx` +
		`|cheers|good morning|morning|please|sorry|yes|no|great|cool|,|:|-|[A-Z]|before we (?:wrap up|finish|end|close|go)(?: ,` +
		`| :)?) )*` +
		reRoom + `(?: ?$| [,:-]| (?:what|what's|how|why|which|who|when|where|can|could|would|should|do|does|is|are|will|any|please|pls` +
		`|thoughts|let's|lets|i|we)\b)` +
		`|[,:-] ` + reRoom + `(?: [,:-]|$)|\b(?:think|thoughts|say|opinions|take) (?:everyone|everybody|team|folks|guys|all)(?: [,:-]` +
		`|$)`)

	// roomRequest is the room called and asked to do something; for sentences
	// that ask or request.
	roomRequest = regexp.MustCompile(`^(?:everyone|everybody) (?:ok|okay|fine|happy|good|agree|agrees|agreed|on board|clear|please` +
		`|read|look|check|vote|name|give|write|pick|share|say|think|still|in favou?r|comfortable)\b`)

	// roomPhrase speaks to the room without naming it.
	roomPhrase = regexp.MustCompile(
		`\byou all\b|\by'?all\b|\byou (?:guys|folks|three|two|lot|both)\b|\b(?:all|each|any|both|every one|everyone|one|none|some` +
			`|most) (?:three |two )?of you\b|\bthe (?:two|three|four|five|lot) of you\b` +
			`|\bwhat(?: else)? (?:do|would|did|are) (?:you|we|y'all|everyone|everybody|folks|people)(?: all| guys| both| each)? (?:think` +
			`|thinking|make of|say|reckon|suggest|recommend|propose)\b` +
			`|\bwhat (?:does|would|do) (?:everyone|everybody|anyone|anybody|the (?:team|room|group|panel|table|roundtable|rest` +
			`|others))(?: else)? (?:think|say|make|feel|suggest|reckon)\b` +
			`|\bhow (?:do|would) you(?: all)? feel\b` +
			`|\b(?:know|tell me|tell us|hear|see|like to know|curious|wondering|wonder)(?: about)? what you(?: all| guys)? (?:think` +
			`|make of|say|would)\b` +
			`|\b(?:what are|what's|whats|what is|give me|share|i'd like|i'd love|hear|need|want|appreciate) (?:your|everyone's` +
			`|everybody's|all your) (?:\w+ )?(?:thoughts|take|takes|view|views|opinion|opinions|position|verdict|feedback|input` +
			`|gut feeling)\b` +
			`|\b(?:does|do|has|have|did) (?:everyone|everybody|anyone|anybody)(?: else| here)? (?:agree|disagree|think|thought|see|seen` +
			`|have|know|feel|object|want to|understand|mind|remember|like|considered|tried|checked|support|share)\b` +
			`|\b(?:is|are) (?:everyone|everybody|we all|anyone) (?:ok|okay|fine|happy|good|on board|aligned|comfortable|sure|clear|with` +
			`|in favou?r|against)\b` +
			`|\b(?:can|could|would) (?:everyone|everybody|anyone|anybody) (?:please |here )*(?:explain|give|name|share|tell|comment|help` +
			`|say|elaborate|list|weigh|summari[sz]e|confirm|think|answer|vote)\b` +
			`|\b(?:hear|answer|word|take|opinion|view|sentence|vote|input|thoughts|risk|feedback|ideas?|line)s? (?:from|by) (?:everyone` +
			`|everybody|you|the (?:team|room|group|panel|table|roundtable)|all three|all)\b` +
			`|\b(?:question|questions|one|ones|something) (?:for|to) (?:everyone|everybody|all|you all|the (?:team|room|group|panel|table` +
			`|roundtable))\b` +
			`|\b(?:ask|asking) (?:everyone|everybody|the (?:room|group|panel|table|roundtable))\b`)

	// roomShort is a short question to whoever is there.
	roomShort = regexp.MustCompile(`^(?:(?:ok|okay|so|and|but|any|your|other|further|more|what are|some|quick|B|H|,) )*(?:thoughts` +
		`|opinions|objections|ideas|reactions|takes|concerns|views|feedback|comments|(?:anyone|anybody) (?:disagree|object|against` +
		`|opposed|got|have|see|know|in favou?r)|anyone|anybody|anyone else|everyone|everybody)(?: (?:on|about|regarding|so far|here` +
		`|yet|anyone|everyone|from|against|or|a|any|the|with|to|this|that|it)\b.*)?$`)

	// botRequest asks the app to do something: one answer is enough.
	botRequest = regexp.MustCompile(`^(?:B |, |and |ok |so )*(?:can|could|would|will) you\b|\bplease\b`)
)

// toRoom tells whether the message is said to everybody at the table (FR-003,
// AC-003-03).
func (r Reading) toRoom() (string, bool) {
	bot := false
	for _, s := range r.sentences {
		for _, t := range s.tokens {
			if t.kind == aCrowd {
				return ruleBroadcast, true
			}
			bot = bot || t.kind == theBot
		}
	}
	for i, s := range r.sentences {
		if !r.atEdge(i) || !s.mayCallRoom(bot) {
			continue
		}
		said := s.ends()
		switch {
		case roomCalled.MatchString(said), roomRequest.MatchString(said):
			return ruleRoomName, true
		case roomPhrase.MatchString(said):
			return ruleRoomPhrase, true
		case (s.asks || len(s.tokens) <= 3) && roomShort.MatchString(said):
			return ruleRoomPhrase, true
		case bot && (s.asks || questionOpening.MatchString(said)) && !botRequest.MatchString(said):
			return ruleBotQuestion, true
		}
	}
	return "", false
}

// ends returns the sentence's form or, of a very long sentence, its beginning and
// its end.
func (s sentence) ends() string {
	const side = longestAsking / 2
	if len(s.tokens) <= longestAsking {
		return s.form
	}
	return form(s.tokens[:side]) + " C " + form(s.tokens[len(s.tokens)-side:])
}

const roomWords = " you your ye y'all yall everyone everybody every everyone's everybody's team folks guys people all each any both " +
	"gang friends panel roundtable anyone anybody thoughts opinions objections ideas reactions takes concerns views feedback " +
	"comments we three two four five lot room group table rest others "

// mayCallRoom tells quickly whether the sentence has a word that speaking to the
// room needs, or may be a question to the app.
func (s sentence) mayCallRoom(bot bool) bool {
	if bot {
		return true
	}
	for _, t := range s.tokens {
		if t.kind == aWord && among(t.text, roomWords) {
			return true
		}
	}
	return false
}
