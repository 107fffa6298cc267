package analysis

import (
	"regexp"
	"strings"

	"github.com/roundtable-chat/app/roundtable/persona"
)

// Depth is how thoroughly a step is gone through.
type Depth string

// The depths (AC-006-07).
const (
	Brief    Depth = "brief"
	Standard Depth = "standard"
	Deep     Depth = "deep"
)

// Depths lists all depths, the shallowest first.
func Depths() []Depth { return []Depth{Brief, Standard, Deep} }

// ParseDepth reads a depth as meta.json and step files write it.
func ParseDepth(s string) (Depth, bool) {
	switch d := Depth(s); d {
	case Brief, Standard, Deep:
		return d, true
	default:
		return "", false
	}
}

// DepthSource says what decided a depth.
type DepthSource string

// The sources, in order of their priority (AC-006-07).
const (
	FromOverride  DepthSource = "override"   // somebody asked for it, in this phase
	FromQuickScan DepthSource = "quick-scan" // the size that the quick scan found
	FromStep      DepthSource = "step"       // the step's own (AC-006-07)
)

// Chosen is a depth and what decided it.
type Chosen struct {
	Depth  Depth       `json:"depth"`
	Source DepthSource `json:"source"`
}

// Bounds of the quick scan's mapping, in files (AC-006-07).
const (
	briefBelow = 5
	deepAbove  = 15
)

// PhaseDepth is the depth of a whole phase by the priority chain: what people
// asked for, else what the quick scan found; ok is false when neither says
// anything, and each step keeps its own (AC-006-07). The first phase is
// the quick scan itself and cannot go by it.
func PhaseDepth(override string, first bool, q QuickScan) (c Chosen, ok bool) {
	if d, ok := ParseDepth(override); ok {
		return Chosen{d, FromOverride}, true
	}
	if first || q.Scope == "" {
		return Chosen{}, false
	}
	switch {
	case q.Scope == ScopeSmall && (q.Complexity == ComplexityLow || q.FilesKnown && q.Files < briefBelow):
		return Chosen{Brief, FromQuickScan}, true
	case q.Scope == ScopeLarge && (q.Complexity == ComplexityHigh || q.FilesKnown && q.Files > deepAbove):
		return Chosen{Deep, FromQuickScan}, true
	default:
		return Chosen{Standard, FromQuickScan}, true
	}
}

// A wish for more or less depth is read as a wish to leave is: a sentence must be
// nothing but that wish and courtesies, or the message does not mean it. "Brief
// the team" and "it must be fast" are no overrides, because words are left over
// (AC-006-05).

// ReadOverride reads a wish for another depth in a person's message; cast are
// those who may be called by name along with it. Where several sentences want
// something the last one stands.
func ReadOverride(text string, cast []persona.Seat) (Depth, bool) {
	found := Depth("")
	for _, s := range wishes(text, cast) {
		if d := s.depth(); d != "" {
			found = d
		}
	}
	return found, found != ""
}

// wish is a sentence that may ask for a depth, cut at its commas.
type wish []string

// depth is what the sentence wants, or empty: one clause must be the wish, and
// every other no more than courtesy or the reason.
func (w wish) depth() Depth {
	found := Depth("")
	for _, clause := range w {
		d := clauseDepth(clause)
		switch {
		case d != "":
			found = d
		case overrideCourtesy.MatchString(clause), overrideReason.MatchString(clause):
		default:
			return ""
		}
	}
	return found
}

func clauseDepth(clause string) Depth {
	switch {
	case wantsDeep.MatchString(clause):
		return Deep
	case wantsBrief.MatchString(clause):
		return Brief
	case wantsStandard.MatchString(clause):
		return Standard
	default:
		return ""
	}
}

// Bounds within which a wish is looked for: what a message asks stands at its
// edges, and whoever asks it does so in few words.
const (
	wishEdge    = 3
	longestWish = 160
)

// wishes are the first and last sentences of a message, without what is only
// shown: code, quotations, quoted lines, mentions.
func wishes(text string, cast []persona.Seat) []wish {
	var kept []string
	for line := range strings.Lines(shown.ReplaceAllString(text, " \uFFFC ")) {
		if line = strings.TrimSpace(line); !strings.HasPrefix(line, ">") && !strings.HasPrefix(line, "&gt;") {
			kept = append(kept, line)
		}
	}
	var all []wish
	for _, sentence := range sentenceEnd.Split(strings.Join(kept, "\n"), -1) {
		if sentence = strings.TrimSpace(sentence); sentence == "" {
			continue
		}
		var w wish
		if len(sentence) <= longestWish {
			for _, clause := range clauseEnd.Split(plainWords(sentence, cast), -1) {
				if clause = strings.TrimSpace(clause); clause != "" {
					w = append(w, clause)
				}
			}
		}
		all = append(all, w)
	}
	if len(all) > 2*wishEdge {
		all = append(all[:wishEdge:wishEdge], all[len(all)-wishEdge:]...)
	}
	return all
}

