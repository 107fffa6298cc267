package intent

import "regexp"

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
	reTail = `(?: (?:here|now|then|please|pls|plz|for today|for now|today|everyone|all|folks|team|guys|N|with that|right here` +
		`|right now|(?:and )?(?:thanks|thank you|thx|ty|cheers)(?: [^,]*)?` +
		`|before (?:lunch|dinner|the weekend|it gets late|my next meeting)|(?:because|since|so|until) [^,]*|and (?:continue|resume` +
		`|reconvene|regroup|pick (?:it|this) up|talk|meet|come back)(?: [^,]*)?(?:tomorrow|later|again|next \w+|on \w+day|another \w+` +
		`|some other \w+|offline)|and (?:move on|go home|eat|call it a day|send|post|share|give|write|summari[sz]e` +
		`|synthesi[sz]e)[^,]*))*`

	// reFinished is the state of having finished with the discussion.
	reFinished = `(?:done|finished|through)(?: discussing(?: this| it)?| talking| with (?:the|this|our) ` + reSession + `)?`
	reWe       = `(?:we're|we are|were|i'm|im|i am)`
)

var (
	// leadIn are courtesies before what a clause has to say.
	leadIn = regexp.MustCompile(`^(?:(?:ok|okay|k|alright|all right|right|great|good|cool|perfect|awesome|nice|yes|yep|yeah|yup` +
		`|sure|fine|so|and|or|then|well|now|hey|hi|hello|um|uh|hmm|please|pls|thanks|thank you|cheers|agreed|anyway|folks|team` +
		`|everyone|everybody|guys|all|B|N|P|A|H|sounds good|got it) )+`)

	exitWord = regexp.MustCompile(`^(?:done(?: done)*|all done|finished|exit|quit|back)(?: (?:here|now|please|pls|plz|thanks|thx` +
		`|for now|for today|everyone|all|folks|team|N|B))*(?:(?: and)? (?:thanks|thank you|thx|cheers|bye|great|nice|see you)\b.*)?$`)

	exitPhrase = regexp.MustCompile(`^(?:(?:(?:let's|lets|let us|please|i want to|i'd like to|i would like to|we want to` +
		`|we'd like to|we can|you can|go ahead and|feel free to|time to|it's time to|it is time to|(?:i'm |im |we're ` +
		`|we are )?(?:ready|happy|good) to|can you|could you|would you|will you) )?(?:(?:please|now|just|all` +
		`|then) )*` + reEnd + reTail +
		`|` + reWe + `(?: all| now| so)? ` + reFinished + reTail +
		`|(?:let's|lets|let us) (?:just )?(?:wrap|(?:end|finish|stop|conclude)(?: it| this)?)` + reTail +
		`|(?:we've|we have) finished` + reTail +
		`|done (?:discussing(?: this| it)?|with (?:the|this) ` + reSession + `)` + reTail +
		`|(?:that's|thats|that is|it's) a wrap` + reTail + `)$`)

	// leaveRequest is a question in form only.
	leaveRequest = regexp.MustCompile(`^(?:can|could|would|will) you (?:please |just |now )*` + reEnd)

	// leaveHedge in front of an exit makes it a suggestion.
	leaveHedge = regexp.MustCompile(`^(?:(?:i|we) (?:think|guess|suppose|believe|feel like|feel|reckon)(?: that)?|think|guess|maybe` +
		`|perhaps|probably|possibly|(?:it )?(?:feels|looks|seems|sounds) like|i'd say|if you ask me) `)

	leaveSuggestion = regexp.MustCompile(`^(?:(?:we|you) (?:should|could|might|may)(?: want to)?(?: probably| maybe` +
		`| perhaps)? ` + reEnd + `(?: soon)?` + reTail +
		`|(?:let's|lets|let us|we'll|we will|i'd like to|we can|time to) ` + reEnd + ` (?:soon|shortly|in a (?:bit|minute|moment` +
		`|few minutes)|in (?:\w+ )?(?:minutes|min|mins))` +
		`|(?:` + reWe + ` )?(?:all )?(?:almost|nearly|pretty much|close to|close to being|about|practically|basically|more or less` +
		`|mostly|just about)(?: all)? (?:done|finished|through)` + reTail + `(?: i (?:think|guess))?` +
		`|i(?:'d| would)? (?:suggest|propose|vote)(?: that)? (?:we )?(?:` + reEnd + `|wrapping (?:it |this |things )?up)` + reTail +
		`|we (?:might|may|could|should) (?:well )?be (?:all )?` + reFinished + reTail +
		`|(?:it )?(?:might|may|could|must) be (?:a good )?time to ` + reWrap + reTail +
		`|.* (?:think about|consider|fine with|ok with|okay with|up for|in favou?r of|for|mind) wrapping (?:it |this ` +
		`|things )?up` + reTail +
		`|(?:that's|thats|that is) (?:it|all|everything) for (?:today|now)` +
		`|(?:that's|thats|that is|that'll be|that will be|that would be) (?:all|everything)(?: from me| for me)?)$`)

	leaveQuestion = regexp.MustCompile(`(?:^| )(?:(?:should|shall|can|could|may|might|must|do|don't|shouldn't|can't) (?:we` +
		`|i)(?: all| just| now| maybe| probably| perhaps| want to| need to| have to)* ` + reEnd +
		`|(?:do|does|did|would) (?:you|everyone|everybody|anyone|y'all|people)(?: all| guys)? (?:want|like|prefer|need` +
		`|mind)(?: us)?(?: to)? ` + reEnd +
		`|(?:would|does|do|is|will) it (?:make sense|be ok|be okay|be fine|ok|okay|time)(?: for us| if we)?(?: to)? ` + reEnd +
		`|is (?:it|this) (?:a good )?time to ` + reEnd +
		`|(?:are|aren't) (?:we|you all|you guys)(?: all| now| already| nearly| almost| about)? (?:` + reFinished + `(?: with (?:this` +
		`|that|it|everything))?|ready to ` + reEnd + `)` +
		`|is ` + reThis + ` (?:done|finished|over)` +
		`|(?:should|can|do|shall|must) (?:i|we) (?:now )?(?:type|say|write|press) (?:done|exit|back)` +
		`|(?:any|some)(?:thing|one) (?:else|left) or ` + reEnd + `)(?: yet| soon| already| or (?:not|what|no|do|is|are|does|anything` +
		`|should|shall|keep|go|continue)\b.*|` + reTail + `)(?: yet| soon)?$`)

	// leaveAsked is leaving at the end of something that is asked, however it is
	// put: "do you think we can wrap up?"
	leaveAsked = regexp.MustCompile(`(?:(?:^| )(?:we|to|i|you) (?:(?:can|could|should|may|might|just|now|all|maybe` +
		`|please) )*` + reWrap +
		`|^(?:do you (?:all )?think|you think|think|does that mean|would you say|can we say|does it feel like|you mean` +
		`|sure)(?: that)? ` + reWe + `(?: all)? ` + reFinished +
		`|(?:^| )wrapping (?:it |this |things )?up)(?: yet| soon)?` + reTail + `$`)

	// aboutMeans opens a question about the way, not the wish.
	aboutMeans = regexp.MustCompile(`^(?:(?:ok|okay|so|and|but|well) )*(?:how (?:do|does|can|could|should|would|will|to)|where|what` +
		`|which|who|why)\b`)

	// subordinate opens a clause that only sets the time or the condition, or
	// says no: what follows it is not said for now.
	subordinate = regexp.MustCompile(`^(?:(?:ok|okay|so|and|but|well|yes|no) )*(?:when|once|if|until|till|unless|after|before` +
		`|as soon as|while|whenever|not|never|don't|dont|do not)\b`)

	// workReport opens a sentence about what its writer has done or is to do.
	workReport = regexp.MustCompile(`^(?:(?:ok|okay|so|and|yes|yep|just|B|P|,) )*(?:(?:i|i've|we|we've|i'm|i'll) (?:have |just ` +
		`|already )*(?:\w+ed|\w+ing|put|sent|made|wrote|ran|did|got|set|built|found|took|will)\b|\w+(?:ed|ing)\b|sent\b|first\b` +
		`|step\b|\d+)|P`)

	// goesOn opens a clause or sentence that carries the discussion on.
	goesOn = regexp.MustCompile(`^(?:(?:ok|okay|so|and|oh|ah|hm|hmm) )*(?:but|actually|wait|hold on|hang on|although|though|except` +
		`|however|first|before|after|once|when|if|until|unless|next|one more|one last|one thing|just one|another|also|what|how|why` +
		`|which|who|where|not yet|no wait|nope|moving on|on to|let's talk|let's look|let's move)\b`)

	// courtesy is a clause or sentence that says nothing about the topic.
	courtesy = regexp.MustCompile(`^(?:(?:hey|hi|hello|ok|okay|k|yes|yep|yeah|yup|ya|no|nope|sure|cool|great|good|perfect|awesome` +
		`|excellent|amazing|fantastic|lovely|nice|alright|all right|right|fine|agreed|agree|exactly|wonderful|brilliant|super|very|so` +
		`|really|thanks|thank you|thx|ty|cheers|much|a lot|again|guys|all|everyone|everybody|folks|team|please|bye|goodbye|ciao` +
		`|see you|see ya|later|tomorrow|have a (?:good|great|nice) (?:day|one|evening|weekend)|N|P|B|C|H|A|and|here|now|well|then` +
		`|helpful|useful|stuff|work|job|talk|chat|discussion|session|input|one|to me|for me|for you|for (?:the|your|all the` +
		`|all your) (?:time|help|input|ideas|discussion|answers|answer|insights)|to|both|you|for now|for today|that's it|thats it` +
		`|that's all|thats all|that's everything|makes sense|works for me|sounds (?:good|great|fine|right)(?: to me)?|got it` +
		`|(?:i have|i've got|we have|got) (?:what|everything|all) (?:i|we) (?:need|needed)|(?:no more|no further` +
		`|no other) (?:questions|comments|input|points|thoughts)|nothing (?:more|else|further|to add)|from (?:my|our) side|from me` +
		`|on my side|i'm good|we're good|all good) ?)+$`)
)
