package forgetting

import (
	"fmt"
	"time"

	"github.com/roundtable-chat/app/roundtable/say"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// Root is the notice in the channel, and later what became of it (FR-110): who asked,
// what goes, until when it can be taken back, and how.
func Root(f Forgetting) thread.Message {
	m := thread.Message{Kind: thread.KindRoot, Text: headline(f) + "\n" + standing(f)}
	if f.State == StateHidden {
		m.Buttons = []thread.Button{{Kind: ButtonKeep, Label: "Keep it", Style: "primary"}}
	}
	return m
}

func headline(f Forgetting) string {
	switch f.State {
	case StateGone:
		return "Forgotten"
	case StateKept:
		if f.Target == (Target{}) {
			return "Not forgotten"
		}
		return "Not forgotten: " + f.Target.name()
	case StateAsked, StateHiding, StateHidden, StateRestoring, StateRemoving:
	}
	return "To be forgotten: " + f.Target.name()
}

// name is what is forgotten, in a few words.
func (t Target) name() string {
	switch {
	case t.Discussion != "":
		return "“" + thread.OneLine(t.Title) + "”"
	case t.Item != "":
		return t.Item
	}
	return "It"
}

// standing says how it stands, and what can be done.
func standing(f Forgetting) string {
	switch f.State {
	case StateAsked:
		return "Slack has not told me yet who asked to forget " + f.Target.name() + ". Until it does, nothing is forgotten."
	case StateHiding:
		return f.Target.name() + " is being put out of sight."
	case StateHidden:
		return hiddenText(f)
	case StateRestoring:
		return f.Target.name() + " is being brought back."
	case StateRemoving:
		return "The time to take it back is over; " + f.Target.name() + " is being removed."
	case StateKept:
		return keptText(f)
	case StateGone:
		return "What " + asker(f.By) + " asked to forget is gone for good."
	}
	return ""
}

func hiddenText(f Forgetting) string {
	said := asker(f.By) + " asked Roundtable to forget this item"
	how := f.Target.Item
	if f.Target.Discussion != "" {
		said = asker(f.By) + " asked Roundtable to forget this discussion"
		how = "and the link of its first message"
	}
	said += ". " + goes(f) + " out of sight now, and gone for good on " + day(f.Until) + "."
	if f.Target.Discussion != "" {
		said += " What it wrote into documents stays."
	}
	return said + " Until then any full member of this channel can take it back, as it was: press “Keep it”, or type /roundtable keep " + how
}

// goes names what is out of sight, up to the verb.
func goes(f Forgetting) string {
	if f.Target.Discussion != "" {
		return "Its transcript is"
	}
	return "Its " + count(f.Documents, "document") + " and " + count(f.Discussions, "discussion") + " are"
}

func count(n int, of string) string {
	if n == 1 {
		return "one " + of
	}
	return fmt.Sprintf("%d %ss", n, of)
}

func keptText(f Forgetting) string {
	switch {
	case f.KeptBy != nil:
		return asker(*f.KeptBy) + " took it back. Everything is there as it was."
	case f.Why == WhyBusy:
		return "Somebody is working on " + f.Target.name() + " right now, so it was not forgotten. Try again in a moment."
	case f.Why == WhyOpen && f.Target.Discussion != "":
		return say.ForgetOpen("That thread", f.Open)
	case f.Why == WhyOpen:
		return say.ForgetOpen(f.Target.name(), f.Open)
	case f.Why == WhyMissing:
		return "Roundtable keeps nothing of " + f.Target.name() + "."
	case f.Why == WhyUntold:
		return f.Target.name() + " was not forgotten, because no notice can be posted in this channel. Invite Roundtable, or let it post here, and ask again."
	case f.Why == WhyNoMember:
		return thread.SayOutsider()
	case f.Why == WhyNameless:
		return "Slack never told me who you are, so what you wanted forgotten was not. Everything is there as it was; you can ask again."
	case f.Why == WhyWrittenTo:
		return f.Target.name() + " was not removed, because somebody went on with it. Everything is there."
	default:
		return f.Target.name() + " could not be forgotten. Everything is there as it was; try again later."
	}
}

// asker is who asked; an operator has no name in the workspace.
func asker(p thread.Person) string {
	if p.ID == "" {
		return "An operator"
	}
	return thread.OneLine(p.Name)
}

func day(t time.Time) string { return t.UTC().Format("2 January 2006 at 15:04 UTC") }

// SayAsked confirms to the person that something is being forgotten.
func SayAsked(t Target) string {
	return t.name() + " goes out of sight now. The channel is told in a moment, and it can be taken back for seven days."
}

// SayAlready says that something is forgotten already.
func SayAlready(f Forgetting) string {
	if f.Until.IsZero() {
		return standing(f)
	}
	return f.Target.name() + " is out of sight already, and gone for good on " + day(f.Until) + ". To take it back, press “Keep it” below the notice."
}

// SayOutOfSight answers whoever calls the app in a thread whose discussion was forgotten and
// can still be taken back.
func SayOutOfSight() string {
	return "What was discussed in this thread was forgotten: it is out of sight, and nothing more is taken in here. " +
		"Until it is gone for good, any full member of this channel can bring it back; /roundtable keep shows how. " +
		"To discuss something new, type /roundtable and a topic."
}

// SayKeeping confirms that something is being brought back.
func SayKeeping(t Target) string {
	return "Bringing " + t.name() + " back, as it was. It is there in a moment."
}

// SayNeverKept tells somebody who wanted to take something back that it is removed, because
// Slack never said whether they may. It does not name it to them.
func SayNeverKept() string {
	return "Slack never told me who you are, so what you wanted kept was not brought back. The time for that is over, and it is being removed."
}

// SayListed is what is to be forgotten in one line of a list, and until when it can be taken
// back.
func SayListed(f Forgetting) string {
	if f.Until.IsZero() {
		return f.Target.name()
	}
	return f.Target.name() + ", until " + day(f.Until)
}

// SayKeepWhich lists what can be taken back, each as SayListed words it, for somebody who
// named nothing of it.
func SayKeepWhich(words string, pending []string) string {
	if len(pending) == 0 {
		return "Nothing in this channel is waiting to be forgotten."
	}
	said := "What should be kept? This is waiting to be forgotten:"
	if words != "" {
		said = "Nothing called “" + thread.OneLine(words) + "” is waiting to be forgotten. This is:"
	}
	for _, line := range pending {
		said += "\n• " + line
	}
	return said + "\nType /roundtable keep and its name, or press “Keep it” below the notice."
}
