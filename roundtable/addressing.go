package roundtable

import (
	"regexp"
	"slices"
	"strings"
)

// A persona's name either calls the persona ("Alex, what breaks first?") or
// speaks of it ("Alex said so"). Only a call addresses (FR-003, AC-003-02). What
// stands before and after the name decides.

// Lists of words, each between spaces.
const (
	// wordsOpening may stand before a call at the beginning of a sentence.
	wordsOpening = " hey hi hello hiya yo dear ok okay k so and but or yes yep yeah yup no nope nah well hmm hm mm um uh ah " +
		"oh wait sorry thanks thank thx cheers right sure cool great good nice perfect fine then now also plus " +
		"alright actually please pls exactly agreed true morning again finally first next lastly btw fyi question " +
		"you really interesting wow ha hold on cc maybe all additionally ps quick honestly frankly look listen " +
		"seriously basically personally however though anyway anyways still besides curious tbh imo meanwhile " +
		"guess "

	// wordsToYou opens what is said to somebody who was just called by name.
	wordsToYou = " what what's whats how how's why when where which who who's whose any please pls plz thanks thx ty " +
		"thoughts concerns questions ideas risks options opinions comments objections tradeoffs numbers details " +
		"you you're your i i'm i'd i've we we're we'd that that's thats this it it's there there's they let's " +
		"lets don't tell explain give show list name describe draw sketch compare estimate help elaborate clarify " +
		"define spec say go summarize summarise outline propose suggest comment answer remind walk vote "

	// wordsOfReport follows a name that is spoken of.
	wordsOfReport = " said told thought put meant wrote made gave had has was is were brought came found got went knew saw " +
		"took did felt left kept asked both too all himself herself themselves from in on at of with for to as " +
		"about by vs versus rightly who whose which or and than want "

	// adverbs between a name and what decides are looked past.
	adverbs = " again already always never just also really even only still clearly probably often not "

	// verbsPlural verbs after a single name cannot have it as their subject.
	verbsPlural = " are do have were don't aren't haven't weren't "

	verbsModal = " can could would will should shall may might must can't couldn't wouldn't won't shouldn't "

	verbsSingular = " is does has was did isn't doesn't hasn't wasn't didn't "

	subjectsYou = " you we i y'all "

	subjectsThis = " this that it there these those they "

	verbsBase = " be have say agree not know think like want love hate prefer also probably never always only do see take " +
		"make need help come go get just "

	predicates = " right wrong correct sure ok okay here not in on out off away busy back happy fine good saying asking " +
		"suggesting proposing going talking worried concerned "

	// wordsGoverning before a name makes it an object: it is spoken of.
	wordsGoverning = " with to from by of for about like unlike per than as on at in against behind over via after before since " +
		"if when because while that what where how whether both between and or than is was are were be the a an " +
		"this our my his her their not only even either neither see saw meet met know knew quote quoting told " +
		"tell asked follow trust believe credit involve involving without "

	// verbsTaking do the same in a statement; at the end of a question a name
	// after them is called: "what do users need Maya?"
	verbsTaking = " likes love need needs support second back prefer have has had get "

	// wordsBeforeCall cannot have the name after them as an object.
	wordsBeforeCall = " it this that too again here now yet though agree disagree enough anymore please first point question " +
		"wrong right so then me us already though "
)

