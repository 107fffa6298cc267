package bot

import (
	"context"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/roundtable-chat/app/bot/blocks"
	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/persona"
	"github.com/roundtable-chat/app/roundtable/say"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// An opening is somebody's wish for a discussion.
type opening struct {
	channel string
	// thread is the thread in which it is to take place; empty for one of its
	// own.
	thread string
	user   string
	// foreign is set if Slack says that the user is of another workspace.
	foreign string
	// said is set for what the user said in the channel, which only members can.
	said bool
	// request identifies the wish, so that the same one opens nothing twice.
	request string
	at      time.Time

	// topic and context are plain words, not Slack's wire form.
	topic    string
	context  string
	lead     persona.Key
	personas []persona.Key // empty: all
	maxTurns int           // zero: the policy's
	invited  []string      // ids of people to be called into the thread
	// also are further identities of what asked for it: a message that opens a
	// discussion is not said in it as well.
	also []string
}

// openDiscussion checks a wish and stores it. refusal is the sentence for a person whose
// wish is not granted; err means that it could not be stored.
func (b *Bot) openDiscussion(ctx context.Context, o opening) (refusal string, err error) {
	o, refusal = b.checked(ctx, o)
	if refusal != "" {
		return refusal, nil
	}
	id := thread.NewID(b.self.team, o.channel, o.request)
	ref := engine.Ref{Team: b.self.team, Channel: o.channel, ID: id}
	if refusal := b.roomFor(ctx, ref); refusal != "" {
		return refusal, nil
	}
	by := b.people.Person(ctx, o.user)
	r, err := b.put(ctx, engine.Delivery{
		Ref: ref, Opens: true, Thread: o.thread, Also: o.also,
	}, roundtable.Input{ID: "o:" + id, At: o.at, Event: b.opened(ctx, o, id, by)})
	switch {
	case err != nil:
		return "", err
	case r == engine.Full:
		return say.Backlog(), nil
	case r == engine.Closed:
		return say.Ended(), nil
	case r == engine.Taken:
		return b.sayTaken(o), nil
	}
	return "", nil
}

// sayTaken leads a person to the discussion that the thread has which they asked for one in.
func (b *Bot) sayTaken(o opening) string {
	place := thread.Place{Team: b.self.team, Channel: o.channel, Thread: o.thread}
	return say.ThreadTaken(blocks.Permalink(b.self.site, place, o.thread))
}

// checked is a wish with its topic in one line, or the sentence of refusal. A topic becomes
// a heading of documents, and links in it show where they lead.
func (b *Bot) checked(ctx context.Context, o opening) (opening, string) {
	o.topic = thread.Unmasked(thread.OneLine(blocks.Readable(o.topic)))
	switch n := utf8.RuneCountInString(o.topic); {
	case n == 0:
		return o, say.TopicMissing()
	case n > topicLimit:
		return o, say.TopicTooLong(topicLimit)
	}
	return o, b.mayOpen(ctx, o)
}

func (b *Bot) opened(ctx context.Context, o opening, id string, by thread.Person) roundtable.Opened {
	item := b.itemFor(ctx, o.channel, o.topic)
	settings := b.opts.Policy.Settings
	settings.MaxTurns = b.turnLimit(ctx, o, item)
	lead := o.lead
	if lead == "" {
		lead, _ = b.opts.Roster.Lead(roundtable.FreeStep)
	}
	return roundtable.Opened{
		Discussion: id, By: by, Topic: o.topic, Context: o.context,
		Place: thread.Place{Team: b.self.team, Channel: o.channel, Thread: o.thread},
		Item:  item, ItemTitle: o.topic,
		Step: roundtable.StepRef{ID: roundtable.FreeStep, Title: o.topic, Outputs: []string{roundtable.FreeOutput}},
		Cast: cast(b.opts.Roster, o.personas), Lead: lead, Settings: settings, Invited: o.invited,
	}
}

// turnLimit is what the person asked for, else the item's own, else the
// policy's.
func (b *Bot) turnLimit(ctx context.Context, o opening, item string) int {
	if o.maxTurns >= roundtable.MinTurns {
		return o.maxTurns
	}
	if b.opts.TurnLimit != nil {
		n := b.opts.TurnLimit(ctx, engine.ItemRef{Team: b.self.team, Channel: o.channel, Slug: item})
		if n >= roundtable.MinTurns {
			return n
		}
	}
	return b.opts.Policy.Settings.MaxTurns
}

// cast are the chosen personas in roster order.
func cast(r persona.Roster, chosen []persona.Key) []persona.Seat {
	if len(chosen) == 0 {
		return r.Seats()
	}
	var seats []persona.Seat
	for _, p := range r.Personas {
		for _, key := range chosen {
			if p.Key == key {
				seats = append(seats, p.Seat)
				break
			}
		}
	}
	return seats
}

// mayOpen is the sentence of refusal, or empty. What cannot be checked is
// refused. Whoever is not in the channel learns nothing of it (I12).
func (b *Bot) mayOpen(ctx context.Context, o opening) string {
	if !b.opts.Policy.admits(o.channel) {
		return say.ChannelNotAllowed()
	}
	room, err := b.rooms.Room(ctx, o.channel)
	switch {
	case err != nil:
		b.log.Warn("channel not checked", "channel", o.channel, "error", err)
		return say.CannotCheck()
	case !room.Found || !room.Member:
		return say.NotInvited()
	}
	if !o.said {
		if refusal := b.within(ctx, o.channel, o.user, say.OpenInside()); refusal != "" {
			return refusal
		}
	}
	switch {
	case room.Archived:
		return say.ChannelArchived()
	case room.Shared && !b.opts.Policy.AllowShared:
		return say.ChannelShared()
	}
	return b.mayAct(ctx, o.user, o.foreign)
}

// within is empty for somebody who is in a channel, and else the sentence of refusal that
// is given. What cannot be checked is refused.
func (b *Bot) within(ctx context.Context, channel, user, refusal string) string {
	in, err := b.rooms.Has(ctx, channel, user)
	switch {
	case err != nil:
		b.log.Warn("membership not checked", "channel", channel, "error", err)
		return say.CannotCheck()
	case !in:
		return refusal
	}
	return ""
}

// mayAct is the sentence of refusal for a person, or empty. Without the right to look
// people up, nobody can be told from a guest, and everybody is refused whom the policy
// does not admit unseen.
func (b *Bot) mayAct(ctx context.Context, user, foreign string) string {
	switch b.standingOf(ctx, user, foreign) {
	case thread.StandingMember:
		return ""
	case thread.StandingUnknown:
		return thread.SayPersonUnknown()
	case thread.StandingGuest, thread.StandingOutsider:
	}
	return thread.SayOutsider()
}

// mayPress is mayAct for a button whose press can wait until Slack says who somebody is: the
// rules keep it.
func (b *Bot) mayPress(ctx context.Context, user, foreign string) string {
	if b.standingOf(ctx, user, foreign) == thread.StandingUnknown {
		return ""
	}
	return b.mayAct(ctx, user, foreign)
}

// standingOf is who a person is, of whom Slack may have said that they are from elsewhere.
func (b *Bot) standingOf(ctx context.Context, user, foreign string) thread.Standing {
	if foreign != "" && !b.opts.Policy.AllowShared {
		return thread.StandingOutsider
	}
	return b.participant(ctx, user).Is()
}

// mentioned handles a mention where there is no discussion: a command's word, or
// a topic to be discussed in that message's thread. What opens something is known to the
// store by its identity; a command's word that is delivered twice is known to this
// process only, so that another replica may answer it once more.
func (b *Bot) mentioned(ctx context.Context, h happening) (task, error) {
	text := strings.TrimSpace(plainTopic(stripMention(h.Text, b.self.user), b.people.Known))
	thread := firstOf(h.Thread, h.Message)
	word := parseCommand(text)
	if word.verb == verbAnalyze {
		sentence, later, err := b.analyze(ctx, opening{
			channel: h.Channel, thread: thread, user: h.User, foreign: h.Foreign, said: true, request: "m:" + h.Message, at: moment(h.Message),
			topic: word.arg, also: append(h.Also, "m:"+h.Message),
		})
		return inTurn(b.answering(h.Channel, h.Thread, h.User, sentence), later), err
	}
	if word.verb != verbTopic && word.verb != verbForm {
		if again, _ := b.performed.ContainsOrAdd(spot{h.Channel, h.Message}, struct{}{}); again {
			return nil, nil // delivered once more because its acknowledgement was lost
		}
		text, later := b.perform(ctx, word, asker{
			channel: h.Channel, thread: thread, user: h.User, foreign: h.Foreign, request: "m:" + h.Message, at: moment(h.Message),
		})
		return inTurn(b.answering(h.Channel, h.Thread, h.User, text), later), nil
	}
	if text == "" {
		return b.answering(h.Channel, h.Thread, h.User, say.TopicMissing()), nil
	}
	if h.Direct {
		return b.addressed(h, text), nil
	}
	refusal, err := b.openDiscussion(ctx, opening{
		channel: h.Channel, thread: thread, user: h.User, foreign: h.Foreign, said: true, request: "m:" + h.Message, at: moment(h.Message),
		topic: blocks.Clip(text, topicLimit), context: overflowing(text), also: append(h.Also, "m:"+h.Message),
	})
	b.heard.listen(h.Channel, thread, h.Text)
	return b.answering(h.Channel, h.Thread, h.User, refusal), err
}

// overflowing keeps a long mention whole as context when its topic is clipped.
func overflowing(text string) string {
	if utf8.RuneCountInString(text) <= topicLimit {
		return ""
	}
	return text
}

// stripMention removes mentions of a user.
func stripMention(text, user string) string {
	for {
		at := strings.Index(text, "<@"+user)
		if at < 0 {
			return text
		}
		end := strings.IndexByte(text[at:], '>')
		if end < 0 {
			return text
		}
		text = strings.TrimSpace(text[:at]) + " " + strings.TrimSpace(text[at+end+1:])
	}
}

// plainTopic reads Slack's wire form as plain words. The address of a link is left out,
// unless its label looks like another one (NFR-103).
func plainTopic(text string, name func(string) string) string {
	text = blocks.EntityMention.ReplaceAllStringFunc(text, func(m string) string {
		part := blocks.EntityMention.FindStringSubmatch(m)
		label := firstOf(part[3], name(part[2]), part[2])
		return strings.TrimLeft(label, "@#")
	})
	text = blocks.EntityLink.ReplaceAllStringFunc(text, func(m string) string {
		part := blocks.EntityLink.FindStringSubmatch(m)
		if thread.Disguises(part[2], blocks.Unescape(part[1])) {
			return thread.SpelledLink(thread.Disarmed(part[2]), thread.Spelled(part[1]))
		}
		return part[2]
	})
	return thread.Unmasked(blocks.Unescape(blocks.EntityAddress.ReplaceAllString(text, "$1")))
}
