package voice

import (
	"fmt"
	"regexp"
	"strings"
)

// laudable are the adjectives of praise.
const laudable = `(?:great|good|excellent|nice|fantastic|brilliant|wonderful|awesome|amazing|superb|terrific|lovely|sharp|smart|insightful|valid|fair|strong|solid|thoughtful|outstanding|perfect|spot-on|clever|valuable|important|fair enough)`

var (
	// address is what may stand before praise without taking it from the opening.
	address = regexp.MustCompile(`^(?:[*_~\s]|[\p{So}\p{Sk}\x{fe0f}\x{200d}])*(?i:(?:oh|ah|wow|yes|yeah|yep|hey|hi|okay|ok|well|right|sure|and|hmm|honestly|so)[,!. —-]+)*(?:@?\p{Lu}[\p{L}'-]*(?:(?:,| and) \p{Lu}[\p{L}'-]*)*[,:!—-]+\s*)?(?i:(?:oh|wow|yes|yeah|okay|ok|well|right|sure)[,!. —-]+)*`)
	praises = []*regexp.Regexp{
		// "Great point", "Nice catch"
		regexp.MustCompile(`(?i)^(?:(?:really|very|truly|such) )*` + laudable + ` (?:point|idea|question|thought|catch|call|suggestion|insight|observation|summary|work|job|stuff|thinking|framing|comment|remark|contribution)\b`),
		// "That's a really good idea", "What an excellent start", "Maya makes a good point"
		regexp.MustCompile(`(?i)^(?:that(?:'s| is| was)|this is|it's|what|you(?:'ve| have) (?:raised|made)|you (?:raise|make)|both|such|(?:i think )?(?:\p{L}+ )?(?:raises|makes|made|has made|brings up)) (?:an? |some |the )?(?:(?:really|very|truly|absolutely|particularly|super|such an?|so|genuinely) )*` + laudable + ` (?:points?|ideas?|questions?|thoughts?|catch|call|suggestions?|insights?|observations?|summary|work|job|stuff|one|thinking|framing|examples?|start|input|discussion|comment|remark|analysis|approach|proposal|spot|explanation|contribution|arguments?)\b`),
		// "Great!", "Absolutely.", "Exactly, …"
		regexp.MustCompile(`(?i)^(?:great|excellent|fantastic|brilliant|wonderful|awesome|amazing|superb|perfect|nice|lovely|absolutely|totally|exactly|definitely|precisely|bravo|kudos|well said|well put|nicely put|nicely said|hear,? hear|exactly (?:that|this|right)|spot on|spot-on|nailed it|(?:plus one|\+1)|100 ?%)(?:[!.,;:…—–]|\s-|\s*$|(?-i:\s\p{Lu}\p{L}+[,!.]))`),
		// "Love the direction", "Building on Alex's excellent point"
		regexp.MustCompile(`(?i)^(?:(?:really|absolutely|just) )?lov(?:e|ing) (?:it|this|that|the|where|how|your)\b`),
		regexp.MustCompile(`(?i)^(?:building|following up|picking up|adding|expanding) (?:up)?on (?:\p{L}+'s|your|that|this) ` + laudable + `\b`),
		// "I love this", "I completely agree", "Couldn't agree more"
		regexp.MustCompile(`(?i)^i(?:'m| am)? (?:(?:really|absolutely|just|do|also|so|truly|quite) )*(?:love (?:this|that|it|the|how|your|where)|like (?:this|that|your|where|how)|(?:a )?(?:big )?fan of|appreciate|admire|excited (?:by|about)|impressed)\b`),
		regexp.MustCompile(`(?i)^(?:i )?(?:(?:completely|totally|fully|wholeheartedly|strongly|absolutely|entirely|couldn't|could not|can't|cannot|very much|one hundred percent|100 ?%) )+agree\b`),
		regexp.MustCompile(`(?i)^i agree (?:completely|totally|fully|wholeheartedly|entirely|100 ?%|with (?:everything|all of|every word))`),
		regexp.MustCompile(`(?i)^(?:thanks|thank you|many thanks|kudos)\b.{0,40}\b(?:for|so much|raising|sharing|bringing|pointing)\b`),
		regexp.MustCompile(`(?i)^(?:\p{L}+ (?:is|are) (?:so |absolutely |completely |totally |exactly )*(?:right|spot on|spot-on)|you(?:'re| are) (?:so |absolutely |completely |totally |exactly )+right|as \p{L}+ (?:so )?(?:rightly|brilliantly|eloquently|wisely|correctly) )`),
	}
	assent = regexp.MustCompile(`(?i)^(?:(?:yes|yeah|yep|sure|okay|ok|right|agreed|same here|ditto|likewise|true|indeed|me too|no objections?|nothing to add|sounds (?:good|right|fine|great|like a plan)(?: to me)?|makes sense(?: to me)?|that (?:makes sense|works|sounds (?:good|right))(?: (?:to|for) me)?|works for me|fine by me|i (?:fully |completely |also )?agree(?: with (?:that|this|you|both|\p{L}+|\p{L}+ and \p{L}+|what \p{L}+ said|\p{L}+ on (?:this|that)|everything \p{L}+ said))?(?: here)?|i (?:also )?(?:think|believe) (?:so too|the same)|i have nothing to add|(?:\p{L}+|you)(?:'s| is| are|'re) right(?: (?:here|about (?:this|that)))?|i(?:'m| am) with \p{L}+(?: (?:here|on (?:this|that)))?)[\s,!.;—-]*)+$`)
)

