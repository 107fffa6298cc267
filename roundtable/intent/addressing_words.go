package intent

import (
	"regexp"
	"strings"
)

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
	warmRemark = regexp.MustCompile(`^(?:(?:ok|oh|ah|so|and|but|yes|no|a|an|that's|thats|that is|it's|i|i'm|very|really` +
		`|such) )*(?:good|great|nice|fair|well|exactly|right|yes|yep|yeah|no|nope|agree|agreed|disagree|true|correct|sure|sorry` +
		`|please|cheers|thanks|thank|thx|ty|love|hmm|wait|interesting|excellent|perfect|awesome|brilliant|congrats|welcome|back` +
		`|understood|ok|okay|got|makes|sounds|looks|seems|that's not|that is not|this|it's not|i don't|i do not|we don't|we can't` +
		`|i can't|not|i'm not|that won't|that doesn't|fine|hi|hello|hey|morning|bye|amen|touché|touche|hold|come|go|tell|explain|help` +
		`|over|your)\b`)

	secondPerson    = regexp.MustCompile(`\b(?:you|your|you're|you'd|you've|yours|thoughts)\b`)
	questionOpening = regexp.MustCompile(`^(?:[A-Z,] |and |but |so |ok |then )*(?:what|what's|whats|how|how's|why|when|where|which` +
		`|who|whose|is|are|do|does|did|can|could|would|will|should|any|isn't|aren't|don't|doesn't)\b`)

	// askedFor are the ways of asking for a persona without calling it; the first
	// group is the name.
	askedFor = regexp.MustCompile(strings.Join([]string{
		`\b(?:ask|asking|ping|invite|summon|hear from|hearing from|listen to|hear|bring in|loop in|over to|hand over to|question for` +
			`|questions for|follow-up for|follow up for|task for|query for|another for|one for|ones for|something for|turn to|up to` +
			`|input from|word from|opinion from|thoughts from|take from|answer from|view from|check with|cc) (N)(?: |$)`,
		`^(?:[A-Z,] )*(?:for (N) [,-]|to (N) [:-])`,
		`\bfor (N) :`,
		`(?:^|[,:-] |\b(?:and|so|but|ok|okay|maybe|perhaps|please|also|B|P) )(?:can|could|would|will|may|does|can't|couldn't|doesn't` +
			`|wouldn't) (N) (?:[a-z])`,
		`\b(?:what|how|where|which|who|when|what else)(?: \w+){0,2} (?:do|does|would|might|will|could|can|should) (N) (?:[a-z])`,
		`\b(?:curious|wonder|wondering|hear|know|knowing|interested|interested in|love|see|seeing|about)(?: to (?:know|hear` +
			`|see))? (?:what|how|whether|if|where) (N) (?:thinks|think|would|sees|see|feels|feel|makes|make|says|say|has to say` +
			`|have to say|reckons|prefers|could|suggests|recommends)\b`,
		`\b(?:i'd|i would|we'd|we would|would|i'll|let me|let's|i want|we want|i need|we need|like|want|need|let|have|get` +
			`|prefer)(?: like| love| want| prefer| have| hear| get)? (N) (?:to|first|weigh|comment|answer|explain|chime|speak|respond` +
			`|write|list|draw|describe|take|go|start|give)\b`,
		`\b(?:what's|whats|what is|what are|hear|get|getting|like|love|want|need|curious about|interested in|share|know)(?: to hear` +
			`| to get| to know)? (O) (?:take|view|views|opinion|opinions|thoughts|perspective|input|position|feedback|answer|verdict` +
			`|stance|reaction|assessment|recommendation|advice)\b`,
		`^(?:[A-Z,] |any |some |and |now |ok |so )*(?:thoughts|opinions|input|comments|ideas|concerns|objections|questions` +
			`|answers?) (?:from|by) (N)\b`,
		`\b(?:bring|loop|get|pull|call) (N) (?:in|into|on)\b`,
		`(?:^|[,:-] |\b(?:and|so|but|then|maybe|perhaps|now|i think|guess) )(?:it's |its |that's )?(O) turn\b`,
		`(?:^|[,:-] |\b(?:and|so|but|then|i think|maybe|perhaps) )(N) (?:can|could|should|might|may|please) (?:weigh|comment|answer` +
			`|chime|elaborate|explain|tell|speak|respond|clarify|walk us|go first|start)\b`,
		`\b(?:maybe|perhaps|hopefully) (N) (?:can|could|knows|know|has|have|wants|would)\b`,
	}, "|"))

	// past or negated asking asks for nobody.
	notAskedFor = regexp.MustCompile(`\b(?:did|didn't|don't|dont|do not|never|without|instead of|rather than|no need to|stop` +
		`|already|customers|users)\b`)
)

// among tells whether a word is in a list of words between spaces.
func among(word, list string) bool {
	return word != "" && strings.Contains(list, " "+word+" ")
}