var (
	sentenceEnd = regexp.MustCompile(`[.!?…]+(?:\s+|$)|\n+`)
	clauseEnd   = regexp.MustCompile(`\s*(?:[,;:]|\s[-–—]+\s|--)\s*`)
	decoration  = regexp.MustCompile(`:[a-z0-9_+-]+:|[*_~()]|\x{FFFC}?[\x{1F000}-\x{1FFFF}\x{2600}-\x{27BF}\x{FE0F}]`)
)

// plainWords is a sentence in lower case, with names of the cast written N and
// without decoration.
func plainWords(sentence string, cast []persona.Seat) string {
	s := strings.ToLower(strings.NewReplacer("’", "'", "‘", "'", "TL;DR", "tldr", "tl;dr", "tldr").Replace(sentence))
	s = decoration.ReplaceAllString(s, " ")
	fields := strings.Fields(s)
	for i, w := range fields {
		if len(fields) == 1 {
			fields[i] = strings.Trim(w, "'") // typed with the marks of the announcement
		}
		bare := strings.TrimPrefix(strings.TrimRight(w, ",:;"), "@")
		for _, c := range cast {
			if bare == strings.ToLower(c.First()) {
				fields[i] = "N" + w[len(strings.TrimRight(w, ",:;")):]
			}
		}
	}
	return strings.Join(fields, " ")
}

// Pieces of the expressions below. They are matched against a clause in lower
// case, with single spaces, names of the cast written N.
const (
	// reOften are courtesies before what a clause has to say.
	reOften = `(?:(?:ok|okay|k|alright|all right|right|great|good|cool|perfect|fine|yes|yep|yeah|yup|no|nah|nope|sure|so|and|then|well|now` +
		`|hey|hi|hello|um|hmm|please|pls|plz|thanks|thank you|cheers|actually|honestly|maybe|perhaps|i think|i guess|just|for now` +
		`|for this (?:one|step|phase|part)|in this (?:step|phase)|from (?:here|now) on(?:wards)?|here|at this point|today|instead|N|team|folks` +
		`|everyone|all) )*`

	// reAsk makes a request of what follows; reSoft softens it.
	reAsk = `(?:(?:let's|lets|let us|let me|let's take (?:our|more|the) time and|can we|could we|can you|could you|would you|will you|may we|might we|can i|i want(?: you| us)? to` +
		`|i want you|i'd (?:like|love|prefer)(?: you| us)?(?: to)?|i would (?:like|love|prefer)(?: you| us)?(?: to)?|i'd rather|i prefer(?: to)?` +
		`|we'd (?:like|prefer|rather)(?: to)?|we (?:should|can|could|need to|want to|have to)|i need(?: you)?(?: to)?|we need|we want|i want` +
		`|you (?:should|can|could|may)|feel free to|go ahead and|it's fine to|time to|give (?:me|us)|want|do|use|try|go for|how about|(?:i think |i guess )?(?:this|it)(?: one| step| part)? (?:deserves|needs|is worth)) (?:(?:do|have|get|use|try|stay|be|make) )?)?`

	reSoft = `(?:(?:please|pls|just|all|maybe|rather|really|also|then|now|only|the|a|an|with|in|for) )*`

	// reWhat is the analysis or a part of it; a topic by name is not among them.
	reWhat = `(?:this|that|it|here|things|everything|this (?:step|one|topic|part|phase|section|time)|the (?:step|phase|analysis|rest|topic|questions))`

	// reEndWords may follow without a change of meaning.
	reEndWords = `(?: (?:please|pls|plz|thanks|thank you|thx|here|now|then|today|too|instead|again|from (?:here|now) on(?:wards)?|for now` +
		`|for me|for us|N|if (?:you can|possible|that's ok|you don't mind)|with ` + reWhat + `|on ` + reWhat + `|into ` + reWhat + `|in ` + reWhat +
		`|for ` + reWhat + `|on this one|(?:because|since|as) (?:i|we|it|this|time|there) .*))*`

	// reMore says by how much.
	reMore = `(?:(?:much|a (?:bit|little|lot)|even|way|far|really|somewhat|super|very|nice and|as) )?`

	// reFine accepts a depth.
	reFine = `(?: (?:is|would be|will be|sounds|works) ?(?:fine|good|ok|okay|enough|great|perfect|for me|for us)?)?`

	// What is wished for.
	reDeep = `(?:deep(?:er)?(?: mode)?` + reFine + `|go all the way(?: deep| in| down)?|(?:a )?deep(?:er)? look|more detailed|more details?|(?:go|going|get|getting|dig|digging|dive|diving|look|drill|drilling)(?: in| down| into ` + reWhat + `)? ` + reMore + `deep(?:er)?` +
		`|(?:go|look) into (?:` + reMore + `)?(?:more |greater |full )?(?:detail|details|depth)|dig (?:right )?in(?:to ` + reWhat + `)?` +
		`|dive (?:right )?in(?:to ` + reWhat + `)?|drill down|deep(?:er)? (?:mode|dive|version|analysis|treatment|depth)|deep-dive` +
		`|(?:switch|change|go|move|set|back|turn)(?: it| this)?(?: back)? to deep(?: mode)?|make ` + reWhat + ` (?:deep|deeper|(?:more )?thorough|more detailed)` +
		`|` + reMore + `(?:more|greater) (?:detail|details|depth|thorough)|be ` + reMore + `(?:more )?(?:thorough|detailed)|(?:more )?thorough` +
		`|(?:more |` + reMore + `)?thorough (?:analysis|treatment|job|pass|version|look|mode|review)|full (?:analysis|treatment|version|depth|detail)` +
		`|in(?:-| )depth(?: analysis| version| mode| please)?|more in(?:-| )depth|take (?:a )?` + reMore + `(?:deeper|closer) look|do ` + reWhat + ` (?:thoroughly|properly|in (?:full|more )?(?:detail|depth))` +
		`|(?:ask (?:me|us) )?(?:more|the hard|tougher) questions|look at ` + reWhat + ` in (?:more )?(?:depth|detail)|spend more time (?:on|with) ` + reWhat + `(?: and (?:go|dig) deeper)?)`

	reBrief = `(?:(?:brief|short|quick)(?: mode)?` + reFine + `|briefer|(?:no need for|skip|without|spare (?:me|us)) (?:the |much |more |all the |so much |that much )?details?|quick run(?:-| )?through|(?:quick|short|brief) summary|tldr|keep (?:` + reWhat + `|the (?:questions|answers)) ` + reMore + `(?:short|shorter|brief|briefer|quick|concise|crisp|light)|make ` + reWhat + ` ` + reMore + `(?:short|shorter|brief|briefer|quick|quicker|fast|faster)` +
		`|(?:be|stay) ` + reMore + `(?:brief|quick|concise|fast|short)|the (?:highlights|essentials|basics|main points|gist)|highlights(?: only)?` +
		`|(?:only |just )?(?:highlights|essentials|the basics)|skip ahead|speed (?:` + reWhat + ` )?up|speed up ` + reWhat + `|hurry up|quick|quickly|quicker|fast|faster` +
		`|(?:go|move|do ` + reWhat + `) ` + reMore + `(?:quick|quickly|quicker|fast|faster)|(?:brief|short|quick|fast|shorter|tl;dr)(?:er)? (?:mode|version|analysis|treatment|pass|run|form)` +
		`|(?:switch|change|go|move|set|back|turn)(?: it| this)?(?: back)? to brief(?: mode)?|summari[sz]e(?: ` + reWhat + `)?(?: quickly| briefly)?|` + reMore + `(?:less detail|less details|less depth|fewer questions)` +
		`|not so (?:deep|detailed|thorough|long)|short and sweet|cut ` + reWhat + ` short|(?:go|run) (?:quickly |fast )?through ` + reWhat + `(?: quickly| fast)|go quickly through ` + reWhat + `|` + reMore + `(?:shorter|briefer))`

	reStandard = `(?:(?:standard|normal|regular|usual)(?: mode| depth| version| level)?` + reFine +
		`|(?:switch|change|go|move|set|back|return|turn)(?: it| this)?(?: back)? to (?:the )?(?:standard|normal|regular|usual)(?: mode| depth| version| level)?)`
)