var (

	// warmRemark begins a remark made to somebody.
	warmRemark = regexp.MustCompile(`^(?:(?:ok|oh|ah|so|and|but|yes|no|a|an|that's|thats|that is|it's|i|i'm|very|really|such) )*(?:good|great|nice|fair|well|exactly|right|yes|yep|yeah|no|nope|agree|agreed|disagree|true|correct|sure|sorry|please|cheers|thanks|thank|thx|ty|love|hmm|wait|interesting|excellent|perfect|awesome|brilliant|congrats|welcome|back|understood|ok|okay|got|makes|sounds|looks|seems|that's not|that is not|this|it's not|i don't|i do not|we don't|we can't|i can't|not|i'm not|that won't|that doesn't|fine|hi|hello|hey|morning|bye|amen|touché|touche|hold|come|go|tell|explain|help|over|your)\b`)

	secondPerson    = regexp.MustCompile(`\b(?:you|your|you're|you'd|you've|yours|thoughts)\b`)
	questionOpening = regexp.MustCompile(`^(?:[A-Z,] |and |but |so |ok |then )*(?:what|what's|whats|how|how's|why|when|where|which|who|whose|is|are|do|does|did|can|could|would|will|should|any|isn't|aren't|don't|doesn't)\b`)

	// askedFor are the ways of asking for a persona without calling it; the first
	// group is the name.
	askedFor = regexp.MustCompile(strings.Join([]string{
		`\b(?:ask|asking|ping|invite|summon|hear from|hearing from|listen to|hear|bring in|loop in|over to|hand over to|question for|questions for|follow-up for|follow up for|task for|query for|another for|one for|ones for|something for|turn to|up to|input from|word from|opinion from|thoughts from|take from|answer from|view from|check with|cc) (N)(?: |$)`,
		`^(?:[A-Z,] )*(?:for (N) [,-]|to (N) [:-])`,
		`\bfor (N) :`,
		`(?:^|[,:-] |\b(?:and|so|but|ok|okay|maybe|perhaps|please|also|B|P) )(?:can|could|would|will|may|does|can't|couldn't|doesn't|wouldn't) (N) (?:[a-z])`,
		`\b(?:what|how|where|which|who|when|what else)(?: \w+){0,2} (?:do|does|would|might|will|could|can|should) (N) (?:[a-z])`,
		`\b(?:curious|wonder|wondering|hear|know|knowing|interested|interested in|love|see|seeing|about)(?: to (?:know|hear|see))? (?:what|how|whether|if|where) (N) (?:thinks|think|would|sees|see|feels|feel|makes|make|says|say|has to say|have to say|reckons|prefers|could|suggests|recommends)\b`,
		`\b(?:i'd|i would|we'd|we would|would|i'll|let me|let's|i want|we want|i need|we need|like|want|need|let|have|get|prefer)(?: like| love| want| prefer| have| hear| get)? (N) (?:to|first|weigh|comment|answer|explain|chime|speak|respond|write|list|draw|describe|take|go|start|give)\b`,
		`\b(?:what's|whats|what is|what are|hear|get|getting|like|love|want|need|curious about|interested in|share|know)(?: to hear| to get| to know)? (O) (?:take|view|views|opinion|opinions|thoughts|perspective|input|position|feedback|answer|verdict|stance|reaction|assessment|recommendation|advice)\b`,
		`^(?:[A-Z,] |any |some |and |now |ok |so )*(?:thoughts|opinions|input|comments|ideas|concerns|objections|questions|answers?) (?:from|by) (N)\b`,
		`\b(?:bring|loop|get|pull|call) (N) (?:in|into|on)\b`,
		`(?:^|[,:-] |\b(?:and|so|but|then|maybe|perhaps|now|i think|guess) )(?:it's |its |that's )?(O) turn\b`,
		`(?:^|[,:-] |\b(?:and|so|but|then|i think|maybe|perhaps) )(N) (?:can|could|should|might|may|please) (?:weigh|comment|answer|chime|elaborate|explain|tell|speak|respond|clarify|walk us|go first|start)\b`,
		`\b(?:maybe|perhaps|hopefully) (N) (?:can|could|knows|know|has|have|wants|would)\b`,
	}, "|"))

	// past or negated asking asks for nobody.
	notAskedFor = regexp.MustCompile(`\b(?:did|didn't|don't|dont|do not|never|without|instead of|rather than|no need to|stop|already|customers|users)\b`)
)

// addressed returns the seats that the message calls or asks for, in the order
// named, and the rule by which the first was found.
func (r reading) addressed() ([]int, string) {
	var seats []int
	var rule string
	for n, s := range r.sentences {
		var wanted []int
		if r.atEdge(n) {
			wanted = s.wanted()
		}
		nth := 0
		for i, t := range s.tokens {
			if t.kind != aName && t.kind != anOwner {
				continue
			}
			how := ""
			if t.kind == aName {
				how = s.call(i)
			}
			if how == "" && slices.Contains(wanted, nth) {
				how = ruleNameAsked
			}
			nth++
			if how == "" {
				continue
			}
			if rule == "" {
				rule = how
			}
			for _, seat := range t.seats {
				if !slices.Contains(seats, seat) {
					seats = append(seats, seat)
				}
			}
		}
	}
	return seats, rule
}