// praise looks for praise in the first words, and for a text that does nothing
// but agree.
func (c *checking) praise() {
	text := strings.TrimSpace(c.text.own)
	bare := strings.TrimSpace(text[len(address.FindString(text)):])
	for _, opening := range []string{text, bare} {
		for _, p := range praises {
			if m := p.FindString(opening); m != "" {
				c.fault(RulePraise, fmt.Sprintf("Do not open with praise (%q); begin with the point itself.", strings.TrimSpace(m)))
				return
			}
		}
	}
	if assent.MatchString(text) || bare != "" && assent.MatchString(bare) {
		c.fault(RulePraise, fmt.Sprintf("This only agrees; say what follows from it for %s, or stay silent.", c.persona.First()))
	}
}

var machines = regexp.MustCompile(`(?i)\b(?:as an? (?:helpful |large )?(?:ai(?: language)?(?: model| assistant)?|artificial intelligence|language model|llm|virtual assistant|chatbot|assistant)\s*(?:,|:|-|\.|i\b)|i(?:'m| am) (?:just |only |merely )?an? (?:helpful |large )?(?:ai\b|artificial intelligence|language model|llm|chat ?bot|bot\b|virtual assistant|assistant\b|computer program)|my (?:training data|knowledge cut-?off|system prompt|programming)|i (?:was|am) (?:trained|programmed|instructed) (?:by|on|to)|i (?:do not|don't|cannot|can't) have (?:personal )?(?:opinions|feelings|experiences|access to real-time)|i(?:'m| am) unable to (?:assist|help|comply) with|i (?:can't|cannot|can not) (?:assist|help|comply) with (?:that|this)|(?:the|my|these|your) (?:system )?(?:prompt|instructions) (?:say|tell|require|told|ask)s?|in character\b|stay(?:ing)? in role\b|role-?play(?:ing)? as|happy to help!|how can i (?:help|assist) you|here(?:'s| is) (?:the |my |a |\p{L}+'s )(?:revised |rewritten |new )?(?:response|reply|contribution|version)\b)`)

// machine looks for a text that speaks of itself as a program.
func (c *checking) machine() {
	if m := machines.FindString(c.text.own); m != "" {
		c.fault(RuleMachine, fmt.Sprintf("%s is a colleague at the table and does not speak as a program (%q).", c.persona.First(), strings.TrimSpace(m)))
	}
}