var (
	wantsDeep     = regexp.MustCompile(`^` + reOften + reAsk + reSoft + reDeep + reEndWords + `$`)
	wantsBrief    = regexp.MustCompile(`^` + reOften + reAsk + reSoft + reBrief + reEndWords + `$`)
	wantsStandard = regexp.MustCompile(`^` + reOften + reAsk + reSoft + reStandard + reEndWords + `$`)

	// overrideCourtesy is a clause that says nothing about the topic.
	overrideCourtesy = regexp.MustCompile(`^` + reOften + `(?:ok|okay|yes|yep|yeah|yup|no|nah|nope|sure|great|good|cool|perfect|fine|thanks|thank you|thx|cheers|please` +
		`|pls|well|hey|hi|hello|hmm|actually|N|team|folks|everyone|all|sorry|nice|got it|makes sense|sounds good|for now|for this (?:one|step|phase|part)|in this (?:step|phase)|from (?:here|now) on(?:wards)?|agreed|right|alright|now|then|here)$`)

	// overrideReason is a clause that says why it should go faster or deeper.
	overrideReason = regexp.MustCompile(`^(?:(?:because|since|as|so|and|but) )?(?:i|i'm|i've|we|we're|we've|time|there|there's|this|it|it's|that|that's)\b.*\b(?:time|minutes|meeting|hurry|rush|tired|late|deadline` +
		`|call|important|risky|complicated|big|huge|matters|critical|busy|tomorrow|worth it|simple|straightforward|small|easy|lunch|weekend|tricky|sensitive|know (?:this|that|it|all that)|already)(?: one| step| change| part| area)?$`)

	// shown is what a message only shows.
	shown = regexp.MustCompile("(?s)```.*?```|`[^`]*`|\"[^\"]*\"|“[^”]*”|<[@!#][^>]*>")
)