// longestAsking is the number of tokens beyond which a sentence is not searched
// for a roundabout address; it bounds the time.
const longestAsking = 60

// wanted returns which of the names in the sentence, counted from 0 and
// possessives included, somebody asks to hear.
func (s sentence) wanted() []int {
	if len(s.tokens) > longestAsking || !strings.ContainsAny(s.form, "NO") {
		return nil
	}
	var out []int
	for _, match := range askedFor.FindAllStringSubmatchIndex(s.form, -1) {
		for g := 2; g+1 < len(match); g += 2 {
			if match[g] < 0 {
				continue
			}
			if notAskedFor.MatchString(s.form[:match[g]]) {
				continue
			}
			before := s.form[:match[g]]
			out = append(out, strings.Count(before, "N")+strings.Count(before, "O"))
		}
	}
	return out
}

// call returns the rule by which the i-th token, a name, calls the persona, or
// nothing if it speaks of it.
func (s sentence) call(i int) string {
	t := s.tokens[i]
	if t.rule == ruleUserGroup {
		return ruleUserGroup
	}
	spokenOf := s.spokenOf(i)
	switch {
	case t.rule == ruleHandle && !spokenOf && !s.governed(i):
		return ruleHandle
	case s.opens(i):
		if s.calledAtStart(i) {
			return ruleNameStart
		}
	case spokenOf:
	case s.followed(i, ""):
		if s.calledAtEnd(i) {
			return ruleNameEnd
		}
	case s.followed(i, ",:-/"):
		if s.calledAtEnd(i) {
			return ruleNameMiddle
		}
	case s.starts(i) && (s.preceded(i) || !s.governed(i) && (s.startsWithYou(i) || i < longestAsking && warmRemark.MatchString(form(s.tokens[:i])))):
		return ruleNameMiddle
	}
	return ""
}

// startsWithYou tells whether what follows the i-th token says "you" at once.
func (s sentence) startsWithYou(i int) bool {
	return strings.HasPrefix(s.word(i+1), "you") || s.word(i+2) == "you"
}

// opens tells whether nothing but openers stands before the name, in the
// sentence or in what follows a comma.
func (s sentence) opens(i int) bool {
	for k := i - 1; k >= 0; k-- {
		if i-k > 8 {
			return false
		}
		switch t := s.tokens[k]; t.kind {
		case aPerson, theBot, aCrowd, aHandle, aPicture, aThing:
		case aSign:
			if t.text == ":" || t.text == "(" {
				return true
			}
			if t.text != "," && t.text != "-" {
				return false
			}
		case aWord:
			if !among(t.text, wordsOpening) {
				return false
			}
		case aName, anOwner:
			return false
		}
	}
	return true
}

// calledAtStart decides for a name that opens a sentence.
func (s sentence) calledAtStart(i int) bool {
	if i+1 == len(s.tokens) {
		return true
	}
	next := s.tokens[i+1]
	switch next.kind {
	case aSign:
		return next.text == "," || next.text == ":" || next.text == "-"
	case aWord:
	case aName, anOwner, aPerson, aHandle, theBot, aCrowd, aPicture, aThing:
		return true
	}
	if s.starts(i) {
		return true
	}
	if s.spokenOf(i) {
		return false
	}
	if len(s.tokens[i].seats) > 1 { // "Maya and Alex disagree", "Maya and Alex settle this please"
		return strings.Contains(s.form, "please") || secondPerson.MatchString(s.form)
	}
	if among(next.text, verbsModal) || among(next.text, verbsSingular) || next.capital {
		return false
	}
	return true
}

// starts tells whether what follows the i-th token is said to somebody who was
// just called: a question, a request, "you".
func (s sentence) starts(i int) bool {
	next, after := s.word(i+1), s.word(i+2)
	single := len(s.tokens[i].seats) <= 1
	switch {
	case next == "":
		return false
	case among(next, wordsToYou):
		return true
	case single && among(next, verbsPlural):
		return true
	case !among(next, verbsModal) && !among(next, verbsSingular) && !among(next, verbsPlural):
		return false
	case among(after, subjectsYou):
		return true
	case among(after, subjectsThis):
		return s.asks || (among(next, verbsModal) || next == "is" || next == "isn't")
	case !s.asks || after == "":
		return false
	case among(next, verbsModal):
		return !among(after, verbsBase)
	default:
		return among(next, verbsSingular) && !among(after, predicates) && !strings.HasSuffix(after, "ing")
	}
}

// spokenOf tells whether what follows the name makes it the subject of a
// statement, or part of a longer name.
func (s sentence) spokenOf(i int) bool {
	if i+1 >= len(s.tokens) || s.starts(i) {
		return false
	}
	next := s.tokens[i+1]
	if next.kind == aSign {
		return next.text == "("
	}
	if next.kind == aWord && among(next.text, adverbs) {
		return s.spokenOf(i + 1)
	}
	return next.kind == aWord && (among(next.text, wordsOfReport) || thirdPerson(next.text) || pastTense(next.text))
}

// governed tells whether the word before the name makes it an object.
func (s sentence) governed(i int) bool {
	before := s.word(i - 1)
	return among(before, wordsGoverning) || !s.asks && among(before, verbsTaking)
}

// calledAtEnd decides for a name with nothing of its clause after it.
func (s sentence) calledAtEnd(i int) bool {
	before := s.word(i - 1)
	if before == "" { // a sign or an entity
		return s.tokens[i-1].kind != aSign || s.tokens[i-1].text == "," || s.tokens[i-1].text == "-"
	}
	if s.governed(i) && before != "that" && before != "this" &&
		!(before == "on" && among(s.word(i-2), " go come hold carry ")) { // "go on, Alex" without its comma
		return false
	}
	if s.asks || among(before, wordsBeforeCall) {
		return true
	}
	if i > longestAsking {
		return false
	}
	said := form(s.tokens[:i])
	return secondPerson.MatchString(said) || warmRemark.MatchString(said) || questionOpening.MatchString(said)
}

// preceded tells whether a comma, or a word that joins clauses, stands before
// the name.
func (s sentence) preceded(i int) bool {
	before := s.tokens[i-1]
	if before.kind == aSign {
		return before.text == "," || before.text == ":" || before.text == "-"
	}
	switch before.text {
	case "and", "but", "so", "then", "or":
		return true
	}
	return before.kind != aWord
}

// followed tells whether the sentence ends after the i-th token or, with signs,
// whether one of these follows it.
func (s sentence) followed(i int, signs string) bool {
	if signs == "" {
		return i+1 == len(s.tokens)
	}
	return i+1 < len(s.tokens) && s.tokens[i+1].kind == aSign && strings.Contains(signs, s.tokens[i+1].text)
}

// word returns the text of the k-th token if it is a word.
func (s sentence) word(k int) string {
	if k < 0 || k >= len(s.tokens) || s.tokens[k].kind != aWord {
		return ""
	}
	return s.tokens[k].text
}

// thirdPerson guesses whether a word is a verb in the third person: "wants".
func thirdPerson(word string) bool {
	return len(word) > 3 && strings.HasSuffix(word, "s") && !strings.HasSuffix(word, "ss") &&
		!strings.HasSuffix(word, "us") && word != "this" && word != "perhaps"
}

// pastTense guesses whether a word is a verb in the past: "mentioned".
func pastTense(word string) bool {
	if !strings.HasSuffix(word, "ed") || len(word) < 4 {
		return false
	}
	switch word {
	case "need", "feed", "speed", "proceed", "embed", "agreed":
		return word == "agreed"
	}
	return true
}

// toPerson tells whether the message is said to a person: begins with a mention,
// or ends a question with one.
func (r reading) toPerson() (string, bool) {
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

// among tells whether a word is in a list of words between spaces.
func among(word, list string) bool {
	return word != "" && strings.Contains(list, " "+word+" ")
}
